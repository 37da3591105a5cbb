/*
 * The jobs of a node over time, from /proc: who runs, and what the kernel counts
 * for each thread.  A process is looked at whole when it is new, or has worked
 * since; in each sample after that only its threads are read.
 */
#ifndef SURVEY_WATCH_H
#define SURVEY_WATCH_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "cmd/show/running.h"
#include "cmd/survey/batch_job.h"
#include "cpus.h"

/* Why threads shared cores. */
enum survey_cause {
	CAUSE_DEFAULT,		/* the launcher's default binding */
	CAUSE_REQUEST,		/* a binding that somebody asked for: an option, taskset */
	CAUSE_LIST,		/* CPU numbers in a variable of OpenMP */
	CAUSE_OPENMP,		/* each rank's runtime binds from the same mask */
	CAUSE_TWO_JOBS,		/* each job alone would have enough CPUs */
	CAUSE_THREADS,		/* there are more threads than CPUs */
	CAUSE_PROGRAM,		/* the program pins itself */
	CAUSES
};

/* A thread; times are those of /proc/PID/task/TID/schedstat. */
struct survey_thread {
	pid_t tid;
	uint64_t ran_ns, waited_ns;	/* in all its life */
	uint64_t need_ns, lacked_ns;	/* in the last interval: ran or waited for a CPU, waited */
	struct sp_cpus cpus;		/* where it may run */
};

struct survey_process {
	pid_t pid;
	uint64_t ticks;		/* of one that belongs to no job: when it is looked at again */
	bool is_seen;		/* such a one was looked at again */
	bool is_skipped;	/* the kernel's own, or another user's */
	struct survey_job *job;	/* NULL: none */
	struct survey_thread *thread;
	size_t nthreads;
	struct sp_cpus first;	/* where its threads might run when it was found */
};

struct survey_job {
	struct survey_job *next;
	pid_t key;		/* as in struct show_other */
	char *name, *line, *list, *array;	/* name: as splitpin show has it; line: what starts it with splitpin; array: of a task of an array, or NULL */
	bool is_asked, is_bound_by_runtime, has_splitpin;
	char program[SHOW_NAME];
	const char *launcher;
	uid_t owner;
	struct batch_job batch;
	struct sp_cpus allocated, around;	/* around: as in struct show_other */
	int64_t from, to;	/* seconds since 1970: its start, the last sample that has it */
	bool is_part;		/* a line of an earlier day has its beginning */
	uint32_t looks;		/* for the engine */
	uint32_t number;	/* its place in the list, while an interval is judged */
	uint32_t living, ranks;	/* processes now, and at most */
	uint32_t announced, busy;	/* threads of a rank by its variables, 0: none; busy threads at most */
	uint32_t others_busy, others_ranks;	/* of other jobs on its CPUs, at most */
	uint64_t ran_ns, waited_ns, lost_ns, idle_ns, left_out_ns;	/* CPU time, see line.c */
	uint64_t piled_ns[CAUSES];	/* time in which its threads had too few CPUs, for two intervals at least: a rank that starts is no pile-up */
	uint64_t suspected_ns;	/* the last interval, if its threads had too few CPUs in it alone; 0: they had enough, or it is counted */
	bool was_piled;		/* in the last interval */
};

struct survey {
	struct show show;	/* whose other jobs are those that run */
	struct survey_job *job;
	struct survey_process *process;	/* by pid */
	size_t nprocesses;
	struct sp_cpus all;	/* CPUs of the node */
	uint64_t idle_ns[SP_CPUS_MAX], idled_ns[SP_CPUS_MAX];	/* of each CPU: in all, in the last interval */
	uint64_t at_ns, interval_ns;	/* of the last sample; 0 before the second */
	int64_t time;		/* of the last sample, seconds since 1970 */
	bool is_root;
};

/* Take a sample: update all of it. */
void watch_sample(struct survey *survey);

/* Forget a job that no process belongs to any more. */
void watch_drop(struct survey *survey, struct survey_job *job);
void watch_release(struct survey *survey);

/*
 * The parts of watch_sample that read a process's threads and the CPUs' idle time:
 * threads.c.  False: this is another process with the same number, since its first
 * thread has run less than before.
 */
bool threads_sample(struct survey_process *process, uint64_t interval_ns);
void idle_sample(struct survey *survey);

#endif
