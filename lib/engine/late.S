/*
 * libc's functions.  Those that each rank calls are bound by bind.c when the
 * engine is opened: the loader would search all objects in front of libc for
 * each of them, which takes longer than all else that opening the engine does.
 * The others are bound when they are called, which takes longer for one, and
 * most ranks call none of them.  The search ends at libc, which comes before
 * all objects that other threads may unload meanwhile.
 *
 * clock_gettime is not among them: by its version the loader refuses the engine
 * where libc is older than the engine needs (glibc 2.17).
 */
#include "elf/late.h"

#ifdef SP_HAS_LATE
.irp name, \
	__errno_location, calloc, close, fcntl, free, getauxval, geteuid, gethostname, getpid, getppid, getrlimit, malloc, memchr, memcmp, memcpy, memset, \
	open, pread, pthread_mutex_init, pthread_mutex_lock, pthread_mutex_unlock, pwrite, read, snprintf, strchr, strcmp, strcspn, strlen, strncmp, \
	strpbrk, strrchr, syscall, vsnprintf
	late \name
.endr

/*
 * Functions that glibc 2.34 has moved into libc: references to them would have its version, and the engine would not load in an
 * older container.  There libpthread may come late in the loader's list.
 */
.irp name, pthread_create, pthread_detach, pthread_mutex_trylock, pthread_setname_np, pthread_sigmask
	late \name
.endr

	late_rare

.irp name, \
	access, asprintf, clock_nanosleep, closedir, connect, dirfd, faccessat, fallocate, fchmod, fclose, flock, fnmatch, fopen, \
	getcwd, getgid, getgroups, getpgid, getrusage, getsid, getsockopt, getuid, kill, link, memmove, memrchr, nanosleep, openat, opendir, pipe2, poll, \
	pthread_self, qsort, readdir, readlink, readlinkat, realloc, rewinddir, sched_yield, \
	sendto, sigaddset, sigemptyset, sigfillset, sigismember, sigpending, sigprocmask, sigtimedwait, socket, statfs, \
	strcasestr, strcpy, strdup, strerror, strndup, strspn, strstr, strtok_r, \
	strtol, strtoll, strtoul, strtoull, sysconf, uname, unlink, write, __getdelim, __isoc99_sscanf
	late \name
.endr
#endif

	.section .note.GNU-stack, "", %progbits
