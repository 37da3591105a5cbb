/*
 * The function table between the two shared objects.
 *
 * libsplitpin.so (the shim) is in every process and needs libc alone; it opens
 * libsplitpin-engine.so once, in a rank, and calls it through this table.  The
 * engine never calls back.  Both objects are installed together; the version
 * check refuses objects of two releases.
 */
#ifndef SP_ENGINE_H
#define SP_ENGINE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "cpus.h"
#include "rank.h"
#include "runtime.h"

#define SP_ENGINE_VERSION 18

/* The one symbol that the engine exports: a const struct sp_engine. */
#define SP_ENGINE_SYMBOL "sp_engine"

/* How many variables bind a runtime's threads natively: OMP_PLACES and OMP_PROC_BIND. */
#define SP_NATIVE_VARIABLES 2

/* The hook that was called first, or the event after which a thread is pinned. */
enum sp_by {
	SP_BY_START,		/* the user means each process that is started to be a rank (struct sp_rank) */
	SP_BY_CONSTRUCTOR,	/* an OpenMP runtime that has no hook, or whose hook another library has, is mapped */
	SP_BY_LIBGOMP,		/* libgomp's constructor asked for the mask */
	SP_BY_POOL,		/* a library that makes a pool of threads counted CPUs */
	SP_BY_OMPT,		/* an OpenMP runtime looked for a tool */
	SP_BY_RUNTIME_THREAD,	/* a runtime that was not seen before makes a thread */
	SP_BY_MPI_INIT,
	SP_BY_PMIX_INIT,
};

enum sp_pinning {
	SP_PIN,			/* splitpin pins the threads */
	SP_LOG,			/* the user's settings bind the threads: only log where they are */
	SP_LEAVE,		/* neither pin nor log */
};

/* Who reads the mask of the calling thread. */
enum sp_asker_of_mask {
	SP_PROGRAM_ASKS,
	SP_REGION_ASKS,		/* the program, inside of a parallel region */
	SP_RUNTIME_ASKS,	/* an OpenMP runtime */
};

/* An OpenMP thread that needs a slot. */
struct sp_worker {
	int thread;		/* number in its team; -1: not known */
	uint32_t team;		/* threads in the team, from 1 */
	bool guess;		/* team is only the runtime's default */
	int near;		/* slot of the outer thread of a nested team, or -1 */
	uint32_t root;		/* number of the thread that opened the outermost team */
	enum sp_runtime runtime;
	uint32_t instance;	/* index of its runtime among the loaded runtimes of that family, from 0 */
	bool when_made;		/* a thread of libomp or libiomp5, seen when the runtime created it instead of by OMPT */
};

/* A mask that was widened temporarily; written and read by the engine, but for the array. */
struct sp_widened {
	uint64_t *before;	/* the caller's, mask_words() words: its stack may have no room for a set */
	size_t n;
	uint64_t after;		/* hash of the widened mask, as far as the cpuset allows it */
};

struct sp_engine {
	uint32_t version;	/* SP_ENGINE_VERSION */
	uint32_t size;		/* sizeof(struct sp_engine) */

	/*
	 * Find this rank's share and put every thread of the process on it.
	 * To be called once, before any other function here.  rank is copied.
	 * Returns 0; or a negative errno: nothing was changed, the user has
	 * been warned, and the other functions are not to be called; -EAGAIN,
	 * with SP_BY_START only: the program only starts others, as env and
	 * mpirun do; it may be called again if a library shows that the
	 * process is parallel.
	 */
	int (*settle)(const struct sp_rank *rank, enum sp_by by, char *const environment[]);

	/*
	 * A rank that settled with SP_BY_START is parallel itself, as this
	 * shows.  Until then programs that it starts may take its place.
	 */
	void (*show)(enum sp_by by);

	/* This process ends without destructors: leave the other ranks, unless it is a child that shares this memory. */
	void (*leave)(void);

	/*
	 * MPI_Init begins, or has returned.  Libraries that MPI opens bind the
	 * calling thread for a moment, to measure a CPU: meanwhile
	 * SPLITPIN_GUARD=keep restores no mask.
	 */
	void (*mpi_starts)(bool begins);

	/*
	 * MPI_Init has returned, so all ranks have started: compare the shares
	 * of the node.  The first rank may wait for the others, a bounded time.
	 */
	void (*ready)(void);

	/*
	 * The CPUs of this rank, valid for the life of the process; NULL in a
	 * dry run, in which masks are reported unchanged.
	 */
	const struct sp_cpus *(*share)(void);

	/*
	 * The CPUs of a thread that the caller is about to create and that is
	 * not an OpenMP worker: the share, or all that it could use without
	 * splitpin; empty: those of its creator, which are the same.  Valid
	 * for the life of the process.  NULL: splitpin has not given the caller
	 * the mask that it has, or this is a dry run.  slot: the caller's; below
	 * 0: it has none.
	 */
	const struct sp_cpus *(*cpus_of_helper)(int slot);

	/*
	 * The CPUs of a thread that is about to be made by a runtime whose
	 * threads may leave their places: where its team has more threads than
	 * was announced and than the runtime has places, cores that are now
	 * claimed for the team, or all that it could use without splitpin.
	 * Valid for the life of the process.  NULL: its place.  team, guess: as in
	 * struct sp_worker.
	 */
	const struct sp_cpus *(*cpus_of_larger_team)(uint32_t team, bool guess);

	/* Put the calling thread, which the runtime has just bound to its place, on these CPUs; where there are none, it stays. */
	void (*leave_place)(const struct sp_worker *worker);

	/* Let a thread use all CPUs that it could use without splitpin.  Returns whether it may; false in a dry run. */
	bool (*release)(pid_t tid);

	/*
	 * The default team size for a runtime that counted CPUs before the
	 * process had its share; 0: the user has chosen a size, or this is a
	 * dry run.
	 */
	uint32_t (*default_team)(void);

	/* What to do with the threads of this family of runtimes. */
	enum sp_pinning (*pinning)(enum sp_runtime runtime);

	/*
	 * Whether a setting decides where threads of such a runtime are, but
	 * neither names CPUs nor limits their number: new ones of a larger team
	 * may leave their places.
	 */
	bool (*may_leave_places)(enum sp_runtime runtime);

	/*
	 * Whether the user has named an OMPT tool: the runtime accepts only one
	 * tool, and the user's tool has precedence.
	 */
	bool (*tool_announced)(void);

	/*
	 * The variables, "NAME=value", by which libomp and libiomp5 bind their
	 * threads to the slots themselves (SPLITPIN_PIN), for the life of the
	 * process: SP_NATIVE_VARIABLES of them, then NULL.  is_taken: another
	 * tool uses OMPT, or no tool is to use it.  NULL: threads are not to be
	 * bound natively.
	 */
	char *const *(*native)(bool is_taken);

	/*
	 * Whether threads of libomp and libiomp5 may be pinned when they are
	 * created instead of by OMPT (SPLITPIN_PIN): as far as the user's
	 * settings show, all teams have the default size.
	 */
	bool (*pins_when_made)(void);

	/*
	 * Take a slot for a thread that has started or is about to.  Returns
	 * its number, from 0, or a negative errno.  *cpus, unless NULL: the
	 * CPUs on which the thread may start, before it pins itself: all that
	 * unpinned threads may use where those of the slot cannot be read in
	 * time; empty: those of its creator, since threads are not pinned;
	 * untouched on error and in a dry run.
	 */
	int (*take)(const struct sp_worker *worker, struct sp_cpus *cpus);

	/*
	 * Pin the calling thread to a slot that was taken for it; may be called
	 * again after widen.  Returns 0, or a negative errno: the mask is
	 * unchanged.
	 */
	int (*pin)(int slot, const struct sp_worker *worker);

	/*
	 * Pin the calling thread, which has this slot, again: its runtime has
	 * just set its mask.
	 */
	void (*repin)(int slot);

	/*
	 * The outermost team of this worker, whose threads have slots, now has
	 * worker->team threads.  Any thread that has a slot may be moved.
	 */
	void (*resize)(const struct sp_worker *worker);

	/* Release a slot whose thread ends or could not be started. */
	void (*give)(int slot);

	/* Put the calling thread on the whole share. */
	void (*widen)(void);

	/*
	 * For a fork.  Before it, given_mask returns the hash of the mask that
	 * splitpin has given the calling thread, which has this slot; 0: not
	 * known.  In the child leave_mask lets the thread use all CPUs that it
	 * could use without splitpin, unless the program has chosen its mask;
	 * it does not wait for a lock, and closes what only the rank has open.
	 * slot: below 0: it had none.  given: what given_mask returned for the
	 * same slot, else 0; forker: the thread that called fork.
	 */
	uint64_t (*given_mask)(int slot);
	void (*leave_mask)(int slot, uint64_t given, pid_t forker);

	/* The words of a mask as this kernel has it, from 1 to those of a set. */
	size_t (*mask_words)(void);

	/*
	 * Let the calling thread use all CPUs that it could use without
	 * splitpin, until restore.  slot: the thread's; below 0: it has none.  A mask that the
	 * program itself has set is kept.  Returns 0 or a negative errno:
	 * nothing was changed, and restore is not to be called.
	 */
	int (*widen_for)(int slot, struct sp_widened *widened);
	void (*restore)(int slot, const struct sp_widened *widened);

	/*
	 * The mask to report to the calling thread when it asks for its own:
	 * the share, except to a pinned thread inside of a parallel region; or
	 * NULL: the kernel's answer, now, of size bytes.  slot: the thread's;
	 * below 0: it has none.  A runtime that counts CPUs is given the share whatever
	 * SPLITPIN_ANSWER says.
	 */
	const struct sp_cpus *(*answer)(int slot, const void *now, size_t size, enum sp_asker_of_mask asker);

	/*
	 * The calling thread, to which answer reported the share, has set this
	 * mask, of size bytes: if that is the share, it means the mask that it
	 * had, and gets that back.  Returns whether it has it.
	 */
	bool (*set_back)(int slot, const void *mask, size_t size);

	/*
	 * Whether this mask, of size bytes, is the share, and the calling thread
	 * has left that: it may use all CPUs that it could use without splitpin.
	 * False, too, for an address that the kernel cannot read.
	 */
	bool (*has_left)(const void *mask, size_t size);

	/*
	 * Record that the mask of a thread (0: the calling thread) was changed
	 * by a call that returns to caller.  May be called in a signal handler
	 * and in a child of vfork.
	 */
	void (*mask_changed)(pid_t tid, const void *caller);

	/*
	 * Whether the calling thread, which has no slot, has a mask that its
	 * new threads and processes should not inherit: that which splitpin has
	 * given it, or one by which its runtime has bound it to a part of the
	 * share, by the user's settings or natively.  A mask that the program
	 * itself has set is inherited.
	 */
	bool (*keeps_mask)(void);

	/* Whether decisions are logged (SPLITPIN_DEBUG). */
	bool (*is_debugging)(void);

	/* Log the CPUs of the calling thread, which the user's settings bound. */
	void (*log_bound)(const struct sp_worker *worker);

	/* Log the CPUs of the calling thread, which is not an OpenMP worker. */
	void (*log_foreign)(void);

	/* One line for SPLITPIN_DEBUG. */
	void (*note)(const char *sentence);
};

#endif
