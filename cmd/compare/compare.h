#ifndef COMPARE_H
#define COMPARE_H

/* splitpin compare; argv[0] is "compare".  Returns the exit status. */
int cmd_compare(int argc, char *argv[]);

#endif
