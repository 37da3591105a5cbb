/*
 * The unit tests in an emulator of processes of another processor (qemu-user).
 *
 * It makes up some files that a process finds below its own /proc/self: stat
 * has no state, no number of threads, no CPU time, and in a forked process the
 * start of its parent, so that others do not recognise the process by it.  Each
 * path that begins at the root, "/" too, it looks up among the libraries of the
 * other processor first.  And it has a thread of its own in every process.
 *
 * open() of the unit tests, which goes through calls.c, takes other ways to stat
 * and to "/", so that the library reads what the kernel has.  What a test cannot
 * have even so it leaves out by is_emulated(), with the reason beside it.
 */
#ifndef SP_TEST_EMULATED_H
#define SP_TEST_EMULATED_H

#include <stdbool.h>

/*
 * Whether such an emulator stands between this process and the kernel: its
 * /proc/self/stat is no file of /proc.  Linux itself has no other there.
 */
bool is_emulated(void);

/* In an emulator another way to a file that it hides, which may be written to room; else the path itself. */
#define PAST_EMULATOR 64
const char *past_emulator(const char *path, char room[PAST_EMULATOR]);

/* Threads of every process that its program has not started. */
unsigned emulators_threads(void);

#endif
