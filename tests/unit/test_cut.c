/* Shares, on invented machines; and what holds for every cut, on random ones. */
#include "suites.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cut/cut.h"
#include "cut/explain.h"
#include "cuts.h"
#include "machines.h"

static const struct sp_policy block = { .share = SP_SHARE_EQUAL };

/* A machine that has been cut. */
struct result {
	struct sp_machine *machine;
	struct sp_policy policy;
	uint32_t nranks;
	uint32_t *owner;
	struct sp_cut cut;
};

static void
expect(struct sp_machine *machine, const struct sp_policy *policy, uint32_t nranks, int rc)
{
	uint32_t *owner = malloc((machine->ncpus + 1) * sizeof(*owner));

	ck_assert_ptr_nonnull(owner);
	ck_assert_int_eq(sp_cut(machine, policy, nranks, owner, NULL), rc);
	free(owner);
	free(machine);
}

/* Takes the machine over. */
static struct result
cut(struct sp_machine *machine, const struct sp_policy *policy, uint32_t nranks)
{
	struct result r = { .machine = machine, .policy = *policy, .nranks = nranks };

	r.owner = malloc((machine->ncpus + 1) * sizeof(*r.owner));
	ck_assert_ptr_nonnull(r.owner);
	ck_assert_int_eq(sp_cut(machine, policy, nranks, r.owner, &r.cut), 0);
	return r;
}

static void
release(struct result *r)
{
	free(r->owner);
	free(r->machine);
}

static struct sp_cpus
share_of(const struct result *r, uint32_t rank)
{
	struct sp_cpus share;

	sp_cut_share(r->machine, r->owner, rank, &share);
	return share;
}

static const char *
list_of(const struct result *r, uint32_t rank)
{
	static char text[SP_CPUS_TEXT];
	struct sp_cpus share = share_of(r, rank);

	return sp_cpus_format(&share, text, sizeof(text));
}

static uint32_t
cores_of(const struct result *r, uint32_t rank)
{
	uint32_t cores = 0, last = UINT32_MAX;

	for (uint32_t i = 0; i < r->machine->ncpus; i++) {
		if (r->owner[i] != rank || r->machine->pu[i].core == last)
			continue;
		last = r->machine->pu[i].core;
		cores++;
	}
	return cores;
}

static uint32_t
cores_in_node(const struct result *r, uint32_t rank, uint32_t node)
{
	uint32_t cores = 0, last = UINT32_MAX;

	for (uint32_t i = 0; i < r->machine->ncpus; i++) {
		const struct sp_pu *pu = &r->machine->pu[i];

		if (r->owner[i] != rank || pu->numa != node || pu->core == last)
			continue;
		last = pu->core;
		cores++;
	}
	return cores;
}

static void
expect_figures(const struct result *r, uint32_t units, uint32_t fair, uint32_t idle, uint32_t crossing)
{
	ck_assert_uint_eq(r->cut.units, units);
	ck_assert_uint_eq(r->cut.fair, fair);
	ck_assert_uint_eq(r->cut.idle, idle);
	ck_assert_uint_eq(r->cut.crossing, crossing);
}

/* All ranks have the same number of cores, none of them shared. */
static void
expect_equal_cores(const struct result *r, uint32_t cores)
{
	ck_assert_uint_eq(r->cut.units, cores);
	ck_assert(!r->cut.by_cpu);
	ck_assert_uint_eq(r->cut.crowd.cores, 0);
	ck_assert_uint_eq(r->cut.dealt.objects, 0);
	for (uint32_t rank = 0; rank < r->nranks; rank++)
		ck_assert_uint_eq(cores_of(r, rank), cores);
}

/* Knights Landing. */

START_TEST(knl_two_ranks_have_34_cores_each)
{
	struct result r = cut(machine_knl(), &block, 2);

	expect_figures(&r, 34, 34, 0, 0);
	ck_assert_str_eq(list_of(&r, 0), "0-33,68-101,136-169,204-237");
	ck_assert_str_eq(list_of(&r, 1), "34-67,102-135,170-203,238-271");

	/* 0x00000003ffffffff in each block of 68 bits */
	struct sp_cpus share = share_of(&r, 0);

	for (uint32_t cpu = 0; cpu < 272; cpu++)
		ck_assert_int_eq(sp_cpus_has(&share, cpu), cpu % 68 < 64 && (0x00000003ffffffffULL >> cpu % 68 & 1));
	release(&r);
}
END_TEST

START_TEST(knl_four_ranks_have_17_cores_each)
{
	struct result r = cut(machine_knl(), &block, 4);

	expect_equal_cores(&r, 17);
	expect_figures(&r, 17, 17, 0, 0);
	ck_assert_str_eq(list_of(&r, 1), "17-33,85-101,153-169,221-237");
	release(&r);
}
END_TEST

START_TEST(knl_eight_ranks_leave_four_cores_free)
{
	struct result r = cut(machine_knl(), &block, 8);

	expect_equal_cores(&r, 8);
	expect_figures(&r, 8, 8, 4, 0);
	ck_assert_str_eq(list_of(&r, 7), "56-63,124-131,192-199,260-267");
	release(&r);
}
END_TEST

/* 22 cores each need not split a tile; 13 each do, but as few as can be. */
START_TEST(knl_tiles_are_split_only_for_more_cores)
{
	struct result three = cut(machine_knl(), &block, 3), five = cut(machine_knl(), &block, 5);

	expect_equal_cores(&three, 22);
	ck_assert_str_eq(list_of(&three, 1), "22-43,90-111,158-179,226-247");
	expect_equal_cores(&five, 13);
	ck_assert_str_eq(list_of(&five, 1), "14-26,82-94,150-162,218-230");
	ck_assert_str_eq(list_of(&five, 4), "55-67,123-135,191-203,259-271");
	release(&three);
	release(&five);
}
END_TEST

/* 40 ranks of 34 tiles: 28 have a tile alone, the others share one. */
START_TEST(knl_spare_cores_buy_tiles)
{
	struct result r = cut(machine_knl(), &block, 40);

	expect_equal_cores(&r, 1);
	expect_figures(&r, 1, 1, 28, 0);
	ck_assert_str_eq(list_of(&r, 27), "54,122,190,258");
	ck_assert_str_eq(list_of(&r, 28), "56,124,192,260");
	ck_assert_str_eq(list_of(&r, 29), "57,125,193,261");
	release(&r);
}
END_TEST

START_TEST(snc4_four_ranks_have_a_quadrant_each)
{
	struct result r = cut(machine_knl_snc4(), &block, 4);

	expect_equal_cores(&r, 16);
	expect_figures(&r, 16, 17, 4, 0);
	for (uint32_t rank = 0; rank < 4; rank++)
		ck_assert_uint_eq(cores_in_node(&r, rank, rank), 16);
	ck_assert_str_eq(list_of(&r, 0), "0-15,68-83,136-151,204-219");
	ck_assert_str_eq(list_of(&r, 2), "36-51,104-119,172-187,240-255");
	release(&r);
}
END_TEST

START_TEST(snc4_two_ranks_have_two_quadrants_each)
{
	struct result r = cut(machine_knl_snc4(), &block, 2);

	expect_equal_cores(&r, 32);
	expect_figures(&r, 32, 34, 4, 0);
	for (uint32_t node = 0; node < 4; node++)
		ck_assert_uint_eq(cores_in_node(&r, node / 2, node), 16);
	ck_assert_str_eq(list_of(&r, 0), "0-15,18-33,68-83,86-101,136-151,154-169,204-219,222-237");
	release(&r);
}
END_TEST

/* A quadrant each would cost more than an eighth of 22 cores. */
START_TEST(snc4_three_ranks_cross)
{
	struct result r = cut(machine_knl_snc4(), &block, 3);

	expect_equal_cores(&r, 22);
	expect_figures(&r, 22, 22, 2, 0);	/* 22 fit in no quadrant */
	release(&r);
}
END_TEST

START_TEST(snc4_all_keeps_the_quadrants)
{
	struct sp_policy all = { .share = SP_SHARE_ALL };
	struct result r = cut(machine_knl_snc4(), &all, 4);

	expect_figures(&r, 16, 17, 0, 0);
	ck_assert_uint_eq(cores_in_node(&r, 0, 0), 18);
	ck_assert_uint_eq(cores_in_node(&r, 3, 3), 16);
	release(&r);
}
END_TEST

/* Two packages. */

static struct sp_machine *
machine_two_packages(uint32_t cores, uint32_t threads)
{
	return machine_of((struct shape){ .packages = 2, .l2s = cores, .threads = threads });
}

START_TEST(three_ranks_on_two_packages_cross)
{
	struct result r = cut(machine_two_packages(28, 2), &block, 3);

	expect_equal_cores(&r, 18);
	expect_figures(&r, 18, 18, 2, 1);
	ck_assert_str_eq(list_of(&r, 0), "0-17,56-73");
	ck_assert_str_eq(list_of(&r, 1), "18-35,74-91");
	ck_assert_str_eq(list_of(&r, 2), "36-53,92-109");
	release(&r);
}
END_TEST

START_TEST(four_ranks_on_two_packages_do_not)
{
	struct result r = cut(machine_two_packages(10, 1), &block, 4);

	expect_equal_cores(&r, 5);
	expect_figures(&r, 5, 5, 0, 0);
	ck_assert_str_eq(list_of(&r, 1), "5-9");
	ck_assert_str_eq(list_of(&r, 2), "10-14");
	release(&r);
}
END_TEST

/* 9 cores each for 7 ranks on 64: 8 is within an eighth, 4 and 3 ranks a package. */
START_TEST(an_eighth_is_given_for_a_boundary)
{
	struct result r = cut(machine_two_packages(32, 1), &block, 7);

	expect_equal_cores(&r, 8);
	expect_figures(&r, 8, 9, 8, 0);
	release(&r);
}
END_TEST

START_TEST(one_rank_has_everything)
{
	struct result r = cut(machine_without(machine_two_packages(16, 1), "18-31"), &block, 1);

	expect_figures(&r, 18, 18, 0, 0);
	ck_assert_str_eq(list_of(&r, 0), "0-17");
	release(&r);
}
END_TEST

/* Other machines. */

static const struct {
	uint32_t ranks, cores, idle, crossing;
} epyc[] = {
	{ 1, 64, 0, 0 }, { 2, 32, 0, 0 }, { 4, 16, 0, 0 }, { 8, 8, 0, 0 },
	{ 16, 4, 0, 0 }, { 32, 2, 0, 0 }, { 64, 1, 0, 0 },
	{ 3, 20, 4, 0 },	/* 21 would split L3 groups */
	{ 5, 12, 4, 0 },	/* of 3 L3 groups each */
	{ 6, 10, 4, 0 },	/* 8 would cost too much, and 10 fit in no node */
	{ 12, 5, 4, 4 },
	{ 15, 4, 4, 0 },
	{ 24, 2, 16, 0 },
};

START_TEST(epyc_groups_are_respected)
{
	struct result r = cut(machine_epyc(), &block, epyc[_i].ranks);

	expect_equal_cores(&r, epyc[_i].cores);
	ck_assert_uint_eq(r.cut.idle, epyc[_i].idle);
	ck_assert_uint_eq(r.cut.crossing, epyc[_i].crossing);
	release(&r);
}
END_TEST

START_TEST(epyc_three_ranks_have_whole_l3_groups)
{
	struct result r = cut(machine_epyc(), &block, 3);
	uint32_t owner[16];

	memset(owner, 0xff, sizeof(owner));
	for (uint32_t i = 0; i < r.machine->ncpus; i++) {
		uint32_t l3 = r.machine->pu[i].l3;

		if (r.owner[i] == SP_NOBODY)
			continue;
		ck_assert(owner[l3] == SP_NOBODY || owner[l3] == r.owner[i]);
		owner[l3] = r.owner[i];
	}
	release(&r);
}
END_TEST

START_TEST(power9_numbers_have_gaps)
{
	struct result r = cut(machine_power9(), &block, 4);

	expect_equal_cores(&r, 10);
	expect_figures(&r, 10, 10, 0, 0);
	ck_assert_str_eq(list_of(&r, 0), "0-19,24-43");
	ck_assert_uint_eq(cores_in_node(&r, 1, 0), 10);
	ck_assert_uint_eq(cores_in_node(&r, 2, 8), 10);
	release(&r);
}
END_TEST

START_TEST(a64fx_ranks_stay_in_their_node)
{
	struct result four = cut(machine_a64fx(), &block, 4), five = cut(machine_a64fx(), &block, 5);

	expect_equal_cores(&four, 12);
	ck_assert_str_eq(list_of(&four, 2), "24-35");
	expect_equal_cores(&five, 9);
	ck_assert_uint_gt(five.cut.crossing, 0);
	release(&four);
	release(&five);
}
END_TEST

/* L3 groups around the NUMA nodes. */
START_TEST(snc_on_xeon_is_respected)
{
	struct shape shape = {
		.packages = 2, .numas = 2, .l2s = 12, .threads = 2, .l3 = L3_OVER_NUMA };
	struct result four = cut(machine_of(shape), &block, 4), two = cut(machine_of(shape), &block, 2);
	struct result six = cut(machine_of(shape), &block, 6);

	for (uint32_t rank = 0; rank < 4; rank++)
		ck_assert_uint_eq(cores_in_node(&four, rank, rank), 12);
	expect_equal_cores(&two, 24);
	expect_figures(&two, 24, 24, 0, 0);
	/* 3 ranks a package, 12 + 12 cores: 6 each would cost too much, 8 each cross inside the package */
	expect_equal_cores(&six, 8);
	expect_figures(&six, 8, 8, 0, 2);
	ck_assert_uint_eq(cores_in_node(&six, 1, 0), 4);
	ck_assert_uint_eq(cores_in_node(&six, 1, 1), 4);
	release(&four);
	release(&two);
	release(&six);
}
END_TEST

START_TEST(hybrid_cores_count_alike)
{
	struct result r = cut(machine_hybrid(), &block, 3);

	expect_equal_cores(&r, 4);
	ck_assert_str_eq(list_of(&r, 0), "0-7");
	ck_assert_str_eq(list_of(&r, 1), "8-11");
	release(&r);
}
END_TEST

/* 4 fast cores and 8 slow ones, 5 ranks: slow cores alone would be enough, and fast ones idle then. */
static const struct {
	bool is_interleaved;	/* fast cores are 8 to 11 */
	uint32_t need, cores;	/* of each rank; policy.cores */
	const char *lists;
	uint32_t idle;
} fast_first[] = {
	{ false, 0, 0, "0-3 4-7 8-9 10-11 12-13", 2 }, { false, 1, 0, "0-1 2-3 4-5 6-7 8", 7 }, { false, 2, 0, "0-3 4-7 8-9 10-11 12-13", 2 },
	{ false, 0, 1, "0-1 2-3 4-5 6-7 8", 7 }, { true, 1, 0, "0 8 9 10 11", 7 }, { true, 0, 0, "0-1 2-3 4-5 8-9 10-11", 2 },
};

START_TEST(fast_cores_first)
{
	struct sp_machine *machine = fast_first[_i].is_interleaved ? machine_uniform(12, 1) : machine_hybrid();
	uint32_t need[5], owner[16];
	struct sp_policy policy = { .cores = fast_first[_i].cores };
	struct sp_cut figures;
	char lists[128] = "", list[32];

	for (uint32_t i = 0; i < machine->ncpus; i++)
		machine->pu[i].kind = fast_first[_i].is_interleaved ? i >= 8 : machine->pu[i].core < 4;
	for (uint32_t rank = 0; rank < 5; rank++)
		need[rank] = fast_first[_i].need;
	ck_assert_int_eq(sp_cut_by_need(machine, &policy, 5, &(struct sp_demand){ .need = need }, owner, &figures), 0);
	for (uint32_t rank = 0; rank < 5; rank++) {
		struct sp_cpus share;

		sp_cut_share(machine, owner, rank, &share);
		snprintf(lists + strlen(lists), sizeof(lists) - strlen(lists), "%s%s", rank ? " " : "", sp_cpus_format(&share, list, sizeof(list)));
	}
	ck_assert_str_eq(lists, fast_first[_i].lists);
	ck_assert_uint_eq(figures.idle, fast_first[_i].idle);
	ck_assert_uint_eq(figures.fair, figures.units);
	ck_assert(figures.all_kinds);

	char sentence[SP_TEXT_MAX];

	ck_assert_ptr_nonnull(strstr(sp_explain_cut(machine, &policy, 5, &figures, sentence, sizeof(sentence)),
				     "; too few cores are fast for all, so fast ones are used first, then slow ones (SPLITPIN_KINDS=auto)"));
	ck_assert_ptr_null(strstr(sentence, "even cut"));
	ck_assert_ptr_null(strstr(sentence, "separately"));
	free(machine);
}
END_TEST

/* Each kind is dealt evenly: no boundary has cost a core. */
START_TEST(what_two_kinds_leave_over)
{
	struct sp_machine *machine = machine_hybrid();
	uint32_t owner[16];
	struct sp_cut figures;

	for (uint32_t i = 0; i < machine->ncpus; i++)
		machine->pu[i].kind = machine->pu[i].core < 6;
	ck_assert_int_eq(sp_cut(machine, &block, 4, owner, &figures), 0);
	ck_assert_uint_eq(figures.units, 2);
	ck_assert_uint_eq(figures.fair, 2);
	ck_assert_uint_eq(figures.idle, 4);
	ck_assert(!figures.all_kinds);
	free(machine);
}
END_TEST

/* The smallest share is what one rank has, not each kind's smallest part added up. */
START_TEST(all_cores_of_two_kinds)
{
	static const struct sp_policy all = { .share = SP_SHARE_ALL };

	struct sp_machine *machine = machine_of((struct shape){ .numas = 4, .l3s = 4, .l2s = 3, .threads = 4 });
	uint32_t fewest = UINT32_MAX;

	for (uint32_t i = 0; i < machine->ncpus; i++)
		machine->pu[i].kind = machine->pu[i].core % 2;

	struct result r = cut(machine, &all, 3);

	for (uint32_t rank = 0; rank < 3; rank++)
		fewest = cores_of(&r, rank) < fewest ? cores_of(&r, rank) : fewest;
	ck_assert_uint_eq(r.cut.units, fewest);
	release(&r);
}
END_TEST

/* The last kinds and speeds are one then. */
START_TEST(more_kinds_than_are_told_apart)
{
	static const struct sp_policy policies[] = {
		{ .kinds = SP_KINDS_ALL }, { .kinds = SP_KINDS_AUTO }, { .kinds = SP_KINDS_PERFORMANCE }, { .kinds = SP_KINDS_EFFICIENCY },
	};
	static const uint32_t numbers[] = { 4, 8, 32, 33, 100 };

	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
		struct sp_machine *machine = machine_uniform(4, 1);

		for (uint32_t j = 2; j < 4; j++)
			machine->pu[j].kind = machine->pu[j].speed = numbers[i];
		struct result r = cut(machine, &policies[_i], 2);
		ck_assert_str_eq(list_of(&r, 0), _i == 0 ? "0-1" : _i == 1 ? "0,2" : _i == 2 ? "2" : "0");
		ck_assert_str_eq(list_of(&r, 1), _i == 0 ? "2-3" : _i == 1 ? "1,3" : _i == 2 ? "3" : "1");
		release(&r);
	}
}
END_TEST

/* 4 fast cores of 2 threads, 8 slow ones. */
START_TEST(cores_asked_for_are_the_fast_ones_first)
{
	static const struct { uint32_t cores, nranks; const char *first; } cases[] = {
		{ 1, 2, "0-1" }, { 2, 2, "0-3" }, { 3, 2, "0-3,8" }, { 4, 1, "0-7" }, { 5, 1, "0-8" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct sp_policy policy = { .cores = cases[i].cores };
		struct sp_machine *machine = machine_hybrid();

		for (uint32_t j = 0; j < machine->ncpus; j++)
			machine->pu[j].kind = machine->pu[j].cpu < 8;
		struct result r = cut(machine, &policy, cases[i].nranks);
		ck_assert_uint_eq(r.cut.units, cases[i].cores);
		ck_assert_uint_eq(cores_of(&r, 0), cases[i].cores);
		ck_assert_str_eq(list_of(&r, 0), cases[i].first);
		release(&r);
	}
}
END_TEST

/* Of two NUMA nodes with as many devices the first is dealt first. */
START_TEST(the_first_of_nodes_that_are_alike)
{
	struct sp_policy policy = { .devices = SP_DEVICES_GPU };
	struct sp_machine *machine = machine_of((struct shape){ .numas = 2, .cores = 4 });

	for (uint32_t i = 0; i < machine->ncpus; i++)
		machine->pu[i].devices = 2;
	struct result r = cut(machine, &policy, 1);
	struct sp_cpus share = share_of(&r, 0);

	ck_assert_uint_eq(sp_cpus_next(&share, 0), 0);
	release(&r);
}
END_TEST

/* Odd allowed sets. */

START_TEST(a_core_with_a_thread_missing_is_a_core)
{
	struct result r = cut(machine_without(machine_uniform(8, 2), "3,9"), &block, 4);

	expect_equal_cores(&r, 2);
	ck_assert_str_eq(list_of(&r, 0), "0-1,8");
	ck_assert_str_eq(list_of(&r, 1), "2,10-11");
	release(&r);
}
END_TEST

/* 6 of 10 and 10 of 10 cores: 2 and 3 ranks of 3. */
START_TEST(packages_of_different_size_get_ranks_by_size)
{
	struct result r = cut(machine_without(machine_two_packages(10, 1), "1-4"), &block, 5);

	expect_equal_cores(&r, 3);
	expect_figures(&r, 3, 3, 1, 0);
	ck_assert_str_eq(list_of(&r, 0), "0,5-6");
	ck_assert_str_eq(list_of(&r, 1), "7-9");
	ck_assert_str_eq(list_of(&r, 2), "10-12");
	release(&r);
}
END_TEST

START_TEST(a_package_too_small_gets_no_rank)
{
	struct result r = cut(machine_without(machine_two_packages(16, 1), "17-31"), &block, 2);

	expect_equal_cores(&r, 8);
	expect_figures(&r, 8, 8, 1, 0);
	ck_assert_str_eq(list_of(&r, 1), "8-15");
	release(&r);
}
END_TEST

/*
 * 5 nodes of 15 cores in one package and 13 of 8 in the other, 18 ranks of 8:
 * by size the first package would get 7 ranks, but only 5 fit its nodes.
 */
START_TEST(ranks_go_where_they_fit)
{
	struct sp_machine *machine = machine_uniform(5 * 15 + 13 * 8, 1);

	for (uint32_t i = 0; i < machine->ncpus; i++) {
		struct sp_pu *pu = &machine->pu[i];

		pu->package = i >= 75;
		pu->numa = i < 75 ? i / 15 : 5 + (i - 75) / 8;
		pu->l3 = pu->numa;
	}

	struct result r = cut(machine, &block, 18);

	expect_equal_cores(&r, 8);
	expect_figures(&r, 8, 9, 35, 0);
	release(&r);
}
END_TEST

START_TEST(ranks_left_over_go_to_the_first_groups)
{
	struct result r = cut(machine_of((struct shape){ .numas = 8, .l2s = 4 }), &block, 11);

	expect_equal_cores(&r, 2);
	expect_figures(&r, 2, 2, 10, 0);
	ck_assert_str_eq(list_of(&r, 5), "10-11");
	ck_assert_str_eq(list_of(&r, 6), "12-13");
	ck_assert_str_eq(list_of(&r, 10), "28-29");
	release(&r);
}
END_TEST

/* NUMA nodes of 13, 13, 11 and 11 cores, in pairs inside an L3 group each. */
START_TEST(levels_go_by_size_not_by_name)
{
	struct sp_machine *machine = machine_uniform(48, 1);

	for (uint32_t i = 0; i < machine->ncpus; i++) {
		machine->pu[i].numa = i < 26 ? i / 13 : 2 + (i - 26) / 11;
		machine->pu[i].l3 = i >= 26;
	}

	struct result r = cut(machine, &block, 6);

	/* 7 of 8 each, three ranks an L3 group; the nodes would cost more */
	expect_equal_cores(&r, 7);
	ck_assert_str_eq(list_of(&r, 2), "14-20");
	ck_assert_str_eq(list_of(&r, 3), "26-32");
	release(&r);
}
END_TEST

/* NUMA nodes of 3, 2, 2 and 2 cores: two of three ranks lie in two of these, and would fit in the first. */
START_TEST(crossing_is_told_of_shares_that_fit_in_any_node)
{
	struct sp_machine *machine = machine_uniform(9, 1);

	for (uint32_t i = 3; i < machine->ncpus; i++)
		machine->pu[i].numa = (i - 1) / 2;

	struct result r = cut(machine, &block, 3);

	expect_equal_cores(&r, 3);
	ck_assert_uint_eq(r.cut.crossing, 2);
	release(&r);
}
END_TEST

/* As in virtual machines, where each core is a package; NUMA nodes have 9 and 7 of them. */
START_TEST(packages_may_lie_inside_of_nodes)
{
	struct sp_machine *machine = machine_uniform(16, 1);

	for (uint32_t i = 0; i < machine->ncpus; i++) {
		machine->pu[i].package = machine->pu[i].l3 = i;
		machine->pu[i].numa = i >= 9;
	}

	struct result r = cut(machine, &block, 2);

	expect_equal_cores(&r, 7);
	ck_assert_str_eq(list_of(&r, 0), "0-6");
	ck_assert_str_eq(list_of(&r, 1), "9-15");
	release(&r);
}
END_TEST

/* Quadrants of 16, 18, 16 and 16 cores; the tile too many comes from the second. */
START_TEST(tiles_too_many_come_from_the_larger_part)
{
	struct result r = cut(machine_without(machine_knl_snc4(), "0-1,68-69,136-137,204-205"), &block, 2);

	expect_equal_cores(&r, 32);
	ck_assert_uint_eq(cores_in_node(&r, 0, 0), 16);
	ck_assert_uint_eq(cores_in_node(&r, 0, 1), 16);
	release(&r);
}
END_TEST

/* Nodes of 12, 12, 12 and 10 cores, each with one L2 cache. */
START_TEST(cores_too_many_come_from_all_parts)
{
	struct result r = cut(machine_without(machine_a64fx(), "46-47"), &block, 2);

	expect_equal_cores(&r, 22);
	ck_assert_str_eq(list_of(&r, 0), "0-10,12-22");
	ck_assert_str_eq(list_of(&r, 1), "24-45");
	release(&r);
}
END_TEST

START_TEST(more_ranks_than_cpus_is_an_error)
{
	struct sp_policy half = { .smt = 1 }, none = { .reserve = 8 };

	expect(machine_uniform(4, 2), &block, 9, -ENOSPC);
	expect(machine_uniform(4, 2), &half, 5, -ENOSPC);
	expect(machine_uniform(4, 2), &none, 1, -ENOSPC);
	expect(machine_uniform(4, 2), &block, UINT32_MAX, -ENOSPC);
	expect(machine_without(machine_uniform(4, 2), "0-7"), &block, 1, -ENOSPC);
	expect(machine_uniform(4, 2), &block, 0, -EINVAL);
	expect(machine_uniform(4, 2), &block, 8, 0);
}
END_TEST

START_TEST(figures_stay_where_nothing_was_cut)
{
	static const struct sp_policy policies[] = {
		{ .share = SP_SHARE_EQUAL }, { .domain = SP_DOMAIN_CORE }, { .domain = SP_DOMAIN_LISTS, .lists = "0-7" },
	};
	struct sp_machine *machine = machine_uniform(4, 2);
	struct sp_cut figures = { .units = 77, .idle = 78 };
	uint32_t owner[8];

	ck_assert_int_eq(sp_cut(machine, &policies[_i], 9, owner, &figures), -ENOSPC);
	ck_assert_uint_eq(figures.units, 77);
	ck_assert_uint_eq(figures.idle, 78);
	free(machine);
}
END_TEST

/* Policies. */

START_TEST(cyclic_deals_round_the_nodes)
{
	struct sp_policy cyclic = { .distribution = SP_CYCLIC };
	struct result r = cut(machine_a64fx(), &cyclic, 8);

	expect_equal_cores(&r, 6);
	for (uint32_t rank = 0; rank < 8; rank++)
		ck_assert_uint_eq(cores_in_node(&r, rank, rank % 4), 6);
	ck_assert_str_eq(list_of(&r, 0), "0-5");
	ck_assert_str_eq(list_of(&r, 4), "6-11");
	release(&r);
}
END_TEST

/* Nodes with 2 and 3 ranks. */
/* A machine whose fields have numbers that no sentinel of the code may be taken for: a node without a number, in hwloc. */
START_TEST(highest_numbers_are_names_like_others)
{
	struct sp_policy policies[] = { { .distribution = SP_CYCLIC }, { .share = SP_SHARE_ALL }, { .kinds = SP_KINDS_PERFORMANCE } };
	struct sp_machine *machine = machine_uniform(4, 2);

	for (uint32_t i = 0; i < machine->ncpus; i++) {
		struct sp_pu *pu = &machine->pu[i];

		pu->package = pu->numa = pu->memory = pu->hbm = pu->l3 = pu->l2 = pu->kind = pu->speed = pu->devices = UINT32_MAX;
		pu->core = UINT32_MAX - pu->core;
	}

	struct result r = cut(machine, &policies[_i], 2);

	ck_assert_str_eq(list_of(&r, 0), "0-1,4-5");
	ck_assert_str_eq(list_of(&r, 1), "2-3,6-7");
	release(&r);
}
END_TEST

START_TEST(cyclic_passes_by_nodes_without_more_ranks)
{
	struct sp_policy cyclic = { .distribution = SP_CYCLIC };
	struct result r = cut(machine_without(machine_two_packages(10, 1), "1-4"), &cyclic, 5);

	ck_assert_str_eq(list_of(&r, 0), "0,5-6");
	ck_assert_str_eq(list_of(&r, 1), "10-12");
	ck_assert_str_eq(list_of(&r, 2), "7-9");
	ck_assert_str_eq(list_of(&r, 3), "13-15");
	ck_assert_str_eq(list_of(&r, 4), "16-18");
	release(&r);
}
END_TEST

START_TEST(smt_uses_the_first_threads_of_a_core)
{
	struct sp_policy smt = { .smt = 2 };
	struct result r = cut(machine_knl(), &smt, 4);

	expect_equal_cores(&r, 17);
	ck_assert_str_eq(list_of(&r, 0), "0-16,68-84");
	release(&r);
}
END_TEST

START_TEST(smt_beyond_the_machine_is_all)
{
	struct sp_policy smt = { .smt = 9 };
	struct result r = cut(machine_uniform(4, 2), &smt, 2);

	ck_assert_str_eq(list_of(&r, 0), "0-1,4-5");
	release(&r);
}
END_TEST

START_TEST(reserve_keeps_the_first_cores_of_each_node)
{
	struct sp_policy reserve = { .reserve = 2 };
	struct result r = cut(machine_a64fx(), &reserve, 4);

	expect_equal_cores(&r, 10);
	expect_figures(&r, 10, 10, 0, 0);
	ck_assert_str_eq(list_of(&r, 0), "2-11");
	ck_assert_str_eq(list_of(&r, 3), "38-47");
	release(&r);
}
END_TEST

START_TEST(reserved_cpus_are_left_out)
{
	struct sp_policy reserved = { .reserved = cpus_of_list("0-1,4,100") };
	struct result r = cut(machine_uniform(4, 2), &reserved, 3);

	/* core 0 is gone, core 1 has one thread left */
	expect_equal_cores(&r, 1);
	expect_figures(&r, 1, 1, 0, 0);
	ck_assert_str_eq(list_of(&r, 0), "5");
	ck_assert_str_eq(list_of(&r, 1), "2,6");
	release(&r);
}
END_TEST

START_TEST(cores_are_spread_over_the_part)
{
	struct sp_policy cores = { .cores = 4 };
	struct result r = cut(machine_knl(), &cores, 2);

	expect_equal_cores(&r, 4);
	expect_figures(&r, 4, 34, 60, 0);
	ck_assert_str_eq(list_of(&r, 0), "0,8,17,25,68,76,85,93,136,144,153,161,204,212,221,229");
	ck_assert_str_eq(list_of(&r, 1), "34,42,51,59,102,110,119,127,170,178,187,195,238,246,255,263");
	release(&r);
}
END_TEST

START_TEST(more_cores_than_there_are_is_all)
{
	struct sp_policy cores = { .cores = 5 };
	struct result r = cut(machine_uniform(8, 1), &cores, 2);

	expect_equal_cores(&r, 4);
	release(&r);
}
END_TEST

START_TEST(all_deals_the_rest_out)
{
	struct sp_policy all = { .share = SP_SHARE_ALL };
	struct result r = cut(machine_uniform(10, 1), &all, 4);
	uint32_t cores = 0;

	expect_figures(&r, 2, 2, 0, 0);
	for (uint32_t rank = 0; rank < 4; rank++) {
		ck_assert_uint_ge(cores_of(&r, rank), 2);
		ck_assert_uint_le(cores_of(&r, rank), 3);
		cores += cores_of(&r, rank);
	}
	ck_assert_uint_eq(cores, 10);
	release(&r);
}
END_TEST

/* An uneven tile each is better than a split one: 8 cores is what the smallest share has anyway. */
START_TEST(all_keeps_tiles_whole)
{
	struct sp_policy all = { .share = SP_SHARE_ALL };
	struct result r = cut(machine_knl(), &all, 8);

	expect_figures(&r, 8, 8, 0, 0);
	for (uint32_t rank = 0; rank < 8; rank++) {
		ck_assert_uint_eq(cores_of(&r, rank) % 2, 0);
		ck_assert_uint_le(cores_of(&r, rank), 10);
	}
	release(&r);
}
END_TEST

/* 16 tiles of 4 for 5 ranks: boundaries as near to 12.8, 25.6, ... as tiles allow. */
START_TEST(all_is_as_even_as_tiles_allow)
{
	struct sp_policy all = { .share = SP_SHARE_ALL };
	struct result r = cut(machine_of((struct shape){ .l2s = 16, .cores = 4, .l3 = L3_ABSENT }), &all, 5);

	expect_figures(&r, 12, 12, 0, 0);
	ck_assert_str_eq(list_of(&r, 0), "0-11");
	ck_assert_str_eq(list_of(&r, 3), "36-51");
	ck_assert_str_eq(list_of(&r, 4), "52-63");
	release(&r);
}
END_TEST

START_TEST(all_deals_out_a_package_without_ranks)
{
	struct sp_policy all = { .share = SP_SHARE_ALL };
	struct result r = cut(machine_without(machine_two_packages(16, 1), "17-31"), &all, 2);

	expect_figures(&r, 8, 8, 0, 1);
	ck_assert_str_eq(list_of(&r, 1), "8-16");
	release(&r);
}
END_TEST

/* What holds for every cut. */

static uint32_t
level_of(const struct sp_pu *pu, int level)
{
	const uint32_t value[] = { pu->package, pu->numa, pu->l3, pu->l2, pu->core };

	return value[level];
}
enum { PACKAGE, NUMA, L3, L2, CORE };

static uint32_t
count_groups(const struct sp_machine *machine, int level)
{
	uint32_t groups = machine->ncpus > 0;

	for (uint32_t i = 1; i < machine->ncpus; i++)
		groups += level_of(&machine->pu[i], level) != level_of(&machine->pu[i - 1], level);
	return groups;
}

/* Ranks with so many units that fit into the groups of a level. */
static uint32_t
ranks_inside(const struct sp_machine *machine, int level, uint32_t units)
{
	uint32_t ranks = 0, size = 0;

	for (uint32_t i = 0; i < machine->ncpus; i++) {
		const struct sp_pu *pu = &machine->pu[i];

		if (i > 0 && level_of(pu, level) != level_of(pu - 1, level)) {
			ranks += size / units;
			size = 0;
		}
		size += i == 0 || pu->core != pu[-1].core;
	}
	return ranks + size / units;
}

/* Ranks that can have so many units each, in whole groups of a level. */
static uint32_t
ranks_of_groups(const struct sp_machine *machine, int level, uint32_t units)
{
	uint32_t ranks = 0, size = 0;

	for (uint32_t i = 0; i < machine->ncpus; i++) {
		const struct sp_pu *pu = &machine->pu[i];

		if (i > 0 && level_of(pu, level) != level_of(pu - 1, level) && size >= units) {
			ranks++;
			size = 0;
		}
		size += i == 0 || pu->core != pu[-1].core;
	}
	return ranks + (size >= units);
}

static bool
nobody_crosses(const struct result *r, int level)
{
	uint32_t *group = malloc(r->nranks * sizeof(*group));
	bool crossed = false;

	ck_assert_ptr_nonnull(group);
	memset(group, 0xff, r->nranks * sizeof(*group));
	for (uint32_t i = 0; i < r->machine->ncpus; i++) {
		uint32_t rank = r->owner[i], here = level_of(&r->machine->pu[i], level);

		if (rank == SP_NOBODY)
			continue;
		crossed |= group[rank] != UINT32_MAX && group[rank] != here;
		group[rank] = here;
	}
	free(group);
	return !crossed;
}

/* No group of the level has units of two ranks. */
static bool
nobody_shares(const struct result *r, int level)
{
	uint32_t owner = SP_NOBODY, last = UINT32_MAX;

	for (uint32_t i = 0; i < r->machine->ncpus; i++) {
		uint32_t here = level_of(&r->machine->pu[i], level);

		if (here != last)
			owner = SP_NOBODY;
		last = here;
		if (r->owner[i] == SP_NOBODY)
			continue;
		if (owner != SP_NOBODY && owner != r->owner[i])
			return false;
		owner = r->owner[i];
	}
	return true;
}

/* Check's own assertions write to a pipe even when they hold. */
#define HOLDS(what) \
	do { \
		if (!(what)) \
			ck_abort_msg("SPLITPIN_SEED=%llu, case %d: not so: " #what, \
				     (unsigned long long)seed, nth); \
	} while (0)

/* Shares lie in what may be dealt, and only there. */
static void
check_owners(const struct result *r, const struct sp_machine *usable, uint64_t seed, int nth)
{
	struct sp_cpus may = { 0 };

	for (uint32_t i = 0; i < usable->ncpus; i++)
		sp_cpus_add(&may, usable->pu[i].cpu);
	for (uint32_t i = 0; i < r->machine->ncpus; i++) {
		uint32_t rank = r->owner[i];

		HOLDS(rank == SP_NOBODY || rank < r->nranks);
		HOLDS(rank == SP_NOBODY || sp_cpus_has(&may, r->machine->pu[i].cpu));
	}

	uint32_t last = SP_NOBODY, owner = SP_NOBODY;	/* the core before, and who has it */

	for (uint32_t i = 0; i < r->machine->ncpus; i++) {
		const struct sp_pu *pu = &r->machine->pu[i];

		if (!sp_cpus_has(&may, pu->cpu))
			continue;
		HOLDS(pu->core != last || r->owner[i] == owner);
		last = pu->core;
		owner = r->owner[i];
	}
}

static void
check_sizes(const struct result *r, const struct sp_machine *usable, uint64_t seed, int nth)
{
	uint32_t units = count_groups(usable, CORE), fair = units / r->nranks;
	uint32_t least = UINT32_MAX, most = 0, dealt = 0;

	for (uint32_t rank = 0; rank < r->nranks; rank++) {
		uint32_t n = cores_of(r, rank);

		least = n < least ? n : least;
		most = n > most ? n : most;
		dealt += n;
	}
	HOLDS(!r->cut.by_cpu);
	HOLDS(r->cut.fair == fair);
	HOLDS(r->cut.units == least);
	HOLDS(r->cut.idle == units - dealt);
	HOLDS(least >= 1 && least <= fair);
	if (r->policy.cores) {
		HOLDS(most <= r->policy.cores);
		HOLDS(least == r->policy.cores || 8 * (fair - least) <= fair || least >= r->policy.cores);
		return;
	}
	HOLDS(8 * (fair - least) <= fair);
	if (r->policy.share == SP_SHARE_ALL)
		HOLDS(dealt == units);
	else
		HOLDS(most == least);
	if (count_groups(usable, PACKAGE) == 1 && count_groups(usable, NUMA) == 1 &&
	    count_groups(usable, L3) == 1)
		HOLDS(least == fair);
}

/*
 * Where nobody would lose more than an eighth by staying inside the groups of
 * a level, everybody does; and a tile has one rank where all have room so.
 */
static void
check_boundaries(const struct result *r, const struct sp_machine *usable, uint64_t seed, int nth)
{
	uint32_t fair = count_groups(usable, CORE) / r->nranks;
	bool respected = true;

	for (int level = PACKAGE; level <= L3; level++) {
		if (r->nranks == 1 || ranks_inside(usable, level, fair - fair / 8) < r->nranks) {
			respected = false;
			continue;
		}
		/* What else SP_SHARE_ALL deals out may lie anywhere. */
		if (r->policy.share == SP_SHARE_EQUAL)
			HOLDS(nobody_crosses(r, level));
	}
	if (respected && r->policy.share == SP_SHARE_EQUAL)
		HOLDS(r->cut.crossing == 0);
	if (ranks_of_groups(usable, L2, fair) >= r->nranks &&
	    count_groups(usable, L3) == 1 && count_groups(usable, NUMA) == 1 &&
	    count_groups(usable, PACKAGE) == 1)
		HOLDS(nobody_shares(r, L2));
}

static void
check_order(const struct result *r, uint64_t seed, int nth)
{
	uint32_t rank = 0;

	if (r->policy.distribution != SP_BLOCK)
		return;
	for (uint32_t i = 0; i < r->machine->ncpus; i++) {
		if (r->owner[i] == SP_NOBODY)
			continue;
		HOLDS(r->owner[i] >= rank);
		rank = r->owner[i];
	}
}

START_TEST(every_cut)
{
	uint64_t seed = random_seed();

	for (int nth = 0; nth < CASES; nth++) {
		random_start(seed, nth);

		struct sp_machine *machine = random_machine();
		struct sp_policy policy = random_policy(machine);
		struct sp_machine *usable = usable_part(machine, &policy);
		uint32_t nranks = 1 + random_below(random_below(4) ? 12 : usable->ncpus + 2);

		if (nranks > usable->ncpus) {
			expect(machine, &policy, nranks, -ENOSPC);
		} else if (nranks > count_groups(usable, CORE)) {
			free(machine);	/* test_every_crowd.c */
		} else {
			struct result r = cut(machine, &policy, nranks);

			check_owners(&r, usable, seed, nth);
			check_sizes(&r, usable, seed, nth);
			check_boundaries(&r, usable, seed, nth);
			check_order(&r, seed, nth);
			release(&r);
		}
		free(usable);
	}
}
END_TEST

static uint32_t
cores_of_kind(const struct result *r, uint32_t rank, uint32_t kind)
{
	uint32_t cores = 0, last = UINT32_MAX;

	for (uint32_t i = 0; i < r->machine->ncpus; i++) {
		const struct sp_pu *pu = &r->machine->pu[i];

		if (r->owner[i] != rank || pu->kind != kind || pu->core == last)
			continue;
		last = pu->core;
		cores++;
	}
	return cores;
}

/* Fewer fast cores than ranks: all ranks have the same number of cores; where that is one, no fast core stays free. */
static void
check_fast_first(const struct result *r, uint32_t fast, uint64_t seed, int nth)
{
	uint32_t used = 0;

	for (uint32_t rank = 0; rank < r->nranks; rank++) {
		uint32_t own = cores_of_kind(r, rank, 1);

		HOLDS(own + cores_of_kind(r, rank, 0) == r->cut.units);
		used += own;
	}
	HOLDS(r->cut.all_kinds);
	HOLDS(used == fast || r->cut.units > 1);
}

/* Kinds with a core for each rank: all ranks have as many, most of what there is; slow cores that are fewer are free. */
static void
check_kinds(const struct result *r, uint64_t seed, int nth)
{
	uint32_t there[2] = { 0, 0 };

	for (uint32_t i = 0; i < r->machine->ncpus; i++)
		there[r->machine->pu[i].kind] +=
			i == 0 || r->machine->pu[i].core != r->machine->pu[i - 1].core;
	if (there[1] && there[1] < r->nranks) {
		check_fast_first(r, there[1], seed, nth);
		return;
	}
	for (uint32_t kind = 0; kind < 2; kind++) {
		uint32_t fair = there[kind] / r->nranks, each = cores_of_kind(r, 0, kind);

		HOLDS(each <= fair && 8 * (fair - each) <= fair);
		for (uint32_t rank = 1; rank < r->nranks; rank++)
			HOLDS(cores_of_kind(r, rank, kind) == each);
	}
	HOLDS(r->cut.idle == there[0] + there[1] - r->nranks * r->cut.units);
}

START_TEST(every_hybrid)
{
	uint64_t seed = random_seed();

	for (int nth = 0; nth < CASES / 5; nth++) {
		random_start(seed + 7, nth);

		struct sp_machine *machine = random_machine();
		uint32_t ncores = count_groups(machine, CORE), fast = random_below(ncores + 2);

		for (uint32_t i = 0; i < machine->ncpus; i++)
			machine->pu[i].kind = machine->pu[i].core < fast;
		if (ncores == 0) {
			free(machine);
			continue;
		}

		struct result r = cut(machine, &block, 1 + random_below(ncores));

		check_kinds(&r, seed, nth);
		release(&r);
	}
}
END_TEST

/* Every rank is on one of the nodes that have devices, as long as these have a core for each. */
START_TEST(every_device)
{
	struct sp_policy devices = { .devices = SP_DEVICES_GPU };
	uint64_t seed = random_seed();

	for (int nth = 0; nth < CASES / 5; nth++) {
		random_start(seed + 11, nth);

		struct sp_machine *machine = random_machine();
		uint32_t near[64], served = 0;

		for (uint32_t i = 0; i < 64; i++)
			near[i] = random_below(3);
		for (uint32_t i = 0; i < machine->ncpus; i++) {
			struct sp_pu *pu = &machine->pu[i];

			pu->devices = near[pu->numa % 64];
			served += pu->devices && (i == 0 || pu->core != pu[-1].core);
		}
		if (served == 0) {
			free(machine);
			continue;
		}

		struct result r = cut(machine, &devices, 1 + random_below(served));

		for (uint32_t rank = 0; rank < r.nranks; rank++)
			HOLDS(cores_of(&r, rank) == r.cut.units && r.cut.units > 0);
		for (uint32_t i = 0; i < machine->ncpus; i++)
			HOLDS(r.owner[i] == SP_NOBODY || machine->pu[i].devices > 0);
		release(&r);
	}
}
END_TEST

Suite *
suite_cut(void)
{
	Suite *suite = suite_create("cut");
	TCase *facts = tcase_create("facts"), *random = tcase_create("random");

	tcase_add_test(facts, knl_two_ranks_have_34_cores_each);
	tcase_add_test(facts, knl_four_ranks_have_17_cores_each);
	tcase_add_test(facts, knl_eight_ranks_leave_four_cores_free);
	tcase_add_test(facts, knl_tiles_are_split_only_for_more_cores);
	tcase_add_test(facts, knl_spare_cores_buy_tiles);
	tcase_add_test(facts, snc4_four_ranks_have_a_quadrant_each);
	tcase_add_test(facts, snc4_two_ranks_have_two_quadrants_each);
	tcase_add_test(facts, snc4_three_ranks_cross);
	tcase_add_test(facts, snc4_all_keeps_the_quadrants);
	tcase_add_test(facts, three_ranks_on_two_packages_cross);
	tcase_add_test(facts, four_ranks_on_two_packages_do_not);
	tcase_add_test(facts, an_eighth_is_given_for_a_boundary);
	tcase_add_test(facts, one_rank_has_everything);
	tcase_add_loop_test(facts, epyc_groups_are_respected, 0, sizeof(epyc) / sizeof(*epyc));
	tcase_add_test(facts, epyc_three_ranks_have_whole_l3_groups);
	tcase_add_test(facts, power9_numbers_have_gaps);
	tcase_add_test(facts, a64fx_ranks_stay_in_their_node);
	tcase_add_test(facts, snc_on_xeon_is_respected);
	tcase_add_test(facts, hybrid_cores_count_alike);
	tcase_add_loop_test(facts, fast_cores_first, 0, (int)(sizeof(fast_first) / sizeof(fast_first[0])));
	tcase_add_test(facts, what_two_kinds_leave_over);
	tcase_add_test(facts, all_cores_of_two_kinds);
	tcase_add_loop_test(facts, more_kinds_than_are_told_apart, 0, 4);
	tcase_add_test(facts, cores_asked_for_are_the_fast_ones_first);
	tcase_add_test(facts, the_first_of_nodes_that_are_alike);
	tcase_add_test(facts, a_core_with_a_thread_missing_is_a_core);
	tcase_add_test(facts, packages_of_different_size_get_ranks_by_size);
	tcase_add_test(facts, a_package_too_small_gets_no_rank);
	tcase_add_test(facts, ranks_go_where_they_fit);
	tcase_add_test(facts, ranks_left_over_go_to_the_first_groups);
	tcase_add_test(facts, levels_go_by_size_not_by_name);
	tcase_add_test(facts, crossing_is_told_of_shares_that_fit_in_any_node);
	tcase_add_test(facts, packages_may_lie_inside_of_nodes);
	tcase_add_test(facts, tiles_too_many_come_from_the_larger_part);
	tcase_add_test(facts, cores_too_many_come_from_all_parts);
	tcase_add_test(facts, more_ranks_than_cpus_is_an_error);
	tcase_add_loop_test(facts, figures_stay_where_nothing_was_cut, 0, 3);
	tcase_add_test(facts, cyclic_deals_round_the_nodes);
	tcase_add_test(facts, cyclic_passes_by_nodes_without_more_ranks);
	tcase_add_loop_test(facts, highest_numbers_are_names_like_others, 0, 3);
	tcase_add_test(facts, smt_uses_the_first_threads_of_a_core);
	tcase_add_test(facts, smt_beyond_the_machine_is_all);
	tcase_add_test(facts, reserve_keeps_the_first_cores_of_each_node);
	tcase_add_test(facts, reserved_cpus_are_left_out);
	tcase_add_test(facts, cores_are_spread_over_the_part);
	tcase_add_test(facts, more_cores_than_there_are_is_all);
	tcase_add_test(facts, all_deals_the_rest_out);
	tcase_add_test(facts, all_keeps_tiles_whole);
	tcase_add_test(facts, all_is_as_even_as_tiles_allow);
	tcase_add_test(facts, all_deals_out_a_package_without_ranks);
	suite_add_tcase(suite, facts);

	tcase_add_test(random, every_cut);
	tcase_add_test(random, every_hybrid);
	tcase_add_test(random, every_device);
	tcase_set_timeout(random, 120);
	suite_add_tcase(suite, random);
	return suite;
}
