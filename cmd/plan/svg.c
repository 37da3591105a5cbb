/*
 * A plan as a picture: the node as nested boxes, ranks in colours, numbers of
 * threads where they are pinned.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/cmd.h"
#include "cut/explain.h"
#include "cmd/plan/boxes.h"
#include "cmd/plan/plan.h"

#define MARGIN 16.0
#define LINE 18.0
#define LETTER 6.6		/* of the text below the picture, about */

#define LEGENDS_MAX 64

/* The threads on a core as a whole, or on one CPU. */
struct label {
	struct sp_cpus on_core;	/* at the first CPU of a core: threads that have all of it */
	struct sp_cpus on_cpu;	/* threads that have this CPU alone */
};

struct picture {
	const struct plan *plan;
	const struct sp_machine *machine;
	struct boxes boxes;
	struct label *label;	/* one for each CPU */
};

/* Labels. */

static void
add_slot(struct picture *p, const struct plan_slot *slot, uint32_t thread)
{
	bool whole = sp_cpus_count(&slot->cpus) > 1;

	for (uint32_t i = 0; i < p->machine->ncpus; i++) {
		if (!sp_cpus_has(&slot->cpus, p->machine->pu[i].cpu))
			continue;
		sp_cpus_add(whole ? &p->label[i].on_core : &p->label[i].on_cpu, thread);
		return;
	}
}

static void
add_labels(struct picture *p)
{
	if (p->plan->config.bind == SP_NO_BIND || p->plan->bound_by)
		return;
	for (uint32_t number = 0; number < p->plan->nranks; number++) {
		struct plan_rank rank;

		if (plan_rank(p->plan, number, &rank) == 0)
			for (uint32_t i = 0; i < rank.threads; i++)
				add_slot(p, &rank.slot[i], i);
		plan_rank_release(&rank);
	}
}

/* Drawing. */

static void
print_escaped(const char *text)
{
	for (; *text; text++)
		switch (*text) {
		case '&': fputs("&amp;", stdout); break;
		case '<': fputs("&lt;", stdout); break;
		case '>': fputs("&gt;", stdout); break;
		default:
			if ((unsigned char)*text >= ' ')
				putchar(*text);
		}
}

/* Neighbouring numbers are far apart on the colour wheel; tint from 0 (dark) to 1 (white). */
static void
print_colour(uint32_t rank, double tint)
{
	if (rank == SP_NOBODY)
		printf("#fff");
	else
		printf("hsl(%u,%u%%,%.0f%%)", (uint32_t)(210 + rank * 137.508) % 360, 55 + rank % 2 * 20, tint * 100);
}

static void
print_rect(double x, double y, struct size size, const char *class)
{
	printf("<rect class=\"%s\" x=\"%g\" y=\"%g\" width=\"%g\" height=\"%g\"/>\n",
	       class, x, y, size.width, size.height);
}

static void
print_text(double x, double y, const char *class, const char *text)
{
	printf("<text class=\"%s\" x=\"%g\" y=\"%g\">", class, x, y);
	print_escaped(text);
	puts("</text>");
}

/* A label that is too long for its room is cut by sp_cpus_format. */
static void
print_label(double x, double y, const struct sp_cpus *threads, const char *class, size_t letters)
{
	char text[32];

	if (sp_cpus_empty(threads))
		return;
	print_text(x, y, class, sp_cpus_format(threads, text, letters < sizeof(text) ? letters : sizeof(text)));
}

/* How a cell is drawn. */
struct look {
	bool busy;		/* a thread is pinned here */
	bool low;		/* the number is at the bottom, below the label of the core */
};

static void
draw_cell(const struct picture *p, uint32_t i, double x, double y, struct look look)
{
	const struct sp_pu *pu = &p->machine->pu[i];
	uint32_t rank = p->plan->owner[i];
	char number[16];

	printf("<g><title>CPU %u, core %u, NUMA node %u", pu->cpu, pu->core, pu->numa);
	if (rank == SP_NOBODY)
		printf(": free");
	else
		printf(": rank %u", rank);
	printf("</title>\n<rect class=\"cpu\" x=\"%g\" y=\"%g\" width=\"%g\" height=\"%g\" fill=\"",
	       x, y, CELL_WIDTH, CELL_HEIGHT);
	print_colour(rank, look.busy ? 0.78 : 0.93);
	puts("\"/>");
	snprintf(number, sizeof(number), "%u", pu->cpu);
	print_text(x + 2.5, look.low ? y + CELL_HEIGHT - 2.5 : y + 8.5, "number", number);
	print_label(x + CELL_WIDTH / 2 + 3, y + CELL_HEIGHT - 5, &p->label[i].on_cpu, "thread", 6);
	puts("</g>");
}

static bool
has_team(const struct picture *p, uint32_t from, uint32_t to)
{
	for (uint32_t i = from; i < to; i++)
		if (!sp_cpus_empty(&p->label[i].on_core))
			return true;
	return false;
}

static uint32_t
owner_of_core(const struct picture *p, uint32_t from, uint32_t to)
{
	for (uint32_t i = from; i < to; i++)
		if (p->plan->owner[i] != SP_NOBODY)
			return p->plan->owner[i];
	return SP_NOBODY;
}

static void
draw_cells(const struct picture *p, uint32_t from, uint32_t to, double x, double y)
{
	uint32_t rows = (to - from + p->boxes.columns - 1) / p->boxes.columns;
	bool team = has_team(p, from, to);

	for (uint32_t i = from; i < to; i++) {
		uint32_t row = (i - from) / p->boxes.columns, column = (i - from) % p->boxes.columns;
		struct look look = {
			.busy = (team && p->plan->owner[i] != SP_NOBODY) || !sp_cpus_empty(&p->label[i].on_cpu),
			.low = team && rows > 1 && row == rows - 1,
		};

		draw_cell(p, i, x + column * CELL_WIDTH, y + row * CELL_HEIGHT, look);
	}
	/* In the middle, or below the numbers where there is one row. */
	for (uint32_t i = from; i < to; i++)
		print_label(x + p->boxes.columns * CELL_WIDTH / 2, y + (rows > 1 ? rows * CELL_HEIGHT / 2 + 7 : CELL_HEIGHT - 3),
			    &p->label[i].on_core, rows > 1 ? "team" : "small team", 6);
}

static void
draw_core(const struct picture *p, uint32_t from, uint32_t to, double x, double y)
{
	struct size size = boxes_core(&p->boxes);
	uint32_t rank = owner_of_core(p, from, to);
	char text[32];

	print_rect(x, y, size, "core");
	snprintf(text, sizeof(text), "core %u", p->machine->pu[from].core);
	print_text(x + 3, y + 10, "head", p->boxes.columns > 1 ? text : text + strlen("core "));
	if (rank != SP_NOBODY) {
		snprintf(text, sizeof(text), "r%u", rank);
		print_text(x + size.width - 3, y + 10, "rank", text);
	}
	draw_cells(p, from, to, x + 2, y + CORE_HEAD + 2);
}

static void draw_box(const struct picture *p, int level, uint32_t from, uint32_t to,
		     double x, double y, struct size size);

static void
draw_range(const struct picture *p, int level, uint32_t from, uint32_t to, double x, double y)
{
	struct grid grid = boxes_grid(&p->boxes, level, from, to);

	for (uint32_t nth = 0, end; from < to; from = end, nth++) {
		double left = x + GAP + nth % grid.columns * (grid.cell.width + GAP);
		double top = y + GAP + nth / grid.columns * (grid.cell.height + GAP);

		end = boxes_end(&p->boxes, level, from, to);
		if (level == LEVELS)
			draw_core(p, from, end, left, top);
		else
			draw_box(p, level, from, end, left, top, grid.cell);
	}
}

static void
draw_box(const struct picture *p, int level, uint32_t from, uint32_t to, double x, double y, struct size size)
{
	int inner = boxes_inner(&p->boxes, level);
	char name[128];
	size_t length = 0;

	print_rect(x, y, size, level % 2 ? "box odd" : "box");
	/* The L3 field of a machine without such caches is that of the NUMA node. */
	for (int i = level; i < inner; i++)
		if (i == level || !boxes_is_l3(&p->boxes, i))
			length += (size_t)snprintf(name + length, sizeof(name) - length, "%s%s %u", i == level ? "" : ", ",
						   p->boxes.level[i].name, p->boxes.level[i].of(&p->machine->pu[from]));
	print_text(x + GAP, y + 14, "box-name", name);
	draw_range(p, inner, from, to, x, y + BOX_HEAD - GAP / 2);
}

/* The text around it. */

static const char style[] =
	"text{font-family:'DejaVu Sans','Helvetica Neue',Arial,sans-serif;fill:#222}\n"
	".title{font-size:16px;font-weight:bold}.note{font-size:12px}\n"
	".box{fill:#f4f5f7;stroke:#8a94a6;stroke-width:1.2}.odd{fill:#fff}\n"
	".box-name{font-size:12px;fill:#444}.core{fill:#fff;stroke:#666;stroke-width:.8}\n"
	".head{font-size:8.5px;fill:#555}.rank{font-size:9px;font-weight:bold;text-anchor:end}\n"
	".cpu{stroke:#999;stroke-width:.6}.number{font-size:8px;fill:#666}\n"
	".thread{font-size:12px;font-weight:bold;text-anchor:middle}\n"
	".team{font-size:20px;font-weight:bold;text-anchor:middle}.small{font-size:15px}\n";

static uint32_t
legends(const struct plan *plan)
{
	return plan->nranks <= LEGENDS_MAX ? plan->nranks : 0;
}

static void
draw_legend(const struct plan *plan, uint32_t number, double x, double y)
{
	struct plan_rank rank;

	if (plan_rank(plan, number, &rank))
		return;

	char *list = cmd_list(&rank.share);
	char *text = cmd_format("rank %u: CPUs %s: %s%s%s", number, list, rank.why,
				rank.device ? "; nearest device " : "", rank.device ? rank.device->name : "");

	printf("<rect class=\"cpu\" x=\"%g\" y=\"%g\" width=\"14\" height=\"12\" fill=\"", x, y - 10);
	print_colour(number, 0.78);
	puts("\"/>");
	print_text(x + 20, y, "note", text);
	free(text);
	free(list);
	plan_rank_release(&rank);
}

static char *
title_of(const struct plan *plan)
{
	const char *slash = plan->source ? strrchr(plan->source, '/') : NULL;
	const char *name = slash ? slash + 1 : plan->source ? plan->source : "this machine";

	if (plan->threads == 0)
		return cmd_format("%u rank%s on %s", plan->nranks, sp_plural(plan->nranks), name);
	return cmd_format("%u rank%s x %u thread%s on %s", plan->nranks, sp_plural(plan->nranks),
			  plan->threads, sp_plural(plan->threads), name);
}

/* Length of the next line of a text, which is broken at blanks. */
static size_t
line_length(const char *text, size_t most)
{
	size_t length = strlen(text);

	if (length <= most)
		return length;
	for (length = most; length > 0 && text[length] != ' '; length--)
		;
	return length ? length : most;
}

static uint32_t
count_lines(const char *text, size_t most)
{
	uint32_t n = 0;

	for (; *text; n++) {
		text += line_length(text, most);
		text += *text == ' ';
	}
	return n;
}

static void
draw_lines(const char *text, size_t most, double y)
{
	for (; *text; y += LINE) {
		size_t length = line_length(text, most);
		char *line = cmd_format("%.*s", (int)length, text);

		print_text(MARGIN, y, "note", line);
		free(line);
		text += length;
		text += *text == ' ';
	}
}

static void
draw(const struct picture *p)
{
	const struct plan *plan = p->plan;
	struct size size = boxes_size(&p->boxes, 0, 0, p->machine->ncpus);
	char why[SP_TEXT_MAX], *title = title_of(plan);
	double width = fmax(size.width, 700) + 2 * MARGIN;

	sp_explain_cut(p->machine, &plan->config.policy, plan->nranks, &plan->cut, why, sizeof(why));

	size_t most = (size_t)((width - 2 * MARGIN) / LETTER);
	double top = MARGIN + 14 + LINE * (1 + count_lines(why, most));
	double height = top + size.height + LINE * (legends(plan) + 2);

	printf("<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%.0f\" height=\"%.0f\" viewBox=\"0 0 %.0f %.0f\">\n<title>",
	       width, height, width, height);
	print_escaped(title);
	printf("</title>\n<style>\n%s</style>\n<rect width=\"100%%\" height=\"100%%\" fill=\"#fff\"/>\n", style);
	print_text(MARGIN, MARGIN + 14, "title", title);
	draw_lines(why, most, MARGIN + 14 + LINE + 4);
	draw_range(p, 0, 0, p->machine->ncpus, MARGIN - GAP, top - GAP);
	top += size.height + LINE;
	print_text(MARGIN, top, "note", "Small numbers are CPUs as Linux numbers them, bold ones OpenMP threads; r is the rank.");
	for (uint32_t rank = 0; rank < legends(plan); rank++)
		draw_legend(plan, rank, MARGIN, top + LINE * (rank + 1));
	puts("</svg>");
	free(title);
}

void
plan_print_svg(const struct plan *plan)
{
	struct picture picture = { .plan = plan, .machine = plan->machine };

	picture.label = cmd_allocate(plan->machine->ncpus, sizeof(*picture.label));
	boxes_make(&picture.boxes, plan->machine);
	add_labels(&picture);
	draw(&picture);
	free(picture.label);
}
