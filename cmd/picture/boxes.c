#include "cmd/picture/boxes.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/cmd.h"
#include "cmd/picture/svg_parts.h"

#define GOOD_SHAPE 1.7		/* width to height */

/* Groups. */

static uint32_t of_package(const struct sp_pu *pu) { return pu->package; }
static uint32_t of_numa(const struct sp_pu *pu) { return pu->numa; }
static uint32_t of_l3(const struct sp_pu *pu) { return pu->l3; }

static uint32_t
end_of_group(const struct boxes *boxes, int level, uint32_t from, uint32_t to)
{
	const struct sp_pu *pu = boxes->machine->pu;
	uint32_t end = from + 1;

	while (end < to && boxes->level[level].of(&pu[end]) == boxes->level[level].of(&pu[from]))
		end++;
	return end;
}

static uint32_t
end_of_core(const struct boxes *boxes, uint32_t from, uint32_t to)
{
	uint32_t end = from + 1;

	while (end < to && boxes->machine->pu[end].core == boxes->machine->pu[from].core)
		end++;
	return end;
}

static uint32_t
count_groups(const struct boxes *boxes, int level, uint32_t from, uint32_t to)
{
	uint32_t n = 0;

	for (; from < to; n++)
		from = end_of_group(boxes, level, from, to);
	return n;
}

static uint32_t
count_cores(const struct boxes *boxes, uint32_t from, uint32_t to)
{
	uint32_t n = 0;

	for (; from < to; n++)
		from = end_of_core(boxes, from, to);
	return n;
}

/* L3 groups hold NUMA nodes on some machines and lie inside them on others. */
static void
order_levels(struct boxes *boxes)
{
	static const struct level levels[LEVELS] = {
		{ "package", of_package, 0 }, { "NUMA node", of_numa, 0 }, { "L3", of_l3, 0 } };

	for (int i = 0; i < LEVELS; i++) {
		struct level moving = levels[i];
		int at = i;

		boxes->level[i] = moving;
		moving.groups = count_groups(boxes, i, 0, boxes->machine->ncpus);
		for (; at > 0 && boxes->level[at - 1].groups > moving.groups; at--)
			boxes->level[at] = boxes->level[at - 1];
		boxes->level[at] = moving;
	}
}

/* A level with as many groups as the one before has the same groups. */
static bool
is_drawn(const struct boxes *boxes, int level)
{
	return level == 0 || boxes->level[level].groups != boxes->level[level - 1].groups;
}

int
boxes_inner(const struct boxes *boxes, int level)
{
	do
		level++;
	while (level < LEVELS && !is_drawn(boxes, level));
	return level;
}

/* Names. */

char *
boxes_kib(uint32_t kib, char text[BOXES_KIB])
{
	if (kib >= 1024)
		snprintf(text, BOXES_KIB, "%g MB", round(kib / 102.4) / 10);
	else
		snprintf(text, BOXES_KIB, "%u KB", kib);
	return text;
}

/* " (32 MB)", or nothing. */
static void
add_cache(const struct boxes *boxes, uint32_t from, char *name, size_t size)
{
	uint32_t cpu = boxes->machine->pu[from].cpu, kib = boxes->parts ? boxes->parts->kib[2][cpu] : 0;
	char text[BOXES_KIB];

	if (kib)
		snprintf(name, size, " (%s)", boxes_kib(kib, text));
}

/* On a machine without L3 caches this field is the NUMA node's: it has no size and no name. */
char *
boxes_name(const struct boxes *boxes, int level, uint32_t from)
{
	int inner = boxes_inner(boxes, level);
	char name[160] = "";

	for (int i = level; i < inner; i++) {
		bool is_l3 = boxes->level[i].of == of_l3;
		uint32_t cpu = boxes->machine->pu[from].cpu;
		size_t length = strlen(name);

		if (is_l3 && i != level && !(boxes->parts && boxes->parts->kib[2][cpu]))
			continue;
		snprintf(name + length, sizeof(name) - length, "%s%s %u", *name ? ", " : "", boxes->level[i].name,
			 boxes->level[i].of(&boxes->machine->pu[from]));
		length = strlen(name);
		if (is_l3)
			add_cache(boxes, from, name + length, sizeof(name) - length);
	}
	return cmd_format("%s", name);
}

/* Bars. */

bool
boxes_has(const struct bar *bar, int level, uint32_t from)
{
	return bar->level == level && bar->from == from;
}

double
boxes_bar_width(const struct bar *bar)
{
	return svg_width(SVG_BAR, bar->text) + 2 * GAP;
}

void
boxes_next_place(const struct bar *bar, double width, struct bar_place *place)
{
	double own = boxes_bar_width(bar) + GAP;
	bool is_new = bar->is_memory || place->height == 0 || place->next + own > width - GAP;

	place->height += is_new ? BAR + GAP / 2 : 0;
	place->left = is_new ? 0 : place->next;
	place->next = place->left + own;
}

double
boxes_bars(const struct boxes *boxes, int level, uint32_t from, double width, bool memory)
{
	struct bar_place place = { 0 };

	for (size_t i = 0; i < boxes->nbars; i++) {
		const struct bar *bar = &boxes->bar[i];

		if (bar->is_memory == memory && boxes_has(bar, level, from))
			boxes_next_place(bar, width, &place);
	}
	return place.height;
}

static bool
holds(const struct boxes *boxes, uint32_t from, uint32_t to, const struct sp_cpus *cpus)
{
	struct sp_cpus rest = *cpus;

	for (uint32_t i = from; i < to; i++)
		sp_cpus_remove(&rest, boxes->machine->pu[i].cpu);
	return sp_cpus_empty(&rest);
}

void
boxes_place(const struct boxes *boxes, const struct sp_cpus *near, struct bar *bar)
{
	struct sp_cpus cpus, own = *near;

	sp_machine_cpus(boxes->machine, &cpus);
	sp_cpus_and(&own, &cpus);
	bar->level = -1;
	bar->from = 0;
	bar->to = boxes->machine->ncpus;
	if (sp_cpus_empty(&own))
		return;
	for (int level = 0; level < LEVELS; level = boxes_inner(boxes, level)) {
		uint32_t from = bar->from, end = from;

		for (; from < bar->to; from = end) {
			end = end_of_group(boxes, level, from, bar->to);
			if (holds(boxes, from, end, &own))
				break;
		}
		if (from == bar->to)
			return;
		bar->level = level;
		bar->from = from;
		bar->to = end;
	}
}

/* Sizes. */

void
boxes_head(const struct boxes *boxes, const struct sp_pu *pu, char text[32])
{
	bool is_slow = boxes->has_kinds && pu->kind == 0;

	snprintf(text, 32, "%s%u%s", boxes->short_heads ? "" : "core ", pu->core, is_slow ? " slow" : "");
}

/* Columns for n cells of a size, so that they make a good shape with few gaps at the end. */
static uint32_t
columns_for(uint32_t n, struct size cell)
{
	double least = INFINITY;
	uint32_t best = 1;

	for (uint32_t columns = 1; columns <= n; columns++) {
		uint32_t rows = (n + columns - 1) / columns;
		double shape = columns * cell.width / (rows * cell.height);
		double bad = fabs(log(shape / GOOD_SHAPE)) + 6.0 * (rows * columns - n) / n;

		if (bad < least) {
			least = bad;
			best = columns;
		}
	}
	return best;
}

struct size
boxes_core(const struct boxes *boxes)
{
	uint32_t rows = (boxes->most_cpus + boxes->columns - 1) / boxes->columns;

	return (struct size){ boxes->columns * boxes->cell_width + 4, rows * CELL_HEIGHT + CORE_HEAD + 4 };
}

struct size
boxes_box(const struct boxes *boxes, int level, uint32_t from, uint32_t to)
{
	struct size size = boxes_range(boxes, boxes_inner(boxes, level), from, to);

	if (level >= 0) {
		char *name = boxes_name(boxes, level, from);

		size.width = fmax(size.width, svg_width(SVG_NAME, name) + 2 * GAP);
		size.height += BOX_HEAD;
		free(name);
	}
	for (size_t i = 0; i < boxes->nbars; i++)
		if (boxes_has(&boxes->bar[i], level, from))
			size.width = fmax(size.width, boxes_bar_width(&boxes->bar[i]) + 2 * GAP);
	size.height += boxes_bars(boxes, level, from, size.width, true) + boxes_bars(boxes, level, from, size.width, false);
	return size;
}

/* Boxes with more or fewer cores than others have as many columns. */
static struct grid
grid_of_cores(const struct boxes *boxes, uint32_t from, uint32_t to)
{
	return (struct grid){ boxes_core(boxes), count_cores(boxes, from, to), boxes->core_columns };
}

struct grid
boxes_grid(const struct boxes *boxes, int level, uint32_t from, uint32_t to)
{
	struct grid grid = { { 0, 0 }, 0, 0 };

	if (level == LEVELS)
		return grid_of_cores(boxes, from, to);
	for (uint32_t end; from < to; from = end, grid.n++) {
		end = end_of_group(boxes, level, from, to);

		struct size size = boxes_box(boxes, level, from, end);

		grid.cell.width = fmax(grid.cell.width, size.width);
		grid.cell.height = fmax(grid.cell.height, size.height);
	}
	grid.columns = columns_for(grid.n, grid.cell);
	return grid;
}

struct size
boxes_range(const struct boxes *boxes, int level, uint32_t from, uint32_t to)
{
	struct grid grid = boxes_grid(boxes, level, from, to);
	uint32_t rows = (grid.n + grid.columns - 1) / grid.columns;

	return (struct size){ grid.columns * (grid.cell.width + GAP) + GAP, rows * (grid.cell.height + GAP) + GAP };
}

uint32_t
boxes_end(const struct boxes *boxes, int level, uint32_t from, uint32_t to)
{
	return level == LEVELS ? end_of_core(boxes, from, to) : end_of_group(boxes, level, from, to);
}

static void
measure_cores(struct boxes *boxes)
{
	for (uint32_t i = 0, end; i < boxes->machine->ncpus; i = end) {
		end = end_of_core(boxes, i, boxes->machine->ncpus);
		if (end - i > boxes->most_cpus)
			boxes->most_cpus = end - i;
	}
	boxes->columns = boxes->most_cpus < 4 ? boxes->most_cpus : (boxes->most_cpus + 1) / 2;
	boxes->short_heads = boxes->columns == 1 && !boxes->has_kinds;
}

/* Wide enough for numbers and the label above a core. */
static void
widen_cells(struct boxes *boxes, uint32_t nranks)
{
	char number[16], head[32], rank[16];
	double least = 0;

	snprintf(rank, sizeof(rank), "r%u", nranks ? nranks - 1 : 0);
	for (uint32_t i = 0; i < boxes->machine->ncpus; i++) {
		snprintf(number, sizeof(number), "%u", boxes->machine->pu[i].cpu);
		boxes->cell_width = fmax(boxes->cell_width, svg_width(SVG_NUMBER, number) + 5);
		boxes_head(boxes, &boxes->machine->pu[i], head);
		least = fmax(least, svg_width(SVG_HEAD, head));
	}
	least += svg_width(SVG_RANK, rank) + 10;
	boxes->cell_width = fmax(fmax(boxes->cell_width, CELL_WIDTH), (least - 4) / boxes->columns);
}

static void
choose_columns(struct boxes *boxes)
{
	int innermost = 0;
	uint32_t most = 0;

	for (int level = 0; level < LEVELS; level = boxes_inner(boxes, level))
		innermost = level;
	for (uint32_t i = 0, end; i < boxes->machine->ncpus; i = end) {
		end = end_of_group(boxes, innermost, i, boxes->machine->ncpus);
		if (count_cores(boxes, i, end) > most)
			most = count_cores(boxes, i, end);
	}
	boxes->core_columns = columns_for(most, boxes_core(boxes));
}

void
boxes_make(struct boxes *boxes, const struct sp_machine *machine, const struct sp_parts *parts, uint32_t nranks)
{
	*boxes = (struct boxes){ .machine = machine, .parts = parts };
	order_levels(boxes);
	boxes->has_kinds = sp_machine_has_kinds(machine);
	measure_cores(boxes);
	widen_cells(boxes, nranks);
	choose_columns(boxes);
}
