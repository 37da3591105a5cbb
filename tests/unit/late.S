/* Functions of test_objects.c that are bound late: of two libc has a definition, of one nothing has. */
#include "elf/late.h"

#ifdef SP_HAS_LATE
.irp name, lfind, nothing_has_a_9_like_this, l64a
	late \name
.endr
#endif

	.section .note.GNU-stack, "", %progbits
