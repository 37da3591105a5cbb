#include "cmd/plan/print/print.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/cmd.h"
#include "cmd/json.h"
#include "cmd/terminal.h"

/* Rows, unless all are asked for. */
#define ROWS 10

static void
print_row(const struct advice *advice, const struct choice *choice, uint32_t nodes)
{
	char *why = advise_why(advice, choice);
	char *row = cmd_format("%6u", choice->ranks);

	if (nodes > 1)
		row = cmd_append(row, "", " %9llu", (unsigned long long)choice->ranks * nodes);
	row = cmd_append(row, "", " %8u %6u %5u", choice->cores, choice->idle, choice->nodes);
	if (advice->has_l3)
		row = cmd_append(row, "", " %4u", choice->l3s);
	terminal_print(0, strlen(row) + 2, "%s  %s", row, why);
	free(row);
	free(why);
}

void
advise_print_text(const struct plan *plan, const struct advice *advice, uint32_t nodes)
{
	size_t rows = plan->all || advice->n < ROWS ? advice->n : ROWS;
	char *source = cmd_format("%s", plan->name);

	cmd_make_plain(source);
	terminal_print(0, 2, "%s: %u core%s to divide%s", source, advice->cores, sp_plural(advice->cores),
		       nodes > 1 ? ", on each node" : "");
	if (advice->gpus)
		terminal_print(0, 2, "%u GPU%s", advice->gpus, sp_plural(advice->gpus));
	terminal_print(0, 2, "The best first, by the rules in splitpin(1); measure the first few with your program.");
	terminal_print(0, 2, "idle: cores that no rank has; NUMA%s: nodes%s that a rank spans", advice->has_l3 ? ", L3" : "",
		       advice->has_l3 ? " and groups" : "");
	printf(" ranks%s  threads   idle  NUMA%s  why\n", nodes > 1 ? "  in total" : "", advice->has_l3 ? "   L3" : "");
	for (size_t i = 0; i < rows; i++)
		print_row(advice, &advice->choice[i], nodes);
	if (rows < advice->n)
		printf("and %zu more (--all)\n", advice->n - rows);
	free(source);
}

static void
put_choice(const struct advice *advice, const struct choice *choice, uint32_t nodes)
{
	char *why = advise_why(advice, choice);

	json_row(NULL);
	json_number("rank_count", choice->ranks);
	json_number("total_ranks", (int64_t)choice->ranks * nodes);
	json_number("thread_count", choice->cores);
	json_number("idle_cores", choice->idle);
	json_number("numa_count", choice->nodes);
	if (advice->has_l3)
		json_number("l3_count", choice->l3s);
	else
		json_null("l3_count");
	if (advice->gpus) {
		json_real("ranks_per_gpu", (double)choice->ranks / advice->gpus, 3);
		json_number("ranks_not_beside", choice->foreign);
	}
	json_text("why", why);
	json_end();
	free(why);
}

void
advise_print_json(const struct plan *plan, const struct advice *advice, uint32_t nodes)
{
	nodes = nodes ? nodes : 1;
	json_object(NULL);
	json_text("splitpin", SP_VERSION);
	json_text("topology", plan->source ? plan->name : NULL);
	json_number("core_count", advice->cores);
	json_number("gpu_count", advice->gpus);
	json_number("node_count", nodes);
	json_array("choices");
	for (size_t i = 0; i < advice->n; i++)
		put_choice(advice, &advice->choice[i], nodes);
	json_end();
	json_end();
}
