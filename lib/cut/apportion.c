/*
 * The descent: ranks to groups, from large groups to small ones.
 *
 * Where whole groups would cost a rank too much, a segment goes across the
 * boundary.
 */
#include "base/order.h"
#include "cut/cutter.h"

static void
count_room(struct cutter *c)
{
	for (int level = 0; level < RESPECTED; level++) {
		uint32_t room = 0;

		for (uint32_t from = 0, to; from < c->nunits; from = to) {
			to = group_end(c, level, from, c->nunits);
			for (uint32_t i = from; i < to; i++)
				c->room[level][i] = room;
			room += (to - from) / c->least;
		}
		c->room[level][c->nunits] = room;
	}
}

/* Ranks that fit into the groups of a range; it begins and ends on boundaries of this level. */
static uint32_t
room(const struct cutter *c, int level, uint32_t from, uint32_t to)
{
	return c->room[level][to] - c->room[level][from];
}

void
sp_cut_aim_at(struct cutter *c, uint32_t fair)
{
	c->least = fair - fair / 8;
	c->each = fair;
	count_room(c);
}

/* Whether a rank more leaves more to each rank in a than in b. */
static bool
roomier(const struct part *part, uint32_t a, uint32_t b)
{
	uint64_t in_a = (uint64_t)part_size(&part[a]) * (part[b].n + 1);
	uint64_t in_b = (uint64_t)part_size(&part[b]) * (part[a].n + 1);

	return in_a > in_b || (in_a == in_b && a < b);
}

static void
sink(uint32_t *heap, uint32_t n, uint32_t at, const struct part *part)
{
	uint32_t moving = heap[at];

	for (uint32_t child; (child = 2 * at + 1) < n; at = child) {
		if (child + 1 < n && roomier(part, heap[child + 1], heap[child]))
			child++;
		if (!roomier(part, heap[child], moving))
			break;
		heap[at] = heap[child];
	}
	heap[at] = moving;
}

/*
 * Deal ranks to the parts so that the smallest size / ranks is as large as it
 * can be (D'Hondt), but none more than it has room for at the given level, where
 * all have room: a boundary further in is not to be crossed because of a fair
 * division here.
 */
static void
deal_ranks(struct cutter *c, struct part *part, uint32_t nparts, uint32_t ranks, int level)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < nparts; i++) {
		part[i].n = 0;
		if (room(c, level, part[i].from, part[i].to))
			c->heap[n++] = i;
	}
	for (uint32_t i = n / 2; i-- > 0;)
		sink(c->heap, n, i, part);
	for (; ranks; ranks--) {
		struct part *top = &part[c->heap[0]];

		if (++top->n == room(c, level, top->from, top->to))
			c->heap[0] = c->heap[--n];
		sink(c->heap, n, 0, part);
	}
}

bool
sp_cut_fits(const struct cutter *c, int level, uint32_t from, uint32_t to, uint32_t ranks, uint32_t each)
{
	for (; ranks > 1; ranks--) {
		if (from + each >= to)
			return false;
		from = c->next[level][from + each];
	}
	return from + each <= to;
}

/* Most units each rank can have if it is given whole groups; 0 if that is too few. */
static uint32_t
whole_groups(const struct cutter *c, int level, uint32_t from, uint32_t to, uint32_t ranks)
{
	uint32_t low = c->least, high = c->nunits;

	if (!sp_cut_fits(c, level, from, to, ranks, low))
		return 0;
	while (low < high) {
		uint32_t each = high - (high - low) / 2;

		if (sp_cut_fits(c, level, from, to, ranks, each))
			low = each;
		else
			high = each - 1;
	}
	return low;
}

void
sp_cut_add_segment(struct cutter *c, uint32_t from, uint32_t to, uint32_t ranks, uint32_t each)
{
	c->segment[c->nsegments++] = (struct segment){ from, to, c->placed, ranks };
	c->placed += ranks;
	c->each = (uint32_t)sp_smaller(c->each, each);
}

/*
 * Divide a range whose ranks have at least c->least units each.  Boundaries
 * of this level are respected if every rank fits into one group, or if every
 * rank can have whole groups; otherwise they are crossed, and those further
 * in may still be respected.
 */
void
sp_cut_descend(struct cutter *c, int level, uint32_t from, uint32_t to, uint32_t ranks)
{
	uint32_t each;

	if (level == RESPECTED) {
		sp_cut_add_segment(c, from, to, ranks, (to - from) / ranks);
	} else if (room(c, level, from, to) >= ranks) {
		struct part *part;
		uint32_t n = sp_cut_split(c, level, from, to, &part);
		int finest = INNER;

		while (room(c, finest, from, to) < ranks)
			finest--;
		deal_ranks(c, part, n, ranks, finest);
		for (uint32_t i = 0; i < n; i++)
			if (part[i].n)
				sp_cut_descend(c, level + 1, part[i].from, part[i].to, part[i].n);
	} else if ((each = whole_groups(c, level, from, to, ranks))) {
		sp_cut_add_segment(c, from, to, ranks, each);
	} else {
		sp_cut_descend(c, level + 1, from, to, ranks);
	}
}
