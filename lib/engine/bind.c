/* Binds those functions of late.S that each rank calls, before any other code of the engine runs. */
#include "elf/late.h"

__attribute__((constructor)) static void
bind_all(void)
{
	sp_late_bind();
}
