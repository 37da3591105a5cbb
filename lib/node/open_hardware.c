/* Opens libsplitpin-hardware.so when it is needed. */
#include "elf/open_part.h"
#include "hardware.h"

const struct sp_hardware *
sp_hardware_open(const char **problem)
{
	static struct sp_part part = {
		.file = "libsplitpin-hardware.so", .symbol = SP_HARDWARE_SYMBOL,
		.head = { SP_HARDWARE_VERSION, sizeof(struct sp_hardware) } };

	return sp_part_open(&part, problem);
}
