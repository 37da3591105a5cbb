#include "cmd/plan/print/print.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/cmd.h"
#include "cmd/plan/make/make.h"
#include "cmd/terminal.h"

#define LINES 12		/* of folded ranks */

/* Ranks first to last, which are alike, and their CPUs together. */
struct group {
	uint32_t first, last;
	struct plan_rank like;	/* the first one */
	struct sp_cpus cores, nodes;
};

static bool
are_alike(const struct plan_rank *a, const struct plan_rank *b)
{
	if (a->ncores != b->ncores || a->ncpus != b->ncpus || a->threads != b->threads || a->gpus.own.n != b->gpus.own.n ||
	    a->gpus.is_foreign != b->gpus.is_foreign || sp_cpus_count(&a->nodes) != sp_cpus_count(&b->nodes))
		return false;
	for (uint32_t i = 0; i < a->threads; i++)
		if (strcmp(a->slot[i].why, b->slot[i].why) != 0)
			return false;
	return true;
}

static int
begin(const struct plan *plan, uint32_t first, struct group *group)
{
	int error = plan_rank(plan, first, &group->like);

	group->first = group->last = first;
	group->cores = group->like.cores;
	group->nodes = group->like.nodes;
	return error;
}

static bool
add_next(const struct plan *plan, struct group *group)
{
	struct plan_rank rank;
	bool alike = group->last + 1 < plan->nranks && plan_rank(plan, group->last + 1, &rank) == 0;

	if (!alike)
		return false;
	alike = are_alike(&group->like, &rank);
	if (alike) {
		group->last++;
		sp_cpus_or(&group->cores, &rank.cores);
		sp_cpus_or(&group->nodes, &rank.nodes);
	}
	plan_rank_release(&rank);
	return alike;
}

static void
print_group(const struct group *group)
{
	uint32_t n = group->last - group->first + 1, threads = group->like.threads;
	char *cores = cmd_list(&group->cores), *nodes = cmd_list(&group->nodes);
	char *name = n == 1 ? cmd_format("rank %u", group->first) : cmd_format("ranks %u-%u", group->first, group->last);

	terminal_print(0, 2, "%s: %u core%s (%u CPU%s) and %u thread%s%s: cores %s of %sNUMA node%s%s%s", name, group->like.ncores,
		       sp_plural(group->like.ncores), group->like.ncpus, sp_plural(group->like.ncpus), threads,
		       sp_plural(threads), n == 1 ? "" : " each", cores, *nodes ? "" : "no ",
		       *nodes ? sp_plural(sp_cpus_count(&group->nodes)) : "", *nodes ? " " : "", nodes);
	free(name);
	free(cores);
	free(nodes);
}

void
plan_print_folded(const struct plan *plan, uint32_t rank)
{
	uint32_t lines = 0;

	for (struct group group; rank < plan->nranks && lines < LINES; rank = group.last + 1, lines++) {
		if (begin(plan, rank, &group) != 0)
			return;
		while (add_next(plan, &group))
			;
		print_group(&group);
		plan_rank_release(&group.like);
	}
	if (rank < plan->nranks)
		printf("ranks %u-%u: not shown\n", rank, plan->nranks - 1);
	puts("--all shows every rank");
}
