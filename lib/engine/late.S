/*
 * libc's functions, bound by bind.c when the engine is opened: the loader would
 * search all objects in front of libc for each of them, which takes longer than
 * all else that opening the engine does.
 *
 * clock_gettime is not among them: by its version the loader refuses the engine
 * where libc is older than the engine needs (glibc 2.17).
 */
#include "elf/late.h"

#ifdef SP_HAS_LATE
.irp name, \
	asprintf, calloc, clock_nanosleep, close, closedir, connect, dirfd, faccessat, fallocate, fchmod, fclose, fcntl, flock, fnmatch, fopen, free, \
	getauxval, getcwd, geteuid, getgid, getgroups, gethostname, getpgid, getpid, getppid, getrlimit, getsockopt, getuid, kill, link, malloc, memchr, memcmp, \
	memcpy, memmove, memrchr, memset, nanosleep, open, openat, opendir, pipe2, poll, pread, pthread_mutex_init, pthread_mutex_lock, \
	pthread_mutex_unlock, pthread_self, pwrite, qsort, read, readdir, readlink, readlinkat, realloc, rewinddir, sched_yield, \
	sendto, sigaddset, sigemptyset, sigfillset, sigismember, sigpending, sigprocmask, sigtimedwait, snprintf, socket, statfs, \
	strcasestr, strchr, strcmp, strcpy, strcspn, strdup, strerror, strlen, strncmp, strndup, strpbrk, strrchr, strspn, strstr, strtok_r, \
	strtol, strtoul, strtoull, syscall, sysconf, uname, unlink, vsnprintf, write, __errno_location, __getdelim, __isoc99_sscanf
	late \name
.endr

/* Functions that glibc 2.34 has moved into libc: references to them would have its version, and the engine would not load in an older container. */
.irp name, pthread_create, pthread_detach, pthread_mutex_trylock, pthread_setname_np, pthread_sigmask
	late \name
.endr
#endif

	.section .note.GNU-stack, "", %progbits
