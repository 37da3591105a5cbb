/* What a picture has besides the machine: GPUs, network cards, memory and caches. */
#include <stdlib.h>
#include <string.h>

#include "cmd/cmd.h"
#include "cmd/picture/picture.h"

void
picture_read(const char *source, const struct sp_machine *machine, struct picture_parts *parts)
{
	size_t size = sp_machine_size(machine->ncpus);

	*parts = (struct picture_parts){ .machine = cmd_allocate(1, size) };
	memcpy(parts->machine, machine, size);
	if (!machine->gpus.n && sp_topology_gpus(source, parts->machine) != 0)
		parts->machine->gpus.n = 0;
	if (sp_topology_parts(source, &parts->parts) != 0)
		parts->parts = NULL;
	int n = sp_topology_devices(source, SP_DEVICES_NIC, parts->machine, &parts->cards);
	parts->ncards = n > 0 ? (size_t)n : 0;
}

void
picture_release(struct picture_parts *parts)
{
	free(parts->machine);
	free(parts->parts);
	free(parts->cards);
	*parts = (struct picture_parts){ .machine = NULL };
}
