#ifndef PLAN_LINE_H
#define PLAN_LINE_H

#include "cmd/plan/make/planned.h"

/*
 * Take ranks, threads and variables from a launcher's line unless options give
 * them; later readers of the environment see the ranks' one.  "splitpin run" with
 * its settings may stand in front.  Fills in target and job.  Returns 0, or CMD_USAGE after a message.
 */
int plan_read_line(struct plan *plan, char *const command[], struct target *target, struct target_job *job);

/* Whether a launcher is in the line, also behind "splitpin run", that splitpin check starts inside an allocation. */
bool plan_may_start(char *const command[]);

#endif
