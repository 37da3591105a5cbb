/*
 * Facts about the names of jobs.  What has a process of its own with an
 * environment of its own is this program, executed anew: with NAME_OF_JOB set
 * it prints the name of its job (or starts another that does) and ends.
 */
#include <check.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "emulated.h"
#include "launcher/job.h"
#include "launcher/launcher.h"
#include "suites.h"

extern char **environ;

static void
print_name(void)
{
	char name[SP_JOB_NAME];
	struct sp_rank rank;
	int error = sp_launcher_rank(environ, &rank);

	if (!error)
		error = sp_job_name(&rank, environ, name);
	if (error)
		printf("error %d\n", -error);
	else
		printf("%s\n", name);
	fflush(stdout);
}

/* "through" is a shell or a container between launcher and rank, which may set variables for the rank. */
__attribute__((constructor)) static void
executed_anew(void)
{
	const char *way = getenv("NAME_OF_JOB");

	if (!way)
		return;
	if (strcmp(way, "through") == 0) {
		setenv("NAME_OF_JOB", "name", 1);
		if (getenv("SET")) {
			setenv("SPLITPIN_LOCAL_RANK", getenv("SET"), 1);
			setenv("SPLITPIN_LOCAL_SIZE", "4", 1);
		}
		if (getenv("CONTAINER")) {
			setenv("MPI_LOCALRANKID", "1", 1);
			setenv("MPI_LOCALNRANKS", "2", 1);
		}
		if (fork() == 0) {
			execl("/proc/self/exe", "unit-tests", (char *)NULL);
			_exit(127);
		}
		wait(NULL);
	} else {
		print_name();
	}
	_exit(0);
}

/* What a process prints. */
static const char *
name_from(const char *path, char *const arguments[], char *const environment[], char name[SP_JOB_NAME])
{
	int ends[2];

	ck_assert_int_eq(pipe2(ends, O_CLOEXEC), 0);
	pid_t pid = fork();
	if (pid == 0) {
		dup2(ends[1], STDOUT_FILENO);
		execve(path, arguments, environment);
		_exit(127);
	}
	close(ends[1]);
	FILE *from = fdopen(ends[0], "r");
	ck_assert_ptr_nonnull(fgets(name, SP_JOB_NAME, from));
	fclose(from);
	waitpid(pid, NULL, 0);
	name[strcspn(name, "\n")] = '\0';
	return name;
}

/* What this program prints with this title and environment. */
static const char *
name_below(const char *title, char *const environment[], char name[SP_JOB_NAME])
{
	return name_from("/proc/self/exe", (char *[]){ (char *)title, NULL }, environment, name);
}

static const char *
name_in(char *const environment[], char name[SP_JOB_NAME])
{
	return name_below("unit-tests", environment, name);
}

#define NAME "NAME_OF_JOB=name"
#define THROUGH "NAME_OF_JOB=through"

/* Where the launcher names the job, processes do not matter. */
START_TEST(a_name_that_was_given)
{
	static const struct {
		char *const environment[6];
		const char *name;
	} cases[] = {
		{ { NAME, "OMPI_COMM_WORLD_LOCAL_RANK=1", "OMPI_COMM_WORLD_LOCAL_SIZE=4", "PMIX_NAMESPACE=prterun-a-17@1", NULL },
		  "PMIX_NAMESPACE prterun-a-17@1, 4 ranks" },
		{ { NAME, "PALS_LOCAL_RANKID=0", "PALS_LOCAL_SIZE=2", "PALS_APID=abc", NULL }, "PALS_APID abc, 2 ranks" },
		{ { NAME, "FLUX_TASK_LOCAL_ID=0", "FLUX_JOB_SIZE=2", "FLUX_JOB_NNODES=1", "FLUX_JOB_ID=99", NULL },
		  "FLUX_JOB_ID 99, 2 ranks" },
	};
	char name[SP_JOB_NAME];

	ck_assert_str_eq(name_in(cases[_i].environment, name), cases[_i].name);
}
END_TEST

START_TEST(a_step_of_Slurm)
{
	char name[SP_JOB_NAME];
	char *const environment[] = { NAME, "SLURM_JOB_ID=12", "SLURM_STEP_ID=3", "SLURM_LOCALID=1", "SLURM_NODEID=0",
				      "SLURM_STEP_TASKS_PER_NODE=2", "SLURM_STEP_NUM_TASKS=2", NULL };

	ck_assert_str_eq(name_in(environment, name), "slurm 12.3, 2 ranks");
}
END_TEST

/* This process is the launcher, then. */
START_TEST(ranks_of_one_launcher_have_one_job)
{
	char *const first[] = { NAME, "MPI_LOCALRANKID=0", "MPI_LOCALNRANKS=2", NULL };
	char *const second[] = { NAME, "MPI_LOCALRANKID=1", "MPI_LOCALNRANKS=2", NULL };
	char *const through[] = { THROUGH, "MPI_LOCALRANKID=1", "MPI_LOCALNRANKS=2", NULL };
	char *const more[] = { NAME, "MPI_LOCALRANKID=1", "MPI_LOCALNRANKS=3", NULL };
	char *const unnamed[] = { NAME, "OMPI_COMM_WORLD_LOCAL_RANK=1", "OMPI_COMM_WORLD_LOCAL_SIZE=2", "PMIX_NAMESPACE=", NULL };
	char name[SP_JOB_NAME], other[SP_JOB_NAME], start[64];

	name_in(first, name);
	snprintf(start, sizeof(start), "process %d.", (int)getpid());
	ck_assert_msg(strncmp(name, start, strlen(start)) == 0, "%s", name);
	ck_assert_str_eq(name_in(second, other), name);
	/* A name that is empty is none. */
	ck_assert_str_eq(name_in(unnamed, other), name);
	/* A shell in between. */
	ck_assert_str_eq(name_in(through, other), name);
	/* Another job that the same shell has started. */
	ck_assert_str_ne(name_in(more, other), name);
}
END_TEST

/* As many as are looked at, and one more. */
START_TEST(shells_between_launcher_and_rank)
{
	char program[64];
	char *const direct[] = { NAME, "MPI_LOCALRANKID=0", "MPI_LOCALNRANKS=2", NULL };
	char *const through[] = {
		NAME, "MPI_LOCALRANKID=0", "MPI_LOCALNRANKS=2", "PATH=/bin:/usr/bin", program, _i ? "N=33" : "N=32",
		"NEXT=N=$((N - 1)); export N; [ $N = 0 ] && $PROGRAM || sh -c \"$NEXT\"; :", NULL };
	char name[SP_JOB_NAME], other[SP_JOB_NAME];

	snprintf(program, sizeof(program), "PROGRAM=/proc/%d/exe", (int)getpid());
	name_in(direct, name);
	name_from("/bin/sh", (char *[]){ "sh", "-c", "eval \"$NEXT\"", NULL }, through, other);
	ck_assert_int_eq(strcmp(name, other) == 0, !_i);
}
END_TEST

/* Its process has an environment of its own, and is no launcher. */
START_TEST(a_container_around_each_rank)
{
	static const struct { const char *title; bool is_container; } cases[] = {
		{ "Apptainer runtime parent: image.sif", true }, { "Singularity runtime parent", true },
		{ "appinit    ", true }, { "appinitial", false }, { "Apptainer", false }, { "bash", false },
	};
	char *const direct[] = { NAME, "MPI_LOCALRANKID=0", "MPI_LOCALNRANKS=2", NULL };
	char *const through[] = { THROUGH, "CONTAINER=1", NULL };
	char name[SP_JOB_NAME], other[SP_JOB_NAME];

	name_in(direct, name);
	name_below(cases[_i].title, through, other);
	ck_assert_int_eq(strcmp(name, other) == 0, cases[_i].is_container);
}
END_TEST

START_TEST(another_launcher_has_another_job)
{
	char *const rank[] = { NAME, "MPI_LOCALRANKID=0", "MPI_LOCALNRANKS=2", NULL };
	char name[SP_JOB_NAME], other[SP_JOB_NAME] = "";
	int ends[2];

	name_in(rank, name);
	ck_assert_int_eq(pipe2(ends, O_CLOEXEC), 0);
	pid_t pid = fork();
	if (pid == 0) {
		name_in(rank, other);
		_exit(write(ends[1], other, sizeof(other)) != sizeof(other));
	}
	ck_assert_int_eq(read(ends[0], other, sizeof(other)), sizeof(other));
	close(ends[0]);
	close(ends[1]);
	waitpid(pid, NULL, 0);
	ck_assert_str_ne(name, other);
}
END_TEST

/* A shell that sets SPLITPIN_LOCAL_RANK to what it was told itself is no launcher; else it may be one. */
START_TEST(a_shell_that_sets_the_rank)
{
	static const struct { const char *set; bool is_launcher; } cases[] = { { "SET=1", false }, { "SET=2", true } };
	char *const direct[] = { NAME, "MPI_LOCALRANKID=1", "MPI_LOCALNRANKS=4", NULL };
	char *const through[] = { THROUGH, "MPI_LOCALRANKID=1", "MPI_LOCALNRANKS=4", (char *)cases[_i].set, NULL };
	char name[SP_JOB_NAME], other[SP_JOB_NAME];

	name_in(direct, name);
	name_in(through, other);
	ck_assert_int_eq(strcmp(name, other) != 0, cases[_i].is_launcher);
}
END_TEST

START_TEST(a_process_of_no_launcher)
{
	char *const alone[] = { NAME, "SPLITPIN_ALONE=pin", NULL };
	char name[SP_JOB_NAME], other[SP_JOB_NAME];

	name_in(alone, name);
	ck_assert_int_eq(strncmp(name, "process ", 8), 0);
	ck_assert_str_ne(name_in(alone, other), name);
}
END_TEST

/* PMIx allows 255 characters; more are cut. */
START_TEST(long_names)
{
	char space[600] = "PMIX_NAMESPACE=", name[SP_JOB_NAME], other[SP_JOB_NAME];
	char *const environment[] = { NAME, "OMPI_COMM_WORLD_LOCAL_RANK=1", "OMPI_COMM_WORLD_LOCAL_SIZE=4194304", space, NULL };

	memset(space + 15, 'x', 255);
	name_in(environment, name);
	ck_assert_ptr_nonnull(strstr(name, ", 4194304 ranks"));
	space[15 + 254] = 'y';
	ck_assert_str_ne(name_in(environment, other), name);
	memset(space + 15, 'x', 580);
	ck_assert_uint_lt(strlen(name_in(environment, name)), SP_JOB_NAME);
}
END_TEST

START_TEST(ranks_that_MPI_Comm_spawn_started)
{
	ck_assert(!sp_job_is_spawned((char *[]){ NULL }));
	ck_assert(!sp_job_is_spawned(NULL));
	ck_assert(!sp_job_is_spawned((char *[]){ "PMI_SPAWNED=0", "PMI_RANK=0", NULL }));
	ck_assert(sp_job_is_spawned((char *[]){ "PMI_SPAWNED=1", NULL }));
	ck_assert(sp_job_is_spawned((char *[]){ "OMPI_PARENT_PORT=123.0;456", NULL }));
}
END_TEST

START_TEST(a_batch_system_names_the_job)
{
	static const char *const variables[] = {
		"SLURM_JOB_ID", "PBS_JOBID", "LSB_JOBID", "FLUX_JOB_ID", "PJM_JOBID", "COBALT_JOBID", "OAR_JOB_ID",
	};

	ck_assert_ptr_null(sp_job_batch_id((char *[]){ "SLURM_JOB_ID=", "JOB_ID=7", NULL }));
	ck_assert_str_eq(sp_job_batch_id((char *[]){ "A=1", "PBS_JOBID=12.host", NULL }), "12.host");
	ck_assert_str_eq(sp_job_batch_id((char *[]){ "SGE_ROOT=/x", "JOB_ID=7", NULL }), "7");
	ck_assert_ptr_null(sp_job_batch_id((char *[]){ "SGE_ROOT=/x", "JOB_ID=", NULL }));
	ck_assert_ptr_null(sp_job_batch_id((char *[]){ "SGE_ROOT=/x", NULL }));
	for (size_t i = 0; i < sizeof(variables) / sizeof(variables[0]); i++) {
		char text[32];

		snprintf(text, sizeof(text), "%s=8", variables[i]);
		ck_assert_str_eq(sp_job_batch_id((char *[]){ text, NULL }), "8");
	}
}
END_TEST

Suite *
suite_job(void)
{
	Suite *suite = suite_create("job");
	TCase *facts = tcase_create("facts"), *executed = tcase_create("executed anew");

	tcase_add_loop_test(executed, a_name_that_was_given, 0, 3);
	tcase_add_test(executed, a_step_of_Slurm);
	tcase_add_test(executed, ranks_of_one_launcher_have_one_job);
	tcase_add_loop_test(executed, shells_between_launcher_and_rank, 0, 2);
	tcase_add_loop_test(executed, a_container_around_each_rank, 0, 6);
	tcase_add_test(executed, another_launcher_has_another_job);
	tcase_add_loop_test(executed, a_shell_that_sets_the_rank, 0, 2);
	tcase_add_test(executed, a_process_of_no_launcher);
	tcase_add_test(executed, long_names);
	/* For another processor that takes an entry in the kernel (binfmt_misc). */
	if (!is_emulated())
		suite_add_tcase(suite, executed);
	tcase_add_test(facts, ranks_that_MPI_Comm_spawn_started);
	tcase_add_test(facts, a_batch_system_names_the_job);
	suite_add_tcase(suite, facts);
	return suite;
}
