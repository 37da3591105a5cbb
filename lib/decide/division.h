/*
 * The division: which CPUs each rank of a node divides with which other ranks,
 * where their masks differ from what the job may use.  Pure: depends on its
 * arguments alone.
 *
 *   group   ranks that inherited the same mask; a group cuts its mask
 *   list    ranks with a list of their own that counts (sp_division_find_lists) have its CPUs, whatever their masks are;
 *           all that follows is about the other ranks
 *   again   all ranks ignore their masks and cut the set that the job may use: the binding makes them slow, and nobody asked for it
 *
 * Only a binding for which nobody asked is replaced, and only where it starves
 * a rank announces more threads than its mask has cores, and a new
 *             cut gives that rank more cores; or
 *   collides  another job of the user has cores of the binding, while there are
 *             free cores enough for all ranks; or
 *   is told   a setting says which cores ranks get (sp_policy_says), and the
 *             ranks were not confined to one common mask (a common mask is
 *             divided as the setting says).
 */
#ifndef SP_DIVISION_H
#define SP_DIVISION_H

#include <stdbool.h>
#include <stdint.h>

#include "decide/view.h"

/*
 * The CPUs that a rank divides with others, and its place among them; count 0:
 * the rank keeps its mask, and other ranks may have the same CPUs.
 */
struct sp_part {
	struct sp_cpus seen;	/* the rank's mask as the deciding rank saw it; a wrapper may have changed the mask since */
	struct sp_cpus cpus;
	uint32_t index, count;
	uint32_t group;		/* the first rank that divides the same CPUs */
	uint32_t is_listed;	/* 1: they are a list that the user has given to these ranks and not to the others (OMP_PLACES) */
	uint64_t list;		/* the rank's list as the deciding rank saw it (struct sp_seat); a wrapper may have set it since */
};

/* The outcome; also the reason that messages give. */
enum sp_division {
	SP_DIVISION_OPEN,	/* not decided: some masks are not known */
	SP_DIVISION_ALIKE,	/* all ranks have the same mask: one group */
	SP_DIVISION_KEPT,	/* groups: nobody asked for the binding, but it does no harm */
	SP_DIVISION_ASKED,	/* groups: somebody asked for the binding */
	SP_DIVISION_STARVED,	/* again: see above */
	SP_DIVISION_COLLIDED,	/* again: see above */
	SP_DIVISION_TOLD,	/* again: see above */
	SP_DIVISION_GIVEN_UP,	/* some ranks did not come: all keep their masks, which may overlap */
	/* Not for boards: see decide.h. */
	SP_DIVISION_UNBOUND, SP_DIVISION_GROWN, SP_DIVISION_LEFT,
};

/* Whether the mask of a rank counts: it has not ended, and has no list of its own. */
bool sp_division_has_mask(const struct sp_rank_facts *rank);

/*
 * Find whose lists count: lists that differ between ranks are shares that were
 * asked for; the same list in all ranks is a setting of the whole job, which
 * says nothing of shares.  listed keeps the CPUs of those that count, within
 * the mask of the rank where somebody asked for it, else within the domain.
 * *all: the CPUs of all of them.
 */
void sp_division_find_lists(struct sp_rank_facts rank[], uint32_t nranks, const struct sp_cpus *domain, bool asked, struct sp_cpus *all);

/*
 * Find the division.  part has room for a part of each rank, and is filled in
 * unless the division stays open.
 *
 *   taken   whole cores of other jobs, which are to be left to these jobs
 *   others  all cores of other jobs, even if too few cores are left without them
 */
enum sp_division sp_divide(const struct sp_view *view, const struct sp_rank_facts rank[], const struct sp_cpus *taken,
			   const struct sp_cpus *others, struct sp_part part[]);

/* Whether a division cuts the domain again, instead of keeping groups. */
bool sp_division_is_anew(enum sp_division division);

#endif
