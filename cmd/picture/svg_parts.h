/*
 * Rectangles and texts of a picture, to standard output.
 *
 * A text never leaves the room that it is given: it is measured by the widths
 * of DejaVu Sans, which is wider than the other fonts that may stand in for
 * it, then made smaller, and at last cut.
 */
#ifndef PICTURE_SVG_H
#define PICTURE_SVG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* In pixels. */
struct size {
	double width, height;
};

enum svg_text {
	SVG_TITLE,
	SVG_NOTE,		/* sentences and legend */
	SVG_NAME,		/* of a box */
	SVG_BAR,		/* in the bar of a memory node or a device */
	SVG_HEAD,		/* of a core */
	SVG_RANK,		/* of a core, on the right */
	SVG_NUMBER,		/* of a CPU */
	SVG_THREAD,		/* on a CPU, in the middle */
	SVG_TEAM,		/* on a whole core, in the middle */
	SVG_DRIFT,		/* on a CPU, in the middle, red */
	SVG_TEXTS
};

/* Width in pixels, if there is room to write it in full. */
double svg_width(enum svg_text kind, const char *text);

/* The document begins, with its styles and patterns; title is its name. */
void svg_begin(struct size size, const char *title);
void svg_end(void);

/* x is the left end, the right end or the middle of the text, as its kind has it; y its base line. */
void svg_text(enum svg_text kind, double x, double y, double room, const char *text);

/* A rectangle of a class, filled as that has it. */
void svg_rect(double x, double y, struct size size, const char *class);

/*
 * The colour of a rank (SP_NOBODY: white), light or lighter.  Ranks that have
 * the same colour have different patterns, as far as there are some.
 */
void svg_rank_rect(double x, double y, struct size size, const char *class, uint32_t rank, bool is_light);

/* Text between tags, escaped. */
void svg_escaped(const char *text);

/*
 * The first line of a text in so much room: how many bytes of it, broken at a
 * blank, at a comma or anywhere.  0 for an empty text.
 */
size_t svg_line(enum svg_text kind, const char *text, double room);

#endif
