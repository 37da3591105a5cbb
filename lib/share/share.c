#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "cut/cut.h"
#include "decide/row.h"
#include "launcher/known/known.h"
#include "node/agree.h"
#include "share/holder.h"
#include "share/portion.h"
#include "share/share.h"

static int
cut_allowed(const struct sp_situation *s, const char *cause, struct sp_shared *shared)
{
	return sp_portion_cut(s, &(struct sp_portion){ .cpus = s->allowed, .rank = s->rank->local_rank,
						 .size = s->rank->local_size, .need = s->need }, cause, shared);
}

/* Masks that are kept. */

static int
keep(const struct sp_situation *s, const char *why, struct sp_shared *shared)
{
	shared->share = *s->inherited;
	snprintf(shared->why, sizeof(shared->why), "%s", why);
	return 0;
}

/*
 * Keep the mask where it is not known who else has its CPUs: threads pinned to
 * them might share them with threads of other ranks.
 */
static int
keep_loosely(const struct sp_situation *s, const char *why, struct sp_shared *shared)
{
	shared->may_be_others = true;
	return keep(s, why, shared);
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
share_of_all(const struct sp_situation *s, const struct sp_agreement *a, struct sp_shared *shared)
{
	(void)a;
	return cut_allowed(s, s->config->inherited != SP_INHERITED_IGNORE || is_unbound(s) ? unbound_because(s) : "SPLITPIN_INHERITED=ignore", shared);
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
open_all(const struct sp_situation *s, struct sp_shared *shared)
{
	shared->open = *s->allowed;
	sp_cpus_and(&shared->open, s->launcher);
	if (!sp_cpus_within(s->inherited, &shared->open))
		shared->open = (struct sp_cpus){ 0 };
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
cut_part(const struct sp_situation *s, const struct sp_part *part, const char *cause, struct sp_shared *shared)
{
	static struct sp_terms of_part;		/* used by one thread at a time; its stack may be small */
	struct sp_situation situation = *s;
	uint32_t *need = calloc(part->count, sizeof(*need));
	int error = need ? read_needs(s, part, need) : -ENOMEM;

	sp_terms_on(s->terms, &part->cpus, &of_part);
	if (!shared->was_cut_anew)
		situation.terms = &of_part;
	if (!error)
		error = sp_portion_cut(&situation, &(struct sp_portion){ .cpus = &part->cpus, .rank = part->index, .size = part->count,
									 .need = need }, cause, shared);
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

/* Keep the mask that this rank alone has; where other jobs have cores of it, its threads leave these to them. */
static int
share_of_own(const struct sp_situation *s, const struct sp_agreement *a, struct sp_shared *shared)
{
	/* "splitpin run --alone" has made the cut already: the mask is its result. */
	const char *setting = launcher_of(s)->is_none ? NULL : sp_policy_says(&s->config->policy);
	bool is_narrower = !sp_cpus_equal(s->inherited, s->allowed);
	char why[SP_WHY];

	kept_because(s, a, is_narrower ? setting : NULL, why);
	if (sp_terms_how_on(s->terms, &a->part.cpus) != SP_TERMS_ALONE && cut_part(s, &a->part, why, shared) == 0)
		return 0;
	/* The mask may be what the job was given, and not what it was bound to. */
	if (is_narrower && a->division == SP_DIVISION_KEPT && s->config->inherited != SP_INHERITED_KEEP && !setting && !launcher_of(s)->cpus)
		open_all(s, shared);
	return keep(s, why, shared);
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
cut_list(const struct sp_situation *s, const struct sp_part *part, const char *cause, struct sp_shared *shared)
{
	struct sp_terms alone = { .how = SP_TERMS_ALONE };
	struct sp_situation situation = *s;
	uint32_t *need = calloc(part->count, sizeof(*need));

	situation.terms = &alone;
	int error = !need ? -ENOMEM : sp_portion_cut(&situation, &(struct sp_portion){
		.cpus = &part->cpus, .rank = part->index, .size = part->count, .need = need }, cause, shared);
	free(need);
	return error;
}

/* The runtime binds the rank's threads as the user has listed: the share is that list, and stays. */
static int
share_of_list(const struct sp_situation *s, const struct sp_agreement *a, struct sp_shared *shared)
{
	const struct sp_part *part = &a->part;
	char why[SP_WHY];
	int error = 0;

	snprintf(why, sizeof(why), "kept the CPUs that were listed for this rank (%.150s)", s->listed_by);
	if (part->count > 1)
		error = cut_list(s, part, why, shared);
	if (error)
		return error;
	if (part->count == 1) {
		shared->share = part->cpus;
		snprintf(shared->why, sizeof(shared->why), "%s", why);
	}
	shared->open = *s->inherited;
	sp_cpus_or(&shared->open, &shared->share);
	shared->is_kept = true;
	return 0;
}

/* Several ranks. */

static int
share_of_uncompared(const struct sp_situation *s, const struct sp_agreement *a, struct sp_shared *shared)
{
	shared->waited_in_vain = a->gave_up_first;
	return keep_loosely(s, "the inherited mask is narrower than the allowed set, and not all ranks of the node could be compared: it is kept, and threads are not pinned", shared);
}

static int
share_of_part(const struct sp_situation *s, const struct sp_agreement *a, struct sp_shared *shared)
{
	char cause[SP_WHY];

	shared->was_cut_anew = sp_division_is_anew(a->division);
	return cut_part(s, &a->part, cause_of(s, a, cause), shared);
}

static int
share_of_unseen(const struct sp_situation *s, const struct sp_agreement *a, struct sp_shared *shared)
{
	(void)a;
	return keep_loosely(s, "the inherited mask is narrower than the allowed set, and other ranks cannot be seen: it is kept, and threads are not pinned", shared);
}

/*
 * Find the share where the other ranks cannot be seen: they are assumed to use
 * the same CPUs, unless these are too few for all ranks.
 */
static int
share_of_all_or_mask(const struct sp_situation *s, const struct sp_agreement *a, struct sp_shared *shared)
{
	int error = cut_allowed(s, unbound_because(s), shared);

	(void)a;
	if (error != -ENOSPC)
		return error;
	return keep_loosely(s, "these CPUs are too few for all ranks, and other ranks cannot be seen: the mask is kept, and threads are not pinned", shared);
}

/* How each row of row.h finds the share. */
static int (*const share_of_row[])(const struct sp_situation *, const struct sp_agreement *, struct sp_shared *) = {
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

/* agree: sp_agree, or sp_agreed once there is a decision. */
static int
share_of_rank(const struct sp_situation *s, int (*agree)(const struct sp_situation *, struct sp_agreement *), struct sp_shared *shared)
{
	struct sp_agreement agreement = { .division = SP_DIVISION_OPEN };
	struct sp_situation situation = *s;

	situation.is_unbound = divides_all(s);
	/* Unbound ranks agree only on whose lists count. */
	int error = situation.is_unbound && !s->list ? -ENOENT : agree(&situation, &agreement);
	bool has_list = !error && find_list(s, &agreement);
	struct sp_row_facts facts = facts_of(s, situation.is_unbound, error, &agreement);

	facts.has_list = has_list;
	facts.is_changed = !error && is_changed(s, &agreement.part);
	return share_of_row[sp_row_of(&facts)](s, &agreement, shared);
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
sp_share_find(const struct sp_situation *s, struct sp_shared *shared)
{
	*shared = (struct sp_shared){ 0 };
	shared->is_kept = s->spawned;
	if (s->spawned)
		return keep_loosely(s, "MPI_Comm_spawn started this rank beside others: its mask is kept, and threads are not pinned", shared);
	int error = s->board ? sp_share_of_holder(s, shared) : 1;
	if (error <= 0)
		return error;
	if (sp_share_is_fixed(s, shared))
		return 0;
	shared->is_kept = !divides_all(s) && sp_share_is_of_before(s, shared);
	if (shared->is_kept)
		return keep(s, "the rank had this share before it started this program", shared);
	error = share_of_rank(s, sp_agree, shared);
	shared->is_refused = error == -ENOSPC;
	if (shared->is_refused && s->board)
		sp_share_refuse(s, shared);
	return error;
}

int
sp_share_again(const struct sp_situation *s, struct sp_shared *shared)
{
	struct sp_shared again = { .is_kept = false };

	if (shared->child_of.pid || shared->is_kept || s->need[s->rank->local_rank] == SP_NEED_FIXED)
		return 1;
	int error = share_of_rank(s, sp_agreed, &again);
	/* Where it is not known who else has the CPUs, that is as it was. */
	if (!error && again.may_be_others && !again.is_node_shared)
		return 1;
	if (!error)
		*shared = again;
	return error;
}
