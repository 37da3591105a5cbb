#ifndef PLAN_H
#define PLAN_H

/* splitpin plan; argv[0] is "plan".  Returns the exit status. */
int cmd_plan(int argc, char *argv[]);

#endif
