/* Where the boxes of a picture are. */
#include "cmd/plan/boxes.h"

#include <math.h>

#define GOOD_SHAPE 1.7		/* width to height */

/* Groups. */

static uint32_t of_package(const struct sp_pu *pu) { return pu->package; }
static uint32_t of_numa(const struct sp_pu *pu) { return pu->numa; }
static uint32_t of_l3(const struct sp_pu *pu) { return pu->l3; }

static uint32_t
end_of_group(const struct layout *layout, int level, uint32_t from, uint32_t to)
{
	const struct sp_pu *pu = layout->machine->pu;
	uint32_t end = from + 1;

	while (end < to && layout->level[level].of(&pu[end]) == layout->level[level].of(&pu[from]))
		end++;
	return end;
}

static uint32_t
end_of_core(const struct layout *layout, uint32_t from, uint32_t to)
{
	uint32_t end = from + 1;

	while (end < to && layout->machine->pu[end].core == layout->machine->pu[from].core)
		end++;
	return end;
}

static uint32_t
count_groups(const struct layout *layout, int level, uint32_t from, uint32_t to)
{
	uint32_t n = 0;

	for (; from < to; n++)
		from = end_of_group(layout, level, from, to);
	return n;
}

static uint32_t
count_cores(const struct layout *layout, uint32_t from, uint32_t to)
{
	uint32_t n = 0;

	for (; from < to; n++)
		from = end_of_core(layout, from, to);
	return n;
}

/* L3 groups hold NUMA nodes on some machines and lie inside them on others. */
static void
order_levels(struct layout *layout)
{
	static const struct level levels[LEVELS] = {
		{ "package", of_package, 0 }, { "NUMA node", of_numa, 0 }, { "L3", of_l3, 0 } };

	for (int i = 0; i < LEVELS; i++) {
		struct level moving = levels[i];
		int at = i;

		layout->level[i] = moving;
		moving.groups = count_groups(layout, i, 0, layout->machine->ncpus);
		for (; at > 0 && layout->level[at - 1].groups > moving.groups; at--)
			layout->level[at] = layout->level[at - 1];
		layout->level[at] = moving;
	}
}

/* A level with as many groups as the one before has the same groups. */
static bool
is_drawn(const struct layout *layout, int level)
{
	return level == 0 || layout->level[level].groups != layout->level[level - 1].groups;
}

int
layout_inner(const struct layout *layout, int level)
{
	do
		level++;
	while (level < LEVELS && !is_drawn(layout, level));
	return level;
}

/* Sizes. */

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
layout_core(const struct layout *layout)
{
	uint32_t rows = (layout->most_cpus + layout->columns - 1) / layout->columns;

	return (struct size){ layout->columns * CELL_WIDTH + 4, rows * CELL_HEIGHT + CORE_HEAD + 4 };
}

/* The size of a box around a range. */
static struct size
size_of_box(const struct layout *layout, int level, uint32_t from, uint32_t to)
{
	struct size size = layout_size(layout, layout_inner(layout, level), from, to);

	size.height += BOX_HEAD;
	return size;
}

/* Boxes with more or fewer cores than others have as many columns. */
static struct grid
grid_of_cores(const struct layout *layout, uint32_t from, uint32_t to)
{
	return (struct grid){ layout_core(layout), count_cores(layout, from, to), layout->core_columns };
}

struct grid
layout_grid(const struct layout *layout, int level, uint32_t from, uint32_t to)
{
	struct grid grid = { { 0, 0 }, 0, 0 };

	if (level == LEVELS)
		return grid_of_cores(layout, from, to);
	for (uint32_t end; from < to; from = end, grid.n++) {
		end = end_of_group(layout, level, from, to);

		struct size size = size_of_box(layout, level, from, end);

		grid.cell.width = fmax(grid.cell.width, size.width);
		grid.cell.height = fmax(grid.cell.height, size.height);
	}
	grid.columns = columns_for(grid.n, grid.cell);
	return grid;
}

struct size
layout_size(const struct layout *layout, int level, uint32_t from, uint32_t to)
{
	struct grid grid = layout_grid(layout, level, from, to);
	uint32_t rows = (grid.n + grid.columns - 1) / grid.columns;

	return (struct size){ grid.columns * (grid.cell.width + GAP) + GAP, rows * (grid.cell.height + GAP) + GAP };
}

uint32_t
layout_end(const struct layout *layout, int level, uint32_t from, uint32_t to)
{
	return level == LEVELS ? end_of_core(layout, from, to) : end_of_group(layout, level, from, to);
}

bool
layout_is_l3(const struct layout *layout, int level)
{
	return layout->level[level].of == of_l3;
}

static void
measure_cores(struct layout *layout)
{
	for (uint32_t i = 0, end; i < layout->machine->ncpus; i = end) {
		end = end_of_core(layout, i, layout->machine->ncpus);
		if (end - i > layout->most_cpus)
			layout->most_cpus = end - i;
	}
	layout->columns = layout->most_cpus < 4 ? layout->most_cpus : (layout->most_cpus + 1) / 2;
}

static void
choose_columns(struct layout *layout)
{
	int innermost = 0;
	uint32_t most = 0;

	for (int level = 0; level < LEVELS; level = layout_inner(layout, level))
		innermost = level;
	for (uint32_t i = 0, end; i < layout->machine->ncpus; i = end) {
		end = end_of_group(layout, innermost, i, layout->machine->ncpus);
		if (count_cores(layout, i, end) > most)
			most = count_cores(layout, i, end);
	}
	layout->core_columns = columns_for(most, layout_core(layout));
}

void
layout_make(struct layout *layout, const struct sp_machine *machine)
{
	*layout = (struct layout){ .machine = machine };
	order_levels(layout);
	measure_cores(layout);
	choose_columns(layout);
}
