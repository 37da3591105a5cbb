#ifndef PLAN_H
#define PLAN_H

#include "cmd/options.h"

/* splitpin plan; argv[0] is "plan".  Returns the exit status. */
int cmd_plan(int argc, char *argv[]);
extern const struct cmd_usage plan_usage;

#endif
