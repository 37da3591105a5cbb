/* The threads of a process, from /proc. */
#ifndef SHOW_PROCESS_THREADS_H
#define SHOW_PROCESS_THREADS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "cpus.h"
#include "report/crowding.h"

#define SHOW_NAME 64

struct show_thread {
	pid_t tid;
	char name[SHOW_NAME];	/* printable characters alone */
	char state;		/* as in /proc: 'R' is running or ready to run */
	uint32_t last;		/* CPU where it last ran */
	bool is_busy;		/* running or ready to run in both samples */
	struct sp_cpus cpus;	/* where it may run */
	char *mark;		/* what is wrong with it, or NULL */
};

/*
 * Read the threads of a process; *thread is the caller's, to free().  Returns
 * their number: 0 if the process has ended.
 */
size_t threads_read(pid_t pid, struct show_thread **thread);
/* Read them again; those that have ended are dropped.  Returns how many are left. */
size_t threads_read_again(pid_t pid, struct show_thread *thread, size_t n);

/* Append those that are busy, as of a group, to an array of *n, which points into them; returns the array, the caller's, to free(). */
struct sp_busy *threads_add_busy(struct sp_busy *busy, size_t *n, const struct show_thread thread[], size_t nthreads, uint32_t group);

/* The parts of these that are pure: of /proc/PID/task/TID/stat and .../status. */
bool threads_parse_stat(const char *text, struct show_thread *thread);
bool threads_parse_status(const char *text, struct show_thread *thread);

/* Its effective user; false if it has ended. */
bool threads_owner(pid_t pid, uid_t *owner);

/* The name of the program that a process runs, printable; "?" if /proc cannot be read. */
void threads_program(pid_t pid, char name[SHOW_NAME]);

#endif
