/*
 * The jobs of this node as they run now: what is in their boards and in
 * /proc, and what is wrong with it.  jobs.c reads them, faults.c judges them.
 */
#ifndef SHOW_RUNNING_H
#define SHOW_RUNNING_H

#include <stdbool.h>
#include <sys/types.h>

#include "board/board.h"
#include "cmd/show/process_threads.h"
#include "cpus.h"
#include "machine.h"
#include "report/rank_gpus.h"
#include "report/verdict.h"

struct show_rank {
	struct sp_seat seat;	/* texts in it are printable; state SP_SEAT_EMPTY: it has not started */
	bool is_hidden;		/* its process is in another PID name space */
	char program[SHOW_NAME];
	struct sp_rank_gpus gpus;	/* filled in by faults_find */
	struct show_thread *thread;
	size_t nthreads;
};

/* A process that holds cores, or stands for its job. */
struct show_holder {
	pid_t pid;
	uid_t owner;
	char program[SHOW_NAME];
	struct sp_cpus cpus;
};

struct show_job {
	char *name;		/* "mpirun-4711 heat, 4 ranks", "Slurm job 17 step 0, 2 ranks" */
	char *id;		/* the name on its board, which no other has */
	uid_t owner;
	bool dry_run;		/* nothing was changed, so nothing can be wrong */
	bool is_wanted;		/* by the user; others are only compared with */
	struct sp_machine *machine;
	uint32_t nranks;
	struct show_rank *rank;
	struct sp_cpus claim;	/* cores on which its threads are, or will be; all shares if that is unknown; empty: anywhere */
	bool has_terms;		/* they are on its board, and it claims cores or shares the node */
	uint32_t how;		/* enum sp_terms_how, where it has_terms */
	uint32_t *need;		/* of each rank, as in struct sp_demand, or SP_NEED_FIXED; NULL: not known */
	struct sp_verdict verdict;
	struct show_holder *holder;	/* who holds the cores that it lacks, where it shares the node; filled in by holders_find */
	size_t nholders;
};

enum show_kind {
	SHOW_DRIFT,		/* a thread may run outside its rank's share */
	SHOW_CROWDED,		/* busy threads on one core while another of the share is empty */
	SHOW_FEW_CPUS,		/* more busy threads than CPUs on which they may run */
	SHOW_OVERLAP,		/* shares have CPUs in common */
	SHOW_STARVED,		/* a rank has more threads than CPUs, or than cores while others are idle */
	SHOW_REFUSED,		/* ranks have no share */
	SHOW_KINDS
};

struct show_fault {
	enum show_kind kind;
	const struct show_job *job;
	uint32_t rank;		/* SP_NO_CPU: it is about several */
	pid_t tid;		/* 0: it is about no thread */
	char *text;		/* a clause without a full stop */
};

/* A board on which nobody is left: its job was killed. */
struct show_left {
	char *file;		/* in /dev/shm */
	uid_t owner;
};

/* A process of a job that runs without splitpin. */
struct show_process {
	pid_t pid;
	int number;		/* local rank, by its launcher; -1: not a rank */
	char program[SHOW_NAME];
	struct show_thread *thread;
	size_t nthreads;	/* one at least */
};

/* Such a job, or a single program with OpenMP threads that are busy. */
struct show_other {
	char *name;		/* "mpirun-4711", "Slurm job 17 step 0" */
	char *line;		/* what would start it with splitpin; NULL: that would not help against the problem */
	char *unbound_line;	/* the same without the binding that was asked for, which a run keeps; NULL: none was, or line is this */
	char *slurm_id, *slurm_name;	/* "": none */
	uid_t owner;
	pid_t key, command;	/* the process that all of it have in common; the user's command, or 0 */
	bool is_wanted;
	struct show_process *process;
	size_t n;
	bool is_bound_by_runtime;	/* its variables have an OpenMP runtime bind the threads */
	char *list;		/* the variable that lists CPU numbers for that, or NULL */
	uint32_t threads;	/* that a rank announces; 0: it announces none */
	const char *launcher;	/* as in struct sp_rank; NULL: it has none */
	struct sp_cpus around;	/* where the launcher itself may run; empty: not known */
	char *problem;		/* NULL: nothing collides */
	char *remedy;		/* of the problem */
};

struct show {
	struct show_other *other;
	size_t nothers, ncrowded;	/* of those that are wanted: with a problem */
	struct show_left *left;
	size_t nleft;
	struct show_job *job;
	size_t njobs;
	struct show_fault *fault;
	size_t nfaults;
};

/* Whether its process is running and can be seen from here. */
bool jobs_has_process(const struct show_rank *rank);

/* Its first rank whose process can be seen; NULL: there is none. */
const struct show_rank *jobs_first_seen(const struct show_job *job);

/* Whether this rank has a share and its process is running. */
bool jobs_has_share(const struct show_rank *rank);

/* The part of the job's claim that is in the share of a rank, which has one. */
struct sp_cpus jobs_claim(const struct show_job *job, uint32_t rank);

/* The cores that its threads need; 0: unknown, or it keeps its share. */
uint32_t jobs_need(const struct show_job *job, uint32_t rank);

/*
 * Read the living jobs of a user (of all users if owner is NULL) and their
 * threads, twice within a twentieth of a second to see which are busy.  There
 * is a warning for a job that cannot be read.  Returns 0, or a negative errno where /dev/shm
 * cannot be listed.
 */
int jobs_read(const uid_t *owner, struct show *show);
void jobs_release(struct show *show);

/* What is wrong with the jobs that are wanted: fills in verdicts, marks and faults.  Pure. */
void faults_find(struct show *show);

/* One sentence on the jobs that are wanted; the caller's, to free(). */
char *faults_summary(const struct show *show);

#endif
