/* Facts about the ranks that /proc shows, on shells that pass for a launcher and its ranks. */
#include <check.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/pin.h"
#include "process/process.h"
#include "launcher/job.h"
#include "launcher/siblings.h"
#include "launcher/without.h"
#include "launchers.h"
#include "ranks.h"
#include "suites.h"

#define OPENMPI "env OMPI_COMM_WORLD_LOCAL_SIZE=3 PMIX_NAMESPACE=j@1 OMPI_COMM_WORLD_LOCAL_RANK="
#define HYDRA "env MPI_LOCALNRANKS=2 MPI_LOCALRANKID="
#define JOB "PMIX_NAMESPACE j@1, 3 ranks"

static struct sp_sibling seen[8];
static struct sp_cpus masks[8];
static char own[8][64];
static int visits;
static struct sp_siblings_seen *known;
static bool is_enough;

static bool
note(const struct sp_sibling *sibling, void *data)
{
	ck_assert_ptr_eq(data, &visits);
	ck_assert_uint_lt(sibling->local_rank, 8);
	seen[sibling->local_rank] = *sibling;
	masks[sibling->local_rank] = *sibling->mask;
	own[sibling->local_rank][0] = '\0';
	for (char *const *entry = sibling->environment; *entry; entry++)
		if (strncmp(*entry, "OWN=", 4) == 0)
			snprintf(own[sibling->local_rank], sizeof(own[0]), "%s", *entry + 4);
	visits++;
	return is_enough;
}

static int
look(pid_t launcher, const char *job, uint32_t local_size)
{
	memset(seen, 0, sizeof(seen));
	visits = 0;
	errno = EDOM;
	int n = sp_siblings_visit(launcher, job, local_size, known, note, &visits);
	ck_assert_int_eq(errno, EDOM);
	if (n >= 0 && !known)
		ck_assert_int_eq(n, visits);
	return n;
}

/* Started when so many processes sleep: all of them have their environments then. */
static pid_t
start(const char *script, int sleepers)
{
	const char *const argv[] = { "mpirun", "-c", script, NULL };
	pid_t launcher = start_shell(NULL, argv, NULL);

	for (int i = 0; descendants(launcher, "sleep") != sleepers; i++) {
		ck_assert_msg(i < 5000, "%d processes do not start: %s", sleepers, script);
		sleep_ms(1);
	}
	return launcher;
}

START_TEST(every_rank_once)
{
	pid_t launcher = start(OPENMPI "0 OWN=a sleep 300 &" OPENMPI "1 OWN=b sleep 300 &" OPENMPI "2 sleep 300 & wait", 3);
	struct sp_cpus mask;

	ck_assert_int_eq(look(launcher, JOB, 3), 3);
	ck_assert_int_eq(sp_pin_get(0, &mask), 0);
	for (int i = 0; i < 3; i++) {
		struct sp_process process;

		ck_assert_uint_eq(seen[i].local_rank, i);
		ck_assert_int_eq(sp_process_read(seen[i].pid, &process), 0);
		ck_assert_int_eq(process.parent, launcher);
		ck_assert(sp_cpus_equal(&masks[i], &mask));
	}
	ck_assert_str_eq(own[0], "a");
	ck_assert_str_eq(own[1], "b");
	end_group(launcher);
}
END_TEST

START_TEST(the_mask_of_a_rank)
{
	pid_t launcher = start(OPENMPI "1 sleep 300 & wait", 1);
	struct sp_cpus mask, one = { 0 };

	ck_assert_int_eq(look(launcher, JOB, 3), 1);
	ck_assert_int_eq(sp_pin_get(0, &mask), 0);
	sp_cpus_add(&one, sp_cpus_next(&mask, 0));
	ck_assert_int_eq(sp_pin_set(seen[1].pid, &one), 0);
	ck_assert_int_eq(look(launcher, JOB, 3), 1);
	ck_assert(sp_cpus_equal(&masks[1], &one));
	end_group(launcher);
}
END_TEST

/* A rank that was started again, or counted twice by its user. */
START_TEST(two_processes_of_one_rank)
{
	pid_t launcher = start(OPENMPI "0 sleep 300 &" OPENMPI "1 sleep 300 &" OPENMPI "1 sleep 300 & wait", 3);

	ck_assert_int_eq(look(launcher, JOB, 3), 2);
	end_group(launcher);
}
END_TEST

/* They count, and are not visited again, unless the visitor wants to see them again. */
START_TEST(those_that_are_known)
{
	pid_t launcher = start(OPENMPI "0 sleep 300 &" OPENMPI "1 sleep 300 & wait", 2);
	struct sp_sibling_seen room[3];
	struct sp_siblings_seen list = { .sibling = room };

	known = &list;
	for (int i = 0; i < 4; i++) {
		is_enough = i > 0;
		ck_assert_int_eq(look(launcher, JOB, 3), 2);
		ck_assert_int_eq(visits, i < 2 ? 2 : 0);
	}
	ck_assert_uint_eq(list.n, 2);
	ck_assert_int_lt(room[0].pid, room[1].pid);
	ck_assert(sp_siblings_has(&list, room[0].pid) && sp_siblings_has(&list, room[1].pid));
	ck_assert(!sp_siblings_has(&list, launcher));
	end_group(launcher);
}
END_TEST

/* A shell between launcher and rank has the rank's variables. */
START_TEST(the_topmost_process_of_a_rank)
{
	pid_t launcher = start(OPENMPI "0 sh -c 'sleep 300 & sleep 300; :' & wait", 2);

	ck_assert_int_eq(look(launcher, JOB, 3), 1);
	ck_assert_int_eq(seen[0].pid, child_of(launcher, "sh"));
	end_group(launcher);
}
END_TEST

START_TEST(ranks_of_other_jobs)
{
	pid_t launcher = start(OPENMPI "0 sleep 300 &" OPENMPI "1 PMIX_NAMESPACE=j@2 sleep 300 &"
			       OPENMPI "2 OMPI_COMM_WORLD_LOCAL_SIZE=4 sleep 300 & sleep 300 & wait", 4);

	ck_assert_int_eq(look(launcher, JOB, 3), 1);
	ck_assert_int_eq(look(launcher, "PMIX_NAMESPACE j@2, 3 ranks", 3), 1);
	ck_assert_uint_eq(seen[1].local_rank, 1);
	ck_assert_int_eq(look(launcher, "PMIX_NAMESPACE j@1, 4 ranks", 4), 1);
	end_group(launcher);
}
END_TEST

/* Of hydra's ranks the job is named by the launcher's process. */
static void
job_of(pid_t launcher, char job[SP_JOB_NAME])
{
	struct sp_process process;

	ck_assert_int_eq(sp_process_read(launcher, &process), 0);
	snprintf(job, SP_JOB_NAME, "process %d.%llu, 2 ranks", (int)launcher, (unsigned long long)process.started);
}

START_TEST(jobs_that_the_launcher_names)
{
	pid_t launcher = start(HYDRA "0 sleep 300 &" HYDRA "1 sh -c 'sleep 300; :' & wait", 2);
	char job[SP_JOB_NAME];

	job_of(launcher, job);
	ck_assert_int_eq(look(launcher, job, 2), 2);
	ck_assert(sp_job_is_named_by_ancestor(job));
	ck_assert(!sp_job_is_named_by_ancestor(JOB));
	ck_assert_int_eq(look(launcher, "process 1.1, 2 ranks", 2), 0);
	end_group(launcher);
}
END_TEST

/* One shell may start two: ranks of a given name are not taken for those that the shell names. */
START_TEST(two_jobs_of_one_shell)
{
	pid_t launcher = start(HYDRA "0 sleep 300 &"
			       "env OMPI_COMM_WORLD_LOCAL_SIZE=2 PMIX_NAMESPACE=j@1 OMPI_COMM_WORLD_LOCAL_RANK=1 sleep 300 & wait", 2);
	char job[SP_JOB_NAME];

	job_of(launcher, job);
	ck_assert_int_eq(look(launcher, job, 2), 1);
	ck_assert_ptr_nonnull(seen[0].mask);
	ck_assert_int_eq(look(launcher, "PMIX_NAMESPACE j@1, 2 ranks", 2), 1);
	ck_assert_ptr_nonnull(seen[1].mask);
	end_group(launcher);
}
END_TEST

/* Another process below it may have started a job of as many, of the same launcher. */
START_TEST(a_job_inside_of_a_job)
{
	pid_t launcher = start(HYDRA "0 sleep 300 & sh -c '" HYDRA "1 sleep 300 & wait' & wait", 2);
	char job[SP_JOB_NAME];

	job_of(launcher, job);
	ck_assert_int_eq(look(launcher, job, 2), 1);
	ck_assert_uint_eq(seen[0].local_rank, 0);
	end_group(launcher);
}
END_TEST

/* Processes that are no ranks may lie in between, two and no more. */
START_TEST(generations)
{
	pid_t third = start("sh -c \"sh -c '" OPENMPI "0 sleep 300; :'; :\"; :", 1);
	pid_t fourth = start("sh -c \"sh -c '(" OPENMPI "0 sleep 300; :); :'; :\"; :", 1);

	ck_assert_int_eq(look(third, JOB, 3), 1);
	ck_assert_int_eq(look(fourth, JOB, 3), 0);
	end_group(third);
	end_group(fourth);
}
END_TEST

START_TEST(a_launcher_that_has_ended)
{
	pid_t launcher = start("sleep 300 & wait", 1), *children;
	siginfo_t info;

	kill(-launcher, SIGKILL);
	ck_assert_int_eq(waitid(P_PID, (id_t)launcher, &info, WEXITED | WNOWAIT), 0);
	status_of(launcher);
	ck_assert_int_eq(look(launcher, JOB, 3), -ESRCH);
	ck_assert_int_eq(sp_process_children(launcher, &children), -ESRCH);
}
END_TEST

START_TEST(children_by_two_ways)
{
	pid_t launcher = start("sleep 300 & sleep 300 & (sleep 300; :); :", 3), *listed, *looked_for;

	ck_assert_int_eq(sp_process_children(launcher, &listed), 3);
	ck_assert_int_eq(sp_process_children_by_parent(launcher, &looked_for), 3);
	for (int i = 0; i < 3; i++)
		ck_assert(looked_for[i] == listed[0] || looked_for[i] == listed[1] || looked_for[i] == listed[2]);
	free(listed);
	free(looked_for);
	end_group(launcher);
}
END_TEST

/* The launch of the one rank that such a process starts; "": it has none. */
static void
launch_of(const char *const argv[], char launch[SP_JOB_NAME])
{
	pid_t launcher = start_shell(NULL, argv, NULL);

	for (int i = 0; descendants(launcher, "sleep") != 1; i++) {
		ck_assert_int_lt(i, 5000);
		sleep_ms(1);
	}
	int error = sp_job_launch_of(child_of(launcher, "sleep"), launch);
	ck_assert(error == 0 || error == -ENOENT);
	if (error)
		launch[0] = '\0';
	end_group(launcher);
}

#define SLURM "env SLURM_JOB_ID=7 SLURM_STEP_NUM_TASKS=3 SLURM_STEP_TASKS_PER_NODE=2,1 SLURM_LOCALID=0 "

START_TEST(what_one_launch_has_started)
{
	static const struct {
		const char *name, *one, *other, *one_address, *other_address;
		bool is_same;
	} rows[] = {
		{ "mpirun", OPENMPI "0 sleep 300 & wait", "env OMPI_COMM_WORLD_LOCAL_SIZE=2 PMIX_NAMESPACE=j@1 OMPI_COMM_WORLD_LOCAL_RANK=0 sleep 300 & wait", "", "", true },
		{ "mpirun", OPENMPI "0 sleep 300 & wait", "env PMIX_NAMESPACE=j@2 OMPI_COMM_WORLD_LOCAL_SIZE=3 OMPI_COMM_WORLD_LOCAL_RANK=0 sleep 300 & wait", "", "", false },
		{ "slurmstepd", SLURM "SLURM_STEP_ID=0 SLURM_NODEID=0 sleep 300 & wait", SLURM "SLURM_STEP_ID=0 SLURM_NODEID=1 sleep 300 & wait", "", "", true },
		{ "slurmstepd", SLURM "SLURM_STEP_ID=0 SLURM_NODEID=0 sleep 300 & wait", SLURM "SLURM_STEP_ID=1 SLURM_NODEID=1 sleep 300 & wait", "", "", false },
		{ "hydra_pmi_proxy", HYDRA "0 sleep 300 & wait", "env MPI_LOCALNRANKS=1 MPI_LOCALRANKID=0 sleep 300 & wait", "a:45791", "a:45791", true },
		{ "hydra_pmi_proxy", HYDRA "0 sleep 300 & wait", HYDRA "0 sleep 300 & wait", "a:45791", "a:45793", false },
		{ "hydra_pmi_proxy", HYDRA "0 sleep 300 & wait", HYDRA "0 PMI_SPAWNED=1 sleep 300 & wait", "a:45791", "a:45791", false },
	};
	char one[SP_JOB_NAME], other[SP_JOB_NAME];

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		launch_of((const char *const[]){ rows[i].name, "-c", rows[i].one, "--control-port", rows[i].one_address, NULL }, one);
		launch_of((const char *const[]){ rows[i].name, "-c", rows[i].other, "--control-port", rows[i].other_address, NULL }, other);
		ck_assert_msg(*one && (strcmp(one, other) == 0) == rows[i].is_same, "row %zu: %s and %s", i, one, other);
	}
	ck_assert_int_eq(sp_job_launch_of(getpid(), one), -ENOENT);
}
END_TEST

static void
map_file(const char *folder, const char *name)
{
	char path[128];

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0700);
	if (fd < 0 || ftruncate(fd, 4096) != 0 || mmap(NULL, 4096, PROT_READ, MAP_PRIVATE, fd, 0) == MAP_FAILED)
		_exit(2);
	close(fd);
	unlink(path);
}

/* A process, and one that it has started, each with files of these names in its address space; NULL: none. */
static pid_t
start_with(const char *folder, const char *const file[2], const char *below)
{
	char ready;
	int pipes[2];

	ck_assert_int_eq(pipe2(pipes, O_CLOEXEC), 0);
	pid_t pid = fork();
	if (pid == 0) {
		setpgid(0, 0);
		for (int i = 0; i < 2 && file[i]; i++)
			map_file(folder, file[i]);
		if (below && fork() == 0)
			map_file(folder, below);
		if (write(pipes[1], "+", 1) == 1)
			pause();
		_exit(1);
	}
	setpgid(pid, pid);
	for (int i = 0; i < (below ? 2 : 1); i++)
		ck_assert_int_eq(read(pipes[0], &ready, 1), 1);
	close(pipes[0]);
	close(pipes[1]);
	return pid;
}

START_TEST(ranks_without_the_library)
{
	static const struct {
		const char *file[2], *below;
		bool is_without;
	} rows[] = {
		{ { "libmpi.so.40.30.4" }, NULL, true },
		{ { "libmpich.so.12" }, NULL, true },
		{ { "libmpi.so.40", "libsplitpin.so" }, NULL, false },
		{ { "libm.so.6" }, NULL, false },			/* no MPI program so far */
		{ { NULL }, "libmpi.so.12", true },			/* a script, and what it has started */
		{ { "libmpi.so.12" }, "libsplitpin.so.1", false },
	};

	char folder[] = "/tmp/splitpin-siblings-XXXXXX";

	ck_assert_ptr_nonnull(mkdtemp(folder));
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		pid_t pid = start_with(folder, rows[i].file, rows[i].below);

		ck_assert_msg(sp_is_without_library(pid) == rows[i].is_without, "row %zu", i);
		end_group(pid);
		ck_assert(!sp_is_without_library(pid));
	}
	ck_assert_int_eq(rmdir(folder), 0);
}
END_TEST

START_TEST(environments_that_name_the_library)
{
	ck_assert(sp_is_preloaded((char *[]){ "A=1", "LD_PRELOAD=/a/libb.so:/c/libsplitpin.so", NULL }));
	ck_assert(sp_is_preloaded((char *[]){ "LD_PRELOAD=libsplitpin.so", NULL }));
	ck_assert(sp_is_preloaded((char *[]){ "LD_PRELOAD=:/a/libb.so libsplitpin.so.1", NULL }));
	ck_assert(!sp_is_preloaded((char *[]){ "LD_PRELOAD=/libsplitpin/libb.so:notlibsplitpin.so", NULL }));
	ck_assert(!sp_is_preloaded((char *[]){ "LD_PRELOAD=/a/libb.so", "OLD=/c/libsplitpin.so", NULL }));
	ck_assert(!sp_is_preloaded((char *[]){ NULL }));
}
END_TEST

Suite *
suite_siblings(void)
{
	Suite *suite = suite_create("siblings");
	TCase *facts = tcase_create("facts");

	tcase_add_test(facts, every_rank_once);
	tcase_add_test(facts, two_processes_of_one_rank);
	tcase_add_test(facts, those_that_are_known);
	tcase_add_test(facts, the_mask_of_a_rank);
	tcase_add_test(facts, the_topmost_process_of_a_rank);
	tcase_add_test(facts, ranks_of_other_jobs);
	tcase_add_test(facts, jobs_that_the_launcher_names);
	tcase_add_test(facts, two_jobs_of_one_shell);
	tcase_add_test(facts, a_job_inside_of_a_job);
	tcase_add_test(facts, generations);
	tcase_add_test(facts, a_launcher_that_has_ended);
	tcase_add_test(facts, children_by_two_ways);
	tcase_add_test(facts, what_one_launch_has_started);
	tcase_add_test(facts, ranks_without_the_library);
	tcase_add_test(facts, environments_that_name_the_library);
	suite_add_tcase(suite, facts);
	return suite;
}
