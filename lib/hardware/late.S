/* For hwloc as a part of this object (HWLOC=static); see lib/engine/late.S. */
#include "elf/late.h"

#ifdef SP_HAS_LATE
.irp name, pthread_getaffinity_np, pthread_setaffinity_np
	late \name
.endr
#endif

	.section .note.GNU-stack, "", %progbits
