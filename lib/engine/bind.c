/* Binds those functions of late.S that each rank calls, before any other code of the engine runs. */
#include "elf/late.h"
#include "elf/objects.h"

/* Elsewhere the loader binds them. */
#ifdef SP_HAS_LATE

/* The table that late.h makes begins at the one, by the linker; at the other those begin that are bound when they are called. */
extern const struct sp_late __start_sp_late[] __attribute__((visibility("hidden")));
extern const struct sp_late sp_late_rare[] __attribute__((visibility("hidden")));

__attribute__((constructor)) static void
bind_all(void)
{
	sp_objects_bind(__start_sp_late, sp_late_rare);
}

#endif
