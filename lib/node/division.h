/*
 * Whose CPUs, for all ranks of a node at once, where their masks differ from
 * what the job may use.  Pure: depends on its arguments alone.
 *
 *   group   ranks that inherited the same mask; a group cuts its mask
 *   again   instead of that, all ranks cut the set that the job may use, since
 *           nobody asked for a binding that makes them slow
 *
 * Only a binding for which nobody asked is divided again, and only where it
 *   starves   a rank announces more threads than its mask has cores, and a new
 *             cut gives that rank more cores; or
 *   collides  another job of the user has cores of it, while cores enough for
 *             all ranks are nobody's; or
 *   is told   a setting says which cores ranks get (sp_policy_says), and the
 *             ranks were not confined to one mask together, which they divide
 *             as the setting says.
 */
#ifndef SP_DIVISION_H
#define SP_DIVISION_H

#include <stdbool.h>
#include <stdint.h>

#include "board/decision.h"
#include "cpus.h"
#include "launcher/binding.h"
#include "machine.h"

/* What is known of one rank. */
struct sp_rank_facts {
	bool known;		/* the mask is known, and the rest as far as it can be */
	uint32_t threads;	/* that it announces, 0: none */
	struct sp_cpus mask;	/* as inherited; empty: the rank has ended, and counts for nothing */
};

/* How it came out; also the cause that is given to people. */
enum sp_division {
	SP_DIVISION_OPEN,	/* not decided: some masks are not known */
	SP_DIVISION_ALIKE,	/* all ranks have the same mask: one group */
	SP_DIVISION_KEPT,	/* groups; nobody asked, and nothing is wrong with it */
	SP_DIVISION_ASKED,	/* groups, because somebody asked for it */
	SP_DIVISION_STARVED,	/* again */
	SP_DIVISION_COLLIDED,	/* again */
	SP_DIVISION_TOLD,	/* again */
	SP_DIVISION_GIVEN_UP,	/* some ranks did not come: all keep their masks, of which others may have parts */
};

struct sp_division_question {
	const struct sp_machine *machine;	/* the whole node */
	uint32_t nranks;
	const struct sp_rank_facts *rank;	/* nranks of them */
	const struct sp_cpus *domain;	/* what the job may use: allowed, and not outside of the launcher's own mask; empty: nothing may be divided again */
	const struct sp_cpus *taken;	/* whole cores of other jobs that are to be left to them */
	const struct sp_cpus *others;	/* all cores of other jobs, also where too few are left */
	bool asked;		/* somebody asked for the binding of a rank: SP_ASKED_YES */
	bool told;		/* a setting says which cores ranks get */
};

/* part has room for nranks; it is filled in unless the division stays open. */
enum sp_division sp_divide(const struct sp_division_question *question, struct sp_part part[]);

/* Whether a division divides the domain again. */
bool sp_division_is_anew(enum sp_division division);

#endif
