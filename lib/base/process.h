/*
 * Processes by pid and start time, which together name one for good: pids are
 * used again.
 */
#ifndef SP_PROCESS_H
#define SP_PROCESS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct sp_process {
	int32_t pid;
	int32_t parent;
	uint64_t started;	/* clock ticks since boot, /proc/PID/stat field 22 */
	uint64_t space;		/* PID name space in which pid counts; 0: that of the caller */
};

/* Returns 0, or -ESRCH (no such process), or another negative errno of /proc. */
int sp_process_read(pid_t pid, struct sp_process *process);

/* The calling process, for others to read. */
int sp_process_self(struct sp_process *process);

/* Whether both were filled in by sp_process_self in the same process. */
bool sp_process_same(const struct sp_process *a, const struct sp_process *b);

/*
 * Whether the process of this pid and start time is there and no zombie.  One
 * that cannot be seen (it has another PID name space, in another container; or
 * no file can be opened any more) counts as being there.
 */
bool sp_process_lives(const struct sp_process *process);

/* Whether the calling thread is the only one of its process that has not ended. */
bool sp_process_is_left(void);

/*
 * The environment with which a process of the same user was started, as one
 * array like environ; one free() releases it.  NULL where it cannot be read.
 */
char **sp_process_environment(pid_t pid);

#endif
