/* Cyclic distribution: ranks that were dealt in order get their numbers round the NUMA nodes. */
#include "cut/cutter.h"

/* The turn of a rank is its number among the ranks of its node: all ranks of turn 0 come first, then those of turn 1, ... */
void
sp_cut_deal_round_nodes(struct cutter *c)
{
	uint32_t rank = 0, node = 0, before = 0;

	for (uint32_t i = 0; i < c->nunits && rank < c->nranks; i++) {
		if (c->rank[i] != rank)
			continue;

		uint32_t here = c->machine->pu[c->place[i]].numa;

		c->turn[rank] = rank > 0 && here == node ? c->turn[rank - 1] + 1 : 0;
		c->number[c->turn[rank++]]++;
		node = here;
	}
	/* turn[] holds the number of ranks of each turn; it becomes the number of the turn's first rank. */
	for (uint32_t i = 0; i < c->nranks; i++) {
		uint32_t ranks = c->number[i];

		c->number[i] = before;
		before += ranks;
	}
	for (uint32_t i = 0; i < c->nranks; i++)
		c->turn[i] = c->number[c->turn[i]]++;
	for (uint32_t i = 0; i < c->nunits; i++)
		if (c->rank[i] != SP_NOBODY)
			c->rank[i] = c->turn[c->rank[i]];
}
