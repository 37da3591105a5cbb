#ifndef CMD_CONFIG_H
#define CMD_CONFIG_H

/* splitpin config; argv[0] is "config".  Returns the exit status. */
int cmd_config(int argc, char *argv[]);

#endif
