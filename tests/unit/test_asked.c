/* Facts about what shows that a rank's mask is to stay. */
#include <check.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/pin.h"
#include "node/asked.h"
#include "launchers.h"
#include "machines.h"
#include "suites.h"

START_TEST(a_rank_without_splitpin_stays)
{
	char *own[] = { "LD_PRELOAD=/opt/libsplitpin.so", NULL }, *none[] = { "HOME=/", NULL };
	char *off[] = { "LD_PRELOAD=/opt/libsplitpin.so", "SPLITPIN= OFF ", NULL };
	char *zero[] = { "LD_PRELOAD=/opt/libsplitpin.so", "SPLITPIN=0", NULL };
	char *keep[] = { "LD_PRELOAD=/opt/libsplitpin.so", "SPLITPIN_INHERITED=Keep", NULL };
	char *on[] = { "SPLITPIN=on", "SPLITPIN_INHERITED=ignore", "LD_PRELOAD=/opt/libsplitpin.so", NULL };

	ck_assert(sp_asked_to_stay(own, getpid(), none));
	ck_assert(sp_asked_to_stay(own, getpid(), off));
	ck_assert(sp_asked_to_stay(own, getpid(), zero));
	ck_assert(sp_asked_to_stay(own, getpid(), keep));
	ck_assert(!sp_asked_to_stay(own, getpid(), own));
	ck_assert(!sp_asked_to_stay(own, getpid(), on));
	/* Loaded by other means, by all of them. */
	ck_assert(!sp_asked_to_stay(none, getpid(), none));
	own[0] = "LD_PRELOAD=/opt/libother.so";
	ck_assert(!sp_asked_to_stay(own, getpid(), none));
}
END_TEST

/* It is about to set the variables of the rank. */
START_TEST(what_starts_a_rank_need_not_have_splitpin)
{
	static const struct { const char *name; bool stays; } cases[] = {
		{ "env", false }, { "/usr/bin/bash", false }, { "stdbuf", false }, { "solver", true }, { "/bin/shell", true },
	};
	char *own[] = { "LD_PRELOAD=/opt/libsplitpin.so", NULL }, *none[] = { "HOME=/", NULL };

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const char *const argv[] = { cases[i].name, "-c", "sleep 300; :", NULL };
		pid_t pid = start_shell(NULL, argv, NULL);

		child_of(pid, "sleep");
		ck_assert_msg(sp_asked_to_stay(own, pid, none) == cases[i].stays, "%s", cases[i].name);
		end_group(pid);
	}
}
END_TEST

/* Open MPI gives its command to all ranks, other launchers' lines are on one node. */
START_TEST(a_program_that_binds_on_several_nodes)
{
	static const struct { const char *command, *arguments, *programs, *wrapper; bool is_for_all; } cases[] = {
		{ "OMPI_COMMAND=/usr/bin/taskset", "OMPI_ARGV=-c 3 ./program", "OMPI_NUM_APP_CTX=1", "taskset", true },
		{ "OMPI_COMMAND=numactl", "OMPI_ARGV=-m 0 ./program", "OMPI_NUM_APP_CTX=1", NULL, true },
		{ "OMPI_COMMAND=env", "OMPI_ARGV=A=B numactl -C 0 ./program", "OMPI_NUM_APP_CTX=1", "numactl", true },
		{ "OMPI_COMMAND=taskset", "OMPI_ARGV=-c 3 ./program", "OMPI_NUM_APP_CTX=2", "taskset", false },
		{ "OMPI_COMMAND=taskset", "OMPI_ARGV=-c 3 ./program", "A=B", "taskset", false },
		{ "OMPI_COMMAND=./program", "OMPI_ARGV=in", "OMPI_NUM_APP_CTX=1", NULL, true },
		{ "OMPI_COMMAND=taskset", "A=B", "OMPI_NUM_APP_CTX=1", NULL, true },
		{ "A=B", "OMPI_ARGV=taskset -c 3", "OMPI_NUM_APP_CTX=1", NULL, true },
	};
	static const char bound[] = "mpirun\0-n\0001\0/usr/bin/taskset\0-c\0003\0./program";
	const struct sp_ancestor ancestor = { .arguments = bound, .length = sizeof(bound) };
	char *const environment[] = { (char *)cases[_i].command, (char *)cases[_i].arguments, (char *)cases[_i].programs, NULL };
	bool is_for_all;

	const char *wrapper = sp_asked_of_wrapper(true, environment, &ancestor, 1, &is_for_all);
	ck_assert_int_eq(wrapper != NULL, cases[_i].wrapper != NULL);
	if (wrapper) {
		ck_assert_str_eq(wrapper, cases[_i].wrapper);
		ck_assert_int_eq(is_for_all, cases[_i].is_for_all);
	}
}
END_TEST

START_TEST(a_program_that_binds_on_the_launchers_line)
{
	bool is_for_all;
	static const char plain[] = "mpirun\0-n\0002\0./program\0taskset.in";
	static const char bound[] = "mpirun\0-n\0001\0/usr/bin/taskset\0-c\0003\0./program";
	static const char itself[] = "taskset\0-c\0003\0mpirun";
	struct sp_ancestor ancestor[2] = { { .arguments = plain, .length = sizeof(plain) } };

	ck_assert_ptr_null(sp_asked_of_wrapper(false, NULL, ancestor, 1, &is_for_all));
	ancestor[1] = (struct sp_ancestor){ .arguments = bound, .length = sizeof(bound) };
	ck_assert_str_eq(sp_asked_of_wrapper(false, NULL, ancestor, 2, &is_for_all), "taskset");
	ck_assert_str_eq(sp_asked_of_wrapper(false, NULL, ancestor + 1, 1, &is_for_all), "taskset");
	ancestor[0] = (struct sp_ancestor){ .arguments = "mpirun\0omplace", .length = sizeof("mpirun\0omplace") };
	ck_assert_str_eq(sp_asked_of_wrapper(false, NULL, ancestor, 1, &is_for_all), "omplace");
	ancestor[0] = (struct sp_ancestor){ .arguments = itself, .length = sizeof(itself) };
	ck_assert_ptr_null(sp_asked_of_wrapper(false, NULL, ancestor, 1, &is_for_all));
	/* Nor is a launcher's name a wrapper's by its end. */
	ancestor[0] = (struct sp_ancestor){ .arguments = "/taskset\0a", .length = sizeof("/taskset\0a") };
	ck_assert_ptr_null(sp_asked_of_wrapper(false, NULL, ancestor, 1, &is_for_all));
}
END_TEST

/* Words parted by blanks, behind "mpirun -n 2". */
static const struct {
	const char *words, *wrapper;
} wrapped[] = {
	{ "numactl -N 0 ./a", "numactl" },
	{ "numactl -N0 ./a", "numactl" },
	{ "numactl -C 0-3 ./a", "numactl" },
	{ "numactl -aC 0-3 ./a", "numactl" },
	{ "numactl --cpunodebind=0 --membind=0 ./a", "numactl" },
	{ "numactl --membind 0 --cpunodebind 0 ./a", "numactl" },
	{ "numactl -m 0 -N 0 ./a", "numactl" },
	{ "numactl -l --physcpubind=0 ./a", "numactl" },
	{ "numactl --phys 0 ./a", "numactl" },
	{ "numactl --cpubind=0 ./a", "numactl" },
	{ "numactl --interleave 0 --cpunodebind 0 ./a", "numactl" },
	/* memory alone; the rest is the program's */
	{ "numactl -m 1 ./a", NULL },
	{ "numactl -m1 ./a -N 8 -C", NULL },
	{ "numactl --membind=1 ./a", NULL },
	{ "numactl --membind 1 ./a --cpunodebind=0", NULL },
	{ "numactl --preferred=1 ./a", NULL },
	{ "numactl --preferred-many 1,2 ./a -N 0", NULL },
	{ "numactl -p 1 ./a", NULL },
	{ "numactl -i all ./a", NULL },
	{ "numactl --interleave=all -- ./a", NULL },
	{ "numactl -l -- -N", NULL },
	{ "numactl - -N 0", NULL },
	{ "numactl --localalloc --balancing ./a -C 0", NULL },
	{ "numactl -m", NULL },
	{ "numactl --membind", NULL },
	{ "numactl -m 1 taskset -c 0 ./a", "taskset" },
	{ "numactl -m 1 ./a : -n 1 numactl -N 0 ./b", "numactl" },
	{ "hwloc-bind core:0 ./a", "hwloc-bind" },
	{ "hwloc-bind --strict core:0 -- ./a", "hwloc-bind" },
	{ "hwloc-bind 0x1 ./a", "hwloc-bind" },
	{ "hwloc-bind core:0 --membind node:1 ./a", "hwloc-bind" },
	{ "hwloc-bind --membind node:1 --cpubind core:0 ./a", "hwloc-bind" },
	{ "hwloc-bind --membind --strict node:1 --cpubind core:0 ./a", "hwloc-bind" },
	{ "hwloc-bind --membind -p node:1 --cpubind core:0 ./a", "hwloc-bind" },
	{ "hwloc-bind -p --membind node:1 ./a", NULL },
	{ "hwloc-bind --membind node:1 -- ./a", NULL },
	{ "hwloc-bind --membind node:1 ./a --cpubind core:0", NULL },
	{ "hwloc-bind --membind node:1 ./a core:0", NULL },
	{ "hwloc-bind --membind --strict node:1 node:2 ./a b:0", NULL },
	{ "hwloc-bind --membind", NULL },
};

START_TEST(a_wrapper_for_memory_alone_does_not_bind)
{
	char line[256] = "mpirun -n 2 ";
	struct sp_ancestor ancestor = { .arguments = line };

	strcat(line, wrapped[_i].words);
	ancestor.length = strlen(line) + 1;
	for (char *c = line; (c = strchr(c, ' ')); c++)
		*c = '\0';
	bool is_for_all;
	const char *wrapper = sp_asked_of_wrapper(false, NULL, &ancestor, 1, &is_for_all);
	ck_assert_msg(wrapped[_i].wrapper ? wrapper && strcmp(wrapper, wrapped[_i].wrapper) == 0 : !wrapper,
		      "%s: %s", wrapped[_i].words, wrapper ? wrapper : "none");
}
END_TEST

START_TEST(a_wrapper_of_one_program_among_several)
{
	static const char first[] = "mpirun\0taskset\0-c\0000\0./a\0:\0./b", second[] = "mpirun\0./a\0:\0taskset\0-c\0000\0./b";
	static const char alone[] = "mpirun\0taskset\0-c\0000\0./a\0:x";
	struct sp_ancestor ancestor = { .arguments = first, .length = sizeof(first) };
	bool is_for_all = true;

	ck_assert_str_eq(sp_asked_of_wrapper(false, NULL, &ancestor, 1, &is_for_all), "taskset");
	ck_assert(!is_for_all);
	ancestor = (struct sp_ancestor){ .arguments = second, .length = sizeof(second) };
	ck_assert_str_eq(sp_asked_of_wrapper(false, NULL, &ancestor, 1, &is_for_all), "taskset");
	ck_assert(!is_for_all);
	ancestor = (struct sp_ancestor){ .arguments = alone, .length = sizeof(alone) };
	ck_assert_str_eq(sp_asked_of_wrapper(false, NULL, &ancestor, 1, &is_for_all), "taskset");
	ck_assert(is_for_all);
}
END_TEST

START_TEST(a_mask_given_below_the_launcher)
{
	struct sp_cpus mask, other;

	ck_assert_int_eq(sp_pin_get(getppid(), &mask), 0);
	other = mask;
	sp_cpus_remove(&other, sp_cpus_next(&other, 0));
	ck_assert(!sp_asked_below_launcher(1, &mask));
	ck_assert(sp_asked_below_launcher(1, &other));
	/* Its parent is the launcher, or nobody knows which process is. */
	ck_assert(!sp_asked_below_launcher(getppid(), &other));
	ck_assert(!sp_asked_below_launcher(0, &other));
}
END_TEST

Suite *
suite_asked(void)
{
	Suite *suite = suite_create("asked");
	TCase *facts = tcase_create("facts");

	tcase_add_test(facts, a_rank_without_splitpin_stays);
	tcase_add_test(facts, what_starts_a_rank_need_not_have_splitpin);
	tcase_add_test(facts, a_program_that_binds_on_the_launchers_line);
	tcase_add_loop_test(facts, a_program_that_binds_on_several_nodes, 0, 8);
	tcase_add_loop_test(facts, a_wrapper_for_memory_alone_does_not_bind, 0, sizeof(wrapped) / sizeof(wrapped[0]));
	tcase_add_test(facts, a_wrapper_of_one_program_among_several);
	tcase_add_test(facts, a_mask_given_below_the_launcher);
	suite_add_tcase(suite, facts);
	return suite;
}
