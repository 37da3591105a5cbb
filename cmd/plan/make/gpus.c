/* The GPUs of a plan: which of them each rank sees, and what is beside them. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/ascii.h"
#include "cmd/plan/make/gpus.h"
#include "gpus/whose.h"
#include "gpus/pbs.h"

/* environment: of this machine's job; NULL: the plan is for another machine. */
static bool
are_wanted(const struct plan *plan, char *const environment[])
{
	switch (plan->config.policy.devices) {
	case SP_DEVICES_GPU:
	case SP_DEVICES_GPU_NIC:
		return true;
	case SP_DEVICES_AUTO:
		return plan->gpus || sp_gpus_given(environment) == SP_GPUS_GIVEN;
	default:
		return false;
	}
}

/* "0-3,6", numbers of the GPUs in all; ends at a ':' or the end.  NULL: it is no such list. */
static const char *
parse_list(const char *text, const struct sp_gpu_list *all, struct sp_gpu_list *list)
{
	*list = (struct sp_gpu_list){ .told = SP_GPUS_LISTED };
	do {
		uint64_t first = 0, last;

		text = sp_ascii_digits(text + (*text == ','), &first);
		last = first;
		if (text && *text == '-')
			text = sp_ascii_digits(text + 1, &last);
		if (!text || last >= all->n || first > last)
			return NULL;
		for (; first <= last && list->n < SP_GPUS_MAX; first++)
			list->gpu[list->n++] = all->gpu[first];
	} while (*text == ',');
	return *text == '\0' || *text == ':' ? text : NULL;
}

/* One list for all ranks, or one for each with colons between them. */
static int
parse_lists(struct plan *plan, const struct sp_gpu_list *all)
{
	const char *text = plan->gpus;
	uint32_t n = 0;

	for (; n < plan->nranks; n++) {
		text = parse_list(text, all, &plan->seen[n]);
		if (!text)
			return -EDOM;
		if (*text++ == '\0')
			break;
	}
	if (n == 0)
		for (uint32_t rank = 1; rank < plan->nranks; rank++)
			plan->seen[rank] = plan->seen[0];
	return n == 0 || n == plan->nranks - 1 ? 0 : -EDOM;
}

int
plan_find_gpus(struct plan *plan)
{
	char *const *environment = plan->source ? NULL : sp_pbs_environment(environ);
	struct sp_gpu_list all;

	if (!are_wanted(plan, environment))
		return 0;
	int error = sp_topology_gpus(plan->source, plan->machine);
	if (error)
		return error;
	plan->seen = calloc(plan->nranks, sizeof(*plan->seen));
	if (!plan->seen)
		return -ENOMEM;
	sp_gpus_visible(environment, &plan->machine->gpus, &all);
	if (plan->gpus && strcmp(plan->gpus, "all") != 0) {
		sp_gpus_visible(NULL, &plan->machine->gpus, &all);
		return parse_lists(plan, &all);
	}
	for (uint32_t rank = 0; rank < plan->nranks; rank++)
		plan->seen[rank] = all;
	return 0;
}

void
plan_fill_gpus(const struct plan *plan, uint32_t number, struct plan_rank *rank)
{
	if (!plan->seen)
		return;
	sp_gpus_deal(plan->seen, plan->nranks, number, &rank->gpus.own);
	sp_rank_gpus_locate(plan->machine, &rank->share, &rank->gpus);
}
