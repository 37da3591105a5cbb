/* Domains: whole objects in order, and lists, on invented machines; and what holds for random ones. */
#include "suites.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "cut/cut.h"
#include "cut/domains.h"
#include "cut/explain.h"
#include "cuts.h"
#include "machines.h"

struct result {
	struct sp_machine *machine;
	uint32_t *owner;
	struct sp_cut cut;
	char why[SP_TEXT_MAX];
};

/* Takes the machine over. */
static struct result
cut(struct sp_machine *machine, struct sp_policy policy, uint32_t nranks)
{
	struct result r = { .machine = machine, .owner = calloc(machine->ncpus, sizeof(*r.owner)) };

	ck_assert_ptr_nonnull(r.owner);
	ck_assert_int_eq(sp_cut(machine, &policy, nranks, r.owner, &r.cut), 0);
	sp_explain_cut(machine, &policy, nranks, &r.cut, r.why, sizeof(r.why));
	return r;
}

static void
release(struct result *r)
{
	free(r->owner);
	free(r->machine);
}

static void
share_is(const struct result *r, uint32_t rank, const char *list)
{
	struct sp_cpus share, wanted = cpus_of_list(list);
	char text[SP_CPUS_TEXT];

	sp_cut_share(r->machine, r->owner, rank, &share);
	ck_assert_msg(sp_cpus_equal(&share, &wanted), "rank %u has %s instead of %s", rank,
		      sp_cpus_format(&share, text, sizeof(text)), list);
}

/* 64 CPUs: two packages of four NUMA nodes of two L3 groups of four cores. */
START_TEST(ranks_have_whole_objects_in_order)
{
	struct result numa = cut(machine_epyc(), (struct sp_policy){ .domain = SP_DOMAIN_NUMA }, 8);
	struct result package = cut(machine_epyc(), (struct sp_policy){ .domain = SP_DOMAIN_PACKAGE }, 2);
	struct result l3 = cut(machine_epyc(), (struct sp_policy){ .domain = SP_DOMAIN_L3 }, 3);
	struct result core = cut(machine_epyc(), (struct sp_policy){ .domain = SP_DOMAIN_CORE }, 2);
	struct result node = cut(machine_epyc(), (struct sp_policy){ .domain = SP_DOMAIN_NODE }, 1);

	share_is(&numa, 0, "0-7,64-71");
	share_is(&numa, 7, "56-63,120-127");
	share_is(&package, 1, "32-63,96-127");
	share_is(&l3, 2, "8-11,72-75");
	share_is(&core, 1, "1,65");
	share_is(&node, 0, "0-127");
	ck_assert_uint_eq(l3.cut.idle, 52);
	ck_assert_str_eq(numa.why, "8 ranks, 1 per NUMA node, with 8 cores each (SPLITPIN_DOMAIN)");
	ck_assert_str_eq(l3.why, "3 ranks, 1 per L3 group, with 4 cores each, 52 cores left free (SPLITPIN_DOMAIN)");
	release(&numa);
	release(&package);
	release(&l3);
	release(&core);
	release(&node);
}
END_TEST

/* As for hwloc's SNC-4 Knights Landing: the quadrants differ, and a whole one is what was asked for. */
START_TEST(objects_may_differ)
{
	struct result r = cut(machine_knl_snc4(), (struct sp_policy){ .domain = SP_DOMAIN_NUMA, .smt = 1 }, 4);

	share_is(&r, 0, "0-17");
	share_is(&r, 3, "52-67");
	ck_assert_uint_eq(r.cut.units, 16);
	ck_assert_str_eq(r.why, "4 ranks, 1 per NUMA node, with 16 to 18 cores each (SPLITPIN_DOMAIN); 1 hardware thread of each core (SPLITPIN_SMT=1)");
	release(&r);
}
END_TEST

START_TEST(more_ranks_than_objects_divide_them)
{
	struct result four = cut(machine_epyc(), (struct sp_policy){ .domain = SP_DOMAIN_PACKAGE, .smt = 1 }, 4);
	struct result three = cut(machine_epyc(), (struct sp_policy){ .domain = SP_DOMAIN_PACKAGE, .smt = 1 }, 3);
	struct result cores = cut(machine_uniform(2, 4), (struct sp_policy){ .domain = SP_DOMAIN_CORE }, 4);

	share_is(&four, 1, "16-31");
	share_is(&four, 2, "32-47");
	share_is(&three, 0, "0-31");
	share_is(&three, 1, "32-47");
	share_is(&three, 2, "48-63");
	ck_assert_uint_eq(cores.cut.units, 2);
	ck_assert(cores.cut.by_cpu);
	ck_assert_str_eq(cores.why, "4 ranks, 2 per core, with 2 CPUs each (SPLITPIN_DOMAIN)");
	release(&four);
	release(&three);
	release(&cores);
}
END_TEST

START_TEST(cyclic_goes_round_the_nodes)
{
	struct result r = cut(machine_epyc(), (struct sp_policy){
		.domain = SP_DOMAIN_L3, .distribution = SP_CYCLIC, .smt = 1 }, 9);

	share_is(&r, 0, "0-3");
	share_is(&r, 1, "8-11");
	share_is(&r, 7, "56-59");
	share_is(&r, 8, "4-7");
	release(&r);
}
END_TEST

/* Cores 0-3, of two threads, are fast. */
static struct sp_machine *
fast_and_slow(void)
{
	struct sp_machine *machine = machine_hybrid();

	for (uint32_t i = 0; i < 8; i++)
		machine->pu[i].kind = 1;
	return machine;
}

START_TEST(what_is_dealt_is_chosen_as_ever)
{
	struct result reserve = cut(machine_epyc(), (struct sp_policy){ .domain = SP_DOMAIN_NUMA, .reserve = 1, .smt = 1 }, 2);
	struct result some = cut(machine_epyc(), (struct sp_policy){ .domain = SP_DOMAIN_NUMA, .cores = 2, .smt = 1 }, 2);
	struct result slow = cut(fast_and_slow(), (struct sp_policy){ .domain = SP_DOMAIN_CORE, .kinds = SP_KINDS_EFFICIENCY }, 2);
	struct result fast = cut(fast_and_slow(), (struct sp_policy){ .domain = SP_DOMAIN_CORE, .kinds = SP_KINDS_PERFORMANCE }, 2);
	struct result both = cut(fast_and_slow(), (struct sp_policy){ .domain = SP_DOMAIN_NODE }, 1);

	share_is(&reserve, 0, "1-7");
	share_is(&reserve, 1, "9-15");
	share_is(&some, 1, "8,12");
	share_is(&slow, 0, "8");
	share_is(&fast, 1, "2-3");
	share_is(&both, 0, "0-15");
	release(&reserve);
	release(&some);
	release(&slow);
	release(&fast);
	release(&both);
}
END_TEST

START_TEST(each_rank_has_its_list)
{
	const struct sp_policy lists = { .domain = SP_DOMAIN_LISTS, .lists = "4-7: 0,1 :100", .reserve = 1, .smt = 1 };
	struct result r = cut(machine_uniform(8, 2), lists, 2);
	char fault[SP_TEXT_MAX];

	share_is(&r, 0, "4-7");
	share_is(&r, 1, "0-1");
	ck_assert_str_eq(r.why, "2 ranks, the CPUs of one list per rank, with 2 to 4 cores each, 2 cores left free (SPLITPIN_DOMAIN)");
	ck_assert(!sp_domain_fault(r.machine, &lists, 2, fault, sizeof(fault)));
	release(&r);
}
END_TEST

/* Cores of four threads, numbered in turns: 0,2,4,6 and 1,3,5,7. */
START_TEST(a_core_with_a_hole_is_one)
{
	const struct sp_policy lists = { .domain = SP_DOMAIN_LISTS, .lists = "0,4:2" };
	const struct sp_policy hole = { .domain = SP_DOMAIN_NODE, .reserved = cpus_of_list("2") };
	struct result two = cut(machine_uniform(2, 4), lists, 2), one = cut(machine_uniform(2, 4), hole, 1);

	ck_assert_uint_eq(two.cut.units, 1);
	ck_assert_uint_eq(two.cut.dealt.largest, 1);
	ck_assert_uint_eq(two.cut.idle, 1);
	ck_assert_str_eq(two.why, "2 ranks, the CPUs of one list per rank, with 1 core each, 1 core left free (SPLITPIN_DOMAIN)");
	ck_assert_uint_eq(one.cut.units, 2);
	ck_assert_uint_eq(one.cut.idle, 0);
	release(&two);
	release(&one);
}
END_TEST

static const struct {
	const char *lists;
	uint32_t ranks;
	int rc;
	const char *fault;
} faulty[] = {
	{ "0-1:2-3", 3, -ENOSPC, "2 lists for 3 ranks: each needs one" },
	{ "0-1", 2, -ENOSPC, "1 list for 2 ranks: each needs one" },
	{ "0-1:20-21", 2, -ENOSPC, "rank 1 may not use CPUs 20-21 of its list" },
	{ "0-1:20", 2, -ENOSPC, "rank 1 may not use CPU 20 of its list" },
	{ "0-3:2", 2, -ENOSPC, "CPU 2, the list of rank 1, is in earlier lists" },
	{ "0-1:20:0", 3, -ENOSPC, "rank 1 may not use CPU 20 of its list" },
	{ "20:0-1", 2, -ENOSPC, "rank 0 may not use CPU 20 of its list" },
	{ "0-3:3-4", 2, 0, "CPU 3 of rank 1 is in earlier lists, whose ranks have it" },
	{ "0-3:1-4:2,3", 3, -ENOSPC, "CPUs 2-3, the list of rank 2, are all in earlier lists" },
	{ "0-3:2-5", 2, 0, "CPUs 2-3 of rank 1 are in earlier lists, whose ranks have them" },
};

START_TEST(lists_that_do_not_fit_are_told)
{
	const struct sp_policy policy = { .domain = SP_DOMAIN_LISTS, .lists = faulty[_i].lists };
	struct sp_machine *machine = machine_uniform(16, 1);
	uint32_t owner[16];
	char fault[SP_TEXT_MAX];

	ck_assert_int_eq(sp_cut(machine, &policy, faulty[_i].ranks, owner, NULL), faulty[_i].rc);
	ck_assert(sp_domain_fault(machine, &policy, faulty[_i].ranks, fault, sizeof(fault)));
	ck_assert_str_eq(fault, faulty[_i].fault);
	free(machine);
}
END_TEST

START_TEST(a_single_number_is_no_list)
{
	ck_assert_int_eq(sp_domain_check_lists("0-3"), 0);
	ck_assert_int_eq(sp_domain_check_lists("0,1:2:3-5"), 0);
	ck_assert_int_eq(sp_domain_check_lists("4"), -EINVAL);
	ck_assert_int_eq(sp_domain_check_lists(""), -EINVAL);
	ck_assert_int_eq(sp_domain_check_lists("0-3:"), -EINVAL);
	ck_assert_int_eq(sp_domain_check_lists(":0-3"), -EINVAL);
	ck_assert_int_eq(sp_domain_check_lists("0-3::4"), -EINVAL);
	ck_assert_int_eq(sp_domain_check_lists("0-3,:4"), -EINVAL);
	ck_assert_int_eq(sp_domain_check_lists("0-3 4-7"), -EINVAL);
	ck_assert_int_eq(sp_domain_check_lists("3-0:4"), -EINVAL);
	ck_assert_int_eq(sp_domain_check_lists("numa:l3"), -EINVAL);
	ck_assert_int_eq(sp_domain_check_lists("0-3:8190-8192"), -ERANGE);
}
END_TEST

static uint32_t
name_of(const struct sp_pu *pu, enum sp_domain domain)
{
	const uint32_t name[] = { [SP_DOMAIN_AUTO] = 0, [SP_DOMAIN_NODE] = 0, [SP_DOMAIN_PACKAGE] = pu->package,
				  [SP_DOMAIN_NUMA] = pu->numa, [SP_DOMAIN_L3] = pu->l3, [SP_DOMAIN_CORE] = pu->core };

	return name[domain];
}

/* Every rank has CPUs, of one object alone; and no other rank has any of that where there are enough objects. */
static void
check_objects(const struct sp_machine *machine, enum sp_domain domain, uint32_t nranks, const uint32_t owner[],
	      const struct sp_cut *figures)
{
	struct sp_cpus seen = { 0 };

	for (uint32_t rank = 0; rank < nranks; rank++) {
		uint32_t name = 0, cpus = 0;

		for (uint32_t i = 0; i < machine->ncpus; i++) {
			if (owner[i] != rank)
				continue;
			ck_assert(cpus == 0 || name_of(&machine->pu[i], domain) == name);
			name = name_of(&machine->pu[i], domain);
			cpus++;
		}
		ck_assert_uint_gt(cpus, 0);
		ck_assert(nranks > figures->dealt.objects || !sp_cpus_has(&seen, name));
		sp_cpus_add(&seen, name);
	}
}

START_TEST(every_rank_is_inside_of_an_object)
{
	const uint64_t seed = random_seed();

	for (int nth = 0; nth < CASES / 10; nth++) {
		random_start(seed, nth);

		struct sp_machine *machine = random_machine();
		struct sp_policy policy = random_policy(machine);
		uint32_t nranks = 1 + random_below(40), *owner = calloc(machine->ncpus + 1, sizeof(*owner));
		struct sp_cut figures;

		policy.domain = SP_DOMAIN_NODE + random_below(SP_DOMAIN_CORE);
		ck_assert_ptr_nonnull(owner);
		int error = machine->ncpus ? sp_cut(machine, &policy, nranks, owner, &figures) : -ENOSPC;

		ck_assert(error == 0 || error == -ENOSPC);
		if (!error)
			check_objects(machine, policy.domain, nranks, owner, &figures);
		free(owner);
		free(machine);
	}
}
END_TEST

Suite *
suite_domains(void)
{
	Suite *suite = suite_create("domains");
	TCase *facts = tcase_create("facts"), *slow = tcase_create("slow");

	tcase_add_test(facts, ranks_have_whole_objects_in_order);
	tcase_add_test(facts, objects_may_differ);
	tcase_add_test(facts, more_ranks_than_objects_divide_them);
	tcase_add_test(facts, cyclic_goes_round_the_nodes);
	tcase_add_test(facts, what_is_dealt_is_chosen_as_ever);
	tcase_add_test(facts, each_rank_has_its_list);
	tcase_add_test(facts, a_core_with_a_hole_is_one);
	tcase_add_loop_test(facts, lists_that_do_not_fit_are_told, 0, sizeof(faulty) / sizeof(faulty[0]));
	tcase_add_test(facts, a_single_number_is_no_list);
	tcase_add_test(slow, every_rank_is_inside_of_an_object);
	suite_add_tcase(suite, facts);
	suite_add_tcase(suite, slow);
	return suite;
}
