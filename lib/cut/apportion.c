/*
 * The descent: ranks to groups, from large groups to small ones.
 *
 * Where whole groups would cost a rank too much, a segment goes across the
 * boundary.
 */
#include "base/order.h"
#include "cut/cutter.h"

/* Dealing evenly. */

/* Whether one more rank of this size would leave more units per wanted unit in part a than in part b. */
static bool
roomier(const struct part *part, uint32_t a, uint32_t b, uint32_t want)
{
	uint64_t in_a = part_size(&part[a]) * (part[b].load + want);
	uint64_t in_b = part_size(&part[b]) * (part[a].load + want);

	return in_a > in_b || (in_a == in_b && a < b);
}

static void
sink(uint32_t *heap, uint32_t n, uint32_t at, const struct part *part, uint32_t want)
{
	uint32_t moving = heap[at];

	for (uint32_t child; (child = 2 * at + 1) < n; at = child) {
		if (child + 1 < n && roomier(part, heap[child + 1], heap[child], want))
			child++;
		if (!roomier(part, heap[child], moving, want))
			break;
		heap[at] = heap[child];
	}
	heap[at] = moving;
}

/* The parts with room for a rank of this size, as a heap.  Returns how many. */
static uint32_t
find_roomy(struct cutter *c, struct part *part, uint32_t nparts, uint32_t want, uint32_t least)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < nparts; i++) {
		part[i].room = part[i].dealt = 0;
		for (uint32_t k = 0; k < part[i].nbins; k++)
			part[i].room += c->bin[part[i].bin + k] / least;
		if (part[i].room)
			c->heap[n++] = i;
	}
	for (uint32_t i = n / 2; i-- > 0;)
		sink(c->heap, n, i, part, want);
	return n;
}

/*
 * Deal ranks of one size to the parts so that the smallest size / load is as
 * large as possible (D'Hondt), but to no part more than it has room for at the
 * level of the bins: a fair division here must not cause a boundary further in
 * to be crossed.  False: some ranks find no room, because larger ranks were
 * dealt evenly.
 */
static bool
deal_alike(struct cutter *c, struct part *part, uint32_t nparts, const uint32_t rank[], uint32_t ranks)
{
	uint32_t want = c->want[rank[0]], least = c->least[rank[0]], next = 0;
	uint32_t n = find_roomy(c, part, nparts, want, least);

	for (uint32_t left = ranks; left && n; left--) {
		struct part *top = &part[c->heap[0]];

		top->load += want;
		if (++top->dealt == top->room)
			c->heap[0] = c->heap[--n];
		if (n)
			sink(c->heap, n, 0, part, want);
	}
	for (uint32_t i = 0; i < nparts; i++) {
		sp_cut_fill_bins(c->bin + part[i].bin, part[i].nbins, part[i].dealt, least);
		part[i].n += part[i].dealt;
		for (uint32_t k = 0; k < part[i].dealt && next < ranks; k++)
			c->where[rank[next++]] = i;
	}
	return next == ranks;
}

static bool
deal_evenly(struct cutter *c, int level, struct part *part, uint32_t nparts, const uint32_t rank[], uint32_t n)
{
	sp_cut_open_bins(c, level, part, nparts);
	for (uint32_t from = 0, to; from < n; from = to) {
		to = sp_cut_size_end(c, rank, from, n);
		if (!deal_alike(c, part, nparts, rank + from, to - from))
			return false;
	}
	return true;
}

/* Put each rank into the first group with room for it; sp_cut_has_room has found that all fit that way. */
static void
put_first_fit(struct cutter *c, int level, struct part *part, uint32_t nparts, const uint32_t rank[], uint32_t n)
{
	for (uint32_t i = 0; i < nparts; i++)
		part[i].n = 0;
	sp_cut_open_bins(c, level, part, nparts);
	for (uint32_t i = 0; i < n; i++) {
		uint32_t at = 0, bin = 0;

		while (at + 1 < nparts && c->bin[bin] < c->least[rank[i]]) {
			bin++;
			at += bin == part[at].bin + part[at].nbins;
		}
		c->bin[bin] -= (uint32_t)sp_smaller(c->bin[bin], c->least[rank[i]]);
		c->where[rank[i]] = at;
		part[at].n++;
	}
}

/* Put the ranks into the order of their parts; within a part they stay as they are. */
static void
sort_by_part(struct cutter *c, const struct part part[], uint32_t nparts, uint32_t rank[], uint32_t n)
{
	uint32_t *next = c->bin, *sorted = c->heap;	/* working space of the dealing, which is finished */

	for (uint32_t i = 0, before = 0; i < nparts; before += part[i++].n)
		next[i] = before;
	for (uint32_t i = 0; i < n; i++)
		sorted[next[c->where[rank[i]]]++] = rank[i];
	for (uint32_t i = 0; i < n; i++)
		rank[i] = sorted[i];
}

/* Segments. */

bool
sp_cut_fits(const struct cutter *c, int level, uint32_t from, uint32_t to, const uint32_t rank[], uint32_t n)
{
	for (uint32_t i = 0; i < n; i++) {
		uint32_t end = from + c->units[rank[i]];

		if (end > to || (end == to && i + 1 < n))
			return false;
		from = boundary_after(c, level, end);
	}
	return true;
}

static bool
fits_without(struct cutter *c, int level, uint32_t from, uint32_t to, const uint32_t rank[], uint32_t n, struct surrender surrender)
{
	for (uint32_t i = 0; i < n; i++)
		c->units[rank[i]] = units_without(c, rank[i], surrender);
	return sp_cut_fits(c, level, from, to, rank, n);
}

static uint32_t
largest_want(const struct cutter *c, const uint32_t rank[], uint32_t n)
{
	uint32_t most = 0;

	for (uint32_t i = 0; i < n; i++)
		most = (uint32_t)sp_larger(most, c->want[rank[i]]);
	return most;
}

/* Whether each rank can be given whole groups of a level; if so, *surrender is what the ranks have to give up. */
static bool
fit_in_whole_groups(struct cutter *c, int level, uint32_t from, uint32_t to, const uint32_t rank[], uint32_t n,
		    struct surrender *surrender)
{
	uint32_t low = 0, of = largest_want(c, rank, n), high = of;

	if (!fits_without(c, level, from, to, rank, n, (struct surrender){ high, of }))
		return false;
	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (fits_without(c, level, from, to, rank, n, (struct surrender){ middle, of }))
			high = middle;
		else
			low = middle + 1;
	}
	*surrender = (struct surrender){ high, of };
	return true;
}

void
sp_cut_add_segment(struct cutter *c, uint32_t from, uint32_t to, uint32_t ranks, struct surrender surrender)
{
	if (ranks == 0 || ranks > c->nranks - c->placed)
		return;
	c->segment[c->nsegments++] = (struct segment){ from, to, c->placed, ranks };
	for (uint32_t i = c->placed; i < c->placed + ranks; i++)
		c->units[c->rank_at[i]] = units_without(c, c->rank_at[i], surrender);
	c->placed += ranks;
}

void
sp_cut_level_units(struct cutter *c)
{
	uint32_t *rank = c->heap;	/* working space of the dealing, which is finished */

	for (uint32_t i = 0; i < c->nranks; i++)
		rank[i] = i;
	sp_cut_sort_by_want(c, rank, c->nranks);
	for (uint32_t from = 0, to; from < c->nranks; from = to) {
		uint32_t units = UINT32_MAX;

		to = sp_cut_size_end(c, rank, from, c->nranks);
		for (uint32_t i = from; i < to; i++)
			units = (uint32_t)sp_smaller(units, c->units[rank[i]]);
		for (uint32_t i = from; i < to; i++)
			c->units[rank[i]] = units;
	}
}

/*
 * Make one segment of the range if every rank can have whole groups of a
 * level.  Its territories lie in the order of the ranks' numbers.
 */
static bool
make_segment(struct cutter *c, int level, uint32_t from, uint32_t to, uint32_t ranks)
{
	uint32_t *rank = c->rank_at + c->placed;
	struct surrender surrender;

	sp_cut_sort_by_number(c, rank, ranks);
	if (fit_in_whole_groups(c, level, from, to, rank, ranks, &surrender)) {
		sp_cut_add_segment(c, from, to, ranks, surrender);
		return true;
	}
	sp_cut_sort_by_want(c, rank, ranks);
	return false;
}

static void
descend_into_parts(struct cutter *c, int level, uint32_t from, uint32_t to, uint32_t ranks)
{
	uint32_t *rank = c->rank_at + c->placed;
	struct part *part;
	uint32_t n = sp_cut_split(c, level, from, to, &part);
	int finest = INNER;

	if (n == 1) {
		sp_cut_descend(c, level + 1, from, to, ranks);
		return;
	}
	while (finest > level && !sp_cut_has_room(c, finest, from, to, rank, ranks))
		finest--;
	if (!(c->demand->compact ? sp_cut_gather : deal_evenly)(c, finest, part, n, rank, ranks))
		put_first_fit(c, finest, part, n, rank, ranks);
	sort_by_part(c, part, n, rank, ranks);
	for (uint32_t i = 0; i < n; i++)
		if (part[i].n)
			sp_cut_descend(c, level + 1, part[i].from, part[i].to, part[i].n);
}

/*
 * Boundaries of this level are respected if every rank fits into one group, or
 * if every rank can have whole groups; otherwise they are crossed, and
 * boundaries further in may still be respected.
 */
void
sp_cut_descend(struct cutter *c, int level, uint32_t from, uint32_t to, uint32_t ranks)
{
	if (ranks == 0 || ranks > c->nranks - c->placed)
		return;
	if (level == RESPECTED)
		make_segment(c, UNIT, from, to, ranks);
	else if (sp_cut_has_room(c, level, from, to, c->rank_at + c->placed, ranks))
		descend_into_parts(c, level, from, to, ranks);
	else if (!make_segment(c, level, from, to, ranks))
		sp_cut_descend(c, level + 1, from, to, ranks);
}
