#include "cmd/plan/make/parts.h"

#include <stdlib.h>

#include "cmd/cmd.h"

int
plan_parts_add(struct plan_parts *parts, const struct plan_part *part, const char *of)
{
	if (part->ranks == 0) {
		cmd_complain("%spart %u has no number of ranks: give -n RANKS in each part, as in -n 4 -t 2 : -n 1 -t 8", of, parts->n + 1);
		return CMD_USAGE;
	}
	parts->part = cmd_enlarge(parts->part, parts->n + 1, sizeof(*parts->part));
	parts->part[parts->n++] = *part;
	return 0;
}

static bool
is_last_alone(const struct plan_parts *parts)
{
	for (uint32_t i = 0; i + 1 < parts->n; i++)
		if (parts->part[i].command)
			return false;
	return true;
}

static int
complete_commands(struct plan_parts *parts, const char *of)
{
	char *const *last = parts->part[parts->n - 1].command;
	bool for_all = is_last_alone(parts);

	for (uint32_t i = 0; i < parts->n; i++) {
		if (for_all)
			parts->part[i].command = last;
		if (!for_all && !parts->part[i].command) {
			cmd_complain("%spart %u has no program: name one in each part, or in the last alone for all", of, i + 1);
			return CMD_USAGE;
		}
	}
	return 0;
}

int
plan_parts_end(struct plan_parts *parts, const char *of, uint32_t *nranks)
{
	uint64_t ranks = 0;

	for (uint32_t i = 0; i < parts->n; i++)
		ranks += parts->part[i].ranks;
	if (ranks > SP_CPUS_MAX) {
		cmd_complain("%sthe parts have %llu ranks; splitpin plans up to %u", of, (unsigned long long)ranks, SP_CPUS_MAX);
		return CMD_USAGE;
	}
	*nranks = (uint32_t)ranks;
	return complete_commands(parts, of);
}

bool
plan_parts_have_programs(const struct plan_parts *parts)
{
	for (uint32_t i = 1; i < parts->n; i++)
		if (parts->part[i].command != parts->part[0].command)
			return true;
	return false;
}

uint32_t *
plan_parts_need(const struct plan_parts *parts, uint32_t nranks, uint32_t others)
{
	uint32_t *need = cmd_allocate(nranks, sizeof(*need)), rank = 0;

	for (uint32_t i = 0; i < parts->n; i++)
		for (uint32_t k = 0; k < parts->part[i].ranks; k++)
			need[rank++] = parts->part[i].threads ? parts->part[i].threads : others;
	return need;
}
