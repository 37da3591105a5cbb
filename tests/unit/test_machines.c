/*
 * Recorded machines: what holds for every number of ranks that they have
 * cores for, and for teams of every usual size.
 */
#include "suites.h"

#include <glob.h>
#include <hwloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cut/cut.h"
#include "slots/slots.h"
#include "topology.h"

#define FOLDER "tests/data/topologies"

static const struct sp_policy block = { .share = SP_SHARE_EQUAL };

static glob_t files;

static struct sp_machine *
recorded(int i)
{
	struct sp_machine *machine = NULL;

	ck_assert_int_lt(i, (int)files.gl_pathc);
	ck_assert_int_eq(sp_topology_read(files.gl_pathv[i], NULL, &machine), 0);
	return machine;
}

static struct sp_machine *
named(const char *name)
{
	struct sp_machine *machine = NULL;
	char path[256];

	snprintf(path, sizeof(path), FOLDER "/%s.xml", name);
	ck_assert_int_eq(sp_topology_read(path, NULL, &machine), 0);
	return machine;
}

enum { PACKAGE, NUMA, L3, CORE };

static uint32_t
level_of(const struct sp_pu *pu, int level)
{
	const uint32_t value[] = { pu->package, pu->numa, pu->l3, pu->core };

	return value[level];
}

/* Groups of a level that CPUs of an owner touch; of all CPUs where owner is NULL. */
static uint32_t
groups(const struct sp_machine *machine, const uint32_t *owner, uint32_t rank, int level)
{
	uint32_t n = 0, last = 0;

	for (uint32_t i = 0; i < machine->ncpus; i++) {
		uint32_t here = level_of(&machine->pu[i], level);

		if (owner && owner[i] != rank)
			continue;
		n += n == 0 || here != last;
		last = here;
	}
	return n;
}

/* Cores of the groups of a level, in order; returns how many groups. */
static uint32_t
sizes(const struct sp_machine *machine, int level, uint32_t size[])
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < machine->ncpus; i++) {
		const struct sp_pu *pu = &machine->pu[i];

		if (i == 0 || level_of(pu, level) != level_of(pu - 1, level))
			size[n++] = 0;
		size[n - 1] += i == 0 || pu->core != pu[-1].core;
	}
	return n;
}

static uint32_t
ranks_inside(const uint32_t size[], uint32_t n, uint32_t cores)
{
	uint32_t ranks = 0;

	for (uint32_t i = 0; i < n; i++)
		ranks += size[i] / cores;
	return ranks;
}

/* Of groups side by side, the fewest that have so many cores. */
static uint32_t
fewest(const uint32_t size[], uint32_t n, uint32_t cores)
{
	uint32_t best = n;

	for (uint32_t first = 0; first < n; first++) {
		uint32_t sum = 0;

		for (uint32_t last = first; last < n; last++) {
			sum += size[last];
			if (sum >= cores && last - first + 1 < best)
				best = last - first + 1;
		}
	}
	return best;
}

/* Check's own assertions write to a pipe even when they hold. */
#define HOLDS(what) \
	do { \
		if (!(what)) \
			ck_abort_msg("%s, %u ranks: not so: " #what, files.gl_pathv[file], nranks); \
	} while (0)

static void
check_shares(const struct sp_machine *machine, const uint32_t owner[], const struct sp_cut *cut,
	     uint32_t nranks, int file)
{
	uint32_t cores = groups(machine, NULL, 0, CORE);

	HOLDS(!cut->by_cpu);
	HOLDS(cut->fair == cores / nranks);
	HOLDS(8 * (cut->fair - cut->units) <= cut->fair);
	HOLDS(cut->idle == cores - nranks * cut->units);
	for (uint32_t rank = 0; rank < nranks; rank++)
		HOLDS(groups(machine, owner, rank, CORE) == cut->units);
	for (uint32_t i = 1; i < machine->ncpus; i++)
		HOLDS(machine->pu[i].core != machine->pu[i - 1].core || owner[i] == owner[i - 1]);
}

/*
 * Nobody crosses a boundary where staying inside costs no more than an eighth;
 * and where it does, a share touches one group more than it must at most.
 */
static void
check_boundaries(const struct sp_machine *machine, const uint32_t owner[], const struct sp_cut *cut,
		 uint32_t nranks, int file)
{
	uint32_t *size = calloc(machine->ncpus, sizeof(*size));
	uint32_t least = cut->fair - cut->fair / 8;

	ck_assert_ptr_nonnull(size);
	for (int level = PACKAGE; level <= L3 && nranks > 1; level++) {
		uint32_t n = sizes(machine, level, size);
		bool inside = ranks_inside(size, n, least) >= nranks;
		uint32_t most = inside ? 1 : fewest(size, n, cut->units) + 1;

		for (uint32_t rank = 0; rank < nranks; rank++)
			HOLDS(groups(machine, owner, rank, level) <= most);
	}
	free(size);
}

/* One a core before a second on any, and no CPU twice while there are others. */
static void
check_team(const struct sp_machine *machine, const struct sp_cpus *share, uint32_t team, bool guess,
	   uint32_t nranks, int file)
{
	struct sp_slots *slots = sp_slots_create(machine, share, SP_SPREAD);
	uint32_t ncpus = sp_cpus_count(share);
	struct sp_cpus seen = { 0 };
	uint32_t *on_core = calloc(machine->ncpus, sizeof(*on_core)), most = 0, empty = 0;

	ck_assert_ptr_nonnull(slots);
	for (uint32_t thread = 0; thread < team; thread++) {
		struct sp_cpus cpus;

		HOLDS(sp_slots_take(slots, &(struct sp_request){ (int)thread, team, guess, -1, { 0, 0, 0 } }, &cpus) == (int)thread);
		HOLDS(sp_cpus_within(&cpus, share));
		HOLDS(team > ncpus || !sp_cpus_intersect(&cpus, &seen));
		sp_cpus_or(&seen, &cpus);
		for (uint32_t i = 0, last = UINT32_MAX; i < machine->ncpus; i++) {
			if (!sp_cpus_has(&cpus, machine->pu[i].cpu) || machine->pu[i].core == last)
				continue;
			last = machine->pu[i].core;
			on_core[last]++;
		}
	}
	for (uint32_t i = 0; i < machine->ncpus; i++) {
		uint32_t n = on_core[machine->pu[i].core];

		if (!sp_cpus_has(share, machine->pu[i].cpu))
			continue;
		most = n > most ? n : most;
		empty += n == 0;
	}
	HOLDS(most <= 1 || empty == 0);
	free(on_core);
	sp_slots_destroy(slots);
}

static void
check_teams(const struct sp_machine *machine, const uint32_t owner[], uint32_t units,
	    uint32_t nranks, int file)
{
	for (uint32_t rank = 0; rank < nranks; rank++) {
		struct sp_cpus share;

		sp_cut_share(machine, owner, rank, &share);
		check_team(machine, &share, sp_cpus_count(&share), true, nranks, file);
		check_team(machine, &share, units, false, nranks, file);
		check_team(machine, &share, 2 * units, false, nranks, file);
	}
}

/* hwloc 2.4 orders kinds of cores by their type alone, which hybrid-pe-20 does not name. */
static bool
ranks_kinds(void)
{
	return hwloc_get_api_version() > 0x00020400;
}

static bool
is_hybrid(const struct sp_machine *machine)
{
	for (uint32_t i = 1; i < machine->ncpus; i++)
		if (machine->pu[i].kind != machine->pu[0].kind)
			return true;
	return false;
}

START_TEST(every_number_of_ranks)
{
	struct sp_machine *machine = recorded(_i);
	uint32_t cores = groups(machine, NULL, 0, CORE);
	uint32_t *owner = calloc(machine->ncpus, sizeof(*owner));
	struct sp_policy policy = block;
	int file = _i;

	ck_assert_ptr_nonnull(owner);
	policy.kinds = is_hybrid(machine) ? SP_KINDS_ALL : SP_KINDS_AUTO;
	for (uint32_t nranks = 1; nranks <= cores; nranks++) {
		struct sp_cut cut;

		HOLDS(sp_cut(machine, &policy, nranks, owner, &cut) == 0);
		check_shares(machine, owner, &cut, nranks, file);
		check_boundaries(machine, owner, &cut, nranks, file);
		check_teams(machine, owner, cut.units, nranks, file);
	}
	free(owner);
	free(machine);
}
END_TEST

/* Fast and slow cores. */

static uint32_t
cores_of_kind(const struct sp_machine *machine, const uint32_t owner[], uint32_t rank, uint32_t kind)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < machine->ncpus; i++)
		n += owner[i] == rank && machine->pu[i].kind == kind &&
		     (i == 0 || machine->pu[i].core != machine->pu[i - 1].core);
	return n;
}

/* 6 fast cores and 8 slow ones. */
static const struct {
	enum sp_kinds kinds;
	uint32_t ranks, fast, slow, idle;
} hybrid[] = {
	{ SP_KINDS_AUTO, 1, 6, 8, 0 }, { SP_KINDS_AUTO, 2, 3, 4, 0 }, { SP_KINDS_AUTO, 3, 2, 2, 2 },
	{ SP_KINDS_AUTO, 4, 1, 2, 2 }, { SP_KINDS_AUTO, 6, 1, 1, 2 },
	{ SP_KINDS_PERFORMANCE, 2, 3, 0, 0 }, { SP_KINDS_PERFORMANCE, 4, 1, 0, 2 },
	{ SP_KINDS_EFFICIENCY, 2, 0, 4, 0 }, { SP_KINDS_EFFICIENCY, 8, 0, 1, 0 },
};

START_TEST(kinds_of_cores_are_dealt_alike)
{
	struct sp_machine *machine = named("hybrid-pe-20");
	struct sp_policy policy = { .kinds = hybrid[_i].kinds };
	uint32_t owner[20];
	struct sp_cut cut;

	ck_assert_uint_eq(machine->ncpus, 20);
	ck_assert_int_eq(sp_cut(machine, &policy, hybrid[_i].ranks, owner, &cut), 0);
	for (uint32_t rank = 0; rank < hybrid[_i].ranks; rank++) {
		ck_assert_uint_eq(cores_of_kind(machine, owner, rank, 1), hybrid[_i].fast);
		ck_assert_uint_eq(cores_of_kind(machine, owner, rank, 0), hybrid[_i].slow);
	}
	ck_assert_uint_eq(cut.units, hybrid[_i].fast + hybrid[_i].slow);
	ck_assert_uint_eq(cut.idle, hybrid[_i].idle);
	free(machine);
}
END_TEST

/* 10 ranks on 6 + 8 cores: no kind has a core for each, so all are dealt as if alike. */
START_TEST(too_many_ranks_for_any_kind_get_mixed_cores)
{
	struct sp_machine *machine = named("hybrid-pe-20");
	struct sp_policy policy = { .kinds = SP_KINDS_AUTO };
	uint32_t owner[20];
	struct sp_cut cut;

	ck_assert_int_eq(sp_cut(machine, &policy, 10, owner, &cut), 0);
	ck_assert_uint_eq(cut.units, 1);
	ck_assert_uint_eq(cut.idle, 4);
	policy.cores = 5;
	ck_assert_int_eq(sp_cut(machine, &policy, 2, owner, &cut), 0);
	ck_assert_uint_eq(cores_of_kind(machine, owner, 0, 1), 3);
	ck_assert_uint_eq(cores_of_kind(machine, owner, 1, 0), 2);
	ck_assert_uint_eq(cut.units, 5);
	ck_assert_uint_eq(cut.idle, 4);
	free(machine);
}
END_TEST

/* Turbo makes a few cores of servers a little faster: none of these is hybrid. */
START_TEST(servers_have_one_kind)
{
	struct sp_machine *machine = recorded(_i);
	const char *name = files.gl_pathv[_i];

	ck_assert(is_hybrid(machine) == (strstr(name, "arm-gb10") || (ranks_kinds() && strstr(name, "hybrid-pe-20"))));
	free(machine);
}
END_TEST

/* Devices. */

static const struct {
	const char *name;
	enum sp_devices what;
	int n;
	const char *first;
} devices[] = {
	{ "xeon-ht-pascal", SP_DEVICES_GPU, 2, NULL },
	{ "xeon-t4-g4dn", SP_DEVICES_GPU, 8, NULL },
	{ "epyc-mi250x-tioga", SP_DEVICES_GPU, 8, "rsmi4" },
	{ "epyc-mi60-corona", SP_DEVICES_GPU, 8, NULL },
	{ "power9-lassen", SP_DEVICES_GPU, 4, "cuda0" },
	{ "power9-lassen", SP_DEVICES_NIC, 4, "mlx5_0" },
	{ "xeon-h200-vm", SP_DEVICES_GPU, 1, NULL },
	{ "xeon-noht-quartz", SP_DEVICES_GPU, 0, NULL },
	{ "knl-snc4-flat", SP_DEVICES_GPU, 0, NULL },
	{ "a64fx-fugaku-synthetic", SP_DEVICES_NIC, 0, NULL },
};

START_TEST(devices_are_found)
{
	struct sp_machine *machine = named(devices[_i].name);
	struct sp_device *found = NULL;
	char path[256];

	snprintf(path, sizeof(path), FOLDER "/%s.xml", devices[_i].name);
	ck_assert_int_eq(sp_topology_devices(path, devices[_i].what, machine, &found), devices[_i].n);
	if (devices[_i].first)
		ck_assert_str_eq(found[0].name, devices[_i].first);
	free(found);
	free(machine);
}
END_TEST

static uint32_t
ranks_on_node(const struct sp_machine *machine, const uint32_t owner[], uint32_t nranks, uint32_t node)
{
	uint32_t n = 0;

	for (uint32_t rank = 0; rank < nranks; rank++)
		for (uint32_t i = 0; i < machine->ncpus; i++)
			if (owner[i] == rank && machine->pu[i].numa == node) {
				n++;
				break;
			}
	return n;
}

/* Four NUMA nodes of 8 cores, with 0, 1, 2 and 1 devices. */
START_TEST(ranks_follow_devices)
{
	static const uint32_t near[] = { 0, 1, 2, 1 };
	struct sp_policy policy = { .devices = SP_DEVICES_GPU };
	struct sp_machine *machine = NULL;
	uint32_t owner[32];
	struct sp_cut cut;

	ck_assert_int_eq(sp_topology_read("numa:4 core:8 pu:1", NULL, &machine), 0);
	for (uint32_t i = 0; i < machine->ncpus; i++)
		machine->pu[i].devices = near[machine->pu[i].numa];
	for (uint32_t times = 1; times <= 4; times++) {
		ck_assert_int_eq(sp_cut(machine, &policy, 4 * times, owner, &cut), 0);
		for (uint32_t node = 0; node < 4; node++)
			ck_assert_uint_eq(ranks_on_node(machine, owner, 4 * times, node), times * near[node]);
		ck_assert_uint_eq(cut.units, 4 / times);
	}
	/* 24 ranks fit no more where the devices are: 12 cores would have to serve 12 ranks and more */
	ck_assert_int_eq(sp_cut(machine, &policy, 32, owner, &cut), 0);
	ck_assert_uint_eq(cut.units, 1);
	free(machine);
}
END_TEST

#define COUNT(array) ((int)(sizeof(array) / sizeof((array)[0])))

Suite *
suite_machines(void)
{
	Suite *suite = suite_create("machines");
	TCase *facts = tcase_create("facts"), *slow = tcase_create("slow");

	if (glob(FOLDER "/*.xml", 0, NULL, &files) != 0)
		files.gl_pathc = 0;
	/* 21 files; a missing folder is no success */
	tcase_add_loop_test(slow, every_number_of_ranks, 0, 22);
	tcase_add_loop_test(facts, servers_have_one_kind, 0, 22);
	tcase_add_loop_test(facts, kinds_of_cores_are_dealt_alike, 0, ranks_kinds() ? COUNT(hybrid) : 0);
	if (ranks_kinds())
		tcase_add_test(facts, too_many_ranks_for_any_kind_get_mixed_cores);
	tcase_add_loop_test(facts, devices_are_found, 0, COUNT(devices));
	tcase_add_test(facts, ranks_follow_devices);
	tcase_set_timeout(facts, 120);
	tcase_set_timeout(slow, 120);
	suite_add_tcase(suite, facts);
	suite_add_tcase(suite, slow);
	return suite;
}
