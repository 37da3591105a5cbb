/*
 * Drift: the mask of a thread is no longer the one that splitpin gave it.
 *
 * Pure: compares, remembers and words what it is given; makes no system calls
 * and allocates nothing.
 */
#ifndef SP_DRIFT_H
#define SP_DRIFT_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "cpus.h"

/*
 * The changes of masks that went through libc: the latest change of each
 * thread; of the threads that were changed most recently, if they are more than
 * SP_CHANGES.  Zero-initialised by the caller.  Lock-free and without
 * allocation, so that a signal handler may add; a thread that reads while
 * another adds may miss that change.
 */
#define SP_CHANGES 512

struct sp_changes {
	_Atomic uint32_t next;
	struct sp_change {
		_Atomic int tid;	/* 0: empty */
		_Atomic uintptr_t caller;
		_Atomic uint64_t mask;	/* hash of the mask that the call left */
	} change[SP_CHANGES];
};

/* caller: the address to which the call returned; now: hash of the mask that it left. */
void sp_changes_add(struct sp_changes *changes, pid_t tid, const void *caller, uint64_t now);

/* The caller whose call left a thread with the mask of this hash; NULL: none is known. */
const void *sp_changes_find(const struct sp_changes *changes, pid_t tid, uint64_t now);

/* The thread has been pinned again: earlier changes no longer count. */
void sp_changes_forget(struct sp_changes *changes, pid_t tid);

/* Equal sets have equal numbers, never 0; different ones nearly always different numbers. */
uint64_t sp_drift_hash(const struct sp_cpus *cpus);

/* The same of a set of which only the first n words are given; the others are 0. */
uint64_t sp_drift_hash_words(const uint64_t *word, size_t n);

/* The masks that a thread may have from splitpin. */
struct sp_given {
	const struct sp_cpus *assigned;	/* the CPUs of its slot */
	const struct sp_cpus *pinned;	/* the mask that was set last: it may not have moved to a new slot yet */
	const struct sp_cpus *share, *unpinned;	/* its mask while a runtime counts CPUs, and while it creates threads and processes */
};

/* Whether somebody else changed the mask.  by_call: a known call through libc left this mask, so that even the share counts as a change. */
bool sp_drifted(const struct sp_given *given, const struct sp_cpus *now, bool by_call);

/* A thread whose mask was changed. */
struct sp_drift {
	int thread;		/* its number, or -1: the main thread, outside of any team */
	pid_t tid;
	struct sp_cpus assigned, now;
	char by[64];		/* name of the library that changed it; "": not known */
};

/* "mask of thread 3 (tid 1234) changed from 12,28 to 0 by libfoo.so"; returns text. */
char *sp_drift_format(const struct sp_drift *drift, char *text, size_t size);

/* Room for such a text. */
#define SP_DRIFT_TEXT 448

/*
 * The threads whose masks were changed, the worst first: those outside the
 * share, then those with none of the CPUs of their slot, then the narrowest masks.
 * Zero-initialised by the caller.  A thread that is added twice counts once as
 * long as it is among the worst.
 */
#define SP_DRIFTS 3

struct sp_drifts {
	uint32_t count;		/* of all, including those that are not in worst */
	struct sp_drift worst[SP_DRIFTS];
};

void sp_drifts_add(struct sp_drifts *drifts, const struct sp_drift *drift, const struct sp_cpus *share);

/* All of them as one text: the worst, and how many more; returns text. */
char *sp_drifts_format(const struct sp_drifts *drifts, char *text, size_t size);

#define SP_DRIFTS_TEXT (SP_DRIFTS * SP_DRIFT_TEXT + 32)

#endif
