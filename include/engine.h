/*
 * The table between the two objects.
 *
 * libsplitpin.so (the shim) is in every process and needs libc alone; it opens
 * libsplitpin-engine.so once, in a rank, and calls it through this table.
 * The engine never calls back.  Both are installed together; the version is
 * there to refuse a mixture.
 */
#ifndef SP_ENGINE_H
#define SP_ENGINE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "cpus.h"
#include "rank.h"
#include "runtime.h"

#define SP_ENGINE_VERSION 2

/* The one symbol that the engine exports: a const struct sp_engine. */
#define SP_ENGINE_SYMBOL "sp_engine"

/* Which hook was first, or which event a pin follows. */
enum sp_by {
	SP_BY_CONSTRUCTOR,	/* an OpenMP runtime that has no hook is mapped */
	SP_BY_LIBGOMP,		/* libgomp's constructor asked for the mask */
	SP_BY_OMPT,		/* an OpenMP runtime looked for a tool */
	SP_BY_MPI_INIT,
	SP_BY_PMIX_INIT,
};

enum sp_pinning {
	SP_PIN,			/* splitpin pins the threads */
	SP_LOG,			/* the user's settings bind them: only tell where they are */
	SP_LEAVE,		/* neither */
};

/* An OpenMP thread that asks for its slot. */
struct sp_worker {
	int thread;		/* number in its team, -1 where not known */
	uint32_t team;		/* threads in the team, from 1 */
	bool guess;		/* team is only what the runtime would make by default */
	int near;		/* slot of the outer thread of a nested team, or -1 */
	uint32_t root;		/* number of the thread that opened the outermost team */
	enum sp_runtime runtime;
};

struct sp_engine {
	uint32_t version;	/* SP_ENGINE_VERSION */
	uint32_t size;		/* sizeof(struct sp_engine) */

	/*
	 * Find this rank's share and put every thread of the process on it.
	 * To be called once, before any other function here.  rank is copied.
	 * Returns 0; or a negative errno: nothing was changed, the user has
	 * been told, and the other functions are not to be called.
	 */
	int (*settle)(const struct sp_rank *rank, enum sp_by by, char *const environment[]);

	/*
	 * MPI_Init has returned, so all ranks are there: compare the shares of
	 * the node.  The first rank may wait for the others, a bounded time.
	 */
	void (*ready)(void);

	/* The CPUs of this rank; valid for the life of the process. */
	const struct sp_cpus *(*share)(void);

	/*
	 * The team that a runtime should make by default if it counted CPUs
	 * before the process had its share; 0: the user has chosen one.
	 */
	uint32_t (*default_team)(void);

	/* What to do with the threads of this kind of runtime. */
	enum sp_pinning (*pinning)(enum sp_runtime runtime);

	/*
	 * Whether the user has named a tool of OMPT: the runtime takes only
	 * one, and the user's goes first.
	 */
	bool (*tool_announced)(void);

	/*
	 * Take a slot for a thread that is there or about to start.
	 * Returns its number, from 0, or a negative errno.
	 */
	int (*take)(const struct sp_worker *worker);

	/*
	 * Pin the calling thread to a slot that was taken; again after widen.
	 * Returns 0 or a negative errno: the thread stays where it is.
	 */
	int (*sit)(int slot, const struct sp_worker *worker);

	/*
	 * A team of this worker's size is there, of threads that have slots.
	 * Any of them, and others, may be moved by this.
	 */
	void (*team)(const struct sp_worker *worker);

	/* Give a slot back: its thread ends, or has not started. */
	void (*give)(int slot);

	/* Put the calling thread on the whole share. */
	void (*widen)(void);

	/*
	 * The same for a while: before is what its mask was, for restore.
	 * slot is the calling thread's, or below 0.  A thread whose program has
	 * meanwhile given it another mask keeps that.
	 * Returns 0 or a negative errno: nothing was changed.
	 */
	int (*widen_for)(int slot, struct sp_cpus *before);
	void (*restore)(int slot, const struct sp_cpus *before);

	/*
	 * Whether masks that others change are to be found, and that the mask
	 * of a thread (0: the calling one) was changed by a call that returned
	 * to caller.  Both may be called in a signal handler and in a child of
	 * vfork.
	 */
	bool (*is_guarding)(void);
	void (*changed)(pid_t tid, const void *caller);

	/*
	 * Whether the user's settings may have bound the calling thread to a
	 * part of the share, which a thread that it makes should not inherit.
	 */
	bool (*bound_by_user)(void);

	/* Whether decisions are to be told: SPLITPIN_DEBUG. */
	bool (*is_telling)(void);

	/* Tell where the calling thread is, which the user's settings bound. */
	void (*log)(const struct sp_worker *worker);

	/* The same of one that is no OpenMP worker. */
	void (*log_foreign)(void);

	/* One line for SPLITPIN_DEBUG. */
	void (*note)(const char *sentence);
};

#endif
