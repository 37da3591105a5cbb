/* A plan as masks for srun --cpu-bind=mask_cpu:, and as lists of CPUs. */
#include <stdio.h>
#include <stdlib.h>

#include "cmd/cmd.h"
#include "cmd/plan/make/make.h"
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

static void
put_shares(const struct plan *plan, char *(*text_of)(const struct sp_cpus *), char between)
{
	for (uint32_t rank = 0; rank < plan->nranks; rank++) {
		struct sp_cpus share;

		plan_share(plan, rank, &share);

		char *text = text_of(&share);

		if (rank)
			putchar(between);
		fputs(text, stdout);
		free(text);
	}
}

void
plan_put_masks(const struct plan *plan)
{
	put_shares(plan, plan_mask, ',');
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
	put_shares(plan, cmd_list, '\n');
	putchar('\n');
}
