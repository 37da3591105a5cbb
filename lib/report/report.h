/*
 * The lines that SPLITPIN_DEBUG=1 shows: key=value, one line a decision and
 * one a pin, beginning with host and rank.
 */
#ifndef SP_REPORT_H
#define SP_REPORT_H

#include <sys/types.h>

#include "board/seat.h"
#include "cpus.h"
#include "machine.h"
#include "process/numa_maps.h"
#include "base/who.h"
#include "report/crowding.h"
#include "report/verdict.h"

/* Every text is the caller's; why is one sentence without quotation marks. */
struct sp_share_line {
	bool is_active;		/* the rank is on these CPUs because of splitpin */
	const struct sp_cpus *cpus, *inherited, *allowed;
	const char *from;	/* the launcher (struct sp_rank) */
	const char *trigger;	/* the hook that came first */
	uint32_t threads;	/* that it announces; 0: not known */
	const char *memory;	/* policy */
	const char *why;
};

struct sp_pin_line {
	int thread;		/* number in its team, -1 where not known */
	pid_t tid;
	const struct sp_cpus *cpus;
	const char *trigger;	/* NULL: no thread was recognised at this moment */
	const char *why;
};

void sp_report_share(const struct sp_who *who, const struct sp_machine *machine, const struct sp_share_line *line);
void sp_report_pin(const struct sp_who *who, const struct sp_machine *machine,
		   const struct sp_pin_line *line);
/* SPLITPIN_REPORT=memory: nodes are those on which the memory was to lie. */
void sp_report_pages(const struct sp_who *who, const char *memory, const struct sp_cpus *nodes,
		     const struct sp_numa_maps *before, const struct sp_numa_maps *now);
void sp_report_note(const struct sp_who *who, const char *sentence);

/* SPLITPIN_REPORT=1: one line a rank; seats by local rank, who->local_size of them. */
void sp_report_table(const struct sp_who *who, const struct sp_machine *machine, const struct sp_seat seats[]);

/*
 * One line: disjoint or not.  Unless asked for, only what is wrong is reported,
 * as a warning; from: the launcher (struct sp_rank), for the remedy.
 */
void sp_report_verdict(const struct sp_who *who, const struct sp_machine *machine, const char *from,
		       const struct sp_seat seats[], const struct sp_verdict *verdict, bool asked);

/* Cores of the node that no thread of the job used. */
struct sp_report_spare {
	const char *from;	/* the job's launcher (struct sp_rank), or NULL: what it started has bound the rank */
	uint32_t outside;	/* cores that neither a rank of the job nor another job has */
	uint32_t inside;	/* cores in shares of ranks with fewer threads */
	uint32_t ranks;		/* these */
	uint32_t on_one_core;	/* ranks that have one core, and have not had others */
	uint32_t part;		/* cores of an even part for each rank of all that no other job has */
	bool is_bound;		/* this rank keeps a mask that something gave it (sp_verdict_is_bound): its threads cannot use the cores outside */
};

/*
 * A warning: threads of this rank had fewer CPUs than they needed, and waited so
 * many percent of their time for one; setting: the user's that decides their
 * places ("OMP_PROC_BIND=close"), NULL: none.
 */
void sp_report_crowd(const struct sp_who *who, const struct sp_cpus *share, const struct sp_crowding *crowd, unsigned waited,
		     const char *setting, const struct sp_report_spare *spare);

/*
 * A warning: ranks of a program with OpenMP, or the children of this rank, used one
 * core each beside idle ones, since OMP_NUM_THREADS is not set.
 */
void sp_report_few_cores(const struct sp_who *who, const struct sp_report_spare *spare, bool for_children);

/* A warning: the ranks' own lists of CPUs leave their shares; list: the caller's, or NULL. */
void sp_report_listed(const struct sp_who *who, const char *list, const struct sp_seat seats[], const struct sp_verdict *verdict);

/* Ranks of the node into which the library was not loaded. */
struct sp_report_without {
	uint32_t ranks;		/* how many; the rest is about the first of them */
	uint32_t rank;
	pid_t pid;		/* its topmost process */
	bool is_preloaded;	/* its LD_PRELOAD names the library nevertheless */
	bool meets;		/* one of them may use CPUs of other ranks' shares */
};

/* A warning where they may use others' CPUs, else a note. */
void sp_report_without(const struct sp_who *who, const struct sp_report_without *without);

/* A warning: these CPUs of the job's shares are another job's as well; holder: who that is, or ""; remedy: other than to run them one after the other. */
void sp_report_other_job(const struct sp_who *who, const struct sp_cpus *cpus, const char *holder, const char *remedy);

/* A note below the table, where there are any: NUMA nodes that no memory policy uses. */
void sp_notes_memory(const struct sp_who *who, const struct sp_machine *machine);

/* A note below the table, where there are any: ranks that have slow cores alone while another has a faster one.  The slowest decides how fast all are. */
void sp_notes_slow_ranks(const struct sp_who *who, const struct sp_machine *machine, const struct sp_seat seats[]);

#endif
