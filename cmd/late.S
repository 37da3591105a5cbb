/*
 * Functions of which newer versions of glibc have another: 2.29 those of
 * mathematics, 2.34 those of pthreads and the start, so that the command would not
 * start with an older one.  hwloc as a part of it (HWLOC=static) binds threads.
 */
#include "elf/late.h"

#ifdef SP_HAS_LATE
.irp name, exp, log, pow, pthread_getaffinity_np, pthread_setaffinity_np
	late \name
.endr

/* What cmd/start.c takes the place of. */
	.globl	cmd_libc_start
	.hidden	cmd_libc_start
	.type	cmd_libc_start, %function
cmd_libc_start:
	.cfi_startproc
#if defined(__x86_64__)
	.symver	libc_start, __libc_start_main@GLIBC_2.2.5
	jmp	*libc_start@GOTPCREL(%rip)
#elif defined(__aarch64__)
	.symver	libc_start, __libc_start_main@GLIBC_2.17
	b	libc_start
#endif
	.cfi_endproc
	.size	cmd_libc_start, . - cmd_libc_start
#endif

	.section .note.GNU-stack, "", %progbits
