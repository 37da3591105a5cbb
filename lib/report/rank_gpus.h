/*
 * The GPUs that a rank uses, from what all ranks of its node see, and whether
 * its cores are beside them.
 */
#ifndef SP_RANK_GPUS_H
#define SP_RANK_GPUS_H

#include <stdbool.h>

#include "board/seat.h"
#include "machine.h"

struct sp_rank_gpus {
	struct sp_gpu_list own;	/* empty: it has none, or ranks are not placed by GPUs */
	struct sp_cpus beside;	/* the CPUs beside these; empty: all are as near, or it is not known */
	bool is_foreign;	/* the rank may use CPUs that are not */
};

/*
 * Ranks that have not come are taken for ones that see the same as this one.
 * The seats are not trusted: all of own are GPUs of the machine.
 */
void sp_rank_gpus(const struct sp_machine *machine, const struct sp_seat seats[], uint32_t nranks, uint32_t rank,
		  struct sp_rank_gpus *gpus);

/* Fill in what lies beside its own GPUs, of a rank with this share. */
void sp_rank_gpus_locate(const struct sp_machine *machine, const struct sp_cpus *share, struct sp_rank_gpus *gpus);

#endif
