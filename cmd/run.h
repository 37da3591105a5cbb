#ifndef CMD_RUN_H
#define CMD_RUN_H

/* splitpin run; argv[0] is "run".  Returns the exit status. */
int cmd_run(int argc, char *argv[]);

#endif
