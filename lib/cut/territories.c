/* Territories: where each rank of a segment starts. */
#include "base/order.h"
#include "cut/cutter.h"

/*
 * For SP_SHARE_ALL: the boundary between low and high, which are boundaries
 * themselves, that is closest to the point of an even division.
 */
static uint32_t
nearest_boundary(const struct cutter *c, int level, uint32_t wanted, uint32_t low, uint32_t high)
{
	if (wanted <= low)
		return low;
	if (wanted >= high)
		return high;

	uint32_t before = boundary_before(c, level, wanted);
	uint32_t after = boundary_after(c, level, wanted);

	return wanted - before <= after - wanted ? before : after;
}

/* From the last territory to the first: the last unit at which each can start so that those behind it find room. */
static void
set_limits(const struct cutter *c, const struct segment *s, int align)
{
	struct territory *t = c->territory + s->first;
	uint32_t end = s->to;

	for (uint32_t i = s->ranks; i-- > 1; end = t[i].limit)
		t[i].limit = t[i].fixed ? t[i].from : boundary_before(c, align, (uint32_t)sp_excess(end, units_of(c, s->first + i)));
}

/*
 * Fix the territories that can start at a boundary of this level.  Each of them
 * moves up to the nearest such boundary if the territories behind it still find
 * room: spare units are spent only where they gain a boundary.
 */
static void
fix_starts(const struct cutter *c, const struct segment *s, int level, int align)
{
	struct territory *t = c->territory + s->first;

	set_limits(c, s, align);
	for (uint32_t i = 1; i < s->ranks; i++) {
		if (t[i].fixed)
			continue;
		t[i].from = boundary_after(c, align, t[i - 1].from + units_of(c, s->first + i - 1));

		uint32_t start = boundary_after(c, level, t[i].from);

		if (start <= t[i].limit) {
			t[i].from = start;
			t[i].fixed = true;
		}
	}
}

static uint64_t
wanted_by(const struct cutter *c, const struct segment *s, uint32_t ranks)
{
	uint64_t units = 0;

	for (uint32_t i = 0; i < ranks; i++)
		units += c->want[c->rank_at[s->first + i]];
	return units;
}

/* For SP_SHARE_ALL: start each territory as close to an even division, in proportion to the wants, as boundaries allow. */
static void
spread_starts(const struct cutter *c, const struct segment *s, int align)
{
	struct territory *t = c->territory + s->first;

	uint64_t all = wanted_by(c, s, s->ranks), before = 0;

	set_limits(c, s, align);
	for (uint32_t i = 1; i < s->ranks; i++) {
		before += c->want[c->rank_at[s->first + i - 1]];
		uint32_t even = s->from + (uint32_t)(before * (s->to - s->from) / all);
		uint32_t low = boundary_after(c, align, t[i - 1].from + units_of(c, s->first + i - 1));

		t[i].from = nearest_boundary(c, align, even, low, t[i].limit);
	}
}

static void
lay_out(const struct cutter *c, const struct segment *s)
{
	struct territory *t = c->territory + s->first;
	int align = OUTER;

	while (align < UNIT && !sp_cut_fits(c, align, s->from, s->to, c->rank_at + s->first, s->ranks))
		align++;
	t[0].from = s->from;
	if (deals_all(c))
		spread_starts(c, s, align);
	else
		for (int level = OUTER; level <= align; level++)
			fix_starts(c, s, level, align);
	for (uint32_t i = 0; i < s->ranks; i++)
		t[i].to = i + 1 < s->ranks ? t[i + 1].from : s->to;
}

/* With SP_SHARE_ALL, units between two segments go to the rank before them. */
static void
close_gaps(struct cutter *c)
{
	struct territory *t = c->territory;

	t[0].from = 0;
	for (uint32_t i = 0; i < c->nranks; i++)
		t[i].to = i + 1 < c->nranks ? t[i + 1].from : c->nunits;
}

void
sp_cut_lay_out(struct cutter *c)
{
	for (uint32_t i = 0; i < c->nsegments; i++)
		lay_out(c, &c->segment[i]);
	/* Where ranks lie beside their devices, gaps between segments are beside no rank's device and stay free. */
	if (deals_all(c) && !c->is_near)
		close_gaps(c);
}
