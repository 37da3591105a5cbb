/* A plan as one JSON object; splitpin-json(5) describes its fields. */
#include <stdlib.h>

#include "cmd/cmd.h"
#include "cmd/json.h"
#include "cmd/plan/make/advise.h"
#include "cmd/plan/make/make.h"
#include "cmd/plan/print/print.h"
#include "cut/explain.h"

static void
put_slot(const struct plan_slot *slot, uint32_t thread)
{
	json_row(NULL);
	json_number("thread", thread);
	json_cpus("cpus", &slot->cpus);
	json_cpus("cores", &slot->cores);
	json_cpus("numa", &slot->nodes);
	json_text("why", slot->why);
	json_end();
}

static void
put_threads(const struct plan *plan, const struct plan_rank *rank)
{
	char *why = plan_why_unplaced(plan);

	if (why)
		json_text("threads_placed", why);
	json_array("threads");
	for (uint32_t i = 0; !why && i < rank->threads; i++)
		put_slot(&rank->slot[i], i);
	json_end();
	free(why);
}

static void
put_share(const struct plan *plan, const struct plan_rank *rank)
{
	char *list = cmd_list(&rank->share), *mask = plan_mask(&rank->share);

	json_cpus("cpus", &rank->share);
	json_text("list", list);
	json_text("mask", mask);
	json_cpus("cores", &rank->cores);
	json_cpus("numa", &rank->nodes);
	if (plan->seen) {
		json_gpus("gpus", &plan->machine->gpus, &rank->gpus.own);
		json_bool("not_beside", rank->gpus.is_foreign);
	}
	if (rank->device)
		json_text("device", rank->device->name);
	json_text("why", rank->why);
	free(list);
	free(mask);
}

static void
put_rank(const struct plan *plan, uint32_t number)
{
	struct plan_rank rank;

	if (plan_rank(plan, number, &rank))
		return;
	json_object(NULL);
	json_number("rank", number);
	if (!rank.is_guess)
		json_number("need", rank.threads);
	put_share(plan, &rank);
	put_threads(plan, &rank);
	json_end();
	plan_rank_release(&rank);
}

static void
put_machine(const struct plan *plan)
{
	struct sp_cpus all, cores, nodes;

	sp_machine_cpus(plan->machine, &all);
	sp_machine_extent(plan->machine, &all, &cores, &nodes);
	json_text("topology", plan->source ? plan->name : NULL);
	json_cpus("cpus", &all);
	json_cpus("cores", &cores);
	json_cpus("numa", &nodes);
}

/* Numbers of ranks near this one that would leave no core idle. */
static void
put_neighbours(const struct plan *plan)
{
	struct neighbours near = advise_neighbours(plan);

	json_array("none_idle_with");
	if (near.less.ranks)
		json_number(NULL, near.less.ranks);
	if (near.more.ranks)
		json_number(NULL, near.more.ranks);
	json_end();
}

static void
put_beside(const struct plan *plan)
{
	json_array("beside");
	for (uint32_t i = 0; i < plan->nbeside; i++) {
		const struct plan_beside *job = &plan->beside[i];
		char *list = cmd_list(&job->terms.claim);

		json_row(NULL);
		json_text("job", job->text);
		json_number("rank_count", job->nranks);
		json_text("terms", cmd_terms_name(job->terms.how));
		json_text("list", list);
		json_cpus("claim", &job->terms.claim);
		json_end();
		free(list);
	}
	json_end();
}

static void
put_cut(const struct sp_cut *cut, bool is_shared)
{
	if (is_shared) {
		json_null("cut");
		return;
	}
	json_row("cut");
	json_text("unit", cut->by_cpu || cut->splits_cores ? "cpu" : "core");
	json_number("each", cut->units);
	json_number("even", cut->fair);
	json_number("idle", cut->idle);
	json_number("crossing", cut->crossing);
	json_end();
}

void
plan_print_json(const struct plan *plan)
{
	char why[SP_TEXT_MAX];
	struct sp_cpus hbm;

	json_object(NULL);
	json_text("splitpin", SP_VERSION);
	put_machine(plan);
	json_text("terms", cmd_terms_name(plan->terms.how));
	json_cpus("claim", &plan->terms.claim);
	if (plan->nbeside)
		put_beside(plan);
	put_cut(&plan->cut, plan->terms.how == SP_TERMS_SHARED);
	put_neighbours(plan);
	json_text("memory", sp_config_memory_name(plan->config.memory));
	if (plan_hbm(plan, &hbm))
		json_cpus("hbm_numa", &hbm);
	json_text("why", plan_explain(plan, why));
	json_array("ranks");
	for (uint32_t rank = 0; rank < plan->nranks; rank++)
		put_rank(plan, rank);
	json_end();
	json_end();
}
