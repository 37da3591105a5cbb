/* Whose CPUs: from masks, machine and the other ranks to the share of this one. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/deadline.h"
#include "cut/cut.h"
#include "cut/explain.h"
#include "engine/share.h"

/* While others are waited for; doubled up to the last. */
#define NAPS { .ns = 200000, .max_ns = 5000000 }

/* Which of how many ranks cuts what. */
struct portion {
	const struct sp_cpus *cpus;
	uint32_t rank, size;
};

static void
explain(const struct sp_machine *machine, const struct sp_policy *policy, const struct sp_cut *cut,
	const struct portion *portion, const char *cause, char why[SP_WHY])
{
	char sentence[SP_TEXT_MAX];

	snprintf(why, SP_WHY, "%s: %s", cause,
		 sp_explain_cut(machine, policy, portion->size, cut, sentence, sizeof(sentence)));
}

static int
cut_machine(const struct sp_machine *machine, const struct sp_policy *policy,
	    const struct portion *portion, const char *cause, struct sp_shared *shared)
{
	struct sp_cut cut;
	uint32_t *owner = malloc(machine->ncpus * sizeof(*owner) + 1);
	int error = owner ? sp_cut(machine, policy, portion->size, owner, &cut) : -ENOMEM;

	if (!error) {
		sp_cut_share(machine, owner, portion->rank, &shared->share);
		explain(machine, policy, &cut, portion, cause, shared->why);
	}
	free(owner);
	return error;
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
	if (policy->smt)
		return (struct lack){ "SPLITPIN_SMT", "use more hardware threads of each core" };
	return (struct lack){ "SPLITPIN_KINDS", "allow all kinds of cores" };
}

/* Where there would be a CPU for each, a setting keeps some of them from the ranks. */
static void
explain_lack(const struct sp_policy *policy, uint32_t ranks, uint32_t cpus, char why[SP_WHY])
{
	const struct lack lack = lack_of(policy);

	if (ranks > cpus)
		snprintf(why, SP_WHY,
			 "%u ranks share %u CPU%s: there is no CPU for each, so masks stay as they were inherited; start fewer ranks on this node, or ask for more CPUs",
			 ranks, cpus, cpus == 1 ? "" : "s");
	else
		snprintf(why, SP_WHY,
			 "%s leaves fewer than %u of %u CPUs to %u ranks, so masks stay as they were inherited; %s, or start fewer ranks on this node",
			 lack.setting, ranks, cpus, ranks, lack.remedy);
}

static int
cut_portion(const struct sp_situation *s, const struct portion *portion, const char *cause,
	    struct sp_shared *shared)
{
	struct sp_machine *machine = sp_machine_restrict(s->machine, portion->cpus);

	if (!machine)
		return -ENOMEM;
	int error = cut_machine(machine, &s->config->policy, portion, cause, shared);
	if (error == -ENOSPC) {
		shared->speaks = portion->rank == 0;
		explain_lack(&s->config->policy, portion->size, machine->ncpus, shared->why);
	}
	free(machine);
	return error;
}

static int
cut_allowed(const struct sp_situation *s, const char *cause, struct sp_shared *shared)
{
	struct sp_cpus open = *s->allowed;

	sp_cpus_sub(&open, s->taken);
	return cut_portion(s, &(struct portion){ .cpus = &open, .rank = s->rank->local_rank,
						 .size = s->rank->local_size }, cause, shared);
}

static int
keep(const struct sp_situation *s, const char *why, struct sp_shared *shared)
{
	shared->share = *s->inherited;
	snprintf(shared->why, sizeof(shared->why), "%s", why);
	return 0;
}

/* Kept, but who else has these CPUs is not known: pinned threads would sit on those of others. */
static int
keep_loosely(const struct sp_situation *s, const char *why, struct sp_shared *shared)
{
	shared->may_be_others = true;
	return keep(s, why, shared);
}

/* Groups of ranks with the same mask. */

/* Goes on at the seat where the last count stopped.  Whether all masks are known. */
static bool
count_group(const struct sp_situation *s, struct portion *group, uint32_t *next)
{
	struct sp_seat seat;

	for (; *next < s->rank->local_size; (*next)++) {
		if (sp_board_read(s->board, *next, &seat) != 0 || sp_cpus_empty(&seat.inherited))
			return false;
		bool same = sp_cpus_equal(&seat.inherited, s->inherited);

		group->size += same;
		group->rank += same && *next < s->rank->local_rank;
	}
	return true;
}

/* A rank that has ended has left its mask behind, so only those that never came are waited for. */
static bool
find_group(const struct sp_situation *s, struct portion *group, bool *first_to_give_up)
{
	struct timespec end = sp_deadline_in(s->config->wait_ms);
	uint32_t next = 0;
	struct sp_nap nap = NAPS;
	bool all, first;

	*group = (struct portion){ .cpus = s->inherited };
	while (!(all = count_group(s, group, &next)) && !sp_board_given_up(s->board))
		if (!sp_deadline_nap(&end, &nap))
			break;
	enum sp_outcome outcome = sp_board_decide(s->board, all ? SP_ALL_CAME : SP_GIVEN_UP, &first);

	*first_to_give_up = first && outcome == SP_GIVEN_UP;
	/* Those that were missing may have come just when the time was over. */
	return outcome == SP_ALL_CAME && (all || count_group(s, group, &next));
}

/*
 * Not the launcher has narrowed the mask then, but splitpin: an OpenMP program
 * has executed this one, or has started it and ended.
 */
static bool
is_share_of_before(const struct sp_situation *s, bool *loose)
{
	struct sp_seat seat;

	if (!s->board || sp_board_read(s->board, s->rank->local_rank, &seat) != 0 ||
	    !sp_board_is_own(s->board, &seat) || !sp_cpus_equal(&seat.share, s->inherited))
		return false;
	*loose = seat.loose;
	return true;
}

static int
share_of_group(const struct sp_situation *s, struct sp_shared *shared)
{
	struct sp_seat seat = { .state = SP_SEAT_HERE, .inherited = *s->inherited };
	struct portion group;

	if (s->rank->local_size == 1)
		return keep(s, "the inherited mask is narrower than the allowed set: kept", shared);
	if (is_share_of_before(s, &shared->may_be_others))
		return keep(s, "the rank had this share before it started this program", shared);
	if (!s->board || sp_board_write(s->board, s->rank->local_rank, &seat) != 0)
		return keep_loosely(s, "the inherited mask is narrower than the allowed set, and other ranks cannot be seen: kept, threads not pinned", shared);
	if (!find_group(s, &group, &shared->waited_in_vain))
		return keep_loosely(s, "the inherited mask is narrower than the allowed set, and not all ranks of the node came to compare theirs: kept, threads not pinned", shared);
	if (group.size <= 1)
		return keep(s, "the launcher bound this rank: its mask is kept", shared);
	return cut_portion(s, &group, "ranks were confined to the same mask", shared);
}

/* Several processes of one rank. */

/*
 * Whether another process has this rank's seat, or this one was refused a
 * share before an exec.  One that is about to settle is waited for.
 */
static bool
find_sitter(const struct sp_situation *s, struct sp_seat *seat)
{
	struct timespec end = sp_deadline_in(s->config->wait_ms);
	struct sp_nap nap = NAPS;

	do {
		if (sp_board_read(s->board, s->rank->local_rank, seat) != 0)
			return false;
		if (sp_board_is_own(s->board, seat))
			return seat->state == SP_SEAT_REFUSED;
		if (seat->state >= SP_SEAT_REFUSED)
			return true;
		if (seat->state == SP_SEAT_LEFT && sp_board_arrive(s->board, s->rank->local_rank) != -EBUSY)
			return false;
	} while (sp_deadline_nap(&end, &nap));
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
share_of_sitter(const struct sp_situation *s, struct sp_shared *shared)
{
	struct sp_seat seat;

	if (!find_sitter(s, &seat))
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
	struct sp_seat seat = { .state = SP_SEAT_REFUSED, .inherited = *s->inherited };

	snprintf(seat.why, sizeof(seat.why), "%s", shared->why);
	sp_board_write(s->board, s->rank->local_rank, &seat);
}

static int
share_of_rank(const struct sp_situation *s, struct sp_shared *shared)
{
	if (sp_cpus_equal(s->inherited, s->allowed))
		return cut_allowed(s, "the launcher did not bind", shared);
	if (s->config->inherited == SP_INHERITED_IGNORE)
		return cut_allowed(s, "SPLITPIN_INHERITED=ignore", shared);
	return share_of_group(s, shared);
}

int
sp_share_find(const struct sp_situation *s, struct sp_shared *shared)
{
	*shared = (struct sp_shared){ 0 };
	if (s->spawned)
		return keep_loosely(s, "MPI_Comm_spawn started this rank beside others: its mask is kept, threads not pinned", shared);
	int error = s->board ? share_of_sitter(s, shared) : 1;
	if (error <= 0)
		return error;
	error = share_of_rank(s, shared);
	if (error == -ENOSPC && s->board)
		write_refusal(s, shared);
	return error;
}

/* The claim of a job. */

static int
claim_of(const struct sp_machine *machine, const struct sp_policy *policy, uint32_t nranks, struct sp_cpus *claim)
{
	uint32_t *owner = malloc(machine->ncpus * sizeof(*owner) + 1);
	struct sp_cut cut;
	int error = owner ? sp_cut(machine, policy, nranks, owner, &cut) : -ENOMEM;

	*claim = (struct sp_cpus){ 0 };
	for (uint32_t i = 0; !error && i < machine->ncpus; i++)
		if (owner[i] != SP_NOBODY)
			sp_cpus_add(claim, machine->pu[i].cpu);
	free(owner);
	return error ? error : cut.by_cpu;
}

static int
claim_within(const struct sp_machine *machine, const struct sp_policy *policy, uint32_t nranks,
	     const struct sp_cpus *cpus, struct sp_cpus *claim)
{
	struct sp_machine *open = sp_machine_restrict(machine, cpus);
	int rc = open ? claim_of(open, policy, nranks, claim) : -ENOMEM;

	free(open);
	return rc;
}

int
sp_share_claim(const struct sp_machine *machine, const struct sp_policy *policy, uint32_t nranks,
	       const struct sp_cpus *allowed, struct sp_cpus *taken, struct sp_cpus *claim)
{
	struct sp_cpus open = *allowed;

	/* A core of which another job has one hardware thread is that job's. */
	sp_machine_fill_cores(machine, taken);
	sp_cpus_and(taken, allowed);
	sp_cpus_sub(&open, taken);
	/* Single CPUs would be dealt where a core is not free for each. */
	if (!sp_cpus_empty(taken) && claim_within(machine, policy, nranks, &open, claim) == 0)
		return 0;
	*taken = (struct sp_cpus){ 0 };
	int rc = claim_within(machine, policy, nranks, allowed, claim);
	return rc < 0 ? rc : 0;
}
