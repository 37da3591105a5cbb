/* A plan as a picture. */
#include <stdlib.h>

#include "base/text.h"
#include "cmd/cmd.h"
#include "cmd/picture/page.h"
#include "cmd/plan/make/make.h"
#include "cmd/plan/print/print.h"
#include "cut/explain.h"

static void
add_slot(const struct plan *plan, const struct plan_slot *slot, uint32_t thread, struct picture *picture)
{
	bool whole = sp_cpus_count(&slot->cpus) > 1;

	for (uint32_t i = 0; i < plan->machine->ncpus; i++) {
		if (!sp_cpus_has(&slot->cpus, plan->machine->pu[i].cpu))
			continue;
		sp_cpus_add(whole ? &picture->threads[i].on_core : &picture->threads[i].on_cpu, thread);
		return;
	}
}

static char *
legend_of(uint32_t number, const struct plan_rank *rank)
{
	char *list = cmd_list(&rank->share);
	char *text = cmd_format("rank %u: CPU%s %s: %s%s%s", number, sp_plural(rank->ncpus), list, rank->why,
				rank->device ? "; nearest network card: " : "", rank->device ? rank->device->name : "");

	free(list);
	return text;
}

static void
add_rank(const struct plan *plan, uint32_t number, struct picture *picture)
{
	struct plan_rank rank;

	if (plan_rank(plan, number, &rank))
		return;
	if (picture->legend)
		picture->legend[number] = legend_of(number, &rank);
	for (uint32_t i = 0; i < rank.threads && plan->config.bind != SP_NO_BIND && !plan->bound_by && plan->terms.how != SP_TERMS_SHARED; i++)
		add_slot(plan, &rank.slot[i], i, picture);
	for (uint32_t i = 0; i < rank.gpus.n; i++)
		picture->gpu_rank[rank.gpus.gpu[i]] = number;
	plan_rank_release(&rank);
}

static char *
title_of(const struct plan *plan)
{
	const char *name = sp_last_part(plan->name);

	if (plan->threads == 0 || plan->need)
		return cmd_format("%u rank%s on %s", plan->nranks, sp_plural(plan->nranks), name);
	return cmd_format("%u rank%s x %u thread%s on %s", plan->nranks, sp_plural(plan->nranks),
			  plan->threads, sp_plural(plan->threads), name);
}

void
plan_print_svg(const struct plan *plan)
{
	char why[SP_TEXT_MAX], *title = title_of(plan);
	struct sp_cpus others = { 0 };
	struct picture picture;

	for (uint32_t i = 0; i < plan->nbeside; i++)
		sp_cpus_or(&others, &plan->beside[i].terms.claim);
	picture_begin(&picture, plan->source, plan->machine, plan->nranks);
	picture.owner = plan->owner;
	picture.title = title;
	picture.sentence = plan_explain(plan, why);
	picture.others = &others;
	if (plan->terms.how == SP_TERMS_SHARED)
		picture.nobodys = "shared";
	picture.hint = PICTURE_HINT "OpenMP threads, xN for N of them.";
	for (uint32_t rank = 0; rank < plan->nranks; rank++)
		add_rank(plan, rank, &picture);
	picture_print(&picture);
	picture_end(&picture);
	free(title);
}
