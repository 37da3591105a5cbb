/*
 * Facts about memory that runs short: whichever allocation fails, the error is
 * reported, and nothing of a result is left.
 */
#include <check.h>
#include <dlfcn.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/environment.h"
#include "process/process.h"
#include "copies.h"
#include "cut/cut.h"
#include "cut/domains.h"
#include "threads/workers.h"
#include "hardware/kinds.h"
#include "hardware/sysfs.h"
#include "launcher/ancestors.h"
#include "launcher/siblings.h"
#include "machines.h"
#include "memory.h"
#include "ranks.h"
#include "settings/site.h"
#include "slots/omp_places.h"
#include "slots/slots.h"
#include "suites.h"
#include "topology.h"

#define ERROR (was_short ? -ENOMEM : 0)

START_TEST(parts_of_machines)
{
	struct sp_machine *machine = machine_knl(), *part;
	struct sp_cpus cpus = cpus_of_list("0-3");

	SHORT_OF_MEMORY(part = sp_machine_restrict(machine, &cpus)) {
		ck_assert((part == NULL) == was_short);
		free(part);
	}
	free(machine);
}
END_TEST

START_TEST(environments)
{
	static char entry[] = "SPLITPIN_TEST=1";
	char **copy, **before = environ;
	int error;

	SHORT_OF_MEMORY(copy = sp_environment_copy(before, 0)) {
		ck_assert((copy == NULL) == was_short);
		free(copy);
	}
	SHORT_OF_MEMORY(error = sp_environment_put(entry)) {
		ck_assert_int_eq(error, ERROR);
		ck_assert((environ == before) == was_short);
	}
	environ = before;
}
END_TEST

START_TEST(processes)
{
	pid_t child = start_rank(0, pause_for_ever, NULL), *children;
	char **environment, *arguments;
	size_t length;
	ssize_t n;

	SHORT_OF_MEMORY(environment = sp_process_environment(getpid())) {
		ck_assert((environment == NULL) == was_short);
		free(environment);
	}
	SHORT_OF_MEMORY(arguments = sp_process_arguments(getpid(), &length)) {
		ck_assert((arguments == NULL) == was_short);
		ck_assert((length == 0) == was_short);
		free(arguments);
	}
	SHORT_OF_MEMORY((children = NULL, n = sp_process_children(getpid(), &children))) {
		ck_assert_int_eq(n, was_short ? -ENOMEM : 1);
		free(children);
	}
	SHORT_OF_MEMORY((children = NULL, n = sp_process_children_by_parent(getpid(), &children))) {
		ck_assert_int_eq(n, was_short ? -ENOMEM : 1);
		free(children);
	}
	kill(child, SIGKILL);
	status_of(child);
}
END_TEST

static const struct sp_policy policies[] = {
	{ 0 }, { .share = SP_SHARE_ALL }, { .kinds = SP_KINDS_PERFORMANCE }, { .distribution = SP_CYCLIC },
	{ .devices = SP_DEVICES_GPU }, { .domain = SP_DOMAIN_CORE }, { .domain = SP_DOMAIN_NUMA, .cores = 1 },
	{ .domain = SP_DOMAIN_LISTS, .lists = "0-3:4-7:8-15" },
};

START_TEST(cuts)
{
	struct sp_machine *machine = machine_hybrid();
	uint32_t owner[16];
	struct sp_cut cut;
	int error;

	for (uint32_t i = 0; i < 16; i++) {
		machine->pu[i].kind = i < 8;
		machine->pu[i].devices = 1;
	}
	for (uint32_t nranks = 1; nranks <= 15; nranks += 7) {
		int whole = sp_cut(machine, &policies[_i], nranks, owner, &cut);

		SHORT_OF_MEMORY(error = sp_cut(machine, &policies[_i], nranks, owner, &cut))
			ck_assert_int_eq(error, was_short ? -ENOMEM : whole);
	}
	free(machine);
}
END_TEST

START_TEST(cuts_beside_devices)
{
	struct sp_machine *machine = machine_epyc();
	uint32_t *owner = calloc(machine->ncpus, sizeof(*owner));
	struct sp_near near[3] = { { 0, 0, 0 }, { 0, SP_ANYWHERE, SP_ANYWHERE }, { 1, 7, 15 } };
	struct sp_cut cut;
	int error;

	SHORT_OF_MEMORY(error = sp_cut_near(machine, &policies[0], 3, near, owner, &cut))
		ck_assert_int_eq(error, ERROR);
	free(owner);
	free(machine);
}
END_TEST

START_TEST(slots)
{
	struct sp_machine *machine = machine_uniform(4, 2);
	struct sp_cpus share = cpus_of_list("0-7"), cpus, none = { 0 };
	struct sp_slots *made;
	int slot;

	SHORT_OF_MEMORY(made = sp_slots_create(machine, &share, SP_SPREAD)) {
		ck_assert((made == NULL) == was_short);
		if (!was_short)
			break;
	}
	/* Each pool has a table, which grows; it may do without a larger one. */
	for (int thread = 0; thread < 100; thread++) {
		struct sp_request request = { .thread = thread, .team = 8u << thread / 8, .near = -1, .pool = { .root = thread / 16 } };

		cpus = none;
		SHORT_OF_MEMORY(slot = sp_slots_take(made, &request, &cpus))
			if (slot < 0) {
				ck_assert_int_eq(slot, -ENOMEM);
				ck_assert(was_short && sp_cpus_empty(&cpus));
			} else {
				ck_assert_int_eq(sp_slots_cpus(made, slot, &cpus), 0);
				cpus = none;
			}
		ck_assert_int_ge(slot, 0);
	}
	sp_slots_destroy(made);
	free(machine);
}
END_TEST

START_TEST(places_of_openmp)
{
	struct sp_machine *machine = machine_uniform(4, 2);
	struct sp_cpus share = cpus_of_list("0-7");
	struct sp_omp_places places;
	int error;

	SHORT_OF_MEMORY(error = sp_omp_places(machine, &share, SP_SPREAD, SP_GRANULARITY_AUTO,
					      (struct sp_omp_teams){ 2, 1 }, &places))
		if (error) {
			ck_assert(was_short);
		} else {
			ck_assert_str_eq(places.places, "{0,4},{2,6},{1,5},{3,7}");
			free(places.places);
		}
	free(machine);
}
END_TEST

START_TEST(workers)
{
	struct sp_machine *machine = machine_uniform(4, 2);
	struct sp_cpus share = cpus_of_list("0-7"), cpus;
	static struct sp_workers *made;
	struct sp_config config;
	struct sp_who who;
	int slot;

	sp_config_read(&config, (char *[]){ NULL }, NULL, NULL);
	sp_who_init(&who, 0, 1);
	SHORT_OF_MEMORY(made = sp_workers_create(machine, &share, &config, &who))
		ck_assert((made == NULL) == was_short);
	for (int thread = 0; thread < 40; thread++) {
		struct sp_worker worker = { .thread = thread, .team = 40, .near = -1, .root = 1, .runtime = SP_LIBOMP };

		/* What is no error is a slot that is taken. */
		SHORT_OF_MEMORY(slot = sp_workers_take(made, &worker, false))
			ck_assert_int_eq(slot < 0 ? slot : sp_workers_cpus(made, slot, &cpus), slot < 0 && was_short ? -ENOMEM : 0);
	}
	free(machine);
}
END_TEST

static void
visit_none(void *data, int slot, const struct sp_assignment *assignment)
{
	(void)data;
	ck_abort_msg("thread %d of slot %d has not started", (int)assignment->tid, slot);
}

/* It has a record, or no slot. */
START_TEST(the_first_worker)
{
	static struct sp_workers *made[8];	/* more than it allocates */
	const struct sp_worker worker = { .thread = 0, .team = 4, .near = -1, .root = 1, .runtime = SP_LIBOMP };
	struct sp_machine *machine = machine_uniform(4, 2);
	struct sp_cpus share = cpus_of_list("0-7");
	struct sp_assignment assignment;
	struct sp_config config;
	struct sp_who who;

	sp_config_read(&config, (char *[]){ NULL }, NULL, NULL);
	sp_who_init(&who, 0, 1);
	for (int nth = 0; nth < 8; nth++) {
		made[nth] = sp_workers_create(machine, &share, &config, &who);
		memory_short_at(nth);
		int slot = sp_workers_take(made[nth], &worker, false);
		if (memory_was_short() && slot < 0)
			ck_assert_int_eq(slot, -ENOMEM);
		else
			ck_assert_int_eq(sp_workers_visit(made[nth], slot, visit_none, NULL, &assignment), -EINVAL);
	}
	free(machine);
}
END_TEST

/* A line that is lost counts as a fault; the others hold. */
START_TEST(the_text_of_a_site)
{
	static const char text[] = "smt = 1\nleave_alone = x solver\n[/opt/*]\ncores = 2\n";
	struct sp_site site;

	SHORT_OF_MEMORY(sp_site_parse(&site, "F", text, strlen(text), &(struct sp_subject){ .program = "/opt/solver" })) {
		ck_assert_uint_eq(site.nsettings == 3 && site.entries && site.nfaults == 0, !was_short);
		ck_assert_uint_eq(site.nfaults, was_short);
		sp_site_release(&site);
	}
}
END_TEST

START_TEST(classes_of_cores)
{
	uint32_t number[4];

	SHORT_OF_MEMORY((memcpy(number, (uint32_t[]){ 10, 20, 10, 40 }, sizeof(number)), sp_kinds_classify(number, 4))) {
		ck_assert_uint_eq(number[0], 0);
		ck_assert_uint_eq(number[1], was_short ? 0 : 1);
		ck_assert_uint_eq(number[3], was_short ? 0 : 2);
	}
}
END_TEST

START_TEST(speeds_of_cores)
{
	struct sp_machine *machine = machine_uniform(2, 1);

	copies_make();
	copies_put("/sys/devices/system/cpu/cpu0/acpi_cppc/highest_perf", "30\n");
	copies_put("/sys/devices/system/cpu/cpu1/acpi_cppc/highest_perf", "46\n");
	SHORT_OF_MEMORY((machine->pu[1].speed = 0, sp_kinds_read_speeds(copies_root, machine)))
		ck_assert_uint_eq(machine->pu[1].speed, !was_short);
	copies_remove();
	free(machine);
}
END_TEST

/* They stay in the order of the bus. */
START_TEST(gpus)
{
	struct sp_machine *machine = machine_uniform(4, 1);

	copies_make();
	for (int i = 1; i <= 2; i++) {
		char path[128];

		snprintf(path, sizeof(path), "/sys/bus/pci/devices/0000:0%d:00.0/class", i);
		copies_put(path, "0x120000\n");
		snprintf(path, sizeof(path), "/sys/bus/pci/devices/0000:0%d:00.0/vendor", i);
		copies_put(path, "0x1002\n");
		snprintf(path, sizeof(path), "/sys/class/kfd/kfd/topology/nodes/%d/properties", i - 1);
		copies_put(path, "simd_count 8\nlocation_id %d\ndomain 0\n", (3 - i) << 8);
	}
	SHORT_OF_MEMORY(sp_sysfs_gpus(copies_root, machine)) {
		ck_assert_uint_eq(machine->gpus.n, 2);
		ck_assert_str_eq(machine->gpus.gpu[0].address, was_short ? "0000:01:00.0" : "0000:02:00.0");
	}
	copies_remove();
	free(machine);
}
END_TEST

START_TEST(topologies)
{
	struct sp_machine *machine;
	struct sp_device *devices;
	int n;

	/* Linked in (HWLOC=static) hwloc is short of memory, too, where it asserts that it is not. */
	if (!dlsym(RTLD_DEFAULT, "hwloc_topology_init"))
		return;
	SHORT_OF_MEMORY((machine = NULL, n = sp_topology_read("core:4 pu:2", NULL, &machine))) {
		/* Without the environment or the classes of its own the machine is what it is. */
		ck_assert((n == 0 && machine->ncpus == 8) || (was_short && n == -ENOMEM && !machine));
		free(machine);
	}
	ck_assert_int_eq(sp_topology_read("core:4 pu:2", NULL, &machine), 0);
	SHORT_OF_MEMORY((devices = NULL, n = sp_topology_devices("core:4 pu:2", SP_DEVICES_GPU, machine, &devices))) {
		ck_assert(n == 0 || (was_short && n == -ENOMEM));
		free(devices);
	}
	free(machine);
}
END_TEST

static bool
ignore(const struct sp_sibling *sibling, void *data)
{
	(void)sibling;
	(void)data;
	return true;
}

START_TEST(ancestors_and_siblings)
{
	struct sp_ancestor *ancestor;
	size_t n;
	int visited;

	memory_short_at(0);
	ancestor = sp_ancestors_of(getpid(), &n);
	ck_assert(memory_was_short());
	ck_assert_ptr_null(ancestor);
	ck_assert_uint_eq(n, 0);
	SHORT_OF_MEMORY(visited = sp_siblings_visit(getppid(), "PMIX_NAMESPACE j@1, 2 ranks", 2, NULL, ignore, NULL))
		ck_assert(visited == 0 || (was_short && visited == -ENOMEM));
}
END_TEST

Suite *
suite_short_memory(void)
{
	Suite *suite = suite_create("short_memory");
	TCase *facts = tcase_create("facts");

	tcase_add_test(facts, parts_of_machines);
	tcase_add_test(facts, environments);
	tcase_add_test(facts, processes);
	tcase_add_loop_test(facts, cuts, 0, (int)(sizeof(policies) / sizeof(policies[0])));
	tcase_add_test(facts, cuts_beside_devices);
	tcase_add_test(facts, slots);
	tcase_add_test(facts, places_of_openmp);
	tcase_add_test(facts, workers);
	tcase_add_test(facts, the_first_worker);
	tcase_add_test(facts, the_text_of_a_site);
	tcase_add_test(facts, classes_of_cores);
	tcase_add_test(facts, speeds_of_cores);
	tcase_add_test(facts, gpus);
	tcase_add_test(facts, topologies);
	tcase_add_test(facts, ancestors_and_siblings);
	suite_add_tcase(suite, facts);
	return suite;
}
