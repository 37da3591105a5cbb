/* A plan as one JSON object; splitpin(1) describes its fields. */
#include <stdio.h>
#include <stdlib.h>

#include "cmd/cmd.h"
#include "cmd/json_parts.h"
#include "cmd/plan/make/advise.h"
#include "cmd/plan/make/make.h"
#include "cmd/plan/print/lists.h"
#include "cmd/plan/print/print.h"
#include "cut/explain.h"

static void
print_key(const char *indent, const char *key)
{
	fputs(indent, stdout);
	cmd_json_string(key);
	fputs(": ", stdout);
}

static void
print_text(const char *indent, const char *key, const char *text)
{
	print_key(indent, key);
	cmd_json_string(text);
	puts(",");
}

static void
print_number(const char *indent, const char *key, uint32_t number)
{
	print_key(indent, key);
	printf("%u,\n", number);
}

static void
print_set(const char *indent, const char *key, const struct sp_cpus *set)
{
	print_key(indent, key);
	cmd_json_cpus("", set);
	puts(",");
}

static void
print_slot(const struct plan_slot *slot, uint32_t thread)
{
	printf("        { \"thread\": %u", thread);
	cmd_json_cpus(", \"cpus\": ", &slot->cpus);
	cmd_json_cpus(", \"cores\": ", &slot->cores);
	cmd_json_cpus(", \"numa\": ", &slot->nodes);
	cmd_json_member(", \"why\": ", slot->why);
	fputs(" }", stdout);
}

static void
print_threads(const struct plan *plan, const struct plan_rank *rank)
{
	char *why = plan_why_unplaced(plan);

	if (why)
		print_text("      ", "threads_placed", why);
	printf("      \"threads\": [");
	for (uint32_t i = 0; !why && i < rank->threads; i++) {
		puts(i ? "," : "");
		print_slot(&rank->slot[i], i);
	}
	printf("%s]\n", why ? "" : "\n      ");
	free(why);
}

static void
print_gpus(const struct plan *plan, const struct plan_rank *rank)
{
	if (!plan->seen)
		return;
	cmd_json_gpus("      \"gpus\": ", &plan->machine->gpus, &rank->gpus);
	printf(",\n      \"not_beside\": %s,\n", cmd_json_truth(rank->is_foreign));
}

static void
print_rank(const struct plan *plan, uint32_t number)
{
	static const char indent[] = "      ";
	struct plan_rank rank;

	if (plan_rank(plan, number, &rank))
		return;

	char *list = cmd_list(&rank.share), *mask = plan_mask(&rank.share);

	puts("    {");
	print_number(indent, "rank", number);
	if (!rank.is_guess)
		print_number(indent, "need", rank.threads);
	print_set(indent, "cpus", &rank.share);
	print_text(indent, "list", list);
	print_text(indent, "mask", mask);
	print_set(indent, "cores", &rank.cores);
	print_set(indent, "numa", &rank.nodes);
	print_gpus(plan, &rank);
	if (rank.device)
		print_text(indent, "device", rank.device->name);
	print_text(indent, "why", rank.why);
	print_threads(plan, &rank);
	printf("    }");
	free(list);
	free(mask);
	plan_rank_release(&rank);
}

static void
print_machine(const struct plan *plan)
{
	struct sp_cpus all = { 0 }, cores, nodes;

	for (uint32_t i = 0; i < plan->machine->ncpus; i++)
		sp_cpus_add(&all, plan->machine->pu[i].cpu);
	sp_machine_extent(plan->machine, &all, &cores, &nodes);
	print_text("  ", "topology", plan->source ? plan->name : NULL);
	print_set("  ", "cpus", &all);
	print_set("  ", "cores", &cores);
	print_set("  ", "numa", &nodes);
}

/* Numbers of ranks near this one that would leave no core idle. */
static void
print_neighbours(const struct plan *plan)
{
	struct neighbours near = advise_neighbours(plan);

	fputs("  \"none_idle_with\": [", stdout);
	if (near.less.ranks)
		printf("%u%s", near.less.ranks, near.more.ranks ? ", " : "");
	if (near.more.ranks)
		printf("%u", near.more.ranks);
	puts("],");
}

static void
print_beside(const struct plan *plan)
{
	puts("  \"beside\": [");
	for (uint32_t i = 0; i < plan->nbeside; i++) {
		const struct plan_beside *job = &plan->beside[i];
		char *list = cmd_list(&job->terms.claim);

		cmd_json_member("    { \"job\": ", job->text);
		printf(", \"ranks\": %u", job->nranks);
		cmd_json_member(", \"terms\": ", cmd_terms_name(job->terms.how));
		cmd_json_member(", \"list\": ", list);
		cmd_json_cpus(", \"claim\": ", &job->terms.claim);
		puts(i + 1 < plan->nbeside ? " }," : " }");
		free(list);
	}
	puts("  ],");
}

static void
print_cut(const struct plan *plan)
{
	char why[SP_TEXT_MAX];
	const struct sp_cut *cut = &plan->cut;
	struct sp_cpus hbm;

	print_text("  ", "terms", cmd_terms_name(plan->terms.how));
	print_set("  ", "claim", &plan->terms.claim);
	if (plan->nbeside)
		print_beside(plan);
	if (plan->terms.how == SP_TERMS_SHARED)
		puts("  \"cut\": null,");
	else
		printf("  \"cut\": { \"unit\": \"%s\", \"each\": %u, \"even\": %u, \"free\": %u, \"crossing\": %u },\n",
	       cut->by_cpu || cut->splits_cores ? "cpu" : "core", cut->units, cut->fair, cut->idle, cut->crossing);
	print_neighbours(plan);
	print_text("  ", "memory", sp_config_memory_name(plan->config.memory));
	if (plan_hbm(plan, &hbm))
		print_set("  ", "hbm_nodes", &hbm);
	print_text("  ", "why", plan_explain(plan, why));
}

void
plan_print_json(const struct plan *plan)
{
	puts("{");
	print_text("  ", "splitpin", SP_VERSION);
	print_machine(plan);
	print_cut(plan);
	printf("  \"ranks\": [\n");
	for (uint32_t rank = 0; rank < plan->nranks; rank++) {
		print_rank(plan, rank);
		puts(rank + 1 < plan->nranks ? "," : "");
	}
	puts("  ]\n}");
}
