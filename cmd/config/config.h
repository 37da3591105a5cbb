#ifndef CMD_CONFIG_H
#define CMD_CONFIG_H

#include "cmd/options.h"

/* splitpin config; argv[0] is "config".  Returns the exit status. */
int cmd_config(int argc, char *argv[]);
extern const struct cmd_usage config_usage;

#endif
