#include "cmd/picture/page.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "cmd/cmd.h"
#include "cmd/picture/draw.h"
#include "cmd/picture/svg_parts.h"
#include "cut/cut.h"

#define MARGIN 16.0
#define LINE 18.0
#define LEAST 420.0		/* width of the texts beside a small machine */
#define SWATCH 20.0

/* A text on the page, broken into lines. */
struct paragraph {
	enum svg_text kind;
	char *text;
	bool has_swatch, is_others;
	uint32_t rank;		/* of the swatch */
};

struct page {
	struct paragraph above[2], *below;
	size_t nabove, nbelow;
	double width;		/* without margins */
};

static double
room_of(const struct page *page, const struct paragraph *paragraph)
{
	return page->width - (paragraph->has_swatch ? SWATCH : 0);
}

/* Height of a paragraph, which is drawn from y on unless it is only measured (y < 0). */
static double
put_paragraph(const struct page *page, const struct paragraph *paragraph, double y)
{
	const char *text = paragraph->text;
	double left = MARGIN + (paragraph->has_swatch ? SWATCH : 0), height = 0;

	while (*text) {
		size_t length = svg_line(paragraph->kind, text, room_of(page, paragraph));
		char *line = cmd_format("%.*s", (int)length, text);

		height += LINE;
		if (y >= 0)
			svg_text(paragraph->kind, left, y + height - 4, room_of(page, paragraph), line);
		free(line);
		text += length;
		text += strspn(text, " ");
	}
	if (paragraph->has_swatch && y >= 0)
		svg_rank_rect(MARGIN, y + 4, (struct size){ 14, 12 }, paragraph->is_others ? "cpu others" : "cpu", paragraph->rank, false);
	return height;
}

static double
put_paragraphs(const struct page *page, const struct paragraph *paragraph, size_t n, double y)
{
	double height = 0;

	for (size_t i = 0; i < n; i++)
		height += put_paragraph(page, &paragraph[i], y < 0 ? y : y + height);
	return height;
}

static void
add_below(struct page *page, struct paragraph paragraph)
{
	page->below = cmd_enlarge(page->below, page->nbelow + 1, sizeof(*page->below));
	page->below[page->nbelow++] = paragraph;
}

/* cores: whole ones; 0: hardware threads of cores that ranks have. */
static void
add_unused(struct page *page, const char *nobodys, const struct sp_cpus *cpus, uint32_t cores)
{
	uint32_t n = sp_cpus_count(cpus);

	if (n == 0)
		return;
	char *list = cmd_list(cpus), *what = cores ? cmd_format("%u core%s", cores, sp_plural(cores)) :
		cmd_format("%u hardware thread%s of cores that ranks have", n, sp_plural(n));
	add_below(page, (struct paragraph){ .kind = SVG_NOTE, .has_swatch = true, .rank = SP_NOBODY,
		.text = cmd_format("%s: %s, CPU%s %s", nobodys, what, sp_plural(n), list) });
	free(what);
	free(list);
}

static void
add_free(const struct drawing *d, struct page *page)
{
	struct sp_cpus used = { 0 }, unused = { 0 }, others = { 0 }, part;

	for (uint32_t i = 0; i < d->machine->ncpus; i++)
		sp_cpus_add(draw_is_others(d, i) ? &others : d->picture->owner[i] == SP_NOBODY ? &unused : &used, d->machine->pu[i].cpu);
	add_unused(page, PICTURE_OTHERS, &others, sp_machine_cores(d->machine, &others));
	if (page->nbelow && !sp_cpus_empty(&others))
		page->below[page->nbelow - 1].is_others = true;
	part = unused;
	sp_machine_fill_cores(d->machine, &used);
	sp_cpus_and(&part, &used);
	sp_cpus_sub(&unused, &part);
	add_unused(page, d->picture->nobodys, &unused, sp_machine_cores(d->machine, &unused));
	add_unused(page, d->picture->nobodys, &part, 0);
}

#define CACHE_TEXT 64		/* more than the longest of these */

/* "L1d 48 KB per core", "L3 32 MB per 8 cores"; false: the CPU at this place has no such cache. */
static bool
describe_cache(const struct drawing *d, int level, uint32_t i, char text[CACHE_TEXT])
{
	const struct sp_pu *pu = d->machine->pu;
	uint32_t kib = d->picture->from.parts->kib[level][pu[i].cpu];
	struct sp_cpus cores = { 0 };

	if (kib == 0)
		return false;
	for (uint32_t k = 0; k < d->machine->ncpus; k++)
		if (level == 0 ? pu[k].core == pu[i].core : level == 1 ? pu[k].l2 == pu[i].l2 : pu[k].l3 == pu[i].l3)
			sp_cpus_add(&cores, pu[k].core);
	uint32_t n = sp_cpus_count(&cores);
	char of[sizeof("4294967295 cores")] = "core", capacity[BOXES_KIB];
	if (n > 1)
		snprintf(of, sizeof(of), "%u cores", n);
	snprintf(text, CACHE_TEXT, "L%d%s %s per %s", level + 1, level ? "" : "d", boxes_kib(kib, capacity), of);
	return true;
}

static void
add_caches(const struct drawing *d, struct page *page)
{
	char *text = cmd_format("Caches: ");
	bool any = false;

	for (int level = 0; d->picture->from.parts && level < 3; level++)
		for (uint32_t i = 0; i < d->machine->ncpus; i++) {
			char one[CACHE_TEXT];

			if ((i && d->machine->pu[i].core == d->machine->pu[i - 1].core) || !describe_cache(d, level, i, one) ||
			    strstr(text, one) || strlen(text) > 400)
				continue;
			text = cmd_append(text, any ? ", " : "", "%s", one);
			any = true;
		}
	if (any)
		add_below(page, (struct paragraph){ .kind = SVG_NOTE, .text = text });
	else
		free(text);
}

static void
add_text(struct page *page, const char *text)
{
	if (text && *text)
		add_below(page, (struct paragraph){ .kind = SVG_NOTE, .text = cmd_format("%s", text) });
}

static void
make_page(const struct drawing *d, struct size machine, struct page *page)
{
	const struct picture *picture = d->picture;

	*page = (struct page){ .nabove = 2, .width = fmax(machine.width - 2 * GAP, LEAST) };
	page->above[0] = (struct paragraph){ .kind = SVG_TITLE, .text = cmd_format("%s", picture->title) };
	page->above[1] = (struct paragraph){ .kind = SVG_NOTE, .text = cmd_format("%s", picture->sentence) };
	add_text(page, picture->hint);
	if (d->boxes.has_kinds)
		add_text(page, "Slow cores are dashed and shaded.");
	add_caches(d, page);
	for (uint32_t rank = 0; picture->legend && rank < picture->nranks; rank++)
		if (picture->legend[rank])
			add_below(page, (struct paragraph){ .kind = SVG_NOTE, .has_swatch = true, .rank = rank,
							    .text = cmd_format("%s", picture->legend[rank]) });
	add_free(d, page);
}

static void
release_page(struct page *page)
{
	for (size_t i = 0; i < page->nabove; i++)
		free(page->above[i].text);
	for (size_t i = 0; i < page->nbelow; i++)
		free(page->below[i].text);
	free(page->below);
}

void
picture_print(const struct picture *picture)
{
	struct drawing d = { .picture = picture, .machine = picture->from.machine };
	struct page page;
	size_t nbars;

	boxes_make(&d.boxes, d.machine, picture->from.parts, picture->nranks);
	struct bar *bars = draw_make_bars(&d, &nbars);
	d.boxes.bar = bars;
	d.boxes.nbars = nbars;

	struct size machine = boxes_box(&d.boxes, -1, 0, d.machine->ncpus);
	make_page(&d, machine, &page);
	double top = MARGIN + put_paragraphs(&page, page.above, page.nabove, -1);
	double bottom = top + machine.height;

	svg_begin((struct size){ page.width + 2 * MARGIN, bottom + put_paragraphs(&page, page.below, page.nbelow, -1) + MARGIN },
		  picture->title);
	put_paragraphs(&page, page.above, page.nabove, MARGIN);
	draw_machine(&d, MARGIN - GAP, top, machine);
	put_paragraphs(&page, page.below, page.nbelow, bottom);
	svg_end();
	release_page(&page);
	free(bars);
}
