/*
 * The interposed functions that start other programs.
 *
 * A program that a pinned thread starts gets the rank's share.  fork runs the
 * handlers of pthread_atfork; vfork and posix_spawn run none.  Between vfork and
 * exec the child has a mask of its own and its parent's memory, so that nothing
 * but the mask may be changed.
 */
#include <errno.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include <wordexp.h>

#include "shim/widened.h"

/* exec: returns only on failure. */

SP_WIDENED(int, execve, SP_GLIBC, SP_EXECVE, true,
	   (const char *path, char *const argv[], char *const envp[]), (path, argv, envp))
SP_WIDENED(int, execv, SP_GLIBC, SP_EXECV, true, (const char *path, char *const argv[]), (path, argv))
SP_WIDENED(int, execvp, SP_GLIBC, SP_EXECVP, true, (const char *file, char *const argv[]), (file, argv))
SP_WIDENED(int, fexecve, SP_GLIBC, SP_FEXECVE, true, (int fd, char *const argv[], char *const envp[]), (fd, argv, envp))
SP_WIDENED(int, execveat, SP_GLIBC_HELPERS, SP_EXECVEAT, true,
	   (int folder, const char *path, char *const argv[], char *const envp[], int flags), (folder, path, argv, envp, flags))

/* Exported without a version, see export.h. */
SP_WIDENED_CALL(int, execvpe, SP_EXECVPE, (const char *file, char *const argv[], char *const envp[]), (file, argv, envp))

SP_EXPORT int
execvpe(const char *file, char *const argv[], char *const envp[])
{
	execvpe_fn *next = (execvpe_fn *)sp_next(SP_EXECVPE);

	return sp_settled() ? execvpe_widened(file, argv, envp) : next(file, argv, envp);
}

/*
 * C cannot pass variable arguments on.  execl.S jumps to the next definition,
 * which these return, with the arguments as they came.  In a rank they return
 * NULL: the arguments are collected in an array, for execv, execvp or execve.
 */

void *sp_execl_next(void);
void *sp_execlp_next(void);
void *sp_execle_next(void);
int sp_execl(const char *path, const char *arg, ...);
int sp_execlp(const char *file, const char *arg, ...);
int sp_execle(const char *path, const char *arg, ...);

void *
sp_execl_next(void)
{
	return sp_settled() ? NULL : sp_next(SP_EXECL);
}

void *
sp_execlp_next(void)
{
	return sp_settled() ? NULL : sp_next(SP_EXECLP);
}

void *
sp_execle_next(void)
{
	return sp_settled() ? NULL : sp_next(SP_EXECLE);
}

static size_t
count_arguments(const char *first, va_list arguments)
{
	size_t n = first != NULL;

	while (n && va_arg(arguments, char *))
		n++;
	return n;
}

static void
collect_arguments(char *argv[], const char *first, size_t n, va_list arguments)
{
	argv[0] = (char *)first;	/* also where it is NULL: an empty list */
	for (size_t i = 1; i <= n; i++)
		argv[i] = va_arg(arguments, char *);
}

/* In the caller's frame: its stack is the only memory that a child of vfork may use. */
#define ARGUMENTS(argv, first)				\
	va_list list;					\
	va_start(list, first);				\
	size_t n = count_arguments(first, list);	\
	va_end(list);					\
	char *argv[n + 1];				\
	va_start(list, first);				\
	collect_arguments(argv, first, n, list)

int
sp_execl(const char *path, const char *arg, ...)
{
	ARGUMENTS(argv, arg);
	va_end(list);
	return execv_widened(path, argv);
}

int
sp_execlp(const char *file, const char *arg, ...)
{
	ARGUMENTS(argv, arg);
	va_end(list);
	return execvp_widened(file, argv);
}

int
sp_execle(const char *path, const char *arg, ...)
{
	ARGUMENTS(argv, arg);
	char *const *envp = va_arg(list, char *const *);
	va_end(list);
	return execve_widened(path, argv, envp);
}

/* On machines for which execl.S has no code. */
#if !defined(__x86_64__) && !defined(__aarch64__)
SP_EXPORT_AT(execl, SP_GLIBC) int sp_at_execl(const char *path, const char *arg, ...) __attribute__((alias("sp_execl")));
SP_EXPORT_AT(execlp, SP_GLIBC) int sp_at_execlp(const char *file, const char *arg, ...) __attribute__((alias("sp_execlp")));
SP_EXPORT_AT(execle, SP_GLIBC) int sp_at_execle(const char *path, const char *arg, ...) __attribute__((alias("sp_execle")));
#endif

/* Functions that start a child and return. */

#define SPAWN(name, number)							\
	SP_WIDENED(int, name, SP_GLIBC_SPAWN, number, true,			\
		   (pid_t *pid, const char *path, const posix_spawn_file_actions_t *actions,	\
		    const posix_spawnattr_t *attributes, char *const argv[], char *const envp[]),	\
		   (pid, path, actions, attributes, argv, envp))

SPAWN(posix_spawn, SP_POSIX_SPAWN)
SPAWN(posix_spawnp, SP_POSIX_SPAWNP)
SP_WIDENED(int, system, SP_GLIBC, SP_SYSTEM, true, (const char *command), (command))
SP_WIDENED(FILE *, popen, SP_GLIBC, SP_POPEN, true, (const char *command, const char *mode), (command, mode))

/* Commands in the words are run. */
SP_WIDENED(int, wordexp, SP_GLIBC, SP_WORDEXP, true, (const char *words, wordexp_t *expanded, int flags), (words, expanded, flags))

/* fork without the handlers of pthread_atfork, which are settle.c's own. */

typedef pid_t fork_fn(void);

static __attribute__((noinline)) pid_t
fork_settled(fork_fn *next)
{
	sp_before_fork();
	pid_t pid = next();

	if (pid == 0)
		sp_in_child();
	return pid;
}

SP_EXPORT_AT(_Fork, SP_GLIBC_HELPERS) pid_t
sp_at__Fork(void)
{
	fork_fn *next = (fork_fn *)sp_next(SP_FORK);

	return sp_settled() ? fork_settled(next) : next();
}
