#ifndef COMPARE_H
#define COMPARE_H

#include "cmd/options.h"

/* splitpin compare; argv[0] is "compare".  Returns the exit status. */
int cmd_compare(int argc, char *argv[]);
extern const struct cmd_usage compare_usage;

#endif
