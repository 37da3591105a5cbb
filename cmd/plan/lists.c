/* A plan as masks for srun --cpu-bind=mask_cpu:, and as lists of CPUs. */
#include <stdio.h>
#include <stdlib.h>

#include "cmd/cmd.h"

void
cmd_print_masks(const struct plan *plan)
{
	for (uint32_t rank = 0; rank < plan->nranks; rank++) {
		struct sp_cpus share;

		sp_cut_share(plan->machine, plan->owner, rank, &share);

		char *mask = cmd_mask(&share);

		printf("%s%s", rank ? "," : "", mask);
		free(mask);
	}
	putchar('\n');
}

void
cmd_print_lists(const struct plan *plan)
{
	for (uint32_t rank = 0; rank < plan->nranks; rank++) {
		struct sp_cpus share;

		sp_cut_share(plan->machine, plan->owner, rank, &share);

		char *list = cmd_list(&share);

		puts(list);
		free(list);
	}
}
