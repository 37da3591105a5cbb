/*
 * libc's functions, bound when a rank first calls them.
 *
 * The shim loads wherever a program does: what it refers to by itself has to be
 * in every version of glibc since 2.17, and in musl, whose loader ends a program
 * for one name that it does not find.  And it is linked with -z now where the
 * distribution wants that: the loader would look up each of these in every
 * process of a site, for the sake of ranks.  What is missing here becomes an
 * ordinary reference, of which tests/systems.sh complains.
 */
#include "elf/late.h"

#ifdef SP_HAS_LATE
/* What each rank calls. */
.irp name, \
	__errno_location, __register_atfork, malloc, memcpy, pthread_key_create, pthread_setcancelstate, sigaction, sigaddset, sigemptyset, \
	sigprocmask, strlen, strrchr, syscall
	late \name
.endr

	late_rare

.irp name, \
	__cxa_atexit, calloc, clock_gettime, clock_nanosleep, free, getcwd, memchr, memcmp, memmove, memset, mprotect, \
	pthread_attr_destroy, pthread_attr_getaffinity_np, pthread_attr_getdetachstate, \
	pthread_attr_getguardsize, pthread_attr_getinheritsched, pthread_attr_getstack, pthread_attr_init, \
	pthread_attr_setaffinity_np, pthread_attr_setdetachstate, pthread_attr_setguardsize, \
	pthread_attr_setstack, pthread_attr_setstacksize, pthread_getcpuclockid, pthread_self, \
	pthread_setspecific, sigismember, sigpending, \
	sigtimedwait, snprintf, strchr, strcmp, strcpy, strcspn, strncmp, sysconf, vsnprintf, write
	late \name
.endr

/* What compilers make of some of them where they check for overflows: -D_FORTIFY_SOURCE, -fstack-protector. */
.irp name, \
	__getcwd_chk, __memcpy_chk, __memmove_chk, __memset_chk, __stack_chk_fail, __strcpy_chk
	late \name
.endr
#endif

	.section .note.GNU-stack, "", %progbits
