/* Draws boxes, bars and cores. */
#include "cmd/picture/draw.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/cmd.h"
#include "cmd/picture/svg_parts.h"
#include "cut/cut.h"

/* Where a CPU is drawn. */
struct cell {
	double x, y;
	struct size size;
	bool is_low;		/* the number is at the bottom, below the label of the core */
	bool is_busy;		/* a thread is here */
};

/* The threads as a list, as far as there is room; a single number is made smaller instead. */
static void
draw_threads(enum svg_text kind, double x, double y, double room, const struct sp_cpus *threads)
{
	char text[32];
	size_t letters = sizeof(text);

	if (sp_cpus_empty(threads))
		return;
	sp_cpus_format(threads, text, letters);
	while (letters > 5 && svg_width(kind, text) > room)
		sp_cpus_format(threads, text, --letters);
	if (strcmp(text, "...") == 0)
		snprintf(text, sizeof(text), "x%u", sp_cpus_count(threads));
	svg_text(kind, x, y, room, text);
}

bool
draw_is_others(const struct drawing *d, uint32_t i)
{
	return d->picture->others && d->picture->owner[i] == SP_NOBODY && sp_cpus_has(d->picture->others, d->machine->pu[i].cpu);
}

static void
draw_title(const struct drawing *d, uint32_t i)
{
	const struct sp_pu *pu = &d->machine->pu[i];
	const struct sp_parts *parts = d->picture->from.parts;
	uint32_t rank = d->picture->owner[i];

	printf("<title>CPU %u, core %u%s, NUMA node %u", pu->cpu, pu->core,
	       !d->boxes.has_kinds ? "" : pu->kind ? " (fast)" : " (slow)", pu->numa);
	for (int level = 0; parts && level < 3; level++)
		if (parts->kib[level][pu->cpu])
			printf(", L%d %u KB", level + 1, parts->kib[level][pu->cpu]);
	if (draw_is_others(d, i))
		printf(": " PICTURE_OTHERS);
	else if (rank == SP_NOBODY)
		printf(": %s", d->picture->nobodys);
	else
		printf(": rank %u", rank);
	puts("</title>");
}

static void
draw_cell(const struct drawing *d, uint32_t i, const struct cell *cell)
{
	const struct picture_threads *threads = &d->picture->threads[i];
	double middle = cell->x + cell->size.width / 2, bottom = cell->y + cell->size.height;
	char number[16];

	puts("<g>");
	draw_title(d, i);
	svg_rank_rect(cell->x, cell->y, cell->size, draw_is_others(d, i) ? "cpu others" : "cpu", d->picture->owner[i], !cell->is_busy);
	snprintf(number, sizeof(number), "%u", d->machine->pu[i].cpu);
	svg_text(SVG_NUMBER, cell->x + 2.5, cell->is_low ? bottom - 2.5 : cell->y + 8.5, cell->size.width - 4, number);
	if (threads->drifted) {
		svg_rect(cell->x + 1, cell->y + 1, (struct size){ cell->size.width - 2, cell->size.height - 2 }, "out");
		svg_text(SVG_DRIFT, middle, bottom - 4, cell->size.width - 6, threads->drifted);
		/* Those that belong here stand beside the number. */
		double room = cell->size.width - svg_width(SVG_NUMBER, number) - 7;
		draw_threads(SVG_RANK, cell->x + cell->size.width - 3, cell->y + 9.5, room, &threads->on_cpu);
	} else {
		draw_threads(SVG_THREAD, middle, bottom - 4, cell->size.width - 3, &threads->on_cpu);
	}
	puts("</g>");
}

static bool
has_team(const struct drawing *d, uint32_t from, uint32_t to)
{
	for (uint32_t i = from; i < to; i++)
		if (!sp_cpus_empty(&d->picture->threads[i].on_core))
			return true;
	return false;
}

/* Cores with fewer CPUs than others have wider cells. */
static void
draw_cells(const struct drawing *d, uint32_t from, uint32_t to, double x, double y)
{
	uint32_t n = to - from, columns = n < d->boxes.columns ? n : d->boxes.columns, rows = (n + columns - 1) / columns;
	double width = boxes_core(&d->boxes).width - 4;
	bool team = has_team(d, from, to);

	for (uint32_t i = from; i < to; i++) {
		uint32_t row = (i - from) / columns, column = (i - from) % columns;
		struct cell cell = {
			.x = x + column * width / columns, .y = y + row * CELL_HEIGHT,
			.size = { width / columns, CELL_HEIGHT },
			.is_low = team && rows > 1 && row == rows - 1,
			.is_busy = (team && d->picture->owner[i] != SP_NOBODY) || !sp_cpus_empty(&d->picture->threads[i].on_cpu),
		};

		draw_cell(d, i, &cell);
	}
	/* In the middle, or below the numbers where there is one row. */
	for (uint32_t i = from; i < to; i++)
		draw_threads(rows > 1 ? SVG_TEAM : SVG_THREAD, x + width / 2, y + (rows > 1 ? rows * CELL_HEIGHT / 2 + 6 : CELL_HEIGHT - 3),
			     width - 4, &d->picture->threads[i].on_core);
}

/* "r3", "r0-3": the ranks that have CPUs of a core. */
static void
name_owners(const struct drawing *d, uint32_t from, uint32_t to, char text[32])
{
	struct sp_cpus ranks = { 0 };

	for (uint32_t i = from; i < to; i++)
		if (d->picture->owner[i] != SP_NOBODY)
			sp_cpus_add(&ranks, d->picture->owner[i]);
	text[0] = '\0';
	if (!sp_cpus_empty(&ranks)) {
		text[0] = 'r';
		sp_cpus_format(&ranks, text + 1, 31);
	}
}

static void
draw_core(const struct drawing *d, uint32_t from, uint32_t to, double x, double y)
{
	const struct sp_pu *pu = &d->machine->pu[from];
	struct size size = boxes_core(&d->boxes);
	bool is_slow = d->boxes.has_kinds && pu->kind == 0;
	double room = size.width - 8;
	char head[32], rank[32];

	svg_rect(x, y, size, is_slow ? "core slow" : "core");
	name_owners(d, from, to, rank);
	boxes_head(&d->boxes, pu, head);
	svg_text(SVG_HEAD, x + 3, y + 10, room, head);
	if (*rank)
		svg_text(SVG_RANK, x + size.width - 3, y + 10, room - svg_width(SVG_HEAD, head), rank);
	draw_cells(d, from, to, x + 2, y + CORE_HEAD + 2);
}

static void
draw_bars(const struct drawing *d, int level, uint32_t from, bool memory, double x, double y, double width)
{
	struct bar_place place = { 0 };

	for (size_t i = 0; i < d->boxes.nbars; i++) {
		const struct bar *bar = &d->boxes.bar[i];

		if (bar->is_memory != memory || !boxes_has(bar, level, from))
			continue;
		boxes_next_place(bar, width, &place);
		struct size size = { memory ? width - 2 * GAP : boxes_bar_width(bar), BAR };
		double left = x + GAP + place.left, top = y + place.height - BAR - GAP / 2;
		if (memory || strcmp(bar->class, "card") == 0)
			svg_rect(left, top, size, bar->class);
		else
			svg_rank_rect(left, top, size, bar->class, bar->rank, false);
		svg_text(SVG_BAR, left + GAP, top + BAR - 5, size.width - 2 * GAP + 1, bar->text);
	}
}

static void draw_box(const struct drawing *d, int level, uint32_t from, uint32_t to, double x, double y, struct size size);

static void
draw_range(const struct drawing *d, int level, uint32_t from, uint32_t to, double x, double y)
{
	struct grid grid = boxes_grid(&d->boxes, level, from, to);

	for (uint32_t nth = 0, end; from < to; from = end, nth++) {
		double left = x + GAP + nth % grid.columns * (grid.cell.width + GAP);
		double top = y + GAP + nth / grid.columns * (grid.cell.height + GAP);

		end = boxes_end(&d->boxes, level, from, to);
		if (level == LEVELS)
			draw_core(d, from, end, left, top);
		else
			draw_box(d, level, from, end, left, top, grid.cell);
	}
}

/* Memory, the inner boxes or cores, and devices, from y on. */
static void
draw_inside(const struct drawing *d, int level, uint32_t from, uint32_t to, double x, double y, double width)
{
	int inner = boxes_inner(&d->boxes, level);

	draw_bars(d, level, from, true, x, y + GAP / 2, width);
	y += boxes_bars(&d->boxes, level, from, width, true);
	draw_range(d, inner, from, to, x, y);
	y += boxes_range(&d->boxes, inner, from, to).height;
	draw_bars(d, level, from, false, x, y - GAP / 2, width);
}

static void
draw_box(const struct drawing *d, int level, uint32_t from, uint32_t to, double x, double y, struct size size)
{
	char *name = boxes_name(&d->boxes, level, from);

	svg_rect(x, y, size, level % 2 ? "box odd" : "box");
	svg_text(SVG_NAME, x + GAP, y + 14, size.width - 2 * GAP, name);
	draw_inside(d, level, from, to, x, y + BOX_HEAD - GAP / 2, size.width);
	free(name);
}

void
draw_machine(const struct drawing *d, double x, double y, struct size size)
{
	draw_inside(d, -1, 0, d->machine->ncpus, x, y, size.width);
}
