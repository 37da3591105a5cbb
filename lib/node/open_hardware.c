/* Opens libsplitpin-hardware.so when it is needed. */
#include <limits.h>

#include "elf/open_library.h"
#include "elf/origin.h"
#include "hardware.h"

const struct sp_hardware *
sp_hardware_open(const char **problem)
{
	static const struct sp_hardware *table;	/* set once, while the process settles */
	static char path[PATH_MAX];	/* used by the same thread, whose stack may be small */

	if (table)
		return table;
	if (sp_origin_file((void *)sp_hardware_open, NULL, "libsplitpin-hardware.so", path, sizeof(path)) != 0) {
		*problem = "cannot find the folder of libsplitpin-engine.so";
		return NULL;
	}
	const struct sp_hardware *found = sp_library_open(path, SP_HARDWARE_SYMBOL, problem);
	if (!found)
		return NULL;
	if (found->version != SP_HARDWARE_VERSION || found->size != sizeof(*found)) {
		*problem = "libsplitpin-hardware.so has another version";
		return NULL;
	}
	return table = found;
}
