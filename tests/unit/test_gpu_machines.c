/* Machines with GPUs: each rank is beside the GPU of its number, as the machine's guide has it. */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cut/cut.h"
#include "cuts.h"
#include "gpus/whose.h"
#include "machines.h"
#include "suites.h"
#include "topology.h"

#define FOLDER "tests/data/topologies/"
#define RANKS 64

/* A machine and what ranks that see all of its GPUs have, but for second hardware threads. */
static const struct {
	const char *file;
	uint32_t gpus, ranks;
	const char *reserve;	/* CPUs kept for the system */
	const char *shares;	/* of ranks 0, 1, ... */
} guide[] = {
	/* Frontier and LUMI: the first core of each L3 group is kept */
	{ "epyc-mi250x-tioga", 8, 8, "", "48-55 56-63 16-23 24-31 0-7 8-15 32-39 40-47" },
	{ "epyc-mi250x-tioga", 8, 8, "0,8,16,24,32,40,48,56,64,72,80,88,96,104,112,120",
	  "49-55 57-63 17-23 25-31 1-7 9-15 33-39 41-47" },
	{ "epyc-mi250x-tioga", 8, 16, "", "48-51 52-55 56-59 60-63 16-19 20-23 24-27 28-31 0-3 4-7 8-11 12-15 32-35 36-39 40-43 44-47" },
	{ "epyc-mi250x-tioga", 8, 4, "", "48-63 16-31 0-15 32-47" },
	{ "gpus/polaris-4xa100", 4, 4, "", "24-31 16-23 8-15 0-7" },
	{ "gpus/perlmutter-4xa100", 4, 4, "", "48-63 32-47 16-31 0-15" },
	{ "gpus/perlmutter-4xa100", 4, 8, "", "48-55 56-63 32-39 40-47 16-23 24-31 0-7 8-15" },
	{ "gpus/aurora-6xpvc", 6, 12, "0,52,104,156",
	  "1-8 9-16 17-24 25-32 33-40 41-48 53-60 61-68 69-76 77-84 85-92 93-100" },
	{ "gpus/aurora-6xpvc", 6, 6, "0,52,104,156", "1-17 18-34 35-51 53-69 70-86 87-103" },
	{ "gpus/xeon-8xh100", 8, 8, "", "0-13 14-27 28-41 42-55 56-69 70-83 84-97 98-111" },
	{ "gpus/xeon-8xh100", 8, 2, "", "0-55 56-111" },
	{ "gpus/epyc-8xa100-nps4", 8, 8, "", "48-55 56-63 16-23 24-31 112-119 120-127 80-87 88-95" },
	{ "gpus/epyc-4xh200-nps4", 4, 4, "", "16-31 32-47 96-111 112-127" },
	{ "gpus/gh200-4", 4, 4, "", "0-71 72-143 144-215 216-287" },
	{ "gpus/gh200-1", 1, 1, "", "0-71" },
	{ "gpus/gh200-1", 1, 4, "", "0-17 18-35 36-53 54-71" },
	{ "gpus/gb200-4", 4, 4, "", "0-35 36-71 72-107 108-143" },
	{ "gpus/mi300a-spx", 4, 4, "", "0-23 24-47 48-71 72-95" },
	{ "gpus/mi300a-tpx", 12, 12, "", "0-7 8-15 16-23 24-31 32-39 40-47 48-55 56-63 64-71 72-79 80-87 88-95" },
	{ "gpus/mi300a-cpx", 24, 24, "",
	  "0-3 4-7 8-11 12-15 16-19 20-23 24-27 28-31 32-35 36-39 40-43 44-47 "
	  "48-51 52-55 56-59 60-63 64-67 68-71 72-75 76-79 80-83 84-87 88-91 92-95" },
	/* no GPU is nearer to one node than to another, or the ranks of one would have no core each */
	{ "power9-lassen", 4, 4, "", NULL },
	{ "xeon-t4-g4dn", 8, 8, "", NULL },
	/* equally near to all CPUs, as a virtual machine's firmware says nothing of it */
	{ "xeon-h200-vm", 1, 4, "", NULL },
};

static struct sp_machine *
read_machine(const char *file)
{
	struct sp_machine *machine = NULL;
	char path[256];

	snprintf(path, sizeof(path), FOLDER "%s.xml", file);
	ck_assert_int_eq(sp_topology_read(path, NULL, &machine), 0);
	ck_assert_int_eq(sp_topology_gpus(path, machine), 0);
	return machine;
}

struct placed {
	struct sp_machine *machine;
	struct sp_near near[RANKS];
	uint32_t *owner;
	struct sp_cut cut;
};

static struct placed
place(const char *file, const struct sp_policy *policy, uint32_t nranks)
{
	struct placed p = { .machine = read_machine(file) };
	struct sp_gpu_list seen[RANKS];

	for (uint32_t rank = 0; rank < nranks; rank++)
		sp_gpus_visible(NULL, &p.machine->gpus, &seen[rank]);
	sp_gpus_place(&p.machine->gpus, seen, nranks, p.near);
	p.owner = calloc(p.machine->ncpus, sizeof(*p.owner));
	ck_assert_ptr_nonnull(p.owner);
	ck_assert_int_eq(sp_cut_near(p.machine, policy, nranks, p.near, p.owner, &p.cut), 0);
	return p;
}

static void
release(struct placed *p)
{
	free(p->owner);
	free(p->machine);
}

/* The first CPU of each core that a rank has. */
static struct sp_cpus
first_threads(const struct placed *p, uint32_t rank)
{
	struct sp_cpus cpus = { 0 };

	for (uint32_t i = 0; i < p->machine->ncpus; i++)
		if (p->owner[i] == rank && (i == 0 || p->machine->pu[i].core != p->machine->pu[i - 1].core))
			sp_cpus_add(&cpus, p->machine->pu[i].cpu);
	return cpus;
}

START_TEST(ranks_are_as_the_guide_has_them)
{
	struct sp_policy policy = { .smt = 0 };

	policy.reserved = cpus_of_list(guide[_i].reserve);
	struct placed p = place(guide[_i].file, &policy, guide[_i].ranks);
	const char *expected = guide[_i].shares;
	uint32_t units = p.cut.units;

	ck_assert_uint_eq(p.machine->gpus.n, guide[_i].gpus);
	/* Where all CPUs are beside the one GPU no rank is placed by it. */
	ck_assert_uint_eq(p.cut.beside, p.machine->gpus.n == 1 ? 0 : guide[_i].ranks);
	ck_assert_uint_eq(p.cut.foreign, 0);
	for (uint32_t rank = 0; rank < guide[_i].ranks; rank++) {
		struct sp_cpus cpus = first_threads(&p, rank);
		char list[SP_CPUS_TEXT];

		ck_assert_uint_eq(sp_cpus_count(&cpus), units);
		sp_cpus_format(&cpus, list, sizeof(list));
		if (!expected)
			continue;
		expected += strspn(expected, " ");
		ck_assert_msg(strcspn(expected, " ") == strlen(list) && strncmp(expected, list, strlen(list)) == 0,
			      "%s, rank %u: %s instead of %s", guide[_i].file, rank, list, expected);
		expected += strlen(list);
	}
	release(&p);
}
END_TEST

/* What guides and issues report of other tools: a map of ranks to the cores beside another rank's GPU. */
static const struct {
	const char *file;
	uint32_t ranks;
	const char *reserve;
	uint32_t rank;
	const char *share;
} wrong[] = {
	/* ranks in the order of the cores, GPUs in that of their numbers */
	{ "epyc-mi250x-tioga", 8, "", 0, "0-7" }, { "gpus/perlmutter-4xa100", 4, "", 0, "0-15" }, { "gpus/polaris-4xa100", 4, "", 0, "0-7" },
	{ "gpus/epyc-8xa100-nps4", 8, "", 0, "0-15" }, { "gpus/epyc-4xh200-nps4", 4, "", 0, "0-31" },
	/* mpiexec --depth=8 */
	{ "gpus/aurora-6xpvc", 12, "0,52,104,156", 6, "49-51,53-57" },
	/* mpibind issue 45 */
	{ "gpus/mi300a-cpx", 24, "", 23, "18-23" },
};

START_TEST(wrong_maps_are_not_given)
{
	struct sp_policy policy = { .smt = 0, .reserved = cpus_of_list(wrong[_i].reserve) };
	struct placed p = place(wrong[_i].file, &policy, wrong[_i].ranks);
	struct sp_cpus cpus = first_threads(&p, wrong[_i].rank), wrongly = cpus_of_list(wrong[_i].share), beside;

	ck_assert(sp_machine_near(p.machine, &p.near[wrong[_i].rank], &beside));
	ck_assert(sp_cpus_within(&cpus, &beside));
	ck_assert(!sp_cpus_within(&wrongly, &beside));
	release(&p);
}
END_TEST

/* srun --gpu-bind=closest on Frontier: each rank sees one, and keeps to it. */
START_TEST(a_gpu_for_each_rank)
{
	static char *const lists[] = { "ROCR_VISIBLE_DEVICES=4", "ROCR_VISIBLE_DEVICES=5", "ROCR_VISIBLE_DEVICES=2", "ROCR_VISIBLE_DEVICES=3",
				       "ROCR_VISIBLE_DEVICES=6", "ROCR_VISIBLE_DEVICES=7", "ROCR_VISIBLE_DEVICES=0", "ROCR_VISIBLE_DEVICES=1" };
	struct sp_machine *machine = read_machine("epyc-mi250x-tioga");
	struct sp_policy policy = { .reserve = 0, .reserved = cpus_of_list("0,8,16,24,32,40,48,56"), .smt = 1 };
	struct sp_gpu_list seen[8];
	struct sp_near near[8];
	uint32_t owner[128];
	struct sp_cut cut;

	for (int i = 0; i < 8; i++)
		sp_gpus_visible((char *[]){ lists[i], NULL }, &machine->gpus, &seen[i]);
	sp_gpus_place(&machine->gpus, seen, 8, near);
	ck_assert_int_eq(sp_cut_near(machine, &policy, 8, near, owner, &cut), 0);
	for (uint32_t rank = 0; rank < 8; rank++) {
		struct sp_cpus share;
		char list[64], expected[64];

		sp_cut_share(machine, owner, rank, &share);
		snprintf(expected, sizeof(expected), "%u-%u", 8 * rank + 1, 8 * rank + 7);
		/* The first CPU of a core is kept, the second may be used. */
		struct sp_cpus first = cpus_of_list("0-63");
		sp_cpus_and(&share, &first);
		ck_assert_str_eq(sp_cpus_format(&share, list, sizeof(list)), expected);
	}
	free(machine);
}
END_TEST

START_TEST(every_number_of_ranks_is_beside_its_gpus)
{
	const char *files[] = { "epyc-mi250x-tioga", "gpus/perlmutter-4xa100", "gpus/epyc-8xa100-nps4", "gpus/aurora-6xpvc",
				"gpus/epyc-4xh200-nps4", "gpus/mi300a-cpx", "gpus/gb200-4", "power9-lassen", "xeon-t4-g4dn" };

	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++)
		for (uint32_t ranks = 1; ranks <= 32; ranks++) {
			struct sp_policy policy = { .share = ranks % 3 == 0 ? SP_SHARE_ALL : SP_SHARE_EQUAL,
						    .cores = ranks % 5 == 0 ? 2 : 0 };
			struct placed p = place(files[i], &policy, ranks);

			ck_assert_msg(p.cut.foreign == 0, "%s, %u ranks: %u are not", files[i], ranks, p.cut.foreign);
			for (uint32_t rank = 0; rank < ranks; rank++) {
				struct sp_cpus cpus = first_threads(&p, rank);

				ck_assert_uint_ge(sp_cpus_count(&cpus), p.cut.units);
				if (policy.share == SP_SHARE_EQUAL)
					ck_assert_uint_eq(sp_cpus_count(&cpus), p.cut.units);
			}
			release(&p);
		}
}
END_TEST

/* GPUs 0 and 1 of a node of which a cgroup leaves 16 cores, none beside GPU 0. */
START_TEST(a_part_that_may_not_be_used_is_widened)
{
	struct sp_machine *whole = read_machine("epyc-mi250x-tioga"), *machine = machine_without(whole, "0-7,16-55,64-71,80-119");
	struct sp_gpu_list seen[2] = { { .told = SP_GPUS_LISTED, .n = 1, .gpu = { 0 } }, { .told = SP_GPUS_LISTED, .n = 1, .gpu = { 1 } } };
	struct sp_near near[2];
	uint32_t owner[128];
	struct sp_policy policy = { .smt = 0 };
	struct sp_cut cut;
	struct sp_cpus share;
	char list[SP_CPUS_TEXT];

	sp_gpus_place(&machine->gpus, seen, 2, near);
	ck_assert_int_eq(sp_cut_near(machine, &policy, 2, near, owner, &cut), 0);
	sp_cut_share(machine, owner, 0, &share);
	ck_assert_str_eq(sp_cpus_format(&share, list, sizeof(list)), "56-59,120-123");
	sp_cut_share(machine, owner, 1, &share);
	ck_assert_str_eq(sp_cpus_format(&share, list, sizeof(list)), "60-63,124-127");
	ck_assert_uint_eq(cut.units, 4);
	free(machine);
}
END_TEST

/* More than a core each: the devices are left aside where they have room for a few. */
START_TEST(parts_without_a_core_for_each_rank)
{
	struct sp_policy policy = { .smt = 0 };
	struct placed p = place("gpus/epyc-4xh200-nps4", &policy, 64);

	ck_assert_uint_eq(p.cut.units, 1);
	ck_assert_uint_eq(p.cut.foreign, 0);
	release(&p);
}
END_TEST

/* Nothing that depends on the cut's own levels: a rank's part of L3 groups around NUMA nodes. */
START_TEST(ranks_without_a_part_are_cut_as_before)
{
	struct sp_machine *machine = machine_epyc();
	struct sp_near near[RANKS];
	uint32_t *with = calloc(machine->ncpus, sizeof(*with)), *without = calloc(machine->ncpus, sizeof(*without));
	struct sp_policy policy = { .distribution = SP_CYCLIC };

	ck_assert(with && without);
	for (int i = 0; i < RANKS; i++)
		near[i] = (struct sp_near){ SP_ANYWHERE, SP_ANYWHERE, SP_ANYWHERE };
	for (uint32_t ranks = 1; ranks <= RANKS; ranks++) {
		ck_assert_int_eq(sp_cut_near(machine, &policy, ranks, near, with, NULL), 0);
		ck_assert_int_eq(sp_cut(machine, &policy, ranks, without, NULL), 0);
		ck_assert_int_eq(memcmp(with, without, machine->ncpus * sizeof(*with)), 0);
	}
	free(with);
	free(without);
	free(machine);
}
END_TEST

/* One rank has no GPU, and one has two in different NUMA nodes: they take what is left of their parts. */
START_TEST(parts_within_parts)
{
	struct sp_machine *machine = machine_of((struct shape){ .packages = 2, .numas = 2, .cores = 4, .threads = 1 });
	struct sp_near near[] = { { 1, 3, SP_ANYWHERE }, { SP_ANYWHERE, SP_ANYWHERE, SP_ANYWHERE },
				  { 0, SP_ANYWHERE, SP_ANYWHERE }, { 0, 0, SP_ANYWHERE } };
	static const char *const expected[] = { "12-15", "8-11", "4-7", "0-3" };
	struct sp_policy policy = { .smt = 0 };
	uint32_t owner[16];
	struct sp_cut cut;

	ck_assert_int_eq(sp_cut_near(machine, &policy, 4, near, owner, &cut), 0);
	for (uint32_t rank = 0; rank < 4; rank++) {
		struct sp_cpus share;
		char list[SP_CPUS_TEXT];

		sp_cut_share(machine, owner, rank, &share);
		ck_assert_str_eq(sp_cpus_format(&share, list, sizeof(list)), expected[rank]);
	}
	ck_assert_uint_eq(cut.beside, 3);
	free(machine);
}
END_TEST

/* A part of one core, of 4 or of 5 that would be even: that is enough, or it is widened. */
START_TEST(a_quarter_of_an_even_cut_is_enough)
{
	static const char *const first[] = { "0", "0-4" };
	struct sp_near near[] = { { 0, 0, 0 }, { 0, 0, 1 } };
	struct sp_policy policy = { .smt = 0 };

	for (uint32_t fair = 4; fair <= 5; fair++) {
		struct sp_machine *machine = machine_uniform(2 * fair, 1);
		uint32_t owner[10];
		struct sp_cpus share;
		char list[SP_CPUS_TEXT];

		for (uint32_t i = 1; i < machine->ncpus; i++)
			machine->pu[i].l3 = 1;
		ck_assert_int_eq(sp_cut_near(machine, &policy, 2, near, owner, NULL), 0);
		sp_cut_share(machine, owner, 0, &share);
		ck_assert_str_eq(sp_cpus_format(&share, list, sizeof(list)), first[fair - 4]);
		free(machine);
	}
}
END_TEST

/* A part around some CPU of the machine, or one that is nowhere. */
static struct sp_near
random_near(const struct sp_machine *machine)
{
	const struct sp_pu *pu = &machine->pu[random_below(machine->ncpus)];
	struct sp_near near = { pu->package, pu->numa, pu->l3 };
	uint32_t known = random_below(5);

	if (known < 3)
		near.l3 = SP_ANYWHERE;
	if (known < 2)
		near.numa = SP_ANYWHERE;
	if (known < 1)
		near.package = SP_ANYWHERE;
	if (known == 4)
		near.l3 = 9999;
	return near;
}

/* Whatever the parts are: whole cores, a rank a core, and with SP_SHARE_EQUAL as many for each. */
START_TEST(random_parts)
{
	for (int i = 0; i < CASES / 10; i++) {
		random_start(random_seed(), i);
		struct sp_machine *machine = random_machine();
		struct sp_policy policy = random_policy(machine);
		uint32_t ranks = 1 + random_below(12), *owner = calloc(machine->ncpus + 1, sizeof(*owner));
		struct sp_near near[12];
		struct sp_cut cut;

		ck_assert_ptr_nonnull(owner);
		for (uint32_t r = 0; machine->ncpus && r < ranks; r++)
			near[r] = random_near(machine);
		if (machine->ncpus && sp_cut_near(machine, &policy, ranks, near, owner, &cut) == 0 && !cut.by_cpu) {
			uint32_t cores[12] = { 0 }, core = UINT32_MAX, last = 0;

			for (uint32_t c = 0; c < machine->ncpus; c++) {
				if (owner[c] == SP_NOBODY)
					continue;
				ck_assert_msg(owner[c] < ranks, "case %d", i);
				ck_assert_msg(machine->pu[c].core != core || owner[c] == last, "case %d: a core is split", i);
				cores[owner[c]] += machine->pu[c].core != core;
				core = machine->pu[c].core;
				last = owner[c];
			}
			for (uint32_t r = 0; r < ranks; r++)
				ck_assert_msg(cores[r] >= cut.units && cores[r] > 0 &&
					      (policy.share == SP_SHARE_ALL || cores[r] == cut.units), "case %d, rank %u", i, r);
			ck_assert_uint_le(cut.beside + cut.foreign, ranks);
		}
		free(owner);
		free(machine);
	}
}
END_TEST

START_TEST(partitions_and_tiles_are_counted)
{
	struct sp_machine *cpx = read_machine("gpus/mi300a-cpx"), *aurora = read_machine("gpus/aurora-6xpvc");

	ck_assert_str_eq(cpx->gpus.gpu[0].address, cpx->gpus.gpu[5].address);
	ck_assert_str_ne(cpx->gpus.gpu[5].address, cpx->gpus.gpu[6].address);
	ck_assert_uint_eq(aurora->gpus.gpu[5].tiles, 2);
	ck_assert_uint_eq(aurora->gpus.gpu[5].vendor, SP_INTEL);
	free(cpx);
	free(aurora);
}
END_TEST

#define COUNT(array) ((int)(sizeof(array) / sizeof((array)[0])))

Suite *
suite_gpu_machines(void)
{
	Suite *suite = suite_create("gpu machines");
	TCase *facts = tcase_create("facts");

	tcase_add_loop_test(facts, ranks_are_as_the_guide_has_them, 0, COUNT(guide));
	tcase_add_loop_test(facts, wrong_maps_are_not_given, 0, COUNT(wrong));
	tcase_add_test(facts, a_gpu_for_each_rank);
	tcase_add_test(facts, every_number_of_ranks_is_beside_its_gpus);
	tcase_add_test(facts, a_part_that_may_not_be_used_is_widened);
	tcase_add_test(facts, parts_without_a_core_for_each_rank);
	tcase_add_test(facts, ranks_without_a_part_are_cut_as_before);
	tcase_add_test(facts, parts_within_parts);
	tcase_add_test(facts, a_quarter_of_an_even_cut_is_enough);
	tcase_add_test(facts, random_parts);
	tcase_add_test(facts, partitions_and_tiles_are_counted);
	tcase_set_timeout(facts, 120);
	suite_add_tcase(suite, facts);
	return suite;
}
