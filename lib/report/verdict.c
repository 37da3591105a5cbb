#include "report/verdict.h"

#include "report/rank_gpus.h"

static bool
has_share(const struct sp_seat *seat)
{
	return seat->state != SP_SEAT_EMPTY && seat->state != SP_SEAT_REFUSED;
}

/* second: a rank whose share intersects that of a lower rank. */
static void
name_overlap(const struct sp_seat seats[], uint32_t second, struct sp_verdict *verdict)
{
	uint32_t first = 0;

	while (!has_share(&seats[first]) || !sp_cpus_intersect(&seats[first].share, &seats[second].share))
		first++;
	verdict->first = first;
	verdict->second = second;
	verdict->common = seats[first].share;
	sp_cpus_and(&verdict->common, &seats[second].share);
}

/* all: what anybody has; twice: what more than one have. */
static void
find_overlaps(const struct sp_seat seats[], uint32_t nranks, struct sp_cpus *all, struct sp_verdict *verdict)
{
	struct sp_cpus twice = { 0 };

	for (uint32_t rank = 0; rank < nranks; rank++) {
		struct sp_cpus again = seats[rank].share;

		if (!has_share(&seats[rank]))
			continue;
		verdict->ranks++;
		sp_cpus_and(&again, all);
		if (!sp_cpus_empty(&again) && sp_cpus_empty(&twice))
			name_overlap(seats, rank, verdict);
		sp_cpus_or(&twice, &again);
		sp_cpus_or(all, &seats[rank].share);
	}
	for (uint32_t rank = 0; rank < nranks; rank++)
		verdict->overlapping += has_share(&seats[rank]) && sp_cpus_intersect(&seats[rank].share, &twice);
}

/* Those that were refused a share still run somewhere. */
static void
count_refused(const struct sp_seat seats[], uint32_t nranks, struct sp_cpus *all, struct sp_verdict *verdict)
{
	for (uint32_t rank = 0; rank < nranks; rank++) {
		if (seats[rank].state != SP_SEAT_REFUSED)
			continue;
		verdict->refused++;
		sp_cpus_or(all, &seats[rank].inherited);
	}
}

/* The lists are nearly always the same text in all ranks, so pairs are compared only until one is found. */
static void
name_claimed(const struct sp_seat seats[], uint32_t nranks, struct sp_verdict *verdict)
{
	for (uint32_t other = 1; other < nranks; other++)
		for (uint32_t one = 0; one < other; one++) {
			if (!has_share(&seats[one]) || !has_share(&seats[other]) || !sp_cpus_intersect(&seats[one].listed, &seats[other].listed))
				continue;
			verdict->one = one;
			verdict->other = other;
			verdict->claimed = seats[one].listed;
			sp_cpus_and(&verdict->claimed, &seats[other].listed);
			return;
		}
}

static void
find_listed(const struct sp_seat seats[], uint32_t nranks, struct sp_verdict *verdict)
{
	struct sp_cpus once = { 0 }, twice = { 0 };

	for (uint32_t rank = 0; rank < nranks; rank++) {
		struct sp_cpus again = seats[rank].listed;

		if (!has_share(&seats[rank]) || sp_cpus_empty(&again))
			continue;
		if (!sp_cpus_within(&again, &seats[rank].share) && !verdict->listed++) {
			verdict->one = rank;
			verdict->claimed = again;
			sp_cpus_sub(&verdict->claimed, &seats[rank].share);
		}
		sp_cpus_and(&again, &once);
		sp_cpus_or(&twice, &again);
		sp_cpus_or(&once, &seats[rank].listed);
	}
	for (uint32_t rank = 0; rank < nranks; rank++)
		verdict->crowded += has_share(&seats[rank]) && sp_cpus_intersect(&seats[rank].listed, &twice);
	if (verdict->crowded)
		name_claimed(seats, nranks, verdict);
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

/* Idle cores fewer than ranks are of no use to an SPMD job, whose slowest rank decides. */
static bool
is_starving(const struct sp_machine *machine, const struct sp_seat *seat, bool is_gain)
{
	return has_share(seat) && (seat->threads > sp_cpus_count(&seat->share) ||
				   (is_gain && seat->threads > sp_machine_cores(machine, &seat->share)));
}

void
sp_verdict(const struct sp_machine *machine, const struct sp_cpus *allowed,
	   const struct sp_seat seats[], uint32_t nranks, struct sp_verdict *verdict)
{
	struct sp_cpus all = { 0 };

	*verdict = (struct sp_verdict){ 0 };
	find_overlaps(seats, nranks, &all, verdict);
	count_refused(seats, nranks, &all, verdict);
	find_listed(seats, nranks, verdict);
	uint32_t cores = sp_machine_cores(machine, allowed), used = sp_machine_cores(machine, &all);

	verdict->all_came = verdict->ranks + verdict->refused == nranks;
	verdict->idle = verdict->all_came && cores > used ? cores - used : 0;
	verdict->is_gain = verdict->idle > 0 && verdict->idle >= nranks;
	find_foreign(machine, seats, nranks, verdict);
	for (uint32_t rank = 0; rank < nranks; rank++)
		if (is_starving(machine, &seats[rank], verdict->is_gain) && !verdict->starving++)
			verdict->starved = rank;
}
