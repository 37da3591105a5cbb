/*
 * Where the boxes of a picture are: the node as nested groups of CPUs.
 *
 *   box     a package, NUMA node or L3 group; one that holds the same CPUs as
 *           the box around it is not drawn, but named there
 *   core    a box with a cell for each CPU
 *   range   CPUs [from, to) of the machine, which a box holds
 *   bar     a memory node, GPU or network card, in the smallest box that holds
 *           all CPUs near to it: memory above the cores, devices below
 *   level   of what a range consists: of boxes from 0 (the largest) up, or of
 *           cores (LEVELS)
 *
 * A box is measured before it is drawn, and is wide enough for its name and
 * bars; the children of a box have cells of one size, in rows.  Pure.
 */
#ifndef PICTURE_BOXES_H
#define PICTURE_BOXES_H

#include <stdbool.h>
#include <stdint.h>

#include "cmd/picture/svg_parts.h"
#include "machine.h"
#include "topology.h"

/* In pixels. */
#define CELL_WIDTH 34.0		/* at least: numbers of five digits need more */
#define CELL_HEIGHT 25.0
#define CORE_HEAD 12.0
#define BOX_HEAD 18.0
#define BAR 17.0		/* height of what is beside the cores of a box */
#define GAP 6.0

#define LEVELS 3		/* package, NUMA node, L3 group, the coarsest first */

struct level {
	const char *name;
	uint32_t (*of)(const struct sp_pu *pu);	/* number of the group */
	uint32_t groups;
};

struct bar {
	bool is_memory;
	const char *class;	/* of the rectangle */
	uint32_t rank;		/* that uses a device, or SP_NOBODY */
	char text[96];
	uint32_t from, to;	/* of the box in which it is; (0, ncpus) and level -1: beside all boxes */
	int level;
};

struct boxes {
	const struct sp_machine *machine;
	const struct sp_parts *parts;	/* or NULL */
	const struct bar *bar;
	size_t nbars;
	struct level level[LEVELS];
	double cell_width;
	bool short_heads;	/* cores are named by their number alone */
	bool has_kinds;		/* some cores are slower than others */
	uint32_t columns;	/* cells side by side in a core */
	uint32_t most_cpus;	/* of a core */
	uint32_t core_columns;	/* cores side by side in the innermost boxes */
};

/* The children of a range. */
struct grid {
	struct size cell;
	uint32_t n, columns;
};

/* Without bars; machine and parts stay the caller's. */
void boxes_make(struct boxes *boxes, const struct sp_machine *machine, const struct sp_parts *parts, uint32_t nranks);

/* Find the box of a bar that is near these CPUs. */
void boxes_place(const struct boxes *boxes, const struct sp_cpus *near, struct bar *bar);

/* The next level that is drawn, or LEVELS: cores. */
int boxes_inner(const struct boxes *boxes, int level);

/* The name of a box: "package 0, NUMA node 0"; the caller's, to free(). */
char *boxes_name(const struct boxes *boxes, int level, uint32_t from);

/* The size of a cache: "48 KB", "1.5 MB".  Returns text. */
#define BOXES_KIB 24
char *boxes_kib(uint32_t kib, char text[BOXES_KIB]);

/* End of the first child of a range. */
uint32_t boxes_end(const struct boxes *boxes, int level, uint32_t from, uint32_t to);

/* Whether a bar is in this box. */
bool boxes_has(const struct bar *bar, int level, uint32_t from);

/* Where a bar of a box is: among those before it, all zero ahead of the first. */
struct bar_place {
	double left, next;	/* from the left end of the line: where it begins, and the next one at the earliest */
	double height;		/* of all lines to its own */
};

/* The place after this one.  Memory has a line for each node; devices stand side by side as far as the box's width has room. */
void boxes_next_place(const struct bar *bar, double width, struct bar_place *place);

/* Width of a bar with its text, and the height of all bars above or below the cores of a box of this width. */
double boxes_bar_width(const struct bar *bar);
double boxes_bars(const struct boxes *boxes, int level, uint32_t from, double width, bool memory);

/* The label above a core, on the left: "core 3", "core 12 slow" or "3". */
void boxes_head(const struct boxes *boxes, const struct sp_pu *pu, char text[32]);

struct size boxes_core(const struct boxes *boxes);
struct grid boxes_grid(const struct boxes *boxes, int level, uint32_t from, uint32_t to);

/* A range of children without what is around them; and the box around a range: level -1 is the whole machine, which has no frame. */
struct size boxes_range(const struct boxes *boxes, int level, uint32_t from, uint32_t to);
struct size boxes_box(const struct boxes *boxes, int level, uint32_t from, uint32_t to);

#endif
