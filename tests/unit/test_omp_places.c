/* Places of OpenMP: the slots of a share, in the order of threads. */
#include "suites.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "machines.h"
#include "slots/omp_places.h"

static const struct {
	uint32_t cores, threads;	/* of the machine */
	const char *share;
	enum sp_bind bind;
	enum sp_granularity granularity;
	struct sp_omp_teams teams;
	const char *proc_bind, *places;
} facts[] = {
	/* One thread a core, the other cores after them. */
	{ 4, 1, "0-3", SP_SPREAD, 0, { 2, 1 }, "close", "{0},{2},{1},{3}" },
	{ 4, 1, "0-3", SP_SPREAD, 0, { 4, 1 }, "close", "{0},{1},{2},{3}" },
	{ 4, 1, "0-3", SP_CLOSE, 0, { 2, 1 }, "close", "{0},{1},{2},{3}" },
	{ 4, 2, "0-7", SP_SPREAD, 0, { 2, 1 }, "close", "{0,4},{2,6},{1,5},{3,7}" },
	{ 4, 2, "0-7", SP_SPREAD, SP_GRANULARITY_THREAD, { 2, 1 }, "close", "{0},{2},{1},{3}" },
	{ 4, 2, "1-2,5-6", SP_SPREAD, 0, { 1, 1 }, "close", "{1,5},{2,6}" },
	/* More threads than cores: neighbours share one, and smaller teams are spread. */
	{ 2, 2, "0-3", SP_SPREAD, 0, { 4, 1 }, "spread", "{0},{2},{1},{3}" },
	{ 2, 2, "0-3", SP_SPREAD, 0, { 0, 1 }, "spread", "{0},{2},{1},{3}" },
	{ 2, 2, "0-3", SP_SPREAD, 0, { 3, 1 }, "spread", "{0},{2},{1}" },
	{ 2, 2, "0-3", SP_CLOSE, 0, { 4, 1 }, "close", "{0},{2},{1},{3}" },
	{ 2, 2, "0-3", SP_SPREAD, SP_GRANULARITY_THREAD, { 100000, 1 }, "spread", "{0},{2},{1},{3}" },
	{ 2, 2, "0-3", SP_SPREAD, SP_GRANULARITY_CORE, { 4, 1 }, "spread", "{0,2},{1,3}" },
	/* Nested: the places of an outer thread and of its inner ones are neighbours. */
	{ 8, 1, "0-7", SP_SPREAD, 0, { 4, 2 }, "spread", "{0},{1},{2},{3},{4},{5},{6},{7}" },
	{ 8, 1, "0-7", SP_SPREAD, 0, { 2, 2 }, "spread", "{0},{2},{4},{6}" },
	{ 8, 1, "0-7", SP_CLOSE, 0, { 2, 2 }, "spread", "{0},{1},{2},{3}" },
};

START_TEST(thread_i_has_slot_i)
{
	struct sp_cpus share = cpus_of_list(facts[_i].share);
	struct sp_machine *machine = machine_uniform(facts[_i].cores, facts[_i].threads);
	struct sp_omp_places places;

	ck_assert_int_eq(sp_omp_places(machine, &share, facts[_i].bind, facts[_i].granularity,
				       facts[_i].teams, &places), 0);
	ck_assert_str_eq(places.places, facts[_i].places);
	ck_assert_str_eq(places.proc_bind, facts[_i].proc_bind);
	free(places.places);
	free(machine);
}
END_TEST

/* Of any team that has a core a thread: all cores of the share are there, once. */
START_TEST(no_core_is_left_out)
{
	struct sp_machine *machine = machine_knl();
	struct sp_cpus share = cpus_of_list("0-16,68-84,136-152,204-220");
	struct sp_omp_places places;
	size_t n = 0;

	ck_assert_int_eq(sp_omp_places(machine, &share, SP_SPREAD, SP_GRANULARITY_AUTO,
				       (struct sp_omp_teams){ (uint32_t)_i, 1 }, &places), 0);
	for (const char *c = strchr(places.places, '{'); c; c = strchr(c + 1, '{'))
		n++;
	ck_assert_uint_eq(n, 17);
	free(places.places);
	free(machine);
}
END_TEST

/* Of four digits, each a place. */
START_TEST(the_longest_text_has_room)
{
	struct sp_machine *machine = machine_uniform(3, 1);
	struct sp_cpus share = cpus_of_list("8189-8191");
	struct sp_omp_places places;

	for (uint32_t i = 0; i < machine->ncpus; i++)
		machine->pu[i].cpu = 8189 + i;
	ck_assert_int_eq(sp_omp_places(machine, &share, SP_SPREAD, SP_GRANULARITY_AUTO, (struct sp_omp_teams){ 3, 1 }, &places), 0);
	ck_assert_str_eq(places.places, "{8189},{8190},{8191}");
	free(places.places);
	free(machine);
}
END_TEST

START_TEST(nothing_to_place)
{
	struct sp_machine *machine = machine_uniform(2, 1);
	struct sp_cpus share = cpus_of_list("0-1"), elsewhere = cpus_of_list("8");
	struct sp_omp_teams teams = { 2, 1 };
	struct sp_omp_places places;

	ck_assert_int_eq(sp_omp_places(machine, &elsewhere, SP_SPREAD, SP_GRANULARITY_AUTO, teams, &places), -EINVAL);
	ck_assert_int_eq(sp_omp_places(machine, &share, SP_NO_BIND, SP_GRANULARITY_AUTO, teams, &places), -EINVAL);
	/* 3 threads on 2 CPUs are not pinned. */
	teams.team = 3;
	ck_assert_int_eq(sp_omp_places(machine, &share, SP_SPREAD, SP_GRANULARITY_AUTO, teams, &places), -EINVAL);
	ck_assert_int_eq(sp_omp_places(machine, &share, SP_SPREAD, SP_GRANULARITY_THREAD, teams, &places), 0);
	free(places.places);
	free(machine);
}
END_TEST

Suite *
suite_omp_places(void)
{
	Suite *suite = suite_create("omp_places");
	TCase *tests = tcase_create("omp_places");

	tcase_add_loop_test(tests, thread_i_has_slot_i, 0, sizeof(facts) / sizeof(facts[0]));
	tcase_add_loop_test(tests, no_core_is_left_out, 1, 18);
	tcase_add_test(tests, the_longest_text_has_room);
	tcase_add_test(tests, nothing_to_place);
	suite_add_tcase(suite, tests);
	return suite;
}
