/*
 * Files that never have the number of a standard stream.
 *
 * A program may run with these closed, and write to them all the same: a file
 * of ours that the kernel gave such a number would get its messages.  To move
 * the file to another number comes too late where another thread writes.
 */
#ifndef SP_DESCRIPTOR_H
#define SP_DESCRIPTOR_H

#include <sys/types.h>

/*
 * open(2), with a number from 3.  What is closed of 0 to 2 stays so for the
 * program meanwhile: reading and writing there fails with EBADF.  Returns the
 * descriptor, or -1 with errno set.  mode counts where flags have O_CREAT.
 */
int sp_descriptor_open(const char *path, int flags, mode_t mode);

/* pipe2(2) with O_CLOEXEC, likewise.  Returns 0, or -1: there is no pipe. */
int sp_descriptor_pipe(int end[2]);

#endif
