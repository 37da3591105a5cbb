/*
 * Functions that glibc 2.34 has moved into libc: references to them would have
 * its version, and the engine would not load in an older container.
 */
#include "elf/late.h"

#ifdef SP_HAS_LATE
.irp name, pthread_create, pthread_detach, pthread_mutex_trylock, pthread_setname_np, pthread_sigmask
	late \name
.endr
#endif

	.section .note.GNU-stack, "", %progbits
