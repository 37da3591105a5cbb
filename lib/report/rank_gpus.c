#include "report/rank_gpus.h"

#include <stdlib.h>

#include "gpus/whose.h"

/* A seat is what a process wrote: a list ends at a GPU that the machine does not have. */
static void
deal(const struct sp_machine *machine, const struct sp_seat seats[], uint32_t nranks, uint32_t rank, struct sp_gpu_list *own)
{
	struct sp_gpu_list *seen = calloc(nranks, sizeof(*seen));

	*own = (struct sp_gpu_list){ .told = SP_GPUS_UNTOLD };
	if (!seen)
		return;
	for (uint32_t i = 0; i < nranks; i++)
		seen[i] = seats[i].state != SP_SEAT_EMPTY ? seats[i].gpus : seats[rank].gpus;
	sp_gpus_deal(seen, nranks, rank, own);
	free(seen);
	for (uint32_t i = 0; i < own->n; i++)
		if (own->gpu[i] >= machine->gpus.n)
			own->n = i;
}

void
sp_rank_gpus_locate(const struct sp_machine *machine, const struct sp_cpus *share, struct sp_rank_gpus *gpus)
{
	struct sp_near near = sp_gpus_near(&machine->gpus, &gpus->own);

	if (sp_machine_near(machine, &near, &gpus->beside))
		gpus->is_foreign = !sp_cpus_within(share, &gpus->beside);
	else
		gpus->beside = (struct sp_cpus){ 0 };
}

void
sp_rank_gpus(const struct sp_machine *machine, const struct sp_seat seats[], uint32_t nranks, uint32_t rank,
	     struct sp_rank_gpus *gpus)
{
	const struct sp_seat *seat = &seats[rank];

	*gpus = (struct sp_rank_gpus){ .is_foreign = false };
	if (!machine->gpus.n || seat->state == SP_SEAT_EMPTY || seat->gpus.told == SP_GPUS_UNTOLD)
		return;
	deal(machine, seats, nranks, rank, &gpus->own);
	sp_rank_gpus_locate(machine, &seat->share, gpus);
	gpus->is_foreign &= seat->state != SP_SEAT_REFUSED;
}
