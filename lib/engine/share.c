#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/patience.h"
#include "base/text.h"
#include "cut/cut.h"
#include "cut/domains.h"
#include "cut/explain.h"
#include "engine/agree.h"
#include "engine/gpus.h"
#include "engine/share.h"
#include "engine/terms.h"
#include "launcher/overcommit.h"

/* Which of how many ranks divides what. */
struct portion {
	const struct sp_cpus *cpus;
	uint32_t rank, size;
	const uint32_t *need;	/* of each of them */
};

static void
explain(const struct sp_machine *machine, const struct sp_policy *policy, const struct sp_cut *cut,
	const struct portion *portion, const char *cause, char why[SP_WHY])
{
	char sentence[SP_TEXT_MAX];

	snprintf(why, SP_WHY, "%s: %s", cause,
		 sp_explain_cut(machine, policy, portion->size, cut, sentence, sizeof(sentence)));
}

/* The first CPU of each core. */
static struct sp_cpus
first_of_cores(const struct sp_machine *machine, const struct sp_cpus *cpus)
{
	struct sp_cpus first = { 0 };
	uint32_t last = SP_NO_CPU;

	for (uint32_t i = 0; i < machine->ncpus; i++) {
		if (sp_cpus_has(cpus, machine->pu[i].cpu) && machine->pu[i].core != last) {
			sp_cpus_add(&first, machine->pu[i].cpu);
			last = machine->pu[i].core;
		}
	}
	return first;
}

/*
 * Where the runtime will bind its threads is not known but for that: on as many
 * cores as they need; and, where it takes one hardware thread after the other,
 * on one of each core as long as there is a core for each thread.
 */
static void
narrow_to_need(const struct sp_situation *s, const struct portion *portion, struct sp_shared *shared)
{
	struct sp_cpus claim = { 0 };

	if (!s->is_bound || s->config->policy.domain != SP_DOMAIN_AUTO)
		return;
	uint32_t need = portion->need[portion->rank];

	sp_claim_add(s->machine, &shared->share, need, s->config->bind, &claim);
	shared->share = need && need <= sp_machine_cores(s->machine, &claim) && s->on_hardware_threads && !s->config->policy.smt ?
		first_of_cores(s->machine, &claim) : claim;
}

/* machine: what of the node the ranks divide. */
static int
cut_machine(const struct sp_situation *s, const struct sp_machine *machine, const struct sp_policy *policy,
	    const struct sp_near near[], const struct portion *portion, const char *cause, struct sp_shared *shared)
{
	const struct sp_sharing sharing = {
		.machine = s->machine, .policy = policy, .bind = s->config->bind, .near = near, .cpus = portion->cpus,
		.nranks = portion->size, .need = portion->need };
	struct sp_cut cut;
	int error = sp_terms_share(&sharing, s->terms, portion->rank, &shared->share, &cut);

	if (error)
		return error;
	explain(machine, policy, &cut, portion, cause, shared->why);
	narrow_to_need(s, portion, shared);
	if (!sp_policy_says(policy))
		shared->open = *portion->cpus;
	return 0;
}

/* The setting that keeps CPUs from the ranks; of several the one named first. */
struct lack {
	const char *setting, *remedy;
};

static struct lack
lack_of(const struct sp_policy *policy)
{
	if (policy->reserve || !sp_cpus_empty(&policy->reserved))
		return (struct lack){ "SPLITPIN_RESERVE", "reserve less" };
	if (policy->domain != SP_DOMAIN_AUTO)
		return (struct lack){ "SPLITPIN_DOMAIN", "choose larger objects" };
	if (policy->smt)
		return (struct lack){ "SPLITPIN_SMT", "use more hardware threads of each core" };
	return (struct lack){ "SPLITPIN_KINDS", "allow all kinds of cores" };
}

/* What asked the launcher for more ranks than CPUs; NULL: nothing. */
static const char *
overcommit_asked(const struct sp_situation *s)
{
	size_t n;
	struct sp_ancestor *ancestor = sp_ancestors_of_self(&n);
	const char *what = sp_overcommit_asked(s->rank, s->environment, ancestor, n);

	sp_ancestors_free(ancestor, n);
	return what;
}

/* Where there would be a CPU for each, a setting keeps some of them from the ranks. */
static void
explain_lack(const struct sp_policy *policy, const struct sp_machine *machine, uint32_t ranks, char why[SP_WHY])
{
	const struct lack lack = lack_of(policy);
	uint32_t cpus = machine->ncpus;
	char fault[96];		/* a longer one is cut */

	if (sp_domain_fault(machine, policy, ranks, fault, sizeof(fault)))
		snprintf(why, SP_WHY, "SPLITPIN_DOMAIN does not fit this job (%s), so inherited masks are kept; give each rank its own CPU list", fault);
	else if (ranks > cpus)
		snprintf(why, SP_WHY,
			 "%u ranks share %u CPU%s: not enough for one each, so inherited masks are kept; start fewer ranks on this node, or ask for more CPUs",
			 ranks, cpus, sp_plural(cpus));
	else
		snprintf(why, SP_WHY,
			 "%s leaves fewer than %u of %u CPU%s to %u rank%s, so inherited masks are kept; %s, or start fewer ranks on this node",
			 lack.setting, ranks, cpus, sp_plural(cpus), ranks, sp_plural(ranks), lack.remedy);
}

/* More ranks than CPUs: no warning where the launcher was told to allow it. */
static void
refuse(const struct sp_situation *s, const struct sp_policy *policy, const struct sp_machine *machine, uint32_t ranks,
       struct sp_shared *shared)
{
	const char *asked = ranks > machine->ncpus && policy->domain == SP_DOMAIN_AUTO ? overcommit_asked(s) : NULL;

	explain_lack(policy, machine, ranks, shared->why);
	shared->is_expected = asked != NULL;
	if (asked)
		snprintf(shared->why, sizeof(shared->why), "%u ranks share %u CPU%s, which was asked for (%s), so inherited masks are kept",
			 ranks, machine->ncpus, sp_plural(machine->ncpus), asked);
}

/* Other jobs leave too little: the kernel balances all threads on all cores. */
static int
share_node(const struct portion *portion, struct sp_shared *shared)
{
	shared->share = *portion->cpus;
	shared->may_be_others = shared->is_node_shared = true;
	snprintf(shared->why, sizeof(shared->why), "other jobs use cores of this node, and too few are left: the node is shared, threads not pinned");
	return 0;
}

static struct sp_machine *
machine_of(const struct sp_situation *s, const struct portion *portion)
{
	struct sp_cpus open = *portion->cpus;

	sp_cpus_sub(&open, &s->terms->taken);
	return sp_machine_restrict(s->machine, &open);
}

static int
cut_portion(const struct sp_situation *s, const struct portion *portion, const char *cause,
	    struct sp_shared *shared)
{
	struct sp_machine *machine = machine_of(s, portion);
	struct sp_policy policy = s->config->policy;

	if (!machine)
		return -ENOMEM;
	if (s->terms->how == SP_TERMS_SHARED) {
		free(machine);
		return share_node(portion, shared);
	}
	/* A part of the ranks was confined by somebody, who has GPUs and lists of their own in mind or none. */
	bool all = portion->size == s->rank->local_size;
	if (!all && policy.domain == SP_DOMAIN_LISTS)
		policy.domain = SP_DOMAIN_AUTO;
	bool by_gpu = all && policy.domain == SP_DOMAIN_AUTO;
	struct sp_near *near = by_gpu ? sp_gpus_of_ranks(s, &shared->waited_for_gpus) : NULL;
	int error = cut_machine(s, machine, &policy, near, portion, cause, shared);
	free(near);
	if (!error && portion->rank == 0)
		sp_domain_fault(machine, &policy, portion->size, shared->domain_fault, sizeof(shared->domain_fault));
	if (error == -ENOSPC) {
		shared->is_reporter = portion->rank == 0;
		refuse(s, &policy, machine, portion->size, shared);
	}
	free(machine);
	return error;
}

static int
cut_allowed(const struct sp_situation *s, const char *cause, struct sp_shared *shared)
{
	return cut_portion(s, &(struct portion){ .cpus = s->allowed, .rank = s->rank->local_rank,
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

/* Kept, but who else has these CPUs is not known: threads pinned to them might share them with those of other ranks. */
static int
keep_loosely(const struct sp_situation *s, const char *why, struct sp_shared *shared)
{
	shared->may_be_others = true;
	return keep(s, why, shared);
}

/* Masks that differ from what is allowed. */

/*
 * Not the launcher has narrowed the mask then, but splitpin: an OpenMP program
 * has executed this one, or has started it and ended.
 */
static bool
is_share_of_before(const struct sp_situation *s, struct sp_shared *shared)
{
	struct sp_seat seat;

	if (!s->board || sp_board_read(s->board, s->rank->local_rank, &seat) != 0 ||
	    !sp_board_is_own(s->board, &seat) || !sp_cpus_equal(&seat.share, s->inherited))
		return false;
	shared->may_be_others = seat.loose != SP_NOT_LOOSE;
	shared->is_node_shared = seat.loose == SP_NODE_SHARED;
	return true;
}

/* What gave a rank its part, as the beginning of a sentence. */
static const char *
cause_of(const struct sp_situation *s, const struct sp_agreement *a, char cause[SP_WHY])
{
	uint32_t cores = sp_machine_cores(s->machine, s->inherited);
	const char *evidence = *a->evidence ? a->evidence : "not asked for";
	const char *setting = sp_policy_says(&s->config->policy);

	switch (a->division) {
	case SP_DIVISION_STARVED:
		snprintf(cause, SP_WHY, "bound to %u core%s (%s), too few for its threads, so cut anew", cores, sp_plural(cores), evidence);
		break;
	case SP_DIVISION_COLLIDED:
		snprintf(cause, SP_WHY, "bound to CPUs of another job (%s), so cut anew", evidence);
		break;
	case SP_DIVISION_TOLD:
		snprintf(cause, SP_WHY, "bound to %u core%s (%s), while %s is set, so cut anew", cores, sp_plural(cores), evidence,
			 setting ? setting : "a setting of another rank");
		break;
	default:
		snprintf(cause, SP_WHY, sp_cpus_equal(s->inherited, s->allowed) ? "the launcher did not bind" :
			 "ranks were confined to the same mask");
	}
	return cause;
}

/* Nobody asked for the binding, so that a larger team than it was made for may leave it. */
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
	/* "splitpin run --alone" has cut already, and the mask is what came out. */
	const char *setting = strcmp(s->rank->from, "alone") == 0 ? NULL : sp_policy_says(&s->config->policy);
	char why[SP_WHY];

	if (sp_cpus_equal(s->inherited, s->allowed))
		return keep(s, "this rank is allowed only these CPUs: kept", shared);
	/* Slurm's masks may be what a job was given, and not what it was bound to. */
	if (a->division == SP_DIVISION_KEPT && s->config->inherited != SP_INHERITED_KEEP && !setting && strcmp(s->rank->from, "slurm") != 0)
		open_all(s, shared);
	if (!*a->evidence)
		return keep(s, "the launcher bound this rank: its mask is kept", shared);
	snprintf(why, sizeof(why), "bound %s(%s): kept%s%s%s", a->division == SP_DIVISION_ASKED ? "as asked for " : "", a->evidence,
		 setting ? ", although " : "", setting ? setting : "", setting ? " is set" : "");
	return keep(s, why, shared);
}

/* A wrapper between launcher and rank has changed the mask after the others had read it. */
static bool
is_changed(const struct sp_situation *s, const struct sp_part *part)
{
	struct sp_cpus now = *s->inherited, seen = part->seen;

	sp_cpus_sub(&now, &part->seen);
	sp_cpus_sub(&seen, s->inherited);
	return sp_machine_cores(s->machine, &now) || sp_machine_cores(s->machine, &seen);
}

/* The ranks that divide the same part as this one, in their order: what each needs. */
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
		error = cut_portion(s, &(struct portion){ .cpus = &part->cpus, .rank = part->index, .size = part->count,
							  .need = need }, cause, shared);
	free(need);
	return error;
}

static int
share_of_part(const struct sp_situation *s, const struct sp_agreement *a, struct sp_shared *shared)
{
	char cause[SP_WHY];

	if (a->part.count == 0 || is_changed(s, &a->part))
		return keep_loosely(s, "the inherited mask is narrower than the allowed set, and not all ranks of the node could be compared: kept, threads not pinned", shared);
	if (a->part.count == 1 && !sp_division_is_anew(a->division))
		return keep_own(s, a, shared);
	shared->was_cut_anew = sp_division_is_anew(a->division);
	return cut_part(s, &a->part, cause_of(s, a, cause), shared);
}

/* The others cannot be seen.  Most likely they may use the same CPUs, unless these are too few for all. */
static int
cut_or_keep(const struct sp_situation *s, struct sp_shared *shared)
{
	int error = cut_allowed(s, "the launcher did not bind", shared);

	if (error != -ENOSPC)
		return error;
	return keep_loosely(s, "these CPUs are too few for all ranks, and others cannot be seen: kept, threads not pinned", shared);
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
		return keep_loosely(s, "the inherited mask is narrower than the allowed set, and other ranks cannot be seen: kept, threads not pinned", shared);
	shared->waited_in_vain = agreement.gave_up_first;
	return share_of_part(s, &agreement, shared);
}

/* Several processes of one rank. */

/*
 * Whether another process has this rank's seat, or this one was refused a
 * share before an exec.  One that is about to settle is waited for.
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

static int
share_of_other(const struct sp_situation *s, const struct sp_seat *seat, struct sp_shared *shared)
{
	shared->child_of = seat->process;
	shared->may_be_others = true;
	shared->share = *s->inherited;
	if (seat->state < SP_SEAT_SETTLED) {
		snprintf(shared->why, sizeof(shared->why), "process %d is this rank already and has no share yet: the inherited mask is kept, threads not pinned",
			 (int)seat->process.pid);
	} else if (!sp_cpus_within(&seat->share, s->inherited)) {
		snprintf(shared->why, sizeof(shared->why), "process %d is this rank already, and this one was given another mask: kept, threads not pinned",
			 (int)seat->process.pid);
	} else {
		shared->share = seat->share;
		snprintf(shared->why, sizeof(shared->why), "process %d is this rank already: its share, threads not pinned",
			 (int)seat->process.pid);
	}
	return 0;
}

/* 1: nobody has the seat; else as sp_share_find. */
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

/* So that the rank's other processes need not find out, and say, the same. */
static void
write_refusal(const struct sp_situation *s, const struct sp_shared *shared)
{
	struct sp_seat seat = { .state = SP_SEAT_REFUSED, .threads = s->threads, .inherited = *s->inherited };

	snprintf(seat.why, sizeof(seat.why), "%s", shared->why);
	sp_board_write(s->board, s->rank->local_rank, &seat);
}

/*
 * Nobody bound it: it may use as much as its launcher, or as the machine has
 * where that cannot be seen.  One that may use all that is allowed, and less
 * than that, has a cpuset of its own, as each of the others may have; or a batch
 * system confines all of them alike.
 */
static bool
is_unbound(const struct sp_situation *s)
{
	struct sp_cpus more = *s->launcher;

	if (sp_cpus_empty(&more))
		sp_machine_cpus(s->machine, &more);
	sp_cpus_sub(&more, s->inherited);
	return sp_cpus_equal(s->inherited, s->allowed) &&
	       (s->rank->local_size == 1 || !sp_machine_cores(s->machine, &more));
}

static int
share_of_rank(const struct sp_situation *s, struct sp_shared *shared)
{
	if (is_unbound(s))
		return cut_allowed(s, "the launcher did not bind", shared);
	if (s->config->inherited == SP_INHERITED_IGNORE)
		return cut_allowed(s, "SPLITPIN_INHERITED=ignore", shared);
	return share_of_agreement(s, shared);
}

int
sp_share_find(const struct sp_situation *s, struct sp_shared *shared)
{
	*shared = (struct sp_shared){ 0 };
	shared->is_kept = s->spawned;
	if (s->spawned)
		return keep_loosely(s, "MPI_Comm_spawn started this rank beside others: its mask is kept, threads not pinned", shared);
	int error = s->board ? share_of_holder(s, shared) : 1;
	if (error <= 0)
		return error;
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
		error = cut_allowed(s, is_unbound(s) ? "the launcher did not bind" : "SPLITPIN_INHERITED=ignore", &again);
	else if (sp_agreed(s, &agreement) == 0 && agreement.part.count > 1 && !shared->may_be_others)
		error = cut_part(s, &agreement.part, cause_of(s, &agreement, cause), &again);
	if (!error)
		*shared = again;
	return error;
}
