#include "report/outcome.h"

#include "base/order.h"

/* Where the threads of a rank may run; NULL: not known. */
typedef const struct sp_cpus *cpus_of(const struct sp_seat *seat);

static const struct sp_cpus *
before(const struct sp_seat *seat)
{
	return seat->state == SP_SEAT_EMPTY || sp_cpus_empty(&seat->inherited) ? NULL : &seat->inherited;
}

static const struct sp_cpus *
after(const struct sp_seat *seat)
{
	return sp_cpus_empty(&seat->share) ? before(seat) : &seat->share;
}

static uint32_t
threads_of(const struct sp_seat *seat)
{
	return seat->threads ? seat->threads : 1;
}

/* Whether the threads of ranks that may run nowhere else than on these CPUs are more. */
static bool
is_crowded(const struct sp_cpus *cpus, const struct sp_seat seats[], uint32_t nranks, cpus_of *cpus_of_rank)
{
	uint64_t threads = 0;

	for (uint32_t i = 0; i < nranks; i++) {
		const struct sp_cpus *own = cpus_of_rank(&seats[i]);

		if (own && sp_cpus_within(own, cpus))
			threads += threads_of(&seats[i]);
	}
	return threads > sp_cpus_count(cpus);
}

/* Whether no CPU is in the sets of two ranks; then none of them is to be compared with all others. */
static bool
are_disjoint(const struct sp_seat seats[], uint32_t nranks, cpus_of *cpus_of_rank)
{
	struct sp_cpus all = { 0 };

	for (uint32_t i = 0; i < nranks; i++) {
		const struct sp_cpus *own = cpus_of_rank(&seats[i]);

		if (own && sp_cpus_intersect(own, &all))
			return false;
		if (own)
			sp_cpus_or(&all, own);
	}
	return true;
}

static bool
has_twin(uint32_t rank, const struct sp_seat seats[], uint32_t nranks)
{
	for (uint32_t i = 0; i < nranks; i++)
		if (i != rank && before(&seats[i]) && sp_cpus_equal(&seats[i].inherited, &seats[rank].inherited))
			return true;
	return false;
}

static uint32_t
count_crowded(const struct sp_seat seats[], uint32_t nranks, cpus_of *cpus_of_rank)
{
	const struct sp_cpus *last = NULL;
	bool is_last_crowded = false, is_alone = are_disjoint(seats, nranks, cpus_of_rank);
	uint32_t n = 0;

	for (uint32_t i = 0; i < nranks; i++) {
		const struct sp_cpus *own = cpus_of_rank(&seats[i]);

		if (!own)
			continue;
		/* Neighbours mostly have the same mask. */
		if (!last || !sp_cpus_equal(last, own))
			is_last_crowded = is_alone ? threads_of(&seats[i]) > sp_cpus_count(own) :
				is_crowded(own, seats, nranks, cpus_of_rank);
		last = own;
		n += is_last_crowded;
	}
	return n;
}

/* Runtimes that bind choose the same CPUs from the same mask. */
static uint32_t
count_twins(const struct sp_seat seats[], uint32_t nranks)
{
	uint32_t n = 0;

	if (are_disjoint(seats, nranks, before))
		return 0;
	for (uint32_t i = 0; i < nranks; i++)
		n += before(&seats[i]) && has_twin(i, seats, nranks);
	return n;
}

static const char *
action_of(const struct sp_cpus *domain, const struct sp_seat seats[], uint32_t nranks, const struct sp_verdict *verdict)
{
	bool is_changed = false, is_outside = false, is_narrow = false;

	for (uint32_t i = 0; i < nranks; i++) {
		const struct sp_seat *seat = &seats[i];

		if (!before(seat) || sp_cpus_empty(&seat->share))
			continue;
		is_changed |= !sp_cpus_equal(&seat->share, &seat->inherited);
		is_outside |= !sp_cpus_within(&seat->share, &seat->inherited);
		is_narrow |= !sp_cpus_within(domain, &seat->inherited);
	}
	if (verdict->refused)
		return "refused";
	if (verdict->sharing)
		return "shared";
	if (is_changed)
		return is_outside ? "replaced" : "divided";
	return is_narrow ? "kept" : "none";
}

void
sp_outcome_find(const struct sp_machine *machine, const struct sp_cpus *domain, bool is_bound,
		const struct sp_seat seats[], uint32_t nranks, const struct sp_verdict *verdict, struct sp_outcome *outcome)
{
	struct sp_cpus idle = *domain;

	*outcome = (struct sp_outcome){ .why = "" };
	for (uint32_t i = 0; i < nranks; i++) {
		struct sp_cpus own = before(&seats[i]) ? seats[i].inherited : (struct sp_cpus){ 0 };

		sp_machine_fill_cores(machine, &own);
		sp_cpus_sub(&idle, &own);
		if (!*outcome->why && seats[i].state != SP_SEAT_EMPTY)
			outcome->why = seats[i].why;
	}
	outcome->before_idle = sp_machine_cores(machine, &idle);
	outcome->before_crowded = count_crowded(seats, nranks, before);
	if (is_bound)
		outcome->before_crowded = (uint32_t)sp_larger(outcome->before_crowded, count_twins(seats, nranks));
	outcome->after_crowded = count_crowded(seats, nranks, after);
	outcome->action = action_of(domain, seats, nranks, verdict);
}
