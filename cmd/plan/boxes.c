#include "cmd/plan/boxes.h"

#include <math.h>

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
boxes_core(const struct boxes *boxes)
{
	uint32_t rows = (boxes->most_cpus + boxes->columns - 1) / boxes->columns;

	return (struct size){ boxes->columns * CELL_WIDTH + 4, rows * CELL_HEIGHT + CORE_HEAD + 4 };
}

/* The size of a box around a range. */
static struct size
size_of_box(const struct boxes *boxes, int level, uint32_t from, uint32_t to)
{
	struct size size = boxes_size(boxes, boxes_inner(boxes, level), from, to);

	size.height += BOX_HEAD;
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

		struct size size = size_of_box(boxes, level, from, end);

		grid.cell.width = fmax(grid.cell.width, size.width);
		grid.cell.height = fmax(grid.cell.height, size.height);
	}
	grid.columns = columns_for(grid.n, grid.cell);
	return grid;
}

struct size
boxes_size(const struct boxes *boxes, int level, uint32_t from, uint32_t to)
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

bool
boxes_is_l3(const struct boxes *boxes, int level)
{
	return boxes->level[level].of == of_l3;
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
boxes_make(struct boxes *boxes, const struct sp_machine *machine)
{
	*boxes = (struct boxes){ .machine = machine };
	order_levels(boxes);
	measure_cores(boxes);
	choose_columns(boxes);
}
