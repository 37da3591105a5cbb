/* Bins: the groups of a level, which are filled with ranks, each with its least. */
#include "base/order.h"
#include "cut/cutter.h"

void
sp_cut_open_bins(struct cutter *c, int level, struct part *part, uint32_t nparts)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < nparts; i++) {
		struct part *p = &part[i];

		p->bin = n;
		for (uint32_t from = p->from, to; from < p->to; from = to) {
			to = group_end(c, level, from, p->to);
			c->bin[n++] = to - from;
		}
		p->nbins = n - p->bin;
	}
}

uint32_t
sp_cut_size_end(const struct cutter *c, const uint32_t rank[], uint32_t from, uint32_t n)
{
	uint32_t to = from + 1;

	while (to < n && are_alike(c, rank[to], rank[from]))
		to++;
	return to;
}

uint32_t
sp_cut_fill_bins(uint32_t bin[], uint32_t nbins, uint32_t ranks, uint32_t least)
{
	for (uint32_t i = 0; i < nbins && ranks; i++) {
		uint32_t fit = (uint32_t)sp_smaller(ranks, bin[i] / least);

		bin[i] -= fit * least;
		ranks -= fit;
	}
	return ranks;
}

/*
 * Whether these ranks, sorted with the largest first, all fit with their least
 * into the bins, whose contents are undefined afterwards.
 */
static bool
packs(const struct cutter *c, uint32_t nbins, const uint32_t rank[], uint32_t n)
{
	for (uint32_t from = 0, to; from < n; from = to) {
		to = sp_cut_size_end(c, rank, from, n);
		if (sp_cut_fill_bins(c->bin, nbins, to - from, c->least[rank[from]]))
			return false;
	}
	return true;
}

bool
sp_cut_has_room(struct cutter *c, int level, uint32_t from, uint32_t to, const uint32_t rank[], uint32_t n)
{
	struct part whole = { .from = from, .to = to };

	sp_cut_open_bins(c, level, &whole, 1);
	return packs(c, whole.nbins, rank, n);
}
