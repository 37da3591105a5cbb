/*
 * Work that one process does for others, which wait for its end.
 *
 * The process that works holds the writing end of a pipe; nothing is ever
 * written.  Others open the pipe through its folder in /proc and sleep until the
 * kernel reports that no writer is left: the work is done, or the process has
 * ended.  So those who wait need not wake up to look, and nothing with a name
 * is left behind, whoever is killed.
 *
 * Where this cannot be (the process is in another PID name space, /proc does
 * not show it, no descriptor is free), those who wait look from time to time.
 * So they do in any case, if rarely: the process may have been stopped, or have
 * forked a child that holds the pipe.
 */
#ifndef SP_WORK_H
#define SP_WORK_H

#include <stdint.h>

#include "process/process.h"

/* For others to read; not trusted by them. */
struct sp_work {
	int32_t descriptor;	/* of the writing end, in the process that works; 0: there is none */
	uint32_t no_gap;	/* fills a gap, on whose content a checksum would depend */
	uint64_t inode;		/* of the pipe */
};

/* Begin to work.  There is no descriptor where no pipe can be made. */
void sp_work_begin(struct sp_work *work);

/* The work is done: those who wait wake up.  A descriptor that the program has closed meanwhile is left alone. */
void sp_work_end(struct sp_work *work);

/*
 * A descriptor, the caller's to close, for which poll(2) reports POLLHUP once the
 * process has done its work; -1: the work is done already, or its end cannot
 * be seen.
 */
int sp_work_watch(const struct sp_process *process, const struct sp_work *work);

#endif
