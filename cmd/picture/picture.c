/* The parts of a picture: the machine with GPUs, network cards, memory and caches, and room for threads and legend. */
#include "cmd/picture/picture.h"

#include <stdlib.h>
#include <string.h>

#include "cmd/cmd.h"
#include "cut/cut.h"

#define LEGENDS 64		/* at most */

static void
read_parts(const char *source, const struct sp_machine *machine, struct picture_parts *parts)
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
picture_begin(struct picture *picture, const char *source, const struct sp_machine *machine, uint32_t nranks)
{
	*picture = (struct picture){ .nranks = nranks, .nobodys = "free" };
	read_parts(source, machine, &picture->from);
	picture->threads = cmd_allocate(machine->ncpus, sizeof(*picture->threads));
	picture->legend = nranks <= LEGENDS ? cmd_allocate(nranks, sizeof(*picture->legend)) : NULL;
	for (uint32_t i = 0; i < SP_GPUS_MAX; i++)
		picture->gpu_rank[i] = SP_NOBODY;
}

void
picture_end(struct picture *picture)
{
	for (uint32_t rank = 0; picture->legend && rank < picture->nranks; rank++)
		free(picture->legend[rank]);
	for (uint32_t i = 0; i < picture->from.machine->ncpus; i++)
		free(picture->threads[i].drifted);
	free(picture->legend);
	free(picture->threads);
	free(picture->from.machine);
	free(picture->from.parts);
	free(picture->from.cards);
	*picture = (struct picture){ .nranks = 0 };
}
