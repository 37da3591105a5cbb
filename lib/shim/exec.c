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

#include "shim/export.h"
#include "shim/next.h"
#include "shim/settle.h"
#include "shim/widen.h"

typedef int execve_fn(const char *, char *const[], char *const[]);
typedef int execv_fn(const char *, char *const[]);
typedef int fexecve_fn(int, char *const[], char *const[]);
typedef int execveat_fn(int, const char *, char *const[], char *const[], int);
typedef int spawn_fn(pid_t *, const char *, const posix_spawn_file_actions_t *,
		     const posix_spawnattr_t *, char *const[], char *const[]);
typedef int system_fn(const char *);
typedef FILE *popen_fn(const char *, const char *);
typedef int wordexp_fn(const char *, wordexp_t *, int);

/*
 * exec: returns only on failure.  A child that shares its parent's memory may
 * have a stack of one page, so that in a process that has not settled these are
 * tail calls, which leave nothing on it.
 */

static __attribute__((noinline)) int
execve_widened(execve_fn *next, const char *path, char *const argv[], char *const envp[])
{
	struct sp_widening widening;

	sp_widen_begin(&widening);
	int error = next(path, argv, envp);
	sp_widen_end(&widening);
	return error;
}

static __attribute__((noinline)) int
execv_widened(execv_fn *next, const char *path, char *const argv[])
{
	struct sp_widening widening;

	sp_widen_begin(&widening);
	int error = next(path, argv);
	sp_widen_end(&widening);
	return error;
}

static __attribute__((noinline)) int
fexecve_widened(fexecve_fn *next, int fd, char *const argv[], char *const envp[])
{
	struct sp_widening widening;

	sp_widen_begin(&widening);
	int error = next(fd, argv, envp);
	sp_widen_end(&widening);
	return error;
}

static __attribute__((noinline)) int
execveat_widened(execveat_fn *next, int folder, const char *path, char *const argv[], char *const envp[], int flags)
{
	struct sp_widening widening;

	sp_widen_begin(&widening);
	int error = next(folder, path, argv, envp, flags);
	sp_widen_end(&widening);
	return error;
}

SP_EXPORT_AT(execve, SP_GLIBC) int
sp_at_execve(const char *path, char *const argv[], char *const envp[])
{
	execve_fn *next = (execve_fn *)sp_next(SP_EXECVE);

	return sp_settled() ? execve_widened(next, path, argv, envp) : next(path, argv, envp);
}

SP_EXPORT int
execvpe(const char *file, char *const argv[], char *const envp[])
{
	execve_fn *next = (execve_fn *)sp_next(SP_EXECVPE);

	return sp_settled() ? execve_widened(next, file, argv, envp) : next(file, argv, envp);
}

SP_EXPORT_AT(execv, SP_GLIBC) int
sp_at_execv(const char *path, char *const argv[])
{
	execv_fn *next = (execv_fn *)sp_next(SP_EXECV);

	return sp_settled() ? execv_widened(next, path, argv) : next(path, argv);
}

SP_EXPORT_AT(execvp, SP_GLIBC) int
sp_at_execvp(const char *file, char *const argv[])
{
	execv_fn *next = (execv_fn *)sp_next(SP_EXECVP);

	return sp_settled() ? execv_widened(next, file, argv) : next(file, argv);
}

SP_EXPORT_AT(fexecve, SP_GLIBC) int
sp_at_fexecve(int fd, char *const argv[], char *const envp[])
{
	fexecve_fn *next = (fexecve_fn *)sp_next(SP_FEXECVE);

	return sp_settled() ? fexecve_widened(next, fd, argv, envp) : next(fd, argv, envp);
}

SP_EXPORT_AT(execveat, SP_GLIBC_HELPERS) int
sp_at_execveat(int folder, const char *path, char *const argv[], char *const envp[], int flags)
{
	execveat_fn *next = (execveat_fn *)sp_next(SP_EXECVEAT);

	return sp_settled() ? execveat_widened(next, folder, path, argv, envp, flags) :
		next(folder, path, argv, envp, flags);
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
	return execv_widened((execv_fn *)sp_next(SP_EXECV), path, argv);
}

int
sp_execlp(const char *file, const char *arg, ...)
{
	ARGUMENTS(argv, arg);
	va_end(list);
	return execv_widened((execv_fn *)sp_next(SP_EXECVP), file, argv);
}

int
sp_execle(const char *path, const char *arg, ...)
{
	ARGUMENTS(argv, arg);
	char *const *envp = va_arg(list, char *const *);
	va_end(list);
	return execve_widened((execve_fn *)sp_next(SP_EXECVE), path, argv, envp);
}

/* On machines for which execl.S has no code. */
#if !defined(__x86_64__) && !defined(__aarch64__)
SP_EXPORT_AT(execl, SP_GLIBC) int sp_at_execl(const char *path, const char *arg, ...) __attribute__((alias("sp_execl")));
SP_EXPORT_AT(execlp, SP_GLIBC) int sp_at_execlp(const char *file, const char *arg, ...) __attribute__((alias("sp_execlp")));
SP_EXPORT_AT(execle, SP_GLIBC) int sp_at_execle(const char *path, const char *arg, ...) __attribute__((alias("sp_execle")));
#endif

/* Functions that start a child and return; tail calls too, since tools tell of their callers. */

static __attribute__((noinline)) int
spawn_widened(spawn_fn *next, pid_t *pid, const char *path, const posix_spawn_file_actions_t *actions,
	      const posix_spawnattr_t *attributes, char *const argv[], char *const envp[])
{
	struct sp_widening widening;

	sp_widen_begin(&widening);
	int error = next(pid, path, actions, attributes, argv, envp);
	sp_widen_end(&widening);
	return error;
}

SP_EXPORT_AT(posix_spawn, SP_GLIBC_SPAWN) int
sp_at_posix_spawn(pid_t *pid, const char *path, const posix_spawn_file_actions_t *actions,
	    const posix_spawnattr_t *attributes, char *const argv[], char *const envp[])
{
	spawn_fn *next = (spawn_fn *)sp_next(SP_POSIX_SPAWN);

	return sp_settled() ? spawn_widened(next, pid, path, actions, attributes, argv, envp) :
		next(pid, path, actions, attributes, argv, envp);
}

SP_EXPORT_AT(posix_spawnp, SP_GLIBC_SPAWN) int
sp_at_posix_spawnp(pid_t *pid, const char *file, const posix_spawn_file_actions_t *actions,
	     const posix_spawnattr_t *attributes, char *const argv[], char *const envp[])
{
	spawn_fn *next = (spawn_fn *)sp_next(SP_POSIX_SPAWNP);

	return sp_settled() ? spawn_widened(next, pid, file, actions, attributes, argv, envp) :
		next(pid, file, actions, attributes, argv, envp);
}

static __attribute__((noinline)) int
system_widened(system_fn *next, const char *command)
{
	struct sp_widening widening;

	sp_widen_begin(&widening);
	int status = next(command);
	sp_widen_end(&widening);
	return status;
}

SP_EXPORT_AT(system, SP_GLIBC) int
sp_at_system(const char *command)
{
	system_fn *next = (system_fn *)sp_next(SP_SYSTEM);

	return sp_settled() ? system_widened(next, command) : next(command);
}

static __attribute__((noinline)) FILE *
popen_widened(popen_fn *next, const char *command, const char *mode)
{
	struct sp_widening widening;

	sp_widen_begin(&widening);
	FILE *stream = next(command, mode);
	sp_widen_end(&widening);
	return stream;
}

SP_EXPORT_AT(popen, SP_GLIBC) FILE *
sp_at_popen(const char *command, const char *mode)
{
	popen_fn *next = (popen_fn *)sp_next(SP_POPEN);

	return sp_settled() ? popen_widened(next, command, mode) : next(command, mode);
}

/* Commands in the words are run. */
static __attribute__((noinline)) int
wordexp_widened(wordexp_fn *next, const char *words, wordexp_t *expanded, int flags)
{
	struct sp_widening widening;

	sp_widen_begin(&widening);
	int error = next(words, expanded, flags);
	sp_widen_end(&widening);
	return error;
}

SP_EXPORT_AT(wordexp, SP_GLIBC) int
sp_at_wordexp(const char *words, wordexp_t *expanded, int flags)
{
	wordexp_fn *next = (wordexp_fn *)sp_next(SP_WORDEXP);

	return sp_settled() ? wordexp_widened(next, words, expanded, flags) : next(words, expanded, flags);
}
