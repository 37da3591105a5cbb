/*
 * Processes, identified by pid and start time: a pid alone is used again after
 * its process has ended.
 */
#ifndef SP_PROCESS_H
#define SP_PROCESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct sp_process {
	int32_t pid;
	int32_t parent;
	uint64_t started;	/* clock ticks since boot, /proc/PID/stat field 22, by the clock of the first time name space */
	uint64_t space;		/* PID name space to which pid belongs; 0: that of the caller */
};

/* Returns 0, or -ESRCH (no such process), or another negative errno of /proc. */
int sp_process_read(pid_t pid, struct sp_process *process);

/* The parent of a process; 0 if the parent is outside of this name space; or a negative errno as of sp_process_read. */
pid_t sp_process_parent(pid_t pid);

/* By how many clock ticks the clock of the caller's time name space is ahead of the first one's. */
int64_t sp_process_clock_ahead(void);

/* The time since the process was started, to the precision of clock ticks; 0: not known. */
uint64_t sp_process_age_ns(const struct sp_process *process);

/* Fill in the calling process, for other processes to read. */
int sp_process_self(struct sp_process *process);

/* Whether both were filled in by sp_process_self in the same process. */
bool sp_process_same(const struct sp_process *a, const struct sp_process *b);

/*
 * Whether the process of this pid and start time exists and is not a zombie.  A
 * process that cannot be seen (it has another PID name space, in another
 * container; or no file can be opened any more) counts as alive.
 */
bool sp_process_lives(const struct sp_process *process);

/* Returns the same, and what it is doing, from one look; all 0 where it cannot be seen. */
struct sp_activity;
bool sp_process_look(const struct sp_process *process, struct sp_activity *activity);

/*
 * Like sp_process_lives, but across PID name spaces: from the first of the system
 * all processes are seen.
 */
enum sp_sight {
	SP_GONE,
	SP_SEEN,
	SP_OUT_OF_SIGHT,	/* it may run in another container, or may have ended */
};
enum sp_sight sp_process_sight(const struct sp_process *process);

/*
 * The pid in the caller's PID name space of a process that was filled in by
 * sp_process_self; 0: it belongs to another name space.
 */
pid_t sp_process_here(const struct sp_process *process);

/* What a process is doing. */
struct sp_activity {
	char state;		/* as /proc/PID/stat has it: R, S, D, T, Z, ... */
	bool is_ending;		/* it is exiting, and only frees its resources */
	bool has_waited;	/* one of its children has ended, and it has waited for that */
	uint32_t threads;	/* of the process */
	uint64_t ticks;		/* CPU time in clock ticks: of all its threads, and of children for which it has waited */
};

/* Returns as sp_process_read. */
int sp_process_activity(pid_t pid, struct sp_activity *activity);

/* What one thread of a process is doing, with the thread's own CPU time, and when it was started (thread->started). */
int sp_process_thread(pid_t pid, pid_t tid, struct sp_activity *activity, struct sp_process *thread);

/* The number of ancestors of a process that are examined: more than a launcher and its wrappers are. */
#define SP_GENERATIONS_MAX 32

/* Whether pid is a parent of the process, a parent's parent, and so on; false where /proc does not tell. */
bool sp_process_is_ancestor(pid_t pid, const struct sp_process *process);

/* Whether the calling thread is the only one of its process that has not ended. */
bool sp_process_is_left(void);

/*
 * Whether the memory of a process may be read: arguments, environment, maps.
 * That waits for the lock on its address space, which the process can keep for
 * as long as it likes: a page fault on a file system that does not answer is
 * enough.  So only this user's own processes are read.
 */
bool sp_process_is_readable(pid_t pid);

/* From now on all processes are: for a command with which root looks at the jobs of others, and which may wait for them. */
void sp_process_read_all(void);

/*
 * The environment with which a process was started, as one array like environ;
 * one free() releases it.  NULL where it cannot be read, as another user's.
 */
char **sp_process_environment(pid_t pid);

/*
 * The arguments with which a process was started, each with its NUL (a
 * process may have written over them); release with free().  Of another user's
 * process the name alone, of which the kernel keeps 15 characters.  NULL, and a
 * length of 0, where they cannot be read or there are none.
 */
char *sp_process_arguments(pid_t pid, size_t *length);

/*
 * Visit all processes of this PID name space, the smallest pid first, until the
 * visitor returns true.  Returns 0; -E2BIG: there are more than SP_PROCESSES_MAX,
 * of which the first have been visited; or another negative errno where /proc
 * cannot be listed.
 */
#define SP_PROCESSES_MAX (1 << 15)
typedef bool sp_process_visitor(pid_t pid, void *data);
int sp_process_each(sp_process_visitor *visit, void *data);

/*
 * Visit the names, without their folders, of the files that a process has in its
 * address space, such as libraries; of one with several parts, the name comes
 * several times.  False: they cannot be read (sp_process_is_readable).
 */
typedef void sp_file_visitor(const char *name, void *data);
bool sp_process_each_file(pid_t pid, sp_file_visitor *visit, void *data);

/*
 * How long a thread has run, and waited for a CPU; tasks: its process's folder
 * /proc/PID/task.  False: the kernel keeps no such account, or the thread has ended.
 */
bool sp_process_account(int tasks, pid_t tid, uint64_t *ran_ns, uint64_t *waited_ns);

/* The process or thread whose folder in /proc has this name; 0: the name is not that of such a folder. */
pid_t sp_process_number(const char *name);

/*
 * The children of all threads of a process, as one array; release with
 * free().  Children that start or end meanwhile may be missed.
 *
 * Returns how many, or a negative errno (-ESRCH: no such process).
 */
ssize_t sp_process_children(pid_t pid, pid_t **children);

/* The same without the kernel's list: reads every process of the node. */
ssize_t sp_process_children_by_parent(pid_t pid, pid_t **children);

#endif
