/* A plan as masks for srun --cpu-bind=mask_cpu:, and as lists of CPUs. */
#include <stdio.h>
#include <stdlib.h>

#include "cmd/cmd.h"
#include "cmd/plan/make/make.h"
#include "cmd/plan/print/lists.h"
#include "cmd/plan/print/print.h"

char *
plan_mask(const struct sp_cpus *cpus)
{
	char *text = cmd_allocate(SP_CPUS_MAX / 4 + 3, 1), *end = text + sprintf(text, "0x");
	int word = SP_CPUS_MAX / 64 - 1;

	while (word > 0 && !cpus->word[word])
		word--;
	end += sprintf(end, "%llx", (unsigned long long)cpus->word[word]);
	while (word-- > 0)
		end += sprintf(end, "%016llx", (unsigned long long)cpus->word[word]);
	return text;
}

void
plan_put_masks(const struct plan *plan)
{
	for (uint32_t rank = 0; rank < plan->nranks; rank++) {
		struct sp_cpus share;

		plan_share(plan, rank, &share);

		char *mask = plan_mask(&share);

		printf("%s%s", rank ? "," : "", mask);
		free(mask);
	}
}

void
plan_print_masks(const struct plan *plan)
{
	plan_put_masks(plan);
	putchar('\n');
}

void
plan_print_lists(const struct plan *plan)
{
	for (uint32_t rank = 0; rank < plan->nranks; rank++) {
		struct sp_cpus share;

		plan_share(plan, rank, &share);

		char *list = cmd_list(&share);

		puts(list);
		free(list);
	}
}
