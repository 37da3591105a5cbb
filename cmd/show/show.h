#ifndef SHOW_H
#define SHOW_H

#include "cmd/options.h"

/* splitpin show; argv[0] is "show".  Returns the exit status. */
int cmd_show(int argc, char *argv[]);
extern const struct cmd_usage show_usage;

#endif
