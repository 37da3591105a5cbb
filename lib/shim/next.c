/* The next definitions, looked up by name once each. */
#include <errno.h>
#include <stdbool.h>
#include <stddef.h>

#include "elf/objects.h"
#include "shim/next.h"

/* Texts in the table itself: pointers would be relocated in every process. */
static const char names[SP_FUNCTIONS][24] = {
	[SP_PTHREAD_CREATE] = "pthread_create",
	[SP_PTHREAD_GETAFFINITY_NP] = "pthread_getaffinity_np",
	[SP_PTHREAD_SETAFFINITY_NP] = "pthread_setaffinity_np",
	[SP_SCHED_GETAFFINITY] = "sched_getaffinity",
	[SP_SCHED_SETAFFINITY] = "sched_setaffinity",
	[SP_THRD_CREATE] = "thrd_create",
	[SP_EXECVE] = "execve",
	[SP_EXECV] = "execv",
	[SP_EXECVP] = "execvp",
	[SP_EXECVPE] = "execvpe",
	[SP_FEXECVE] = "fexecve",
	[SP_EXECVEAT] = "execveat",
	[SP_EXECL] = "execl",
	[SP_EXECLP] = "execlp",
	[SP_EXECLE] = "execle",
	[SP_POSIX_SPAWN] = "posix_spawn",
	[SP_POSIX_SPAWNP] = "posix_spawnp",
	[SP_SYSTEM] = "system",
	[SP_POPEN] = "popen",
	[SP_WORDEXP] = "wordexp",
	[SP_AIO_READ] = "aio_read",
	[SP_AIO_READ64] = "aio_read64",
	[SP_AIO_WRITE] = "aio_write",
	[SP_AIO_WRITE64] = "aio_write64",
	[SP_AIO_FSYNC] = "aio_fsync",
	[SP_AIO_FSYNC64] = "aio_fsync64",
	[SP_LIO_LISTIO] = "lio_listio",
	[SP_LIO_LISTIO64] = "lio_listio64",
	[SP_EXIT] = "_exit",
	[SP_TIMER_CREATE] = "timer_create",
	[SP_MQ_NOTIFY] = "mq_notify",
	[SP_GETADDRINFO_A] = "getaddrinfo_a",
	[SP_FORK] = "_Fork",
};

/* Each is written once, or several times with the same value. */
static void *_Atomic found[SP_FUNCTIONS];

/*
 * What stands for a definition that is not there.  In a process of glibc before
 * 2.34 that has not loaded libpthread a weak reference to one of its functions is
 * bound to ours.  And a resolver of an indirect function that a library has may
 * call us before the loader has relocated this object: then nothing is found.
 */
static int
absent_of_threads(void)
{
	return ENOSYS;
}

static int
absent(void)
{
	return -1;
}

static bool
is_of_threads(enum sp_function function)
{
	return function == SP_PTHREAD_CREATE || function == SP_PTHREAD_GETAFFINITY_NP ||
	       function == SP_PTHREAD_SETAFFINITY_NP || function == SP_THRD_CREATE;
}

/*
 * The first definition of all, unless it is splitpin's own: a program that has
 * opened the library by itself has libc before it.
 */
static void *
before_own(const char *name)
{
	void *first = sp_objects_export_after(NULL, name);
	struct sp_object own;

	return first && sp_object_of(names, &own) && !sp_object_holds(&own, first) ? first : NULL;
}

void *
sp_next(enum sp_function function)
{
	if (!found[function])
		found[function] = sp_objects_next_export(names[function]);
	if (!found[function])
		found[function] = sp_objects_export_after((void *)names, names[function]);
	if (!found[function])
		found[function] = before_own(names[function]);
	/* A missing definition is not remembered: it may be loaded later. */
	if (!found[function])
		return is_of_threads(function) ? (void *)absent_of_threads : (void *)absent;
	return found[function];
}

void
sp_next_find_all(void)
{
	if (found[SP_FUNCTIONS - 1])
		return;
	for (int i = 0; i < SP_FUNCTIONS; i++)
		sp_next(i);
}
