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

/* Limit of the sum of all naps, however much progress there is; naps take longer under load. */
#define SP_PATIENCE_MAX_MS 60000

struct sp_patience {
	pid_t pid;		/* the process whose progress counts; may be changed between two naps; 0: not known */
	pid_t seen;		/* the process to which ticks belongs */
	uint64_t ticks;		/* CPU time that it had used, in clock ticks */
	bool is_launcher;	/* pid is that of a launcher: see sp_patience_nap; may be changed with it */
	uint64_t news_ticks;	/* CPU time that it had used when count last grew, or when it was first seen */
	uint32_t count;		/* the caller's count at its last look */
	uint64_t idle_ns, idle_max_ns;	/* sum of naps without progress, and its limit */
	uint64_t all_ns;
	struct sp_nap nap;
	int end;		/* see sp_patience_until; -1: none */
	struct sp_nap long_nap;	/* in place of nap while there is an end */
};

/* idle_ms: how long to wait without seeing progress, on an idle machine. */
struct sp_patience sp_patience_begin(pid_t pid, uint32_t idle_ms);

/*
 * Sleep for 0.2 to 5 ms.  False: there has been no progress for too long.
 *
 * Some launchers are never idle: MPICH's asks its ranks for messages without
 * end once one of them has ended.  A launcher's activity therefore counts as
 * progress only while it may be about to start a process: it waits for a disk,
 * or has used less than 200 ms of CPU time since the count last grew.
 */
bool sp_patience_nap(struct sp_patience *patience);

/*
 * Set how many processes wait for the same one: the longest nap becomes 0.1 ms
 * for each, if that is more than 5 ms, up to 100 ms, so that together they
 * leave the node to the process for which they wait.
 */
void sp_patience_of_many(struct sp_patience *patience, uint32_t processes);

/*
 * Sleep until the work of the process is done (process/work.h) from now on, and
 * look whether there is progress after 0.2 s, 0.4 s and so on, up to 2 s.  end:
 * as sp_work_watch returned it; it is closed when the work is done, or by
 * sp_patience_end.  Naps are as before after that, and where it is -1.
 */
void sp_patience_until(struct sp_patience *patience, int end);

/* To be called at the end of a wait with sp_patience_until. */
void sp_patience_end(struct sp_patience *patience);

/* Set another limit from now on. */
void sp_patience_limit(struct sp_patience *patience, uint32_t idle_ms);

/* Set the caller's count: if it has grown since the last call, that is progress, too. */
void sp_patience_count(struct sp_patience *patience, uint32_t count);

#endif
