/* A comparison as a picture: a dot for each run, a line for each median. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/cmd.h"
#include "cmd/compare/print.h"
#include "cmd/picture/svg_parts.h"

/* In pixels. */
#define LEFT 64.0
#define RIGHT 132.0		/* room for the medians as text */
#define TOP 64.0
#define BOTTOM 56.0
#define HEIGHT 240.0		/* of the axis */
#define STEP 56.0		/* from round to round */
#define WIDTH_LEAST 620.0
#define TITLE "14"		/* size of its letters, smaller than svg_parts.h's, by which they are measured */

static const char *const colour[COMPARE_WAYS] = { [COMPARE_WITHOUT] = "#c4560f", [COMPARE_WITH] = "#1663a6" };

struct picture {
	const struct compare *compare;
	struct compare_result result;
	double width, most;	/* the axis ends at `most` seconds */
	double tick;
};

static double
y_of(const struct picture *p, double seconds)
{
	return TOP + HEIGHT * (1 - seconds / p->most);
}

/* 1, 2 or 5 times a power of ten, so that there are at most six. */
static double
tick_of(double most)
{
	static const double steps[] = { 1, 2, 5 };
	double power = pow(10, floor(log10(most / 6)));

	for (int i = 0; i < 3; i++)
		if (most / (steps[i] * power) <= 6)
			return steps[i] * power;
	return 10 * power;
}

static void
print_text(double x, double y, const char *attributes, const char *text)
{
	printf("<text x=\"%g\" y=\"%g\"%s>", x, y, attributes);
	svg_escaped(text);
	puts("</text>");
}

static void
print_axis(const struct picture *p)
{
	char text[32];

	for (double at = 0; at <= p->most * 1.0001; at += p->tick) {
		printf("<line x1=\"%g\" y1=\"%g\" x2=\"%g\" y2=\"%g\" stroke=\"#ddd\"/>\n", LEFT, y_of(p, at), p->width - RIGHT, y_of(p, at));
		snprintf(text, sizeof(text), "%g", at);
		print_text(LEFT - 8, y_of(p, at) + 4, " text-anchor=\"end\"", text);
	}
	print_text(LEFT - 8, TOP - 14, " text-anchor=\"end\"", "seconds");
}

static void
print_mark(double x, double y, enum compare_way way)
{
	if (way == COMPARE_WITHOUT)
		printf("<circle cx=\"%g\" cy=\"%g\" r=\"4.5\" fill=\"%s\"", x, y, colour[way]);
	else
		printf("<rect x=\"%g\" y=\"%g\" width=\"8\" height=\"8\" fill=\"%s\"", x - 4, y - 4, colour[way]);
}

static double
x_of(const struct picture *p, const struct compare_run *run)
{
	double step = (p->width - LEFT - RIGHT) / p->compare->rounds;
	size_t at = (size_t)(run - p->compare->run);

	return LEFT + step * (run->round - 0.5) + (at % 2 ? 0.2 : -0.2) * step;
}

static void
print_runs(const struct picture *p)
{
	for (size_t i = 0; i < p->compare->nruns; i++) {
		const struct compare_run *run = &p->compare->run[i];

		print_mark(x_of(p, run), y_of(p, run->wall), run->way);
		printf("><title>round %u, %s: %.4g s</title></%s>\n", run->round, compare_way_name[run->way], run->wall,
		       run->way == COMPARE_WITHOUT ? "circle" : "rect");
	}
}

/* Where the two lines lie close together their texts are moved apart. */
static void
print_medians(const struct picture *p)
{
	double y[COMPARE_WAYS], between;
	char text[64];

	for (enum compare_way way = 0; way < COMPARE_WAYS; way++)
		y[way] = y_of(p, p->result.wall[way].median);
	between = y[COMPARE_WITH] - y[COMPARE_WITHOUT];
	double apart = fabs(between) < 14 && p->result.n[COMPARE_WITH] ? (14 - fabs(between)) / 2 * (between < 0 ? -1 : 1) : 0;
	for (enum compare_way way = 0; way < COMPARE_WAYS; way++) {
		if (!p->result.n[way])
			continue;
		printf("<line x1=\"%g\" y1=\"%g\" x2=\"%g\" y2=\"%g\" stroke=\"%s\" stroke-dasharray=\"6 3\"/>\n", LEFT, y[way],
		       p->width - RIGHT, y[way], colour[way]);
		snprintf(text, sizeof(text), "median %.4g s", p->result.wall[way].median);
		print_text(p->width - RIGHT + 6, y[way] + 4 + (way == COMPARE_WITH ? apart : -apart), "", text);
	}
}

static void
print_rounds(const struct picture *p)
{
	unsigned each = p->compare->rounds > 25 ? 5 : 1;
	double step = (p->width - LEFT - RIGHT) / p->compare->rounds;
	char text[16];

	for (unsigned i = 1; i <= p->compare->rounds; i++) {
		if (i % each && i != 1)
			continue;
		snprintf(text, sizeof(text), "%u", i);
		print_text(LEFT + step * (i - 0.5), TOP + HEIGHT + 18, " text-anchor=\"middle\"", text);
	}
	print_text(LEFT - 8, TOP + HEIGHT + 18, " text-anchor=\"end\"", "round");
}

static void
print_legend(const struct picture *p)
{
	double x = LEFT, y = TOP + HEIGHT + 40;
	char text[128];

	for (enum compare_way way = 0; way < COMPARE_WAYS; way++) {
		print_mark(x, y - 4, way);
		puts("/>");
		print_text(x + 10, y, "", compare_way_name[way]);
		x += 130;
	}
	if (!p->result.has_ratio)
		return;
	snprintf(text, sizeof(text), "ratio %.3f, %.0f %%: %.3f to %.3f", p->result.ratio.estimate, 100 * p->result.ratio.confidence,
		 p->result.ratio.low, p->result.ratio.high);
	print_text(x, y, "", text);
}

/* doubt may be NULL. */
static struct picture
measure(const struct compare *compare, const struct compare_result *result, const char *sentence, const char *doubt)
{
	struct picture p = { .compare = compare, .result = *result, .width = LEFT + RIGHT + STEP * compare->rounds };
	double most = 0, title = LEFT / 2 + fmax(svg_width(SVG_TITLE, sentence), doubt ? svg_width(SVG_NOTE, doubt) : 0);

	for (enum compare_way way = 0; way < COMPARE_WAYS; way++)
		if (p.result.n[way] && p.result.wall[way].greatest > most)
			most = p.result.wall[way].greatest;
	p.tick = most > 0 ? tick_of(most) : 1;
	p.most = ceil(most / p.tick) * p.tick;
	if (p.most <= 0)
		p.most = p.tick;
	if (p.width < WIDTH_LEAST)
		p.width = WIDTH_LEAST;
	if (p.width < title)
		p.width = title;
	return p;
}

void
compare_print_svg(const struct compare *compare)
{
	struct compare_result result = compare_conclude(compare);
	char *sentence = compare_sentence(&result), *doubt = compare_doubt(compare);
	struct picture p = measure(compare, &result, sentence, doubt);

	printf("<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%g\" height=\"%g\" viewBox=\"0 0 %g %g\" "
	       "font-family=\"DejaVu Sans, Helvetica, Arial, sans-serif\" font-size=\"12\">\n",
	       p.width, TOP + HEIGHT + BOTTOM, p.width, TOP + HEIGHT + BOTTOM);
	printf("<rect width=\"%g\" height=\"%g\" fill=\"#fff\"/>\n", p.width, TOP + HEIGHT + BOTTOM);
	print_text(LEFT / 4, 22, " font-size=\"" TITLE "\" font-weight=\"bold\"", sentence);
	if (doubt)
		print_text(LEFT / 4, 40, "", doubt);
	print_axis(&p);
	print_medians(&p);
	print_runs(&p);
	print_rounds(&p);
	print_legend(&p);
	puts("</svg>");
	free(sentence);
	free(doubt);
}
