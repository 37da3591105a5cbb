/*
 * The jobs of this node as they run now: what is in their boards and in
 * /proc, and what is wrong with it.
 */
#ifndef SHOW_H
#define SHOW_H

#include <stdbool.h>
#include <sys/types.h>

#include "board/board.h"
#include "cpus.h"
#include "machine.h"
#include "report/crowding.h"
#include "report/rank_gpus.h"
#include "report/verdict.h"

#define SHOW_NAME 64

struct show_thread {
	pid_t tid;
	char name[SHOW_NAME];	/* printable characters alone */
	char state;		/* as /proc has it: 'R' is running or ready to run */
	uint32_t last;		/* CPU where it last ran */
	bool is_busy;		/* it was running or ready to run at both looks */
	struct sp_cpus cpus;	/* where it may run */
	char *mark;		/* what is wrong with it, or NULL */
};

struct show_rank {
	struct sp_seat seat;	/* texts in it are printable; state SP_SEAT_EMPTY: it has not started */
	bool is_hidden;		/* its process is in another PID name space */
	char program[SHOW_NAME];
	struct sp_rank_gpus gpus;	/* filled in by faults_find */
	struct show_thread *thread;
	size_t nthreads;
};

struct show_job {
	char *name;		/* "mpirun[4711] heat, 4 ranks", "Slurm job 17 step 0, 2 ranks" */
	char *id;		/* the name on its board, which no other has */
	uid_t owner;
	bool dry_run;		/* nothing was changed, so nothing can be wrong */
	bool is_wanted;		/* by the user; others are there to compare with */
	struct sp_machine *machine;
	uint32_t nranks;
	struct show_rank *rank;
	struct sp_cpus claim;	/* cores on which its threads are, or will be; all shares where that is not known; empty: anywhere */
	bool has_terms;		/* they are on its board, and it claims cores or shares the node */
	uint32_t how;		/* enum sp_terms_how, where it has_terms */
	uint32_t *need;		/* of each rank, as in struct sp_demand, or SP_NEED_FIXED; NULL: not known */
	struct sp_verdict verdict;
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
	int number;		/* as its launcher numbers the ranks of this node; -1: it is none */
	char program[SHOW_NAME];
	struct show_thread *thread;
	size_t nthreads;	/* one at least */
};

/* Such a job, or a single program with OpenMP threads that are busy. */
struct show_other {
	char *name;		/* "mpirun[4711]", "Slurm job 17 step 0" */
	char *line;		/* what would start it with splitpin */
	char *unbound_line;	/* the same without the binding that was asked for, which a run keeps; NULL: none was, or line is this */
	char *slurm_id, *slurm_name;	/* "": none */
	uid_t owner;
	pid_t key, command;	/* the process that all of it have in common; the user's command, or 0 */
	bool is_wanted;
	struct show_process *process;
	size_t n;
	char *problem;		/* NULL: nothing collides */
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

/*
 * Read the living jobs of a user (of all users if owner is NULL) and their
 * threads, twice within a twentieth of a second to see which are busy.  There
 * is a warning for a job that cannot be read.  Returns 0, or a negative errno where /dev/shm
 * cannot be listed.
 */
int jobs_read(const uid_t *owner, struct show *show);
void jobs_release(struct show *show);

/*
 * The name of a job as one word, which jobs_pick takes: "mpirun[4711]",
 * "slurm-17.0"; the caller's.
 */
char *jobs_word(const char *name);

/* Whether its process is running and can be seen from here. */
bool jobs_has_process(const struct show_rank *rank);

/* Whether this rank has a share and its process is running. */
bool jobs_has_share(const struct show_rank *rank);

/* The part of the job's claim that is in the share of a rank, which has one. */
struct sp_cpus jobs_claim(const struct show_job *job, uint32_t rank);

/* The cores that its threads want; 0: not known, or it keeps the share that it has. */
uint32_t jobs_need(const struct show_job *job, uint32_t rank);

/*
 * Want the jobs that a word of the user's names: by a part of their name, a
 * rank's process or thread, or else by what has started them (mpirun, srun, a
 * script).  NULL: all.  Returns whether there is any.
 */
bool jobs_pick(struct show *show, const char *which);

/* Whether such a word is the number of a job or of a process. */
bool jobs_is_number(const char *which);

/* What is wrong with the jobs that are wanted: fills in verdicts, marks and faults.  Pure. */
void faults_find(struct show *show);

/*
 * The jobs that run without splitpin (others.c): those of a user, or of all (owner
 * NULL), after the jobs with splitpin have been read; once more for what is busy;
 * and then what collides.
 */
void others_read(const uid_t *owner, struct show *show);
void others_read_again(struct show *show);
void others_find_faults(struct show *show);
void others_release(struct show *show);
/* What people call the job of a rank that lives: by its launcher and program, or its number in Slurm; the caller's. */
char *others_job_name(pid_t rank, const char *program);
void others_print_text(const struct show *show);
void others_print_table(const struct show *show, int width);
/* The members of an array. */
void others_print_json(const struct show *show);

/* One sentence on the jobs that are wanted; the caller's, to free(). */
char *faults_summary(const struct show *show);

/* Words for JSON and the table. */
const char *show_state_name(enum sp_seat_state state);
const char *show_kind_name(enum show_kind kind);

/* The name of a user, or the number where there is none; the caller's, to free(). */
char *show_user(uid_t uid);

/* The name of this node. */
const char *show_host(void);

/* One line a rank, what is wrong, and what is left over, each behind the node's name, the longest of which has host bytes. */
void show_table_heading(size_t host);
void show_print_table(const struct show *show);

/* The columns that all lines of the table have, without a line feed; width: of the job's name. */
void show_table_row(const char *user, const char *job, int width, const char *rank, pid_t pid, const char *program,
		    const char *cpus, size_t busy, size_t threads, uint32_t need);

void show_print_text(const struct show *show);
void show_print_json(const struct show *show);
/* A picture of the first job that is wanted. */
void show_print_svg(const struct show *show);

/*
 * Read the threads of a process; *thread is the caller's, to free().
 * Returns how many there are: 0 where the process has ended.
 */
size_t threads_read(pid_t pid, struct show_thread **thread);
/* Read them again; those that have ended are dropped.  Returns how many are left. */
size_t threads_read_again(pid_t pid, struct show_thread *thread, size_t n);

/* Append those that are busy, as of a group, to an array of *n, which points into them; returns the array, the caller's, to free(). */
struct sp_busy *threads_add_busy(struct sp_busy *busy, size_t *n, const struct show_thread thread[], size_t nthreads, uint32_t group);

/* Name, state and last CPU alone, of one of them; false: it has ended. */
bool threads_read_stat(pid_t pid, pid_t tid, struct show_thread *thread);

/* The parts of these that are pure: of /proc/PID/task/TID/stat and .../status. */
bool threads_parse_stat(const char *text, struct show_thread *thread);
bool threads_parse_status(const char *text, struct show_thread *thread);

/* Its effective user; false where it has ended. */
bool threads_owner(pid_t pid, uid_t *owner);

/* The name of the program that a process runs; "?" if /proc cannot be read. */
void threads_program(pid_t pid, char name[SHOW_NAME]);

/* splitpin show; argv[0] is "show".  Returns the exit status. */
int cmd_show(int argc, char *argv[]);

#endif
