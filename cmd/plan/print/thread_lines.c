#include "cmd/plan/print/print.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/cmd.h"
#include "cmd/plan/make/make.h"
#include "cmd/terminal.h"

#define INDENT 6

/* The place of one thread as a number, which the next thread's may continue. */
struct place {
	enum { CPU, CORE, CPUS } kind;
	uint32_t number;	/* of the CPU, or of the core; of several CPUs 0: only the same ones continue it */
};

/* Threads first to last, each `step` places after the previous one. */
struct range {
	uint32_t first, last, step;
	struct place place;	/* of the first */
};

/* All CPUs of the share on one core. */
static bool
is_whole_core(const struct plan *plan, const struct plan_rank *rank, const struct plan_slot *slot)
{
	struct sp_cpus core = slot->cpus;

	if (sp_cpus_count(&slot->cores) != 1)
		return false;
	sp_machine_fill_cores(plan->machine, &core);
	sp_cpus_and(&core, &rank->share);
	return sp_cpus_equal(&core, &slot->cpus);
}

static struct place
place_of(const struct plan *plan, const struct plan_rank *rank, uint32_t thread)
{
	const struct plan_slot *slot = &rank->slot[thread];

	if (sp_cpus_count(&slot->cpus) == 1)
		return (struct place){ CPU, sp_cpus_next(&slot->cpus, 0) };
	if (is_whole_core(plan, rank, slot))
		return (struct place){ CORE, sp_cpus_next(&slot->cores, 0) };
	return (struct place){ CPUS, 0 };
}

static bool
same_reason(const struct plan_rank *rank, uint32_t a, uint32_t b)
{
	return strcmp(rank->slot[a].why, rank->slot[b].why) == 0;
}

/* Whether the thread behind the range continues it. */
static bool
goes_on(const struct plan *plan, const struct plan_rank *rank, struct range *range)
{
	uint32_t next = range->last + 1, length = range->last - range->first + 1;

	if (next >= rank->threads || !same_reason(rank, range->first, next))
		return false;
	if (range->place.kind == CPUS && !sp_cpus_equal(&rank->slot[range->first].cpus, &rank->slot[next].cpus))
		return false;
	struct place place = place_of(plan, rank, next);
	if (place.kind != range->place.kind || place.number < range->place.number)
		return false;
	uint32_t away = place.number - range->place.number;
	if (length == 1)
		range->step = away;
	return away == length * range->step;
}

static struct range
range_from(const struct plan *plan, const struct plan_rank *rank, uint32_t first)
{
	struct range range = { .first = first, .last = first, .step = 1, .place = place_of(plan, rank, first) };

	while (goes_on(plan, rank, &range))
		range.last++;
	/* Two threads in different places are a range only if the places are neighbours. */
	if (range.last == first + 1 && range.step > 1)
		range.last = first;
	return range;
}

/* "0-14", "0-14 by 2"; step 0: all are the first. */
static void
put_numbers(FILE *to, uint32_t first, uint32_t n, uint32_t step)
{
	fprintf(to, "%u", first);
	if (n > 1 && step)
		fprintf(to, "-%u", first + (n - 1) * step);
	if (n > 1 && step > 1)
		fprintf(to, " by %u", step);
}

static void
put_range(FILE *to, const struct plan_rank *rank, const struct range *range)
{
	uint32_t n = range->last - range->first + 1;

	fprintf(to, "thread%s ", sp_plural(n));
	put_numbers(to, range->first, n, 1);
	if (range->place.kind == CPUS) {
		char *list = cmd_list(&rank->slot[range->first].cpus);

		fprintf(to, ": CPUs %s", list);
		free(list);
		return;
	}
	fprintf(to, ": %s%s ", range->place.kind == CPU ? "CPU" : "core", sp_plural(range->step ? n : 1));
	put_numbers(to, range->place.number, n, range->step);
}

/* All threads that are placed for the same reason as this one. */
static void
print_group(const struct plan *plan, const struct plan_rank *rank, uint32_t first)
{
	char *text = NULL;
	size_t size;
	FILE *to = open_memstream(&text, &size);

	terminal_print(0, INDENT, "    %s", rank->slot[first].why);
	if (!to)
		return;
	for (uint32_t i = first; i < rank->threads; i++) {
		if (!same_reason(rank, first, i))
			continue;
		struct range range = range_from(plan, rank, i);

		if (i != first)
			fputs("; ", to);
		put_range(to, rank, &range);
		i = range.last;
	}
	fclose(to);
	terminal_print(0, INDENT, "%*s%s", INDENT, "", text);
	free(text);
}

static bool
is_first_of_group(const struct plan_rank *rank, uint32_t thread)
{
	for (uint32_t i = 0; i < thread; i++)
		if (same_reason(rank, i, thread))
			return false;
	return true;
}

void
plan_print_threads(const struct plan *plan, const struct plan_rank *rank)
{
	char *why = plan_why_unplaced(plan);

	if (why) {
		terminal_print(0, INDENT, "    %u thread%s, %s", rank->threads, sp_plural(rank->threads), why);
		free(why);
		return;
	}
	if (plan->config.bind == SP_NO_BIND) {
		terminal_print(0, INDENT, "    %u thread%s, %s", rank->threads, sp_plural(rank->threads), rank->slot[0].why);
		return;
	}
	for (uint32_t i = 0; i < rank->threads; i++)
		if (is_first_of_group(rank, i))
			print_group(plan, rank, i);
}
