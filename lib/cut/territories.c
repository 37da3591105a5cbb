/* Territories: where each rank of a segment starts. */
#include "base/order.h"
#include "cut/cutter.h"

/* For share=all: the boundary closest to where an even division would put it. */
static uint32_t
nearest_boundary(const struct cutter *c, int level, uint32_t wanted)
{
	uint32_t before = boundary_before(c, level, wanted);
	uint32_t after = c->next[level][wanted];

	return wanted - before <= after - wanted ? before : after;
}

static void
set_limits(const struct cutter *c, const struct segment *s, int align)
{
	struct territory *t = c->territory + s->first;
	uint32_t end = s->to;

	for (uint32_t i = s->ranks - 1; i > 0; end = t[i--].limit)
		t[i].limit = t[i].fixed ? t[i].from : boundary_before(c, align, end - c->each);
}

/*
 * Fix the territories that can start at a boundary of this level.  Each moves
 * up to the nearest such boundary if those behind it still find room: units
 * to spare are spent only where they buy a boundary.
 */
static void
fix_starts(const struct cutter *c, const struct segment *s, int level, int align)
{
	struct territory *t = c->territory + s->first;

	set_limits(c, s, align);
	for (uint32_t i = 1; i < s->ranks; i++) {
		if (t[i].fixed)
			continue;
		t[i].from = c->next[align][t[i - 1].from + c->each];

		uint32_t start = c->next[level][t[i].from];

		if (start <= t[i].limit) {
			t[i].from = start;
			t[i].fixed = true;
		}
	}
}

static void
spread_starts(const struct cutter *c, const struct segment *s, int align)
{
	struct territory *t = c->territory + s->first;

	set_limits(c, s, align);
	for (uint32_t i = 1; i < s->ranks; i++) {
		uint32_t even = s->from + (uint32_t)((uint64_t)i * (s->to - s->from) / s->ranks);
		uint32_t low = c->next[align][t[i - 1].from + c->each];

		t[i].from = nearest_boundary(c, align, (uint32_t)sp_larger(low, sp_smaller(even, t[i].limit)));
	}
}

static void
lay_out(const struct cutter *c, const struct segment *s)
{
	struct territory *t = c->territory + s->first;
	int align = OUTER;

	while (!sp_cut_fits(c, align, s->from, s->to, s->ranks, c->each))
		align++;
	t[0].from = s->from;
	if (c->policy->share == SP_SHARE_ALL)
		spread_starts(c, s, align);
	else
		for (int level = OUTER; level <= align; level++)
			fix_starts(c, s, level, align);
	for (uint32_t i = 0; i < s->ranks; i++)
		t[i].to = i + 1 < s->ranks ? t[i + 1].from : s->to;
}

/* With share=all, what lies between segments goes to the rank before it. */
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
	/* Gaps between segments are beside no rank's devices. */
	if (c->policy->share == SP_SHARE_ALL && !c->is_numbered)
		close_gaps(c);
}
