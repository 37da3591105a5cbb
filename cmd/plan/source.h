#ifndef PLAN_SOURCE_H
#define PLAN_SOURCE_H

#include "cmd/plan/make/planned.h"

/*
 * What sp_topology_read takes for the machine that the user named: a
 * file here, and for the option's "-" a copy of standard input, which becomes
 * the plan's name.  The caller's, to free(); NULL after a message.
 */
char *plan_source(struct plan *plan, bool is_option);

/* Complain of a source for which sp_topology_read returned -EINVAL, -ENODATA, -E2BIG, -ENXIO or -EPROTO; from: what named it, for the message. */
void plan_tell_source(const struct plan *plan, const char *from, int error);

#endif
