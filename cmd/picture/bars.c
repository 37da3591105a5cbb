/* Memory and devices as bars of a picture. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/cmd.h"
#include "cmd/picture/draw.h"
#include "cut/cut.h"
#include "gpus/whose.h"

/* Whether a node is the ordinary memory of some CPU, or its high-bandwidth memory. */
static bool
is_ordinary(const struct sp_machine *machine, uint32_t node)
{
	for (uint32_t i = 0; i < machine->ncpus; i++)
		if (machine->pu[i].numa == node)
			return true;
	return false;
}

static bool
is_fast(const struct sp_machine *machine, uint32_t node)
{
	for (uint32_t i = 0; i < machine->ncpus; i++)
		if (machine->pu[i].hbm == node && machine->pu[i].numa != node)
			return true;
	return false;
}

/* hwloc's word for it; else what splitpin takes it for. */
static void
describe_memory(const struct sp_machine *machine, const struct sp_memory_node *node, struct bar *bar)
{
	bool ordinary = is_ordinary(machine, node->number), fast = is_fast(machine, node->number);
	const char *kind = *node->kind ? node->kind : ordinary ? "DRAM" : fast ? "HBM" : "memory without CPUs";
	size_t length;

	bar->class = ordinary ? "memory" : fast ? "memory fast" : "memory far";
	snprintf(bar->text, sizeof(bar->text), "NUMA node %u: %s", node->number, kind);
	length = strlen(bar->text);
	if (node->bytes >= 1 << 30)
		snprintf(bar->text + length, sizeof(bar->text) - length, " %.0f GB", (double)node->bytes / (1 << 30));
	else if (node->bytes)
		snprintf(bar->text + length, sizeof(bar->text) - length, " %.0f MB", (double)node->bytes / (1 << 20));
}

static void
describe_gpu(const struct drawing *d, uint32_t number, struct bar *bar, struct sp_cpus *near)
{
	const struct sp_gpus *gpus = &d->machine->gpus;
	struct sp_gpu_list list = { .told = SP_GPUS_LISTED, .n = 1, .gpu = { (uint8_t)number } };
	char name[SP_GPUS_TEXT];

	bar->class = "device";
	bar->rank = d->picture->gpu_rank[number];
	sp_gpus_format(gpus, &list, name, sizeof(name));
	if (bar->rank == SP_NOBODY)
		snprintf(bar->text, sizeof(bar->text), "GPU %.64s", name);
	else
		snprintf(bar->text, sizeof(bar->text), "GPU %.64s  r%u", name, bar->rank);
	if (!sp_machine_near(d->machine, &gpus->gpu[number].near, near))
		sp_machine_cpus(d->machine, near);
}

struct bar *
draw_make_bars(const struct drawing *d, size_t *n)
{
	const struct picture_parts *from = &d->picture->from;
	size_t nnodes = from->parts ? from->parts->nnodes : 0, ngpus = d->machine->gpus.n;
	struct bar *bar = cmd_allocate(nnodes + ngpus + from->ncards, sizeof(*bar)), *next = bar;

	/* Ordinary memory first. */
	for (size_t i = 0; i < 2 * nnodes; i++) {
		const struct sp_memory_node *node = &from->parts->node[i % nnodes];

		if (is_ordinary(d->machine, node->number) != (i < nnodes))
			continue;
		*next = (struct bar){ .is_memory = true, .rank = SP_NOBODY };
		describe_memory(d->machine, node, next);
		boxes_place(&d->boxes, &node->near, next++);
	}
	for (uint32_t i = 0; i < ngpus; i++) {
		struct sp_cpus near;

		*next = (struct bar){ .is_memory = false };
		describe_gpu(d, i, next, &near);
		boxes_place(&d->boxes, &near, next++);
	}
	for (size_t i = 0; i < from->ncards; i++) {
		*next = (struct bar){ .class = "card", .rank = SP_NOBODY };
		snprintf(next->text, sizeof(next->text), "network %.31s", from->cards[i].name);
		boxes_place(&d->boxes, &from->cards[i].near, next++);
	}
	*n = (size_t)(next - bar);
	return bar;
}
