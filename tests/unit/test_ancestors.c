/* Facts about launchers above a rank, on shells that have their names. */
#include <check.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/pin.h"
#include "process/process.h"
#include "calls.h"
#include "emulated.h"
#include "launcher/ancestors.h"
#include "launchers.h"
#include "ranks.h"
#include "suites.h"

static struct sp_ancestor ancestors[SP_ANCESTORS_MAX];

/* Into entries that hold anything. */
static int
read_ancestors(pid_t pid, size_t max)
{
	memset(ancestors, 0xa5, sizeof(ancestors));
	return sp_ancestors_read(pid, ancestors, max);
}

static const struct {
	const char *arguments;	/* '|' for NUL */
	const char *name;
} names[] = {
	{ "mpirun|-n|2|a|", "mpirun" },
	{ "/usr/bin/mpirun.openmpi|a|", "mpirun" },
	{ "mpiexec.hydra|", "mpiexec" },
	{ "/opt/mpi/bin//hydra_pmi_proxy|--usize|-1|", "hydra_pmi_proxy" },
	{ "slurmstepd: [1.0]|", "slurmstepd" },
	{ "slurmstepd: [1.batch]|", "slurmstepd" },
	{ "/bin/sh|/opt/mpi/bin/mpirun|-n|2|a|", "mpirun" },
	{ "prte|", "prte" },
	{ "prted|--daemonize|", "prted" },
	{ "mpirunner|a|", NULL },
	{ "mpi|", NULL },
	{ "/bin/sh|-c|mpirun a|", NULL },
	{ "sh|", NULL },
	{ "python3|mpirun|", NULL },
	{ "/mpirun/a|", NULL },
	{ "", NULL },
	{ "mpirun", NULL },
	{ "mpirun|-n", NULL },
};

START_TEST(launchers_by_their_arguments)
{
	char room[128] = "", *text = room + 1;
	size_t length = strlen(names[_i].arguments);

	strcpy(text, names[_i].arguments);
	for (char *c = text; *c; c++)
		if (*c == '|')
			*c = '\0';
	/* What lies behind them is none of the arguments. */
	strcpy(text + length, "mpirun");
	const char *name = sp_ancestors_name(text, length);
	if (names[_i].name)
		ck_assert_pstr_eq(name, names[_i].name);
	else
		ck_assert_ptr_null(name);
}
END_TEST

START_TEST(the_launcher_of_a_rank)
{
	const char *const argv[] = { "mpirun", "-c", "sleep 300; :", "--bind-to", "core", NULL };
	const char *const environment[] = { "PATH=/bin:/usr/bin", "PRTE_MCA_a=b", NULL };
	pid_t launcher = start_shell(NULL, argv, environment), rank = child_of(launcher, "sleep");
	struct sp_cpus mask;

	errno = EDOM;
	ck_assert_int_eq(read_ancestors(rank, SP_ANCESTORS_MAX), 1);
	ck_assert_int_eq(errno, EDOM);
	ck_assert_ptr_eq(sp_ancestors_launcher(ancestors, 1), &ancestors[0]);
	ck_assert_int_eq(ancestors[0].pid, launcher);
	ck_assert_uint_eq(ancestors[0].length, sizeof("mpirun -c sleep 300; : --bind-to core"));
	ck_assert_mem_eq(ancestors[0].arguments, "mpirun\0-c\0sleep 300; :\0--bind-to\0core", ancestors[0].length);
	ck_assert_str_eq(ancestors[0].environment[1], "PRTE_MCA_a=b");
	ck_assert_int_eq(sp_pin_get(0, &mask), 0);
	ck_assert(sp_cpus_equal(&ancestors[0].mask, &mask));
	sp_ancestors_release(ancestors, 1);
	end_group(launcher);
}
END_TEST

START_TEST(wrappers_are_passed_over)
{
	const char *const argv[] = { "/usr/bin/mpirun.openmpi", "-c", "sh -c 'sh -c \"sleep 300; :\"; :'; :", NULL };
	pid_t launcher = start_shell(NULL, argv, NULL);
	pid_t rank = child_of(child_of(child_of(launcher, "sh"), "sh"), "sleep");

	ck_assert_int_eq(read_ancestors(rank, SP_ANCESTORS_MAX), 1);
	ck_assert_int_eq(ancestors[0].pid, launcher);
	sp_ancestors_release(ancestors, 1);
	end_group(launcher);
}
END_TEST

/* As many as are looked at, and one more. */
START_TEST(wrappers_upon_wrappers)
{
	const char *const argv[] = { "mpirun", "-c", "sh -c \"$NEXT\"; :", NULL };
	const char *const environment[] = {
		"PATH=/bin:/usr/bin", _i ? "N=32" : "N=31", "NEXT=N=$((N - 1)); export N; [ $N = 0 ] && sleep 300 || sh -c \"$NEXT\"; :", NULL };
	pid_t launcher = start_shell(NULL, argv, environment), rank = launcher;

	for (int i = 0; i < SP_GENERATIONS_MAX - 1 + _i; i++)
		rank = child_of(rank, "sh");
	rank = child_of(rank, "sleep");
	ck_assert_int_eq(read_ancestors(rank, SP_ANCESTORS_MAX), !_i);
	sp_ancestors_release(ancestors, !_i);
	end_group(launcher);
}
END_TEST

#define PATH_ROOM 64

/* A folder with a shell under another name: for who looks at the name, not at the arguments. */
static void
make_shell(const char *name, char path[PATH_ROOM])
{
	strcpy(path, "/tmp/splitpin-test-XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(path));
	strcat(strcat(path, "/"), name);
	ck_assert_int_eq(symlink("/bin/sh", path), 0);
}

static void
remove_shell(char *path)
{
	unlink(path);
	*strrchr(path, '/') = '\0';
	rmdir(path);
}

/* mpiexec > hydra_pmi_proxy > rank, as far as there is room. */
START_TEST(a_launcher_above_a_launcher)
{
	char path[PATH_ROOM], script[256];

	make_shell("hydra_pmi_proxy", path);
	snprintf(script, sizeof(script), "%s -c 'sleep 300; :'; :", path);
	const char *const argv[] = { "mpiexec", "-c", script, NULL };
	pid_t launcher = start_shell(NULL, argv, NULL);
	pid_t proxy = child_of(launcher, "hydra_pmi_proxy"), rank = child_of(proxy, "sleep");

	ck_assert_int_eq(read_ancestors(rank, SP_ANCESTORS_MAX), 2);
	ck_assert_int_eq(ancestors[0].pid, proxy);
	ck_assert_int_eq(ancestors[1].pid, launcher);
	sp_ancestors_release(ancestors, 2);
	ck_assert_int_eq(read_ancestors(rank, 1), 1);
	ck_assert_int_eq(ancestors[0].pid, proxy);
	sp_ancestors_release(ancestors, 1);
	end_group(launcher);
	remove_shell(path);
}
END_TEST

/* mpirun > sh > mpirun > rank: the outer one's options are for the shell. */
START_TEST(a_launcher_above_a_shell_is_another_jobs)
{
	char path[PATH_ROOM], script[256];

	make_shell("mpirun", path);
	snprintf(script, sizeof(script), "sh -c \"%s -c 'sleep 300; :'; :\"; :", path);
	const char *const argv[] = { "mpirun", "-c", script, NULL };
	pid_t outer = start_shell(NULL, argv, NULL);
	pid_t inner = child_of(child_of(outer, "sh"), "mpirun"), rank = child_of(inner, "sleep");

	ck_assert_int_eq(read_ancestors(rank, SP_ANCESTORS_MAX), 1);
	ck_assert_int_eq(ancestors[0].pid, inner);
	sp_ancestors_release(ancestors, 1);
	end_group(outer);
	remove_shell(path);
}
END_TEST

START_TEST(a_process_of_the_same_command_line)
{
	size_t length;
	char *arguments = sp_process_arguments(getpid(), &length);
	struct sp_ancestor like = { .arguments = arguments, .length = length };

	ck_assert(sp_ancestor_is_like(&like, getpid()));
	ck_assert(!sp_ancestor_is_like(&like, INT32_MAX));
	like.length--;
	ck_assert(!sp_ancestor_is_like(&like, getpid()));
	like.length++;
	arguments[0]++;
	ck_assert(!sp_ancestor_is_like(&like, getpid()));
	free(arguments);
}
END_TEST

static int
has_mpirun_alone(int rank, void *data)
{
	size_t n;
	struct sp_ancestor *ancestor = sp_ancestors_of(getpid(), &n);
	bool has = n == 1 && ancestor[0].pid == getppid() && strcmp(ancestor[0].arguments, "mpirun") == 0;

	(void)rank;
	(void)data;
	sp_ancestors_free(ancestor, n);
	return !has;
}

START_TEST(the_launcher_of_this_process)
{
	size_t length;

	strcpy(program_invocation_name, "mpirun");
	char *arguments = sp_process_arguments(getpid(), &length);
	/* An emulator has command lines of its own. */
	if (!is_emulated())
		ck_assert_int_eq(status_of(start_rank(0, has_mpirun_alone, NULL)), 0);
	free(arguments);
}
END_TEST

START_TEST(the_mask_of_a_launcher)
{
	const char *const argv[] = { "mpirun", "-c", "sleep 300; :", NULL };
	pid_t launcher = start_shell(NULL, argv, NULL), rank = child_of(launcher, "sleep");
	struct sp_cpus mask, one = { 0 };

	ck_assert_int_eq(sp_pin_get(0, &mask), 0);
	sp_cpus_add(&one, sp_cpus_next(&mask, 0));
	ck_assert_int_eq(sp_pin_set(launcher, &one), 0);
	ck_assert_int_eq(read_ancestors(rank, SP_ANCESTORS_MAX), 1);
	ck_assert(sp_cpus_equal(&ancestors[0].mask, &one));
	sp_ancestors_release(ancestors, 1);
	end_group(launcher);
}
END_TEST

static bool
is_among(pid_t pid, int n)
{
	for (int i = 0; i < n; i++)
		if (ancestors[i].pid == pid)
			return true;
	return false;
}

/* A task of a job that has this test's number; variable is what an srun of the same job has in its environment. */
static pid_t
start_task(pid_t *launcher, char variable[64])
{
	char script[64];
	const char *const step[] = { "slurmstepd: [7.0]", "-c", script, NULL };

	snprintf(script, sizeof(script), "SLURM_JOB_ID=%d sleep 300; :", (int)getpid());
	snprintf(variable, 64, "SLURM_JOB_ID=%d", (int)getpid());
	*launcher = start_shell(NULL, step, NULL);
	return child_of(*launcher, "sleep");
}

/* sruns: in this job, in another, and in none; each has a child like it. */
START_TEST(srun_of_a_task)
{
	static const struct { const char *variable; bool is_ours; } cases[] = {
		{ "SLURM_JOB_ID", true }, { "SLURM_JOB_IDS", true }, { "SLURM_JOB_ID=1", false },
	};
	char path[PATH_ROOM], variable[64];
	const char *const srun[] = { "srun", "-c", "(sleep 300; :); :", NULL };
	const char *const environment[] = { "PATH=/bin:/usr/bin", variable, NULL };

	make_shell("srun", path);
	pid_t launcher, rank = start_task(&launcher, variable);
	snprintf(variable, sizeof(variable), "%s=%d", cases[_i].variable, (int)getpid());
	pid_t asker = start_shell(path, srun, environment);
	pid_t child = child_of(asker, "srun");

	int n = read_ancestors(rank, SP_ANCESTORS_MAX);
	ck_assert_int_gt(n, 0);
	ck_assert_int_eq(ancestors[0].pid, launcher);
	/* Without a job are those of other tests that run now, too: there may be more than there is room for. */
	if (n < SP_ANCESTORS_MAX || _i != 1)
		ck_assert_int_eq(is_among(asker, n), cases[_i].is_ours);
	ck_assert(!is_among(child, n));
	sp_ancestors_release(ancestors, (size_t)n);
	end_group(asker);
	end_group(launcher);
	remove_shell(path);
}
END_TEST

/* A process that only calls itself srun, and two of srun's file that go by other names. */
START_TEST(what_resembles_an_srun)
{
	char other[PATH_ROOM], same[PATH_ROOM], variable[64];
	const char *const srun[] = { "srun", "-c", "sleep 300; :", NULL }, *const mpirun[] = { "mpirun", "-c", "sleep 300; :", NULL };
	const char *const tool[] = { "tool", "-c", "sleep 300; :", NULL };
	const char *const environment[] = { "PATH=/bin:/usr/bin", variable, NULL };

	make_shell("srux", other);
	make_shell("srun", same);
	pid_t launcher, rank = start_task(&launcher, variable);
	pid_t started[] = {
		start_shell(same, srun, environment), start_shell(same, tool, environment),
		start_shell(other, srun, environment), start_shell(same, mpirun, environment),
	};
	for (int i = 0; i < 4; i++)
		child_of(started[i], "sleep");
	int n = read_ancestors(rank, SP_ANCESTORS_MAX);
	ck_assert_int_eq(n, 2);
	ck_assert_int_eq(ancestors[1].pid, started[0]);
	sp_ancestors_release(ancestors, (size_t)n);
	for (int i = 0; i < 4; i++)
		end_group(started[i]);
	end_group(launcher);
	remove_shell(other);
	remove_shell(same);
}
END_TEST

/* Another thread closes what has the lowest number, so that the next file gets that. */
static int
close_input(void)
{
	close(STDIN_FILENO);
	return 0;
}

/* At each of the first calls: those for the rank and its launcher, and for the first processes that are looked at. */
START_TEST(srun_is_found_with_any_descriptor)
{
	char path[PATH_ROOM], variable[64];
	const char *const srun[] = { "srun", "-c", "sleep 300; :", NULL };
	const char *const environment[] = { "PATH=/bin:/usr/bin", variable, NULL };

	make_shell("srun", path);
	pid_t launcher, rank = start_task(&launcher, variable);
	pid_t asker = start_shell(path, srun, environment);
	child_of(asker, "sleep");
	for (int nth = 0; nth < 32; nth++) {
		if (fcntl(STDIN_FILENO, F_GETFD) < 0)
			ck_assert_int_eq(open("/dev/null", O_RDONLY | O_CLOEXEC), STDIN_FILENO);
		calls_at(nth, close_input);
		int n = read_ancestors(rank, SP_ANCESTORS_MAX);
		ck_assert(calls_were_reached());
		ck_assert_int_eq(n, 2);
		ck_assert_int_eq(ancestors[1].pid, asker);
		sp_ancestors_release(ancestors, (size_t)n);
	}
	end_group(asker);
	end_group(launcher);
	remove_shell(path);
}
END_TEST

/*
 * However many there are that have no job, before and after the one that has this one; with room for
 * all of them, and without; where it is the first; and where two have this job, one of them the first.
 */
START_TEST(srun_of_the_same_job_is_enough)
{
	static const struct { int others, before; bool has_another; } cases[] = {
		{ 3, 2, false }, { 3, 0, false }, { SP_ANCESTORS_MAX + 2, SP_ANCESTORS_MAX + 1, false },
		{ SP_ANCESTORS_MAX + 2, SP_ANCESTORS_MAX + 1, true },
	};
	const int others = cases[_i].others;
	const bool has_another = cases[_i].has_another;
	char path[PATH_ROOM], variable[64];
	const char *const srun[] = { "srun", "-c", "sleep 300; :", NULL };
	const char *const inside[] = { "PATH=/bin:/usr/bin", variable, NULL }, *const outside[] = { "PATH=/bin:/usr/bin", NULL };
	pid_t other[SP_ANCESTORS_MAX + 2], same = 0, another = 0;

	make_shell("srun", path);
	pid_t launcher, rank = start_task(&launcher, variable);
	if (has_another)
		another = start_shell(path, srun, inside);
	for (int i = 0; i < others; i++) {
		if (i == cases[_i].before)
			same = start_shell(path, srun, inside);
		other[i] = start_shell(path, srun, outside);
	}
	child_of(same, "sleep");
	for (int i = 0; i < others; i++)
		child_of(other[i], "sleep");
	if (another)
		child_of(another, "sleep");
	int n = read_ancestors(rank, SP_ANCESTORS_MAX);
	ck_assert_int_eq(n, 2 + has_another);
	ck_assert(is_among(same, n));
	ck_assert(!another || is_among(another, n));
	sp_ancestors_release(ancestors, (size_t)n);
	for (int i = 0; i < others; i++)
		end_group(other[i]);
	end_group(same);
	if (another)
		end_group(another);
	end_group(launcher);
	remove_shell(path);
}
END_TEST

START_TEST(no_launcher)
{
	ck_assert_int_eq(read_ancestors(1, SP_ANCESTORS_MAX), 0);
	ck_assert_int_eq(read_ancestors(INT32_MAX, SP_ANCESTORS_MAX), -ESRCH);
	ck_assert_ptr_null(sp_ancestors_launcher(ancestors, 0));
}
END_TEST

Suite *
suite_ancestors(void)
{
	Suite *suite = suite_create("ancestors");
	TCase *facts = tcase_create("facts");

	tcase_add_loop_test(facts, launchers_by_their_arguments, 0, sizeof(names) / sizeof(names[0]));
	tcase_add_test(facts, the_launcher_of_a_rank);
	tcase_add_test(facts, wrappers_are_passed_over);
	tcase_add_loop_test(facts, wrappers_upon_wrappers, 0, 2);
	tcase_add_test(facts, a_launcher_above_a_launcher);
	tcase_add_test(facts, a_launcher_above_a_shell_is_another_jobs);
	tcase_add_test(facts, a_process_of_the_same_command_line);
	tcase_add_test(facts, the_launcher_of_this_process);
	tcase_add_test(facts, the_mask_of_a_launcher);
	tcase_add_loop_test(facts, srun_of_a_task, 0, 3);
	tcase_add_test(facts, what_resembles_an_srun);
	tcase_add_test(facts, srun_is_found_with_any_descriptor);
	tcase_add_loop_test(facts, srun_of_the_same_job_is_enough, 0, 4);
	tcase_add_test(facts, no_launcher);
	suite_add_tcase(suite, facts);
	return suite;
}
