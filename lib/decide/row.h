/*
 * What one rank does by the decision for all (decide.h).  The first row that fits:
 *
 *   LIST         its own list of CPUs counts: the list is its share, or is divided by those who have it
 *   ALL          nobody bound it, or that is ignored: it divides the allowed set with all ranks
 *   ALL_OR_MASK  it has the whole allowed set, and not all ranks are known: likewise, or, where that has
 *                too few CPUs, as UNSEEN
 *   UNSEEN       nothing is known of the others: it keeps its mask, which they may have too
 *   UNCOMPARED   its mask, or its list, is none that was compared: likewise
 *   OWN          it alone has its mask, and keeps it
 *   PART         it divides a part with others: the mask of all of them, or the domain
 *
 * Pure.
 */
#ifndef SP_ROW_H
#define SP_ROW_H

#include "decide/division.h"

enum sp_row {
	SP_ROW_LIST, SP_ROW_ALL, SP_ROW_ALL_OR_MASK, SP_ROW_UNSEEN, SP_ROW_UNCOMPARED, SP_ROW_OWN, SP_ROW_PART,
};

struct sp_row_facts {
	bool is_unbound;	/* nobody bound it, or that is ignored */
	bool is_whole;		/* its mask is all that it may use */
	bool has_list;		/* a list of its own counts */
	bool is_decided;	/* there is a decision; else the rest is not read */
	bool is_changed;	/* its mask is not the one for which the decision was made */
	enum sp_division division;
	const struct sp_part *part;	/* its part; not owned */
};

enum sp_row sp_row_of(const struct sp_row_facts *facts);

#endif
