/* Figures: what a cut came to. */
#include "cut/cutter.h"

#include <string.h>

static uint32_t
largest_group(const struct cutter *c, int which)
{
	uint32_t largest = 0, size = 0;

	for (uint32_t i = 0; i < c->nunits; i++) {
		const struct sp_pu *pu = &c->machine->pu[c->place[i]];

		if (i > 0 && field(pu, which) == field(&c->machine->pu[c->place[i - 1]], which))
			size++;
		else
			size = 1;
		if (size > largest)
			largest = size;
	}
	return largest;
}

static void
count_units(const struct cutter *c, struct tally *tally)
{
	memset(tally, 0, c->nranks * sizeof(*tally));
	for (uint32_t i = 0; i < c->nunits; i++) {
		if (c->rank[i] == SP_NOBODY)
			continue;

		struct tally *t = &tally[c->rank[i]];

		if (t->units++) {
			const struct sp_pu *a = &c->machine->pu[c->place[t->last]];
			const struct sp_pu *b = &c->machine->pu[c->place[i]];

			t->nodes |= a->numa != b->numa;
			t->caches |= a->l3 != b->l3;
		}
		t->last = i;
	}
}

void
sp_cut_fill_figures(const struct cutter *c, struct tally *tally, struct sp_cut *cut)
{
	uint32_t node = largest_group(c, 1), cache = largest_group(c, 2);

	count_units(c, tally);
	cut->fair = c->nunits / c->nranks;
	cut->units = UINT32_MAX;
	cut->idle = c->nunits;
	cut->crossing = 0;
	for (uint32_t i = 0; i < c->nranks; i++) {
		const struct tally *t = &tally[i];

		cut->idle -= t->units;
		if (t->units < cut->units)
			cut->units = t->units;
		cut->crossing += (t->nodes && t->units <= node) || (t->caches && t->units <= cache);
	}
}
