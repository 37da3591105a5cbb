/*
 * A bounded wait that counts progress and not seconds.
 *
 * Wall time says nothing on a node under load, or on an emulated one: what
 * takes a millisecond elsewhere takes a second there.  So the wait goes on as
 * long as the process that is waited for runs, wants to run, or waits for a
 * disk; it ends soon after that has ended, has been stopped, or has slept all
 * the time.
 */
#ifndef SP_PATIENCE_H
#define SP_PATIENCE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/deadline.h"

/* However much progress there is: the sum of all naps; they take longer under load. */
#define SP_PATIENCE_MAX_MS 60000

struct sp_patience {
	pid_t pid;		/* whose progress counts; may be changed between two naps; 0: nobody is known */
	pid_t seen;		/* of whom ticks are */
	uint64_t ticks;		/* of CPU time that it had used */
	bool is_launcher;	/* pid is that of a launcher: see sp_patience_nap; may be changed with it */
	uint64_t news_ticks;	/* that it had used when the count became more, or when it was new here */
	uint32_t count;		/* of the caller, at its last look */
	uint64_t idle_ns, idle_max_ns;	/* sums of naps without progress: so far, at most */
	uint64_t all_ns;
	struct sp_nap nap;
};

/* idle_ms: how long to wait without seeing progress, on an idle machine. */
struct sp_patience sp_patience_begin(pid_t pid, uint32_t idle_ms);

/*
 * Sleep for 0.2 to 5 ms.  False: there has been no progress for too long.
 *
 * Some launchers are never idle: MPICH's asks its ranks for messages without
 * end once one of them has ended.  What a launcher does is therefore progress
 * only while it may be about to start a process: it waits for a disk, or has
 * had less than 200 ms of a CPU since the count became more.
 */
bool sp_patience_nap(struct sp_patience *patience);

/*
 * So many wait for the same: the longest nap is 0.1 ms for each, where that is
 * more than 5 ms and up to 100 ms, so that all of them together leave the node
 * to the one that they wait for.
 */
void sp_patience_of_many(struct sp_patience *patience, uint32_t processes);

/* Another limit from now on. */
void sp_patience_limit(struct sp_patience *patience, uint32_t idle_ms);

/* Progress of another kind: what the caller counts has become more since the last call. */
void sp_patience_count(struct sp_patience *patience, uint32_t count);

#endif
