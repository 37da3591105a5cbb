/*
 * Where the boxes of a picture are: the node as nested groups of CPUs.
 *
 *   box     a package, NUMA node or L3 group; one that holds the same CPUs as
 *           the box around it is not drawn, but named there
 *   core    a box with a cell for each CPU
 *   range   CPUs [from, to) of the machine, which a box holds
 *   level   of what a range consists: of boxes from 0 (the largest) up, or of
 *           cores (LEVELS)
 *
 * A box is measured before it is drawn; the children of a box have cells of
 * one size, in rows.  Pure.
 */
#ifndef BOXES_H
#define BOXES_H

#include <stdbool.h>
#include <stdint.h>

#include "machine.h"

/* In pixels. */
#define CELL_WIDTH 34.0
#define CELL_HEIGHT 24.0
#define CORE_HEAD 12.0
#define BOX_HEAD 18.0
#define GAP 6.0

#define LEVELS 3		/* package, NUMA node, L3 group, the coarsest first */

struct level {
	const char *name;
	uint32_t (*of)(const struct sp_pu *pu);	/* number of the group */
	uint32_t groups;
};

struct boxes {
	const struct sp_machine *machine;
	struct level level[LEVELS];
	uint32_t columns;	/* cells side by side in a core */
	uint32_t most_cpus;	/* of a core */
	uint32_t core_columns;	/* cores side by side in the innermost boxes */
};

struct size {
	double width, height;
};

/* The children of a range. */
struct grid {
	struct size cell;
	uint32_t n, columns;
};

void boxes_make(struct boxes *boxes, const struct sp_machine *machine);

/* The next level that is drawn, or LEVELS: cores. */
int boxes_inner(const struct boxes *boxes, int level);

/* Whether a level is that of L3 groups; where it is not drawn there may be no L3 caches at all. */
bool boxes_is_l3(const struct boxes *boxes, int level);

/* End of the first child of a range. */
uint32_t boxes_end(const struct boxes *boxes, int level, uint32_t from, uint32_t to);

struct size boxes_core(const struct boxes *boxes);
struct grid boxes_grid(const struct boxes *boxes, int level, uint32_t from, uint32_t to);
struct size boxes_size(const struct boxes *boxes, int level, uint32_t from, uint32_t to);

#endif
