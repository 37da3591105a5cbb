/* Binds the functions of late.S before any other code of the engine runs. */
#include "elf/late.h"
#include "elf/objects.h"

/* Elsewhere the loader binds them. */
#ifdef SP_HAS_LATE

/* From the linker: the table that late.h makes. */
extern const struct sp_late __start_sp_late[] __attribute__((visibility("hidden")));
extern const struct sp_late __stop_sp_late[] __attribute__((visibility("hidden")));

__attribute__((constructor)) static void
bind_all(void)
{
	sp_objects_bind(__start_sp_late, __stop_sp_late);
}

#endif
