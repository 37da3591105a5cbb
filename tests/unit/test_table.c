/* The table of places for the threads of a team: what holds for every share and every team. */
#include <check.h>
#include <string.h>

#include "cuts.h"
#include "slots/table.h"
#include "suites.h"

#define CORES_MAX 9

/* Shares of up to 9 cores of up to 4 CPUs, alike or not. */
static void
random_table(struct sp_table *table, uint32_t cpus[CORES_MAX])
{
	bool alike = random_below(2);
	uint32_t first = 1 + random_below(4);

	*table = (struct sp_table){ .cpus = cpus, .ncores = 1 + random_below(CORES_MAX) };
	table->bind = random_below(2) ? SP_SPREAD : SP_CLOSE;
	table->granularity = (enum sp_granularity[]){ SP_GRANULARITY_AUTO, SP_GRANULARITY_THREAD, SP_GRANULARITY_CORE }[random_below(3)];
	for (uint32_t i = 0; i < table->ncores; i++) {
		cpus[i] = alike ? first : 1 + random_below(4);
		table->ncpus += cpus[i];
	}
}

/*
 * How many threads each core gets, dealt by hand: all CPUs have one as often as
 * that goes, then each core that has a CPU left one more, and the last round is
 * spread over these cores, or fills the first ones.
 */
static void
deal(const struct sp_table *table, uint32_t team, uint32_t threads[CORES_MAX])
{
	uint32_t open[CORES_MAX], n, left = team, round = 0, deep = team / table->ncpus;

	for (uint32_t i = 0; i < table->ncores; i++)
		threads[i] = deep * table->cpus[i];
	left -= deep * table->ncpus;
	for (;; round++) {
		n = 0;
		for (uint32_t i = 0; i < table->ncores; i++)
			if (table->cpus[i] > round)
				open[n++] = i;
		if (left < n)
			break;
		for (uint32_t i = 0; i < n; i++)
			threads[open[i]]++;
		left -= n;
	}
	if (table->bind == SP_CLOSE && deep == 0 && round == 0) {
		for (uint32_t i = 0; i < left; i++)
			threads[open[i]]++;
		return;
	}
	for (uint32_t i = 0; i < left; i++)
		threads[open[i * n / left]]++;
}

#define HOLDS(what) ck_assert_msg(what, #what ": case %d, team %u, core or thread %u", nth, team, i)

/* Whatever number it is asked for, the answer is a core that there is. */
START_TEST(threads_beyond_the_team_have_the_last_core)
{
	uint32_t cpus[] = { 2, 1, 3 };
	struct sp_table table = { .ncores = 3, .ncpus = 6, .cpus = cpus };
	static const uint32_t threads[] = { 4, 6, 1000, UINT32_MAX };

	for (size_t i = 0; i < sizeof(threads) / sizeof(threads[0]); i++)
		ck_assert_uint_eq(sp_table_assign(&table, threads[i], 4).place.core, 2);
	ck_assert_uint_lt(sp_table_assign_in_turn(&table, UINT32_MAX, 4).place.core, 3);
}
END_TEST

START_TEST(every_team_is_dealt_to_the_cores)
{
	uint32_t cpus[CORES_MAX], expected[CORES_MAX], found[CORES_MAX];
	struct sp_table table;

	for (int nth = 0; nth < 2000; nth++) {
		random_start(random_seed(), nth);
		random_table(&table, cpus);
		uint32_t team = 1 + random_below(3 * table.ncpus + 2), core = 0, i;

		deal(&table, team, expected);
		memset(found, 0, sizeof(found));
		for (i = 0; i < team; i++) {
			struct assignment at = sp_table_assign(&table, i, team);
			uint32_t on_it = expected[at.place.core], its = cpus[at.place.core];

			/* Neighbours are beside each other. */
			HOLDS(at.place.core >= core && at.place.core < table.ncores);
			core = at.place.core;
			HOLDS(at.core_threads == on_it);
			HOLDS(at.cpu_threads == (on_it + its - 1) / its);
			if (sp_table_whole_cores(&table, team))
				HOLDS(at.place.cpu == WHOLE);
			else if (on_it <= its)
				HOLDS(at.place.cpu == found[core]);
			else
				HOLDS(at.place.cpu == found[core] * its / on_it);
			found[core]++;
		}
		for (i = 0; i < table.ncores; i++) {
			HOLDS(found[i] == expected[i]);
			HOLDS(sp_table_threads_on(&table, i, team) == expected[i]);
		}
	}
}
END_TEST

/* However the last round is dealt, no core of this size has more. */
START_TEST(the_most_that_a_core_may_get)
{
	uint32_t cpus[CORES_MAX], threads[CORES_MAX];
	struct sp_table table;

	for (int nth = 0; nth < 2000; nth++) {
		random_start(random_seed(), nth);
		random_table(&table, cpus);
		table.bind = SP_SPREAD;
		uint32_t team = 1 + random_below(3 * table.ncpus + 2), i;

		deal(&table, team, threads);
		for (i = 0; i < table.ncores; i++) {
			uint32_t most = 0;

			for (uint32_t j = 0; j < table.ncores; j++)
				if (cpus[j] == cpus[i] && threads[j] > most)
					most = threads[j];
			HOLDS(sp_table_most_on(&table, i, team) >= most);
			HOLDS(sp_table_most_on(&table, i, team) <= most + 1);
			/* Of cores that are alike one has the most. */
			if (cpus[i] * table.ncores == table.ncpus && memcmp(cpus, cpus + 1, (table.ncores - 1) * sizeof(*cpus)) == 0)
				HOLDS(sp_table_most_on(&table, i, team) == most);
		}
	}
}
END_TEST

/* In turn: a round of all cores, then one of those that have a second CPU, and so on. */
START_TEST(turns_go_round_the_cores)
{
	uint32_t cpus[CORES_MAX];
	struct sp_table table;

	for (int nth = 0; nth < 2000; nth++) {
		random_start(random_seed(), nth);
		random_table(&table, cpus);
		uint32_t team = 1 + random_below(3 * table.ncpus + 2), i = 0;

		while (i < team)
			for (uint32_t round = 0; round < 4; round++)
				for (uint32_t core = 0; core < table.ncores; core++) {
					if (cpus[core] <= round || i == team)
						continue;
					struct assignment at = sp_table_assign_in_turn(&table, i, team);

					HOLDS(at.place.core == core);
					HOLDS(at.place.cpu == (sp_table_whole_cores(&table, team) ? WHOLE : round));
					HOLDS(at.core_threads == sp_table_most_on(&table, core, team));
					HOLDS(at.cpu_threads == (team + table.ncpus - 1) / table.ncpus);
					i++;
				}
	}
}
END_TEST

Suite *
suite_table(void)
{
	Suite *suite = suite_create("table");
	TCase *facts = tcase_create("facts");

	tcase_add_test(facts, threads_beyond_the_team_have_the_last_core);
	tcase_add_test(facts, every_team_is_dealt_to_the_cores);
	tcase_add_test(facts, the_most_that_a_core_may_get);
	tcase_add_test(facts, turns_go_round_the_cores);
	suite_add_tcase(suite, facts);
	return suite;
}
