/*
 * The next definitions of the interposed functions: libc's own, or those of
 * another preloaded library.
 *
 * Definitions are read from the objects themselves, without dlsym: it takes the
 * loader's lock, which another thread may hold while it waits for this one; it
 * clears what dlerror() is to return; and it may be another preloaded
 * library's.  All functions are looked up when the first thread is created,
 * single ones earlier when they are called.
 */
#ifndef SP_NEXT_H
#define SP_NEXT_H

enum sp_function {
	SP_PTHREAD_CREATE,
	SP_PTHREAD_GETAFFINITY_NP,
	SP_PTHREAD_SETAFFINITY_NP,
	SP_SCHED_GETAFFINITY,
	SP_SCHED_SETAFFINITY,
	SP_THRD_CREATE,
	SP_EXECVE,
	SP_EXECV,
	SP_EXECVP,
	SP_EXECVPE,
	SP_FEXECVE,
	SP_EXECVEAT,
	SP_EXECL,
	SP_EXECLP,
	SP_EXECLE,
	SP_POSIX_SPAWN,
	SP_POSIX_SPAWNP,
	SP_SYSTEM,
	SP_POPEN,
	SP_WORDEXP,
	SP_AIO_READ,
	SP_AIO_READ64,
	SP_AIO_WRITE,
	SP_AIO_WRITE64,
	SP_AIO_FSYNC,
	SP_AIO_FSYNC64,
	SP_LIO_LISTIO,
	SP_LIO_LISTIO64,
	SP_EXIT,
	SP_TIMER_CREATE,
	SP_MQ_NOTIFY,
	SP_GETADDRINFO_A,
	SP_FORK,
	SP_FUNCTIONS
};

/* The address of the next definition; where there is none, of a function that returns an error. */
void *sp_next(enum sp_function function);

/* Look up all functions. */
void sp_next_find_all(void);

#endif
