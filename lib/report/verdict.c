#include "report/verdict.h"

/* second: a rank whose share intersects that of a lower rank. */
static void
name_overlap(const struct sp_seat seats[], uint32_t second, struct sp_verdict *verdict)
{
	uint32_t first = 0;

	while (seats[first].state == SP_SEAT_EMPTY || !sp_cpus_intersect(&seats[first].share, &seats[second].share))
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

		if (seats[rank].state == SP_SEAT_EMPTY)
			continue;
		verdict->ranks++;
		sp_cpus_and(&again, all);
		if (!sp_cpus_empty(&again) && sp_cpus_empty(&twice))
			name_overlap(seats, rank, verdict);
		sp_cpus_or(&twice, &again);
		sp_cpus_or(all, &seats[rank].share);
	}
	for (uint32_t rank = 0; rank < nranks; rank++)
		verdict->overlapping += seats[rank].state != SP_SEAT_EMPTY && sp_cpus_intersect(&seats[rank].share, &twice);
}

void
sp_verdict(const struct sp_machine *machine, const struct sp_cpus *allowed,
	   const struct sp_seat seats[], uint32_t nranks, struct sp_verdict *verdict)
{
	struct sp_cpus all = { 0 };

	*verdict = (struct sp_verdict){ 0 };
	find_overlaps(seats, nranks, &all, verdict);
	uint32_t cores = sp_machine_cores(machine, allowed), used = sp_machine_cores(machine, &all);

	verdict->idle = cores > used ? cores - used : 0;
	for (uint32_t rank = 0; rank < nranks; rank++) {
		const struct sp_seat *seat = &seats[rank];

		if (seat->state == SP_SEAT_EMPTY || seat->threads <= sp_machine_cores(machine, &seat->share) ||
		    verdict->idle == 0)
			continue;
		if (!verdict->starving++)
			verdict->starved = rank;
	}
}
