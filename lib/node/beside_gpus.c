#include "node/beside_gpus.h"

#include <stdlib.h>

#include "base/text.h"
#include "elf/objects.h"
#include "gpus/whose.h"
#include "process/patience.h"

static bool
is_runtime(const struct sp_object *object, const void *data)
{
	(void)data;
	return sp_gpus_is_runtime(sp_last_part(object->path));
}

bool
sp_gpus_are_wanted(const struct sp_config *config, char *const environment[])
{
	struct sp_object object;

	switch (config->policy.devices) {
	case SP_DEVICES_GPU:
	case SP_DEVICES_GPU_NIC:
		return true;
	case SP_DEVICES_AUTO:
		break;
	default:
		return false;
	}
	switch (sp_gpus_given(environment)) {
	case SP_GPUS_GIVEN:
		return true;
	case SP_GPUS_WITHHELD:
		return false;
	default:
		return config->visible == SP_VISIBLE_SET || sp_objects_find(is_runtime, NULL, &object);
	}
}

/* Collecting the lists of all ranks. */

/* Whether a seat has the list of its present program; a list from before the rank arrived is that of an earlier program. */
static bool
is_told(const struct sp_seat *seat)
{
	return seat->gpus.told != SP_GPUS_UNTOLD && seat->state != SP_SEAT_COMING;
}

/* Returns how many lists are known; *coming is a process whose list is not known yet, or 0. */
static uint32_t
look(const struct sp_situation *s, struct sp_gpu_list seen[], pid_t *coming)
{
	struct sp_seat seat;
	uint32_t known = 0;

	*coming = 0;
	for (uint32_t i = 0; i < s->rank->local_size; i++) {
		if (seen[i].told == SP_GPUS_UNTOLD && sp_board_read(s->board, i, &seat) == 0) {
			if (is_told(&seat))
				seen[i] = seat.gpus;
			else
				*coming = sp_process_here(&seat.process);
		}
		known += seen[i].told != SP_GPUS_UNTOLD;
	}
	return known;
}

static bool
look_at_all(const struct sp_situation *s, struct sp_gpu_list seen[])
{
	struct sp_patience patience = sp_patience_begin(0, s->config->wait_ms);
	uint32_t known;

	while ((known = look(s, seen, &patience.pid)) < s->rank->local_size) {
		sp_patience_count(&patience, known);
		if (!sp_patience_nap(&patience))
			return false;
	}
	return true;
}

/* Write the own list on the board before waiting for other ranks. */
static bool
find_lists(const struct sp_situation *s, struct sp_gpu_list seen[], bool *gave_up)
{
	const struct sp_seat seat = { .state = SP_SEAT_HERE, .inherited = *s->inherited, .threads = s->threads, .gpus = *s->gpus };

	seen[s->rank->local_rank] = *s->gpus;
	if (s->rank->local_size == 1)
		return true;
	if (!s->board || sp_board_write(s->board, s->rank->local_rank, &seat) != 0 ||
	    sp_board_gave_gpus_up(s->board))
		return false;
	bool all = look_at_all(s, seen);
	bool first, used = sp_board_use_gpus(s->board, all, &first);

	*gave_up = first && !used;
	/* Another rank may have seen all lists just before this one gave up. */
	return used && (all || look_at_all(s, seen));
}

static struct sp_near *
near_of_ranks(const struct sp_machine *machine, const struct sp_gpu_list seen[], uint32_t nranks)
{
	struct sp_near *near = calloc(nranks, sizeof(*near));

	if (near)
		sp_gpus_place(&machine->gpus, seen, nranks, near);
	return near;
}

struct sp_gpu_list *
sp_gpus_lists(const struct sp_situation *s, bool *gave_up)
{
	struct sp_gpu_list *seen;

	*gave_up = false;
	if (!s->machine->gpus.n || !s->gpus)
		return NULL;
	seen = calloc(s->rank->local_size, sizeof(*seen));
	if (seen && find_lists(s, seen, gave_up))
		return seen;
	free(seen);
	return NULL;
}

struct sp_near *
sp_gpus_of_ranks(const struct sp_situation *s, bool *gave_up)
{
	struct sp_gpu_list *seen = sp_gpus_lists(s, gave_up);
	struct sp_near *near = seen ? near_of_ranks(s->machine, seen, s->rank->local_size) : NULL;

	free(seen);
	return near;
}

/* If this rank sees a single GPU, the other ranks most likely see other GPUs, so each is taken to see all. */
struct sp_near *
sp_gpus_guess(const struct sp_machine *machine, const struct sp_gpu_list *own, uint32_t nranks)
{
	struct sp_gpu_list *seen = machine->gpus.n ? calloc(nranks, sizeof(*seen)) : NULL;
	struct sp_near *near = NULL;

	for (uint32_t i = 0; seen && i < nranks; i++)
		if (own->n == 1 && nranks > 1)
			sp_gpus_visible(NULL, &machine->gpus, &seen[i]);
		else
			seen[i] = *own;
	if (seen)
		near = near_of_ranks(machine, seen, nranks);
	free(seen);
	return near;
}
