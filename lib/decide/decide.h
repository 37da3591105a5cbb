/*
 * Which cores has each rank?  One answer, from facts alone: whoever needs it
 * (node/join.c, node/agree.c, share/renew.c, engine/change.c, "splitpin plan")
 * collects what is known, asks here, and writes the plan where all ranks read it.
 *
 *   view     what is the same for all ranks of the job on the node
 *   facts    what is known of each rank
 *   others   what other jobs have
 *   plan     who divides which CPUs, what each rank needs, and on which terms
 *
 * The first row that fits decides:
 *
 *   GROWN      a rank has a larger team than it has claimed cores for, and there are enough
 *              idle ones: it has the nearest of these, too; else OPEN: all stays, and a rank that
 *              cannot leave its CPUs claims them
 *   LEFT       another job is starting on the cores that the ranks divide: shared for good
 *   UNBOUND    nobody bound the ranks: all divide the allowed set
 *   OPEN       the masks of some ranks are not known: nothing is decided
 *   ASKED      somebody asked for the binding, or all ranks have lists: ranks with the same mask divide it
 *   TOLD       a setting says which cores ranks get: all divide the domain anew
 *   STARVED    a rank has fewer cores than threads, and would have more: likewise
 *   COLLIDED   another job has cores of the masks: likewise
 *   ALIKE      all have the same mask: they divide it
 *   KEPT       ranks with the same mask divide it, one alone keeps it
 *
 * If a rank announces no threads, STARVED and COLLIDED need enough free cores,
 * too; else the binding stays.
 *
 * Lists of CPUs that differ between ranks are the shares of these ranks, whatever
 * their masks are: from ASKED on the rows are about the others.
 *
 * Then each set of CPUs and the ranks that divide it have terms of their own
 * beside the other jobs (terms.h), and by these the cut, of which each rank has
 * its share (portion.h).  Pure.
 */
#ifndef SP_DECIDE_H
#define SP_DECIDE_H

#include "decide/division.h"
#include "decide/others.h"
#include "decide/terms.h"

struct sp_plan {
	enum sp_division division;	/* as decided before, so that the parts stay; OPEN: it is found from the facts */
	bool has_lists;			/* the lists of some ranks count */
	struct sp_terms terms;		/* of the job; before: those in force, of which the generation is kept */
	uint32_t *need;			/* of each rank; before: as announced.  The caller's */
	struct sp_part *part;		/* of each rank; NULL: all divide the allowed set (UNBOUND).  The caller's */
	/* Where all ranks divide one set of CPUs, which the plan does not share: */
	uint32_t *owner;		/* of each CPU of the machine, a rank or SP_NOBODY; undefined on an error.  The caller's; NULL: not wanted */
	const struct sp_cpus *cpus;	/* that set: view->allowed, or that of a part */
	struct sp_cut cut;		/* figures */
	int error;			/* 0, or why there is no cut: as sp_cut_by_need; -EINVAL: all shares stay; -ENOENT: ranks divide several sets, or none */
};

/*
 * Decide.  rank: the facts of each rank, NULL where the plan has its division;
 * lists that do not count are removed from them.  others->taken: cores of shares
 * that stay are added.
 *
 * Returns the row above, which is plan->division then; except GROWN and LEFT,
 * where the division stays.  On OPEN the terms stay where a rank has grown, but for the claim, and
 * are undefined where masks are not known.
 */
enum sp_division sp_decide(const struct sp_view *view, struct sp_rank_facts rank[], struct sp_other_jobs *others,
			   struct sp_plan *plan);

/*
 * Find the terms of a job whose ranks divide different CPUs: plan->part and
 * plan->need have one for each rank, and ranks with the same group divide the same
 * CPUs (count 0: the rank is ignored).  Lists are claimed.  Each other group has the
 * terms that it would have by itself.  A group that cannot be cut claims all its
 * CPUs; one of all ranks has the cut of the plan.
 */
void sp_decide_groups(const struct sp_view *view, const struct sp_other_jobs *others, struct sp_plan *plan);

#endif
