#ifndef CHECK_H
#define CHECK_H

#include "cmd/options.h"

/* splitpin check; argv[0] is "check".  Returns the exit status. */
int cmd_check(int argc, char *argv[]);
extern const struct cmd_usage check_usage;

#endif
