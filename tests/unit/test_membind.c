/* Facts about the NUMA nodes that a memory policy means. */
#include <check.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "share/membind.h"
#include "given_numa.h"
#include "machines.h"
#include "suites.h"

static char why[SP_MEMBIND_WHY];

/* 4 nodes of 4 cores; with high-bandwidth memory nodes 4 to 7 are that of 0 to 3. */
static struct sp_machine *
machine_of_nodes(bool has_hbm)
{
	struct sp_machine *machine = machine_of((struct shape){ .numas = 4, .cores = 4, .threads = 1 });

	for (uint32_t i = 0; has_hbm && i < machine->ncpus; i++)
		machine->pu[i].hbm = machine->pu[i].numa + 4;
	return machine;
}

/* The nodes as a list, or the error's number. */
static const char *
choose(enum sp_memory policy, bool has_hbm, const char *share_list, const char *allowed_list)
{
	static char text[64];
	struct sp_machine *machine = machine_of_nodes(has_hbm);
	struct sp_cpus share = cpus_of_list(share_list), allowed = cpus_of_list(allowed_list), nodes = cpus_of_list("99");
	int error = sp_membind_choose(policy, machine, &share, &allowed, &nodes, why);

	if (error) {
		ck_assert_str_eq(sp_cpus_format(&nodes, text, sizeof(text)), "99");
		snprintf(text, sizeof(text), "%s", strerror(-error));
	} else {
		sp_cpus_format(&nodes, text, sizeof(text));
	}
	free(machine);
	return text;
}

START_TEST(policies_mean_the_nodes_of_the_share)
{
	ck_assert_str_eq(choose(SP_MEMORY_BIND, false, "0-3", "0-3"), "0");
	ck_assert_str_eq(choose(SP_MEMORY_BIND, false, "4-11", "0-3"), "1-2");
	ck_assert_str_eq(choose(SP_MEMORY_PREFERRED, false, "3-4", "0-3"), "0-1");
	ck_assert_str_eq(choose(SP_MEMORY_INTERLEAVE, false, "0-7", "0-3"), "0-1");
	ck_assert_str_eq(choose(SP_MEMORY_INTERLEAVE_ALL, false, "0-3", "0-3"), "0-3");
	ck_assert_str_eq(choose(SP_MEMORY_INTERLEAVE_ALL, false, "0-3", "0,2"), "0,2");
	ck_assert_str_eq(choose(SP_MEMORY_LOCAL, false, "12-15", "0-2"), "3");
}
END_TEST

/* Of a GH200 node with four GPUs 36 nodes are allowed, 4 of them beside CPUs. */
START_TEST(nodes_that_are_not_beside_a_cpu_take_no_part)
{
	ck_assert_str_eq(choose(SP_MEMORY_INTERLEAVE_ALL, false, "0-3", "0-35"), "0-3");
	ck_assert_str_eq(choose(SP_MEMORY_INTERLEAVE_ALL, true, "0-3", "0-35"), "0-7");
	ck_assert_str_eq(choose(SP_MEMORY_INTERLEAVE_ALL, false, "0-3", "0,4-35"), strerror(ENODEV));
}
END_TEST

START_TEST(high_bandwidth_memory_is_that_beside_the_share)
{
	ck_assert_str_eq(choose(SP_MEMORY_HBM, true, "0-3", "0-7"), "4");
	ck_assert_str_eq(choose(SP_MEMORY_HBM_BIND, true, "4-15", "0-7"), "5-7");
	ck_assert_str_eq(choose(SP_MEMORY_BIND, true, "0-3", "0-7"), "0");
	ck_assert_str_eq(choose(SP_MEMORY_HBM, false, "0-3", "0-3"), strerror(ENODEV));
	ck_assert_str_eq(why, "this machine has no high-bandwidth memory with NUMA nodes of its own");
	/* Nor is it enough that other cores have some. */
	struct sp_machine *machine = machine_of_nodes(true);
	struct sp_cpus share = cpus_of_list("0-3"), allowed = cpus_of_list("0-7"), nodes;
	for (uint32_t i = 0; i < 4; i++)
		machine->pu[i].hbm = machine->pu[i].numa;
	ck_assert_int_eq(sp_membind_choose(SP_MEMORY_HBM, machine, &share, &allowed, &nodes, why), -ENODEV);
	ck_assert_str_eq(why, "there is no high-bandwidth memory near this rank's cores");
	free(machine);
}
END_TEST

/* A rank on cores without memory of their own has the memory that is nearest. */
START_TEST(nodes_without_memory_are_not_bound_to)
{
	struct sp_cpus share = cpus_of_list("0-1"), both = cpus_of_list("0-3"), allowed = cpus_of_list("1"), nodes;
	struct sp_machine *machine = machine_of((struct shape){ .numas = 2, .cores = 2 });
	char list[SP_CPUS_TEXT];

	for (int i = 0; i < 2; i++) {
		machine->pu[0].numa = machine->pu[1].numa = i ? SP_NO_NODE : 0;
		machine->pu[0].hbm = machine->pu[1].hbm = machine->pu[0].numa;
		machine->pu[0].memory = machine->pu[1].memory = 1;
		ck_assert_int_eq(sp_membind_choose(SP_MEMORY_BIND, machine, &share, &allowed, &nodes, why), 0);
		ck_assert_str_eq(sp_cpus_format(&nodes, list, sizeof(list)), "1");
		ck_assert_int_eq(sp_membind_choose(SP_MEMORY_LOCAL, machine, &both, &allowed, &nodes, why), 0);
		ck_assert_str_eq(sp_cpus_format(&nodes, list, sizeof(list)), "1");
		ck_assert_int_eq(sp_membind_choose(SP_MEMORY_HBM, machine, &share, &allowed, &nodes, why), -ENODEV);
		ck_assert_int_eq(sp_membind_choose(SP_MEMORY_INTERLEAVE, machine, &both, &allowed, &nodes, why), -ENODEV);
		ck_assert_str_eq(why, "this machine has only one NUMA node with memory");
	}
	free(machine);
}
END_TEST

START_TEST(what_cannot_be_had_is_said)
{
	ck_assert_str_eq(choose(SP_MEMORY_BIND, false, "0-7", "0"), strerror(EPERM));
	ck_assert_ptr_nonnull(strstr(why, "NUMA node 1 has no memory that this job may use"));
	ck_assert_str_eq(choose(SP_MEMORY_HBM, true, "0-7", "0-3"), strerror(EPERM));
	ck_assert_ptr_nonnull(strstr(why, "NUMA nodes 4-5 have no memory"));
	ck_assert_str_eq(choose(SP_MEMORY_INTERLEAVE, false, "0-3", "0-3"), strerror(ENODEV));
	ck_assert_ptr_nonnull(strstr(why, "the share lies in one NUMA node (0)"));
	ck_assert_str_eq(choose(SP_MEMORY_INTERLEAVE_ALL, false, "0-3", "2"), strerror(ENODEV));
}
END_TEST

START_TEST(one_node_cannot_be_interleaved)
{
	struct sp_machine *machine = machine_uniform(4, 2);
	struct sp_cpus share = cpus_of_list("0-1"), allowed = cpus_of_list("0"), nodes;

	ck_assert_int_eq(sp_membind_choose(SP_MEMORY_INTERLEAVE, machine, &share, &allowed, &nodes, why), -ENODEV);
	ck_assert_str_eq(why, "this machine has only one NUMA node with memory");
	ck_assert_int_eq(sp_membind_choose(SP_MEMORY_BIND, machine, &share, &allowed, &nodes, why), 0);
	free(machine);
}
END_TEST

/* It is the share then, and not the machine, that has one alone. */
START_TEST(one_of_two_nodes_cannot_be_interleaved)
{
	struct sp_machine *machine = machine_of((struct shape){ .numas = 2, .cores = 2 });
	struct sp_cpus share = cpus_of_list("0-1"), allowed = cpus_of_list("0-1"), nodes;

	ck_assert_int_eq(sp_membind_choose(SP_MEMORY_INTERLEAVE, machine, &share, &allowed, &nodes, why), -ENODEV);
	ck_assert_str_eq(why, "the share lies in one NUMA node (0), and interleaving needs at least two");
	share = cpus_of_list("0-3");
	ck_assert_int_eq(sp_membind_choose(SP_MEMORY_INTERLEAVE, machine, &share, &allowed, &nodes, why), 0);
	free(machine);
}
END_TEST

/* A dry run: nothing is set, but all is named. */
START_TEST(names_tell_policy_and_nodes)
{
	static const struct {
		enum sp_memory policy;
		const char *name;
	} expected[] = {
		{ SP_MEMORY_DEFAULT, "default" }, { SP_MEMORY_LOCAL, "local" }, { SP_MEMORY_BIND, "bind:1-2" },
		{ SP_MEMORY_INTERLEAVE, "interleave:1-2" }, { SP_MEMORY_INTERLEAVE_ALL, "interleave:0-7" },
		{ SP_MEMORY_PREFERRED, "preferred:1-2" }, { SP_MEMORY_HBM, "hbm:5-6" }, { SP_MEMORY_HBM_BIND, "hbm:bind:5-6" },
	};
	struct sp_config config = { .dry_run = true, .memory = expected[_i].policy };
	struct sp_machine *machine = machine_of_nodes(true);
	struct sp_cpus share = cpus_of_list("4-11");
	struct sp_membind membind = { 0 };

	ck_assert_int_eq(sp_membind_settle(&config, machine, &share, &membind, why), 0);
	ck_assert_str_eq(membind.name, expected[_i].name);
	ck_assert(sp_config_memory_is_as_asked(&config, membind.name));
	config.memory = SP_MEMORY_BIND;
	ck_assert(!sp_config_memory_is_as_asked(&config, "default"));
	ck_assert(!sp_config_memory_is_as_asked(&config, "kept:bind:0"));
	config.memory = SP_MEMORY_HBM;
	for (uint32_t i = 0; i < machine->ncpus; i++)
		machine->pu[i].hbm = machine->pu[i].numa;
	ck_assert_int_eq(sp_membind_settle(&config, machine, &share, &membind, why), -ENODEV);
	ck_assert_str_eq(membind.name, "default");
	free(machine);
}
END_TEST

/* Of many nodes the first are named. */
START_TEST(a_long_list_of_nodes_is_cut)
{
	const struct sp_config config = { .dry_run = true, .memory = SP_MEMORY_BIND };
	struct sp_machine *machine = machine_of((struct shape){ .numas = 32 });
	struct sp_cpus share = { 0 };
	struct sp_membind membind;

	for (uint32_t i = 0; i < 32; i += 2)
		sp_cpus_add(&share, i);
	memset(&membind, 0xff, sizeof(membind));
	ck_assert_int_eq(sp_membind_settle(&config, machine, &share, &membind, why), 0);
	ck_assert_ptr_nonnull(memchr(membind.name, '\0', sizeof(membind.name)));
	ck_assert_int_eq(strncmp(membind.name, "bind:0,2,4,6,", 13), 0);
	ck_assert_str_eq(membind.name + strlen(membind.name) - 3, "...");
	ck_assert(sp_cpus_equal(&membind.nodes, &share));
	free(machine);
}
END_TEST

/* Set for good: what libsplitpin-numa.so is asked for, and what it answers. */

static struct {
	int allowed_error, set_answer;
	enum sp_memory set;	/* and of these nodes */
	struct sp_cpus nodes;
	unsigned sets, moves;
} kernel;

static int
tell_allowed(struct sp_cpus *nodes)
{
	*nodes = cpus_of_list("0-7");
	return kernel.allowed_error;
}

static int
tell_inherited(char *text, size_t size)
{
	return snprintf(text, size, "kept:bind:3");
}

static int
take_policy(enum sp_memory policy, const struct sp_cpus *nodes)
{
	kernel.set = policy;
	kernel.nodes = *nodes;
	kernel.sets++;
	return kernel.set_answer;
}

static int
move_pages(void)
{
	return (int)kernel.moves++;
}

static const struct sp_numa numa = {
	.allowed = tell_allowed, .inherited = tell_inherited, .set = take_policy, .move = move_pages };

/* For CPUs 4-11, on nodes 1 and 2; the name of what was set. */
static const char *
settled(const struct sp_config *config, struct sp_membind *membind, int expected)
{
	struct sp_machine *machine = machine_of_nodes(true);
	struct sp_cpus share = cpus_of_list("4-11");

	*membind = (struct sp_membind){ 0 };
	why[0] = '\0';
	ck_assert_int_eq(sp_membind_settle(config, machine, &share, membind, why), expected);
	free(machine);
	return membind->name;
}

START_TEST(a_policy_is_set)
{
	const struct sp_config config = { .memory = SP_MEMORY_BIND };
	const struct sp_cpus nodes = cpus_of_list("1-2");
	struct sp_membind membind;

	numa_given = &numa;
	ck_assert_str_eq(settled(&config, &membind, 0), "bind:1-2");
	ck_assert_uint_eq(kernel.sets, 1);
	ck_assert_int_eq(kernel.set, SP_MEMORY_BIND);
	ck_assert(sp_cpus_equal(&kernel.nodes, &nodes));
	ck_assert(sp_cpus_equal(&membind.nodes, &nodes));
	ck_assert_uint_eq(kernel.moves, 0);
	ck_assert(!membind.is_checked);
}
END_TEST

/* Weights are the kernel's, where it has any; and for one package alone. */
START_TEST(interleaving_may_be_by_weights)
{
	const struct sp_config config = { .memory = SP_MEMORY_INTERLEAVE };
	struct sp_machine *two = machine_of((struct shape){ .packages = 2, .cores = 4 });
	struct sp_cpus share = cpus_of_list("0-7");
	struct sp_membind membind;

	numa_given = &numa;
	ck_assert_str_eq(settled(&config, &membind, 0), "interleave:1-2");
	ck_assert_int_eq(kernel.set, SP_MEMORY_INTERLEAVE_WEIGHTED);
	kernel.set_answer = SP_MEMORY_BY_WEIGHTS;
	ck_assert_str_eq(settled(&config, &membind, 0), "weighted:1-2");
	kernel.set_answer = 0;
	ck_assert_int_eq(sp_membind_settle(&config, two, &share, &membind, why), 0);
	ck_assert_int_eq(kernel.set, SP_MEMORY_INTERLEAVE);
	free(two);
}
END_TEST

START_TEST(a_policy_that_fails_leaves_what_was_inherited)
{
	const struct sp_config config = { .memory = SP_MEMORY_BIND, .memory_move = true };
	struct sp_membind membind;

	numa_given = &numa;
	kernel.allowed_error = -ENOSYS;
	ck_assert_str_eq(settled(&config, &membind, -ENOSYS), "kept:bind:3");
	ck_assert_str_eq(why, "this kernel, or the container, has no NUMA policies");
	ck_assert_uint_eq(kernel.sets, 0);
	kernel.allowed_error = 0;
	kernel.set_answer = -EPERM;
	ck_assert_str_eq(settled(&config, &membind, -EPERM), "kept:bind:3");
	ck_assert_str_eq(why, strerror(EPERM));
	ck_assert_uint_eq(kernel.moves, 0);
	numa_given = NULL;
	ck_assert_str_eq(settled(&config, &membind, -ELIBACC), "default");
	ck_assert_str_eq(why, "there is none");
}
END_TEST

/* Each alone: otherwise libsplitpin-numa.so is not even opened. */
START_TEST(what_somebody_asks_for_is_looked_up)
{
	static const struct sp_config configs[] = {
		{ .debug = true }, { .report = true }, { .memory_move = true }, { .memory_check = true }, { 0 },
	};
	const struct sp_config *config = &configs[_i];
	struct sp_membind membind;
	struct sp_numa_maps pages;
	bool is_asked = _i < 4;

	numa_given = &numa;
	ck_assert_str_eq(settled(config, &membind, 0), is_asked ? "kept:bind:3" : "default");
	ck_assert_uint_eq(numa_opened, is_asked);
	ck_assert_uint_eq(kernel.moves, config->memory_move);
	ck_assert_uint_eq(kernel.sets, 0);
	ck_assert_int_eq(membind.is_checked, config->memory_check && sp_numa_maps_read(&pages) == 0);
	/* It is no error where nothing is to be set. */
	numa_given = NULL;
	ck_assert_str_eq(settled(config, &membind, 0), "default");
}
END_TEST

Suite *
suite_membind(void)
{
	Suite *suite = suite_create("membind");
	TCase *facts = tcase_create("facts");

	tcase_add_test(facts, policies_mean_the_nodes_of_the_share);
	tcase_add_test(facts, nodes_that_are_not_beside_a_cpu_take_no_part);
	tcase_add_test(facts, high_bandwidth_memory_is_that_beside_the_share);
	tcase_add_test(facts, nodes_without_memory_are_not_bound_to);
	tcase_add_test(facts, what_cannot_be_had_is_said);
	tcase_add_test(facts, one_node_cannot_be_interleaved);
	tcase_add_test(facts, one_of_two_nodes_cannot_be_interleaved);
	tcase_add_loop_test(facts, names_tell_policy_and_nodes, 0, 8);
	tcase_add_test(facts, a_long_list_of_nodes_is_cut);
	tcase_add_test(facts, a_policy_is_set);
	tcase_add_test(facts, interleaving_may_be_by_weights);
	tcase_add_test(facts, a_policy_that_fails_leaves_what_was_inherited);
	tcase_add_loop_test(facts, what_somebody_asks_for_is_looked_up, 0, 5);
	suite_add_tcase(suite, facts);
	return suite;
}
