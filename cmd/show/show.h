#ifndef SHOW_H
#define SHOW_H

/* splitpin show; argv[0] is "show".  Returns the exit status. */
int cmd_show(int argc, char *argv[]);

#endif
