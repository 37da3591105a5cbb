#ifndef CHECK_H
#define CHECK_H

/* splitpin check; argv[0] is "check".  Returns the exit status. */
int cmd_check(int argc, char *argv[]);

#endif
