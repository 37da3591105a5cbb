/* Processes that pass for launchers and ranks. */
#ifndef SP_TEST_LAUNCHERS_H
#define SP_TEST_LAUNCHERS_H

#include <sys/types.h>

/*
 * A shell that has these arguments: argv[0] is any name, and it runs what
 * argv[2] says, behind "-c".  It and what it starts are one process group,
 * which end_group ends.
 *
 *   environment  NULL: that of this process
 *   path         the shell, maybe under another name; NULL: /bin/sh
 */
pid_t start_shell(const char *path, const char *const argv[], const char *const environment[]);

/*
 * The only child of a process, as soon as it has one and that is called name
 * (its /proc/PID/comm) and has an environment; the second also without one.
 */
pid_t child_of(pid_t parent, const char *name);
pid_t child_in_exec(pid_t parent, const char *name);

/* How many processes of this name a process and its descendants have started. */
int descendants(pid_t pid, const char *name);

void end_group(pid_t leader);

#endif
