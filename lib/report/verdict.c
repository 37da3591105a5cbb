#include "report/verdict.h"

#include <stddef.h>

#include "base/order.h"
#include "report/rank_gpus.h"

static bool
has_share(const struct sp_seat *seat)
{
	return seat->state != SP_SEAT_EMPTY && seat->state != SP_SEAT_REFUSED;
}

/* Whether a rank has a share for itself: neither the shared node nor a share that has grown. */
static bool
has_own(const struct sp_seat *seat)
{
	return has_share(seat) && seat->ownership != SP_NODE_SHARED && seat->ownership != SP_HAS_GROWN;
}

/* field: the offset of a set in struct sp_seat. */
static const struct sp_cpus *
set_of(const struct sp_seat *seat, size_t field)
{
	return (const struct sp_cpus *)((const char *)seat + field);
}

/* The lowest rank whose set has CPUs that are in this one; *common: these. */
static uint32_t
first_with(const struct sp_seat seats[], size_t field, const struct sp_cpus *set, struct sp_cpus *common)
{
	uint32_t first = 0;

	while (!has_own(&seats[first]) || !sp_cpus_intersect(set_of(&seats[first], field), set))
		first++;
	*common = *set_of(&seats[first], field);
	sp_cpus_and(common, set);
	return first;
}

/*
 * How many ranks have a CPU in this set that another has in its own; if any do,
 * *first, *second and *common become two of them and the CPUs that both have.
 * all: what anybody has.
 */
static uint32_t
find_twice(const struct sp_seat seats[], uint32_t nranks, size_t field, struct sp_cpus *all,
	   uint32_t *first, uint32_t *second, struct sp_cpus *common)
{
	struct sp_cpus twice = { 0 }, own = { 0 };
	uint32_t ranks = 0;

	for (uint32_t rank = 0; rank < nranks; rank++) {
		const struct sp_cpus *set = set_of(&seats[rank], field);
		struct sp_cpus again = *set;

		if (has_share(&seats[rank]))
			sp_cpus_or(all, set);
		if (!has_own(&seats[rank]))
			continue;
		sp_cpus_and(&again, &own);
		if (!sp_cpus_empty(&again) && sp_cpus_empty(&twice)) {
			*first = first_with(seats, field, &again, common);
			*second = rank;
		}
		sp_cpus_or(&twice, &again);
		sp_cpus_or(&own, set);
	}
	for (uint32_t rank = 0; rank < nranks; rank++)
		ranks += has_own(&seats[rank]) && sp_cpus_intersect(set_of(&seats[rank], field), &twice);
	return ranks;
}

/* Those that were refused a share still run somewhere. */
static void
count_ranks(const struct sp_seat seats[], uint32_t nranks, struct sp_cpus *all, struct sp_verdict *verdict)
{
	struct sp_cpus shared = { 0 };

	for (uint32_t rank = 0; rank < nranks; rank++) {
		verdict->ranks += has_share(&seats[rank]);
		bool is_sharing = has_share(&seats[rank]) && seats[rank].ownership == SP_NODE_SHARED;

		verdict->sharing += is_sharing;
		verdict->threads += is_sharing ? seats[rank].threads : 0;
		if (is_sharing)
			sp_cpus_or(&shared, &seats[rank].share);
		if (seats[rank].state != SP_SEAT_REFUSED)
			continue;
		verdict->refused++;
		sp_cpus_or(all, &seats[rank].inherited);
	}
	verdict->cpus = sp_cpus_count(&shared);
}

/* The first rank with this one's mask: of ranks with equal masks the first warns that there is no share. */
static uint32_t
first_alike(const struct sp_seat seats[], uint32_t rank)
{
	uint32_t first = 0;

	while (seats[first].state == SP_SEAT_EMPTY || !sp_cpus_equal(&seats[first].inherited, &seats[rank].inherited))
		first++;
	return first;
}

/* Settings that leave no share to one rank may be that rank's alone.  A rank that could not be put on its share reports it itself. */
static void
find_untold(const struct sp_seat seats[], uint32_t nranks, struct sp_verdict *verdict)
{
	for (uint32_t rank = 0; rank < nranks; rank++)
		if (seats[rank].state == SP_SEAT_REFUSED && sp_cpus_empty(&seats[rank].share) &&
		    has_share(&seats[first_alike(seats, rank)]) && !verdict->unreported++)
			verdict->untold = rank;
}

static void
find_listed(const struct sp_seat seats[], uint32_t nranks, struct sp_verdict *verdict)
{
	struct sp_cpus all = { 0 };

	for (uint32_t rank = 0; rank < nranks; rank++) {
		const struct sp_seat *seat = &seats[rank];

		if (!has_share(seat) || sp_cpus_within(&seat->listed, &seat->share) || verdict->listed++)
			continue;
		verdict->one = rank;
		verdict->claimed = seat->listed;
		sp_cpus_sub(&verdict->claimed, &seat->share);
	}
	verdict->crowded = find_twice(seats, nranks, offsetof(struct sp_seat, listed), &all,
				      &verdict->one, &verdict->other, &verdict->claimed);
}

static void
find_foreign(const struct sp_machine *machine, const struct sp_seat seats[], uint32_t nranks, struct sp_verdict *verdict)
{
	struct sp_rank_gpus gpus;

	for (uint32_t rank = 0; rank < nranks && machine->gpus.n; rank++) {
		sp_rank_gpus(machine, seats, nranks, rank, &gpus);
		if (gpus.is_foreign && !verdict->foreign++)
			verdict->stranger = rank;
	}
}

bool
sp_verdict_is_bound(const struct sp_cpus *allowed, const struct sp_seat *seat)
{
	return sp_cpus_within(&seat->share, &seat->inherited) && !sp_cpus_within(allowed, &seat->inherited);
}

/* The threads that have no core of their own, of all ranks. */
static uint64_t
count_lacking(const struct sp_machine *machine, const struct sp_seat seats[], uint32_t nranks)
{
	uint64_t lacking = 0;

	for (uint32_t rank = 0; rank < nranks; rank++)
		if (has_share(&seats[rank]))
			lacking += sp_excess(seats[rank].threads, sp_machine_cores(machine, &seats[rank].share));
	return lacking;
}

bool
sp_verdict_is_starving(const struct sp_verdict *verdict, const struct sp_machine *machine, const struct sp_seat *seat)
{
	return has_share(seat) && (seat->threads > sp_cpus_count(&seat->share) ||
				   (verdict->is_gain && sp_verdict_is_bound(&verdict->allowed, seat) &&
				    seat->threads > sp_machine_cores(machine, &seat->share)));
}

static bool
has_fewer_cpus(const struct sp_seat *seat, const struct sp_seat *than)
{
	return sp_cpus_count(&seat->share) < sp_cpus_count(&than->share);
}

void
sp_verdict(const struct sp_machine *machine, const struct sp_cpus *allowed,
	   const struct sp_seat seats[], uint32_t nranks, struct sp_verdict *verdict)
{
	struct sp_cpus all = { 0 };

	*verdict = (struct sp_verdict){ 0 };
	verdict->overlapping = find_twice(seats, nranks, offsetof(struct sp_seat, share), &all,
					  &verdict->first, &verdict->second, &verdict->common);
	count_ranks(seats, nranks, &all, verdict);
	find_untold(seats, nranks, verdict);
	find_listed(seats, nranks, verdict);
	sp_cpus_and(&all, allowed);
	uint32_t cores = sp_machine_cores(machine, allowed), used = sp_machine_cores(machine, &all);

	verdict->all_came = verdict->ranks + verdict->refused == nranks;
	verdict->idle = verdict->all_came ? (uint32_t)sp_excess(cores, used) : 0;
	verdict->allowed = *allowed;
	verdict->part = cores / nranks;
	/* Idle cores fewer than ranks are of no use to an SPMD job, whose slowest rank decides; they are to a rank that lacks no more. */
	uint64_t lacking = verdict->idle > 0 && verdict->idle < nranks ? count_lacking(machine, seats, nranks) : 0;
	verdict->is_gain = verdict->idle > 0 && (verdict->idle >= nranks || (lacking && verdict->idle >= lacking));
	find_foreign(machine, seats, nranks, verdict);
	for (uint32_t rank = 0; rank < nranks; rank++)
		if (sp_verdict_is_starving(verdict, machine, &seats[rank]) &&
		    (!verdict->starving++ || (!verdict->is_gain && has_fewer_cpus(&seats[rank], &seats[verdict->starved]))))
			verdict->starved = rank;
}
