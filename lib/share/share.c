#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "cut/cut.h"
#include "launcher/known/known.h"
#include "node/agree.h"
#include "process/patience.h"
#include "share/portion.h"
#include "share/share.h"
#include "terms/terms.h"

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

/* Masks that differ from what is allowed. */

/*
 * Whether splitpin, not the launcher, narrowed the mask: an OpenMP program has
 * executed this one, or has started it and ended.
 */
static bool
is_share_of_before(const struct sp_situation *s, struct sp_shared *shared)
{
	struct sp_seat seat;

	if (!s->board || sp_board_read(s->board, s->rank->local_rank, &seat) != 0 || seat.keeper.pid ||
	    !sp_board_is_own(s->board, &seat) || !sp_cpus_equal(&seat.share, s->inherited))
		return false;
	shared->may_be_others = seat.loose == SP_MAY_BE_OTHERS || seat.loose == SP_NODE_SHARED;
	shared->is_node_shared = seat.loose == SP_NODE_SHARED;
	return true;
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

static int
keep_own(const struct sp_situation *s, const struct sp_agreement *a, struct sp_shared *shared)
{
	/* "splitpin run --alone" has made the cut already: the mask is its result. */
	const char *setting = launcher_of(s)->is_none ? NULL : sp_policy_says(&s->config->policy);
	bool is_default = a->asked == SP_ASKED_NO;
	char why[SP_WHY];

	if (sp_cpus_equal(s->inherited, s->allowed))
		return keep(s, "kept: this rank may use no other CPUs", shared);
	/* The mask may be what the job was given, and not what it was bound to. */
	if (a->division == SP_DIVISION_KEPT && s->config->inherited != SP_INHERITED_KEEP && !setting && !launcher_of(s)->cpus)
		open_all(s, shared);
	if (!*a->evidence)
		return keep(s, "kept the launcher's binding", shared);
	snprintf(why, sizeof(why), "kept %s%s%s%s%s%s", is_default ? "" : a->division == SP_DIVISION_ASKED ? "the binding that was asked for (" :
		 "the binding (", a->evidence, is_default ? " binding" : ")", setting ? ", although " : "", setting ? setting : "", setting ? " is set" : "");
	return keep(s, why, shared);
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

static int
cut_part(const struct sp_situation *s, const struct sp_part *part, const char *cause, struct sp_shared *shared)
{
	uint32_t *need = calloc(part->count, sizeof(*need));
	int error = need ? read_needs(s, part, need) : -ENOMEM;

	if (!error)
		error = sp_portion_cut(s, &(struct sp_portion){ .cpus = &part->cpus, .rank = part->index, .size = part->count,
							  .need = need }, cause, shared);
	free(need);
	return error;
}

static int
share_of_part(const struct sp_situation *s, const struct sp_agreement *a, struct sp_shared *shared)
{
	char cause[SP_WHY];

	if (a->part.count == 0 || is_changed(s, &a->part))
		return keep_loosely(s, "the inherited mask is narrower than the allowed set, and not all ranks of the node could be compared: it is kept, and threads are not pinned", shared);
	if (a->part.count == 1 && !sp_division_is_anew(a->division))
		return keep_own(s, a, shared);
	shared->was_cut_anew = sp_division_is_anew(a->division);
	return cut_part(s, &a->part, cause_of(s, a, cause), shared);
}

/*
 * Find the share where the other ranks cannot be seen: they are assumed to use
 * the same CPUs, unless these are too few for all ranks.
 */
static int
cut_or_keep(const struct sp_situation *s, struct sp_shared *shared)
{
	int error = cut_allowed(s, unbound_because(s), shared);

	if (error != -ENOSPC)
		return error;
	return keep_loosely(s, "these CPUs are too few for all ranks, and other ranks cannot be seen: the mask is kept, and threads are not pinned", shared);
}

static int
share_of_agreement(const struct sp_situation *s, struct sp_shared *shared)
{
	bool is_whole = sp_cpus_equal(s->inherited, s->allowed);
	struct sp_agreement agreement;

	shared->is_kept = is_share_of_before(s, shared);
	if (shared->is_kept)
		return keep(s, "the rank had this share before it started this program", shared);
	int error = sp_agree(s, &agreement);
	if (is_whole && (error || agreement.division == SP_DIVISION_GIVEN_UP))
		return cut_or_keep(s, shared);
	if (error)
		return keep_loosely(s, "the inherited mask is narrower than the allowed set, and other ranks cannot be seen: it is kept, and threads are not pinned", shared);
	shared->waited_in_vain = agreement.gave_up_first;
	return share_of_part(s, &agreement, shared);
}

/* Several processes of one rank. */

/*
 * Whether another process has this rank's seat, or this one was refused a share
 * before an exec.  Waits for a process that is about to settle.
 */
static bool
find_holder(const struct sp_situation *s, struct sp_seat *seat)
{
	struct sp_patience patience = sp_patience_begin(0, s->config->wait_ms);

	do {
		if (sp_board_read(s->board, s->rank->local_rank, seat) != 0)
			return false;
		if (sp_board_is_own(s->board, seat))
			return seat->state == SP_SEAT_REFUSED;
		if (seat->state >= SP_SEAT_REFUSED)
			return true;
		if (seat->state == SP_SEAT_LEFT && sp_board_arrive(s->board, s->rank->local_rank, false) != -EBUSY)
			return false;
		patience.pid = sp_process_here(&seat->process);
	} while (sp_patience_nap(&patience));
	return true;
}

/* Whether a process has the mask with which the rank's processes start: the launcher's, or that of the rank from its start. */
static bool
is_as_started(const struct sp_cpus *mask, const struct sp_seat *seat)
{
	return sp_cpus_equal(mask, &seat->inherited) || (seat->keeper.pid && sp_cpus_equal(mask, &seat->kept));
}

static int
share_of_other(const struct sp_situation *s, const struct sp_seat *seat, struct sp_shared *shared)
{
	shared->child_of = seat->process;
	shared->may_be_others = true;
	shared->share = *s->inherited;
	if (seat->state < SP_SEAT_SETTLED) {
		snprintf(shared->why, sizeof(shared->why), "process %d already is this rank and has no share yet: the inherited mask is kept, and threads are not pinned",
			 (int)seat->process.pid);
	} else if (!sp_cpus_within(&seat->share, s->inherited) && !is_as_started(s->inherited, seat)) {
		snprintf(shared->why, sizeof(shared->why), "process %d already is this rank, and this process has another mask, which is kept: threads are not pinned",
			 (int)seat->process.pid);
	} else {
		shared->share = seat->share;
		snprintf(shared->why, sizeof(shared->why), "process %d already is this rank: its share is used, and threads are not pinned",
			 (int)seat->process.pid);
	}
	return 0;
}

/* Returns 1: no other process has the seat; otherwise as sp_share_find. */
static int
share_of_holder(const struct sp_situation *s, struct sp_shared *shared)
{
	struct sp_seat seat;

	if (!find_holder(s, &seat))
		return 1;
	if (seat.state == SP_SEAT_REFUSED) {
		snprintf(shared->why, sizeof(shared->why), "%s", seat.why);
		return -ENOSPC;
	}
	return share_of_other(s, &seat, shared);
}

/* Record the refusal on the seat, so that other processes of the rank need neither compute nor report it again. */
static void
write_refusal(const struct sp_situation *s, const struct sp_shared *shared)
{
	struct sp_seat seat = { .state = SP_SEAT_REFUSED, .threads = s->threads, .inherited = *s->inherited };

	snprintf(seat.why, sizeof(seat.why), "%s", shared->why);
	sp_board_write(s->board, s->rank->local_rank, &seat);
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

static int
share_of_rank(const struct sp_situation *s, struct sp_shared *shared)
{
	if (is_unbound(s))
		return cut_allowed(s, unbound_because(s), shared);
	if (s->config->inherited == SP_INHERITED_IGNORE)
		return cut_allowed(s, "SPLITPIN_INHERITED=ignore", shared);
	return share_of_agreement(s, shared);
}

bool
sp_share_domain(const struct sp_situation *s, struct sp_cpus *cpus)
{
	struct sp_agreement agreement;

	*cpus = *s->allowed;
	if (is_unbound(s) || s->config->inherited == SP_INHERITED_IGNORE)
		return true;
	/* A rank alone keeps a mask that was given to it. */
	if (sp_agreed(s, &agreement) != 0 || agreement.part.count != s->rank->local_size || agreement.part.count == 1)
		return false;
	*cpus = agreement.part.cpus;
	return true;
}

/* Whether an earlier program of the rank has left a share, around which the other ranks' shares are cut. */
static bool
is_fixed(const struct sp_situation *s, struct sp_shared *shared)
{
	struct sp_seat seat;

	if (!s->board || s->need[s->rank->local_rank] != SP_NEED_FIXED ||
	    sp_board_read(s->board, s->rank->local_rank, &seat) != 0 || !sp_cpus_intersect(&seat.share, s->allowed))
		return false;
	shared->share = seat.share;
	sp_cpus_and(&shared->share, s->allowed);
	shared->is_kept = true;
	shared->may_be_others = seat.loose == SP_MAY_BE_OTHERS || seat.loose == SP_NODE_SHARED;
	shared->is_node_shared = seat.loose == SP_NODE_SHARED;
	snprintf(shared->why, sizeof(shared->why), "the rank had this share in an earlier program");
	return true;
}

int
sp_share_find(const struct sp_situation *s, struct sp_shared *shared)
{
	*shared = (struct sp_shared){ 0 };
	shared->is_kept = s->spawned;
	if (s->spawned)
		return keep_loosely(s, "MPI_Comm_spawn started this rank beside others: its mask is kept, and threads are not pinned", shared);
	int error = s->board ? share_of_holder(s, shared) : 1;
	if (error <= 0)
		return error;
	if (is_fixed(s, shared))
		return 0;
	error = share_of_rank(s, shared);
	shared->is_refused = error == -ENOSPC;
	if (shared->is_refused && s->board)
		write_refusal(s, shared);
	return error;
}

int
sp_share_again(const struct sp_situation *s, struct sp_shared *shared)
{
	struct sp_agreement agreement;
	struct sp_shared again = { .was_cut_anew = shared->was_cut_anew };
	char cause[SP_WHY];
	int error = 1;

	if (shared->child_of.pid || shared->is_kept || s->need[s->rank->local_rank] == SP_NEED_FIXED)
		return 1;
	if (is_unbound(s) || s->config->inherited == SP_INHERITED_IGNORE)
		error = cut_allowed(s, is_unbound(s) ? unbound_because(s) : "SPLITPIN_INHERITED=ignore", &again);
	else if (sp_agreed(s, &agreement) == 0 && agreement.part.count > 1 && !shared->may_be_others)
		error = cut_part(s, &agreement.part, cause_of(s, &agreement, cause), &again);
	if (!error)
		*shared = again;
	return error;
}
