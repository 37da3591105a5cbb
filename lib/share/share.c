#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/text.h"
#include "decide/portion.h"
#include "decide/row.h"
#include "launcher/job.h"
#include "launcher/known/known.h"
#include "launcher/overcommit.h"
#include "node/agree.h"
#include "node/beside_gpus.h"
#include "share/holder.h"
#include "share/share.h"

/* Cutting: what else decides about a portion than the plan. */

/* Read the cut that one rank made for all, if it holds for these.  owner: for each CPU of the machine. */
static bool
read_cut(const struct sp_situation *s, const struct sp_portion *portion, uint32_t owner[], struct sp_cut *cut)
{
	static struct sp_common_cut asked;	/* used by the one thread that settles; its stack may be small */

	asked.generation = portion->terms->generation;
	asked.cpus = *portion->cpus;
	asked.policy = s->config->policy;
	return sp_board_cut(s->board, &asked, portion->need, owner, s->machine->ncpus, cut) == 0;
}

/* What asked the launcher for more ranks than CPUs; NULL: nothing. */
static const char *
overcommit_asked(const struct sp_situation *s)
{
	size_t n;

	if (!sp_overcommit_needs_ancestors(s->rank, s->environment))
		return sp_overcommit_asked(s->rank, s->environment, NULL, 0);
	struct sp_ancestor *ancestor = sp_ancestors_of(getpid(), &n);
	const char *what = sp_overcommit_asked(s->rank, s->environment, ancestor, n);

	sp_ancestors_free(ancestor, n);
	return what;
}

/* More ranks than CPUs: no warning where the launcher was told to allow it. */
static void
excuse(const struct sp_situation *s, uint32_t ranks, struct sp_rank_share *share)
{
	const char *asked = share->too_few ? overcommit_asked(s) : NULL;

	share->is_expected = asked || (ranks == s->rank->local_size && sp_job_first_node_has_as_many_cpus(s->rank, s->environment));
	if (asked)
		snprintf(share->why, sizeof(share->why), "%u ranks share %u CPU%s, which was asked for (%s), so all run as if splitpin were absent; up to %u would have CPUs of their own",
			 ranks, share->too_few, sp_plural(share->too_few), asked, share->too_few);
}

static int
cut(const struct sp_situation *s, struct sp_portion portion, const char *cause, struct sp_rank_share *share)
{
	struct sp_view view = sp_situation_view(s);
	struct sp_near *near = sp_portion_is_near_gpus(&view, &portion) ? sp_gpus_of_ranks(s, &share->waited_for_gpus) : NULL;
	bool is_common = s->board && portion.size == view.nranks && !near && portion.terms->generation;
	uint32_t *owner = is_common ? calloc(s->machine->ncpus, sizeof(*owner)) : NULL;
	struct sp_cut found;

	if (owner && read_cut(s, &portion, owner, &found)) {
		portion.owner = owner;
		portion.cut = &found;
	}
	view.near = near;
	int error = sp_portion_cut(&view, &portion, cause, share);
	if (error == -ENOSPC)
		excuse(s, portion.size, share);
	free(owner);
	free(near);
	return error;
}

static int
cut_allowed(const struct sp_situation *s, const char *cause, struct sp_rank_share *share)
{
	return cut(s, (struct sp_portion){ .cpus = s->allowed, .rank = s->rank->local_rank, .size = s->rank->local_size,
					   .need = s->need, .terms = s->terms }, cause, share);
}

/* Masks that are kept. */

static int
keep(const struct sp_situation *s, const char *why, struct sp_rank_share *share)
{
	share->cpus = *s->inherited;
	snprintf(share->why, sizeof(share->why), "%s", why);
	return 0;
}

/*
 * Keep the mask where it is not known who else has its CPUs: threads pinned to
 * them might share them with threads of other ranks.
 */
static int
keep_unpinned(const struct sp_situation *s, const char *why, struct sp_rank_share *share)
{
	share->may_be_others = true;
	return keep(s, why, share);
}

static const struct sp_launcher_details *
launcher_of(const struct sp_situation *s)
{
	return sp_launcher_details_of(sp_launcher_find(s->rank->from));
}

/* Why the allowed set is divided, of a rank that nobody bound. */
static const char *
unbound_because(const struct sp_situation *s)
{
	return launcher_of(s)->is_none ? "started without a launcher" : "the launcher did not bind";
}

/*
 * Whether nobody bound the rank: its mask is as wide as its launcher's, or has
 * the whole machine where the launcher cannot be seen.  A rank that may use no
 * other CPUs, and still has fewer than its launcher or the machine, either has a
 * cpuset of its own, as each other rank may have, or is confined together with
 * all ranks by a batch system.
 */
static bool
is_unbound(const struct sp_situation *s)
{
	struct sp_cpus more = *s->launcher;

	if (!sp_cpus_equal(s->inherited, s->allowed))
		return false;
	if (s->rank->local_size == 1)
		return true;
	if (sp_cpus_empty(&more))
		return sp_machine_is_within(s->machine, s->inherited);
	sp_cpus_sub(&more, s->inherited);
	return !sp_machine_cores(s->machine, &more);
}

/* Whether the rank divides all allowed CPUs with all other ranks, whatever these find. */
static bool
divides_all(const struct sp_situation *s)
{
	return is_unbound(s) || s->config->inherited == SP_INHERITED_IGNORE;
}

static int
share_of_all(const struct sp_situation *s, const struct sp_agreement *a, struct sp_rank_share *share)
{
	(void)a;
	return cut_allowed(s, s->config->inherited != SP_INHERITED_IGNORE || is_unbound(s) ? unbound_because(s) : "SPLITPIN_INHERITED=ignore", share);
}

/* How a rank got its part, as the beginning of a sentence. */
static const char *
cause_of(const struct sp_situation *s, const struct sp_agreement *a, char cause[SP_WHY])
{
	uint32_t cores = sp_machine_cores(s->machine, s->inherited);
	const char *evidence = *a->evidence ? a->evidence : "not asked for";
	const char *setting = sp_policy_says(&s->config->policy);

	switch (a->division) {
	case SP_DIVISION_STARVED:
		snprintf(cause, SP_WHY, "bound to %u core%s (%s), too few for its threads, so replaced", cores, sp_plural(cores), evidence);
		break;
	case SP_DIVISION_COLLIDED:
		snprintf(cause, SP_WHY, "bound to CPUs of another job (%s), so replaced", evidence);
		break;
	case SP_DIVISION_TOLD:
		snprintf(cause, SP_WHY, "bound to %u core%s (%s), while %s is set, so replaced", cores, sp_plural(cores), evidence,
			 setting ? setting : "a setting of another rank");
		break;
	default:
		snprintf(cause, SP_WHY, "%s", sp_cpus_equal(s->inherited, s->allowed) ? unbound_because(s) :
			 "ranks were confined to the same mask");
	}
	return cause;
}

/* Where nobody asked for the binding, allow a team that is larger than announced to leave the mask. */
static void
open_all(const struct sp_situation *s, struct sp_rank_share *share)
{
	share->open = *s->allowed;
	sp_cpus_and(&share->open, s->launcher);
	if (!sp_cpus_within(s->inherited, &share->open))
		share->open = *s->inherited;
}

/* Whether a wrapper between launcher and rank has changed the mask after the other ranks had read it. */
static bool
is_changed(const struct sp_situation *s, const struct sp_part *part)
{
	struct sp_cpus now = *s->inherited, seen = part->seen;

	sp_cpus_sub(&now, &part->seen);
	sp_cpus_sub(&seen, s->inherited);
	return sp_machine_cores(s->machine, &now) || sp_machine_cores(s->machine, &seen);
}

/* Collect the needs of the ranks that divide the same part as this one, in the order of ranks. */
static int
read_needs(const struct sp_situation *s, const struct sp_part *part, uint32_t need[])
{
	uint32_t nranks = s->rank->local_size, n = 0;
	uint32_t *group = calloc(nranks, sizeof(*group));
	int error = group ? 0 : -ENOMEM;

	if (!error && part->count < nranks)
		error = sp_board_groups(s->board, group);
	for (uint32_t rank = 0; !error && rank < nranks && n < part->count; rank++)
		if (part->count == nranks || group[rank] == part->group)
			need[n++] = s->need[rank];
	free(group);
	return error ? error : n == part->count ? 0 : -EPROTO;
}

/* Ranks that keep a mask divide it on the terms of this part; others divide all that the job may use. */
static int
cut_part(const struct sp_situation *s, const struct sp_part *part, const char *cause, struct sp_rank_share *share)
{
	static struct sp_terms of_part;		/* used by one thread at a time; its stack may be small */
	uint32_t *need = calloc(part->count, sizeof(*need));
	int error = need ? read_needs(s, part, need) : -ENOMEM;

	sp_terms_on(s->terms, &part->cpus, &of_part);
	if (!error)
		error = cut(s, (struct sp_portion){ .cpus = &part->cpus, .rank = part->index, .size = part->count, .need = need,
						    .terms = share->was_cut_anew ? s->terms : &of_part }, cause, share);
	free(need);
	return error;
}

/* The reason for which a rank keeps the mask that it alone has. */
static const char *
kept_because(const struct sp_situation *s, const struct sp_agreement *a, const char *setting, char reason[SP_WHY])
{
	bool is_default = a->asked == SP_ASKED_NO;

	if (sp_cpus_equal(s->inherited, s->allowed))
		snprintf(reason, SP_WHY, "kept: this rank may use no other CPUs");
	else if (!*a->evidence)
		snprintf(reason, SP_WHY, "kept the launcher's binding");
	else
		snprintf(reason, SP_WHY, "kept %s%s%s%s%s%s", is_default ? "" : a->division == SP_DIVISION_ASKED ? "the binding that was asked for (" :
			 "the binding (", a->evidence, is_default ? " binding" : ")", setting ? ", although " : "", setting ? setting : "", setting ? " is set" : "");
	return reason;
}

/*
 * Keep the mask that this rank alone has; where other jobs have cores of it, its threads leave these to them.
 * A larger team than announced may have all of it, unless a setting says which cores the rank gets.
 */
static int
share_of_own(const struct sp_situation *s, const struct sp_agreement *a, struct sp_rank_share *share)
{
	/* "splitpin run --alone" has made the cut already: the mask is its result. */
	const char *setting = launcher_of(s)->is_none ? NULL : sp_policy_says(&s->config->policy);
	bool is_narrower = !sp_cpus_equal(s->inherited, s->allowed);
	char why[SP_WHY];

	kept_because(s, a, is_narrower ? setting : NULL, why);
	if (sp_terms_how_on(s->terms, &a->part.cpus) != SP_TERMS_ALONE && cut_part(s, &a->part, why, share) == 0)
		return 0;
	/* The mask may be what the job was given, and not what it was bound to. */
	if (is_narrower && a->division == SP_DIVISION_KEPT && s->config->inherited != SP_INHERITED_KEEP && !setting && !launcher_of(s)->cpus)
		open_all(s, share);
	else if (!setting)
		share->open = *s->inherited;
	return keep(s, why, share);
}

/* Lists of the user's own. */

/*
 * Whether the list of this rank counts: by the agreement, or since a wrapper has
 * set it after the deciding rank had looked.  It is then the rank's part.
 */
static bool
find_list(const struct sp_situation *s, struct sp_agreement *a)
{
	struct sp_part own = { .count = 1, .is_listed = 1, .list = s->list };

	if (a->part.list == s->list)
		return a->part.is_listed;
	if (!s->list || sp_policy_says(&s->config->policy))
		return false;
	own.cpus = *s->listed;
	sp_cpus_and(&own.cpus, a->asked == SP_ASKED_YES || sp_cpus_empty(s->launcher) ? s->inherited : s->launcher);
	sp_cpus_and(&own.cpus, s->allowed);
	if (sp_cpus_empty(&own.cpus))
		return false;
	a->part = own;
	/* Others may have settled on these CPUs. */
	if (s->board)
		sp_board_mark_stale(s->board);
	return true;
}

/* Ranks with the same list divide it, whatever other jobs have of it. */
static int
cut_list(const struct sp_situation *s, const struct sp_part *part, const char *cause, struct sp_rank_share *share)
{
	const struct sp_terms alone = { .how = SP_TERMS_ALONE };
	uint32_t *need = calloc(part->count, sizeof(*need));
	int error = !need ? -ENOMEM : cut(s, (struct sp_portion){ .cpus = &part->cpus, .rank = part->index, .size = part->count,
								  .need = need, .terms = &alone }, cause, share);

	free(need);
	return error;
}

/* The runtime binds the rank's threads as the user has listed: the share is that list, and stays. */
static int
share_of_list(const struct sp_situation *s, const struct sp_agreement *a, struct sp_rank_share *share)
{
	const struct sp_part *part = &a->part;
	char why[SP_WHY];
	int error = 0;

	snprintf(why, sizeof(why), "kept the CPUs that were listed for this rank (%.150s)", s->listed_by);
	if (part->count > 1)
		error = cut_list(s, part, why, share);
	if (error)
		return error;
	if (part->count == 1) {
		share->cpus = part->cpus;
		snprintf(share->why, sizeof(share->why), "%s", why);
	}
	share->open = *s->inherited;
	sp_cpus_or(&share->open, &share->cpus);
	share->is_kept = true;
	return 0;
}

/* Several ranks. */

static int
share_of_uncompared(const struct sp_situation *s, const struct sp_agreement *a, struct sp_rank_share *share)
{
	share->waited_in_vain = a->gave_up_first;
	return keep_unpinned(s, "the inherited mask is narrower than the allowed set, and not all ranks of the node could be compared: it is kept, and threads are not pinned", share);
}

static int
share_of_part(const struct sp_situation *s, const struct sp_agreement *a, struct sp_rank_share *share)
{
	char cause[SP_WHY];

	share->was_cut_anew = sp_division_is_anew(a->division);
	int error = cut_part(s, &a->part, cause_of(s, a, cause), share);
	/* The part lacks the cores of other jobs, where threads may be that are not pinned, as they might without splitpin. */
	if (!error && share->was_cut_anew && !sp_policy_says(&s->config->policy)) {
		open_all(s, share);
		sp_cpus_or(&share->open, &a->part.cpus);
	}
	return error;
}

static int
share_of_unseen(const struct sp_situation *s, const struct sp_agreement *a, struct sp_rank_share *share)
{
	(void)a;
	return keep_unpinned(s, "the inherited mask is narrower than the allowed set, and other ranks cannot be seen: it is kept, and threads are not pinned", share);
}

/*
 * Find the share where the other ranks cannot be seen: they are assumed to use
 * the same CPUs, unless these are too few for all ranks.
 */
static int
share_of_all_or_mask(const struct sp_situation *s, const struct sp_agreement *a, struct sp_rank_share *share)
{
	int error = cut_allowed(s, unbound_because(s), share);

	(void)a;
	if (error != -ENOSPC)
		return error;
	return keep_unpinned(s, "these CPUs are too few for all ranks, and other ranks cannot be seen: the mask is kept, and threads are not pinned", share);
}

/* How each row of row.h finds the share. */
static int (*const share_of_row[])(const struct sp_situation *, const struct sp_agreement *, struct sp_rank_share *) = {
	[SP_ROW_LIST] = share_of_list, [SP_ROW_ALL] = share_of_all, [SP_ROW_ALL_OR_MASK] = share_of_all_or_mask,
	[SP_ROW_UNSEEN] = share_of_unseen, [SP_ROW_UNCOMPARED] = share_of_uncompared, [SP_ROW_OWN] = share_of_own, [SP_ROW_PART] = share_of_part,
};

/* The facts by which the rank is in a row.  error: of the agreement. */
static struct sp_row_facts
facts_of(const struct sp_situation *s, bool is_unbound, int error, const struct sp_agreement *a)
{
	return (struct sp_row_facts){
		.is_unbound = is_unbound, .is_whole = sp_cpus_equal(s->inherited, s->allowed), .is_decided = !error,
		.division = a->division, .part = &a->part };
}

/* s->is_unbound is known.  agree: sp_agree, or sp_agreed once there is a decision. */
static int
share_of_rank(const struct sp_situation *s, int (*agree)(const struct sp_situation *, struct sp_agreement *), struct sp_rank_share *share)
{
	struct sp_agreement agreement = { .division = SP_DIVISION_OPEN };
	/* Unbound ranks agree only on whose lists count. */
	int error = s->is_unbound && !s->list ? -ENOENT : agree(s, &agreement);
	bool has_list = !error && find_list(s, &agreement);
	struct sp_row_facts facts = facts_of(s, s->is_unbound, error, &agreement);

	facts.has_list = has_list;
	facts.is_changed = !error && is_changed(s, &agreement.part);
	return share_of_row[sp_row_of(&facts)](s, &agreement, share);
}

bool
sp_share_domain(const struct sp_situation *s, struct sp_cpus *cpus)
{
	struct sp_agreement agreement = { .division = SP_DIVISION_OPEN };
	const bool is_unbound = divides_all(s);
	const struct sp_row_facts facts = facts_of(s, is_unbound, is_unbound ? -ENOENT : sp_agreed(s, &agreement), &agreement);
	const enum sp_row row = sp_row_of(&facts);

	*cpus = row == SP_ROW_PART ? agreement.part.cpus : *s->allowed;
	/* A rank alone keeps a mask that was given to it. */
	return row == SP_ROW_ALL || (row == SP_ROW_PART && agreement.part.count == s->rank->local_size && agreement.part.count > 1);
}

int
sp_share_find(const struct sp_situation *s, struct sp_rank_share *share)
{
	static struct sp_seat seat;	/* used by the one thread that settles; its stack may be small */
	struct sp_situation situation = *s;

	*share = (struct sp_rank_share){ 0 };
	seat = (struct sp_seat){ .state = SP_SEAT_EMPTY };
	share->is_kept = s->spawned;
	if (s->spawned)
		return keep_unpinned(s, "MPI_Comm_spawn started this rank beside others: its mask is kept, and threads are not pinned", share);
	int error = s->board && !sp_board_came_first(s->board) ? sp_share_of_holder(s, &seat, share) : 1;
	if (error <= 0)
		return error;
	if (sp_share_is_fixed(s, &seat, share))
		return 0;
	situation.is_unbound = divides_all(s);
	share->is_kept = !situation.is_unbound && sp_share_is_of_before(s, &seat, share);
	if (share->is_kept)
		return keep(s, "the rank had this share before it started this program", share);
	error = share_of_rank(&situation, sp_agree, share);
	share->is_refused = error == -ENOSPC;
	if (share->is_refused && s->board)
		sp_share_refuse(s, share);
	return error;
}

int
sp_share_again(const struct sp_situation *s, struct sp_rank_share *share)
{
	struct sp_rank_share again = { .is_kept = false };
	struct sp_situation situation = *s;

	if (share->child_of || share->is_kept || s->need[s->rank->local_rank] == SP_NEED_FIXED)
		return 1;
	situation.is_unbound = divides_all(s);
	int error = share_of_rank(&situation, sp_agreed, &again);
	/* Where it is not known who else has the CPUs, that is as it was. */
	if (!error && again.may_be_others && !again.is_node_shared)
		return 1;
	if (!error)
		*share = again;
	return error;
}
