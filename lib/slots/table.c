#include "slots/table.h"

#include "base/order.h"

bool
sp_table_whole_cores(const struct sp_table *table, uint32_t team)
{
	return team <= table->ncores && table->granularity != SP_GRANULARITY_THREAD;
}

/* If n of all items are chosen, evenly spaced: how many of the chosen come before item i. */
static uint32_t
chosen_before(uint32_t i, uint32_t n, uint32_t all)
{
	return (uint32_t)(((uint64_t)i * n + all - 1) / all);
}

static uint32_t
cores_with_more_than(const struct sp_table *table, uint32_t ncpus)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < table->ncores; i++)
		n += table->cpus[i] > ncpus;
	return n;
}

/*
 * How many threads a table puts on the cores.  Every CPU gets `deep` threads.
 * The rest are dealt out in rounds, one thread to each core, and a core takes
 * part in as many rounds as it has CPUs: `rounds` are complete, and in the next,
 * in which `open` cores take part, only `extra` of them get a thread.
 */
struct fill {
	uint32_t deep, rounds, extra, open;
};

/* Every CPU gets a thread before any gets another; the remaining threads are dealt to the cores in rounds. */
static struct fill
fill_for(const struct sp_table *table, uint32_t team)
{
	struct fill fill = {
		.deep = team / table->ncpus,
		.extra = team % table->ncpus,
		.open = table->ncores,
	};

	while (fill.open && fill.extra >= fill.open) {
		fill.extra -= fill.open;
		fill.open = cores_with_more_than(table, ++fill.rounds);
	}
	return fill;
}

/* Threads on a core of ncpus CPUs; nth: open cores before it, by which it gets one of the extra threads, or not. */
static uint32_t
threads_on(const struct sp_table *table, uint32_t ncpus, struct fill fill, uint32_t nth)
{
	uint32_t threads = fill.deep * ncpus;

	if (ncpus <= fill.rounds)
		return threads + ncpus;
	threads += fill.rounds;
	if (table->bind == SP_CLOSE && fill.deep == 0 && fill.rounds == 0)
		return threads + (nth < fill.extra);
	return threads + chosen_before(nth + 1, fill.extra, fill.open) -
		chosen_before(nth, fill.extra, fill.open);
}

/* Place the nth of the threads on a core: neighbouring threads share a CPU where there are more of them than CPUs. */
static struct assignment
assign_on(const struct sp_table *table, uint32_t core, uint32_t nth, uint32_t threads, uint32_t team)
{
	uint32_t ncpus = table->cpus[core];
	uint32_t cpu = (uint32_t)((uint64_t)nth * ncpus / sp_larger(threads, ncpus));

	return (struct assignment){
		.place = { core, sp_table_whole_cores(table, team) ? WHOLE : cpu },
		.core_threads = threads,
		.cpu_threads = (threads + ncpus - 1) / ncpus,
	};
}

/* Count the threads of core after core, until that with this number is reached. */
struct assignment
sp_table_assign(const struct sp_table *table, uint32_t thread, uint32_t team)
{
	struct fill fill = fill_for(table, team);
	uint32_t nth = 0, threads, core;

	for (core = 0; ; core++) {
		threads = threads_on(table, table->cpus[core], fill, nth);
		if (thread < threads || core + 1 == table->ncores)
			break;
		thread -= threads;
		nth += table->cpus[core] > fill.rounds;
	}
	return assign_on(table, core, thread, threads, team);
}

uint32_t
sp_table_most_on(const struct sp_table *table, uint32_t core, uint32_t team)
{
	uint32_t ncpus = table->cpus[core];
	struct fill fill = fill_for(table, team);
	uint32_t above = fill.rounds + (fill.extra > 0);

	return fill.deep * ncpus + (uint32_t)sp_smaller(above, ncpus);
}

/*
 * List the first CPU of each core, then the second of each core that has one,
 * and so on: the thread gets the CPU at its number in this list, and the list
 * starts again at its end.
 */
struct assignment
sp_table_assign_in_turn(const struct sp_table *table, uint32_t thread, uint32_t team)
{
	uint32_t left = thread % table->ncpus;
	uint32_t cpu = 0, open = table->ncores, core;

	while (open && left >= open) {
		left -= open;
		open = cores_with_more_than(table, ++cpu);
	}
	for (core = 0; core + 1 < table->ncores; core++)
		if (table->cpus[core] > cpu && left-- == 0)
			break;
	return (struct assignment){
		.place = { core, sp_table_whole_cores(table, team) ? WHOLE : cpu },
		.core_threads = sp_table_most_on(table, core, team),
		.cpu_threads = (team - 1) / table->ncpus + 1,
	};
}

uint32_t
sp_table_threads_on(const struct sp_table *table, uint32_t core, uint32_t team)
{
	struct fill fill = fill_for(table, team);
	uint32_t nth = 0;

	for (uint32_t i = 0; i < core; i++)
		nth += table->cpus[i] > fill.rounds;
	return threads_on(table, table->cpus[core], fill, nth);
}
