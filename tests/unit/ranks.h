/*
 * Several processes as the ranks of one node, and a /dev/shm of their own.
 */
#ifndef SP_TEST_RANKS_H
#define SP_TEST_RANKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/*
 * A /dev/shm that no other process sees, for the rest of this process and its
 * children; options are those of mount(8)'s tmpfs, or NULL.  False where the
 * kernel does not allow it: then a test has nothing to try.
 */
bool shm_of_own(const char *options);

/*
 * Whether it may; this process keeps the one that it has.  Not for a user without
 * name spaces, and not in a chroot whose root is no mount point.
 */
bool may_have_shm(void);

/* After that: a file with this text is mounted in place of another one, for the same processes.  False where it may not be. */
bool file_instead(const char *path, const void *text, size_t length);

/* How many files named splitpin-* lie in /dev/shm. */
unsigned shm_files(void);

/* Memory that children share with this process; it aborts where there is none. */
void *shared_memory(size_t size);

/* Start one process that runs body and ends with what it returns. */
pid_t start_rank(int rank, int (*body)(int rank, void *data), void *data);

/* The exit status of such a process, or 128 and its signal. */
int status_of(pid_t pid);

/* A body that never returns. */
int pause_for_ever(int rank, void *data);

/* Start n of them at once, and return how many did not end with 0. */
int run_ranks(int n, int (*body)(int rank, void *data), void *data);

/* Milliseconds since some beginning. */
uint64_t milliseconds(void);
void sleep_ms(unsigned ms);

#endif
