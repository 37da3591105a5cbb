/* Parts of a picture: what page.c puts on its page. */
#ifndef PICTURE_DRAW_H
#define PICTURE_DRAW_H

#include "cmd/picture/boxes.h"
#include "cmd/picture/picture.h"

struct drawing {
	const struct picture *picture;
	const struct sp_machine *machine;
	struct boxes boxes;
};

/* Whether the CPU at this place is another job's. */
bool draw_is_others(const struct drawing *drawing, uint32_t i);

/* One for each memory node, GPU and network card, in the boxes that hold the CPUs near to it; the caller's, to free(). */
struct bar *draw_make_bars(const struct drawing *drawing, size_t *n);

/* The machine without its frame. */
void draw_machine(const struct drawing *drawing, double x, double y, struct size size);

#endif
