/*
 * Facts about the names of jobs.  What has a process of its own with an
 * environment of its own is this program, executed anew: with NAME_OF_JOB set
 * it prints the name of its job, its rank or what started it (or starts another
 * that does) and ends.
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
#include "launcher/nearest.h"
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

static void
print_rank(void)
{
	struct sp_rank rank;
	int error = sp_launcher_rank(environ, &rank);

	sp_nearest_rank(getpid(), environ, &rank);
	printf("%s %u/%u\n", error ? "none" : rank.from, rank.local_rank, rank.local_size);
	fflush(stdout);
}

static void
print_starter(void)
{
	struct sp_rank rank;

	if (sp_launcher_rank(environ, &rank) == 0)
		printf("%d of %d and %d\n", (int)sp_job_starter(&rank), (int)getppid(), (int)getpid());
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
		setenv("NAME_OF_JOB", getenv("STARTER") ? "starter" : "name", 1);
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
	} else if (strcmp(way, "rank") == 0) {
		print_rank();
	} else if (strcmp(way, "starter") == 0) {
		print_starter();
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
		{ { NAME, "I_MPI_HYDRA_UUID=b9-7", "MPI_LOCALRANKID=0", "MPI_LOCALNRANKS=2", NULL }, "I_MPI_HYDRA_UUID b9-7, 2 ranks" },
		{ { NAME, "FLUX_TASK_LOCAL_ID=0", "FLUX_JOB_SIZE=2", "FLUX_JOB_NNODES=1", "FLUX_JOB_ID=99", NULL },
		  "FLUX_JOB_ID 99, 2 ranks" },
	};
	char name[SP_JOB_NAME];

	ck_assert_str_eq(name_in(cases[_i].environment, name), cases[_i].name);
}
END_TEST

/* Two nodes of a job that have one /dev/shm have two boards; a job of one node needs no more than its name. */
START_TEST(a_name_has_the_node_where_the_job_has_others)
{
	static const struct {
		char *const environment[7];
		const char *name;
	} cases[] = {
		{ { NAME, "OMPI_COMM_WORLD_LOCAL_RANK=1", "OMPI_COMM_WORLD_LOCAL_SIZE=2", "OMPI_COMM_WORLD_SIZE=4", "PMIX_NAMESPACE=j@1", "PMIX_HOSTNAME=a" },
		  "PMIX_NAMESPACE j@1, 2 ranks on a" },
		{ { NAME, "OMPI_COMM_WORLD_LOCAL_RANK=1", "OMPI_COMM_WORLD_LOCAL_SIZE=2", "OMPI_COMM_WORLD_SIZE=2", "PMIX_NAMESPACE=j@1", "PMIX_HOSTNAME=a" },
		  "PMIX_NAMESPACE j@1, 2 ranks" },
		{ { NAME, "OMPI_COMM_WORLD_LOCAL_RANK=1", "OMPI_COMM_WORLD_LOCAL_SIZE=2", "OMPI_COMM_WORLD_SIZE=4", "PMIX_NAMESPACE=j@1" },
		  "PMIX_NAMESPACE j@1, 2 ranks in %s" },
		{ { NAME, "I_MPI_HYDRA_UUID=b9-7", "MPI_LOCALRANKID=0", "MPI_LOCALNRANKS=1", "PMI_SIZE=2" }, "I_MPI_HYDRA_UUID b9-7, 1 rank in %s" },
		{ { NAME, "I_MPI_HYDRA_UUID=b9-7", "MPI_LOCALRANKID=0", "MPI_LOCALNRANKS=1", "PMI_SIZE=1" }, "I_MPI_HYDRA_UUID b9-7, 1 rank" },
	};
	char name[SP_JOB_NAME], expected[SP_JOB_NAME], network[64] = "";

	ck_assert_int_gt(readlink("/proc/self/ns/net", network, sizeof(network) - 1), 0);
	strcpy(expected, cases[_i].name);
	if (strstr(expected, "%s"))
		strcpy(strstr(expected, "%s"), network);
	ck_assert_str_eq(name_in(cases[_i].environment, name), expected);
}
END_TEST

START_TEST(a_step_of_Slurm_of_two_nodes)
{
	char name[SP_JOB_NAME];
	char *const environment[] = { NAME, "SLURM_JOB_ID=12", "SLURM_STEP_ID=3", "SLURM_LOCALID=1", "SLURM_NODEID=1", "SLURMD_NODENAME=n2",
				      "SLURM_STEP_TASKS_PER_NODE=2(x2)", "SLURM_STEP_NUM_TASKS=4", NULL };

	ck_assert_str_eq(name_in(environment, name), "slurm 12.3, 2 ranks on n2");
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

/* This process starts the rank; in between is its shell, or, of a process without a launcher, some parent, whose other programs are other jobs. */
START_TEST(what_started_a_rank)
{
	static const struct {
		char *const environment[5];
		enum { ITSELF, PARENT, ABOVE } starter;
	} cases[] = {
		{ { "NAME_OF_JOB=starter", "MPI_LOCALRANKID=1", "MPI_LOCALNRANKS=2", NULL }, PARENT },
		{ { THROUGH, "STARTER=1", "MPI_LOCALRANKID=1", "MPI_LOCALNRANKS=2", NULL }, ABOVE },
		{ { THROUGH, "STARTER=1", "SPLITPIN_LOCAL_RANK=1", "SPLITPIN_LOCAL_SIZE=2", NULL }, ABOVE },
		{ { THROUGH, "STARTER=1", "SPLITPIN_LOCAL_RANK=alone", NULL }, ITSELF },
	};
	char text[SP_JOB_NAME];
	int starter, parent, itself;

	name_in(cases[_i].environment, text);
	ck_assert_int_eq(sscanf(text, "%d of %d and %d", &starter, &parent, &itself), 3);
	ck_assert_int_eq(starter, cases[_i].starter == ITSELF ? itself : cases[_i].starter == PARENT ? parent : getpid());
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
	char *const alone[] = { NAME, "SPLITPIN_LOCAL_RANK=alone", NULL };
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

#define TORCH "TORCHELASTIC_RUN_ID=7", "LOCAL_RANK=0", "LOCAL_WORLD_SIZE=1"
#define HYDRA "MPI_LOCALRANKID=1", "MPI_LOCALNRANKS=2"
#define STEP "SLURM_STEP_ID=0", "SLURM_STEP_NUM_TASKS=1", "SLURM_STEP_TASKS_PER_NODE=1", "SLURM_NODEID=0", "SLURM_LOCALID=0"

/* A shell stands for the launcher: what it sets is what its ranks have and it has not. */
START_TEST(a_launcher_inside_of_another)
{
	static const struct {
		const char *launcher, *sets, *rank;
		char *const environment[9];
	} cases[] = {
		/* mpirun below a worker of torchrun; with a shell between it and the rank */
		{ "sh", "MPI_LOCALRANKID=1 MPI_LOCALNRANKS=2", "hydra 1/2", { TORCH, NULL } },
		{ "sh", "MPI_LOCALRANKID=1 MPI_LOCALNRANKS=2 sh -c '$PROGRAM; :'", "hydra 1/2", { TORCH, NULL } },
		{ "sh", "CROSS_SIZE=1 LOCAL_RANK=1 LOCAL_SIZE=4", "deepspeed 1/4", { HYDRA, NULL } },
		{ "sh", "MPI_LOCALRANKID=1 MPI_LOCALNRANKS=2", "hydra 1/2", { "CROSS_SIZE=1", "LOCAL_RANK=0", "LOCAL_SIZE=2", NULL } },
		/* torchrun below mpirun, or srun */
		{ "sh", "TORCHELASTIC_RUN_ID=7 LOCAL_RANK=3 LOCAL_WORLD_SIZE=4", "torchrun 3/4", { HYDRA, NULL } },
		{ "sh", "TORCHELASTIC_RUN_ID=7 LOCAL_RANK=3 LOCAL_WORLD_SIZE=4 sh -c '$PROGRAM; :'", "torchrun 3/4", { STEP, NULL } },
		/* the worker has started a worker's worker: the nearest's numbers */
		{ "sh", "LOCAL_RANK=1 LOCAL_WORLD_SIZE=2", "torchrun 1/2", { TORCH, HYDRA, NULL } },
		/* another node's daemon has no variable of either, and a shell that sets all does not show which came last */
		{ "hydra_pmi_proxy", "TORCHELASTIC_RUN_ID=7 LOCAL_RANK=0 LOCAL_WORLD_SIZE=1 MPI_LOCALRANKID=1 MPI_LOCALNRANKS=2", "hydra 1/2", { NULL } },
		{ "sh", "TORCHELASTIC_RUN_ID=7 LOCAL_RANK=0 LOCAL_WORLD_SIZE=1 MPI_LOCALRANKID=1 MPI_LOCALNRANKS=2", "torchrun 0/1", { NULL } },
		/* what the user says is the rank */
		{ "sh", "SPLITPIN_LOCAL_RANK=2 SPLITPIN_LOCAL_SIZE=3 MPI_LOCALRANKID=1 MPI_LOCALNRANKS=2", "user 2/3", { TORCH, NULL } },
	};
	char command[256], program[64], rank[SP_JOB_NAME];
	char *environment[16] = { "NAME_OF_JOB=rank", "PATH=/bin:/usr/bin", program };
	size_t n = 3;

	snprintf(program, sizeof(program), "PROGRAM=/proc/%d/exe", (int)getpid());
	for (char *const *entry = cases[_i].environment; *entry; entry++)
		environment[n++] = *entry;
	snprintf(command, sizeof(command), "%s %s; :", cases[_i].sets, strchr(cases[_i].sets, '$') ? "" : "$PROGRAM");
	name_from("/bin/sh", (char *[]){ (char *)cases[_i].launcher, "-c", command, NULL }, environment, rank);
	ck_assert_str_eq(rank, cases[_i].rank);
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

START_TEST(a_job_of_several_nodes)
{
	static const struct { const char *from, *variable; uint32_t job_size; bool has; } cases[] = {
		{ "openmpi", "OMPI_COMM_WORLD_SIZE=4", 0, true }, { "openmpi", "OMPI_COMM_WORLD_SIZE=2", 0, false },
		{ "openmpi", "OMPI_COMM_WORLD_SIZE=1", 0, false }, { "openmpi", "OMPI_COMM_WORLD_SIZE=x", 0, false },
		{ "openmpi", "PMI_SIZE=4", 0, false }, { "hydra", "PMI_SIZE=4", 0, true }, { "intel", "PMI_SIZE=4", 0, true },
		{ "slurm", "SLURM_STEP_NUM_TASKS=3", 0, true }, { "slurm", "SLURM_STEP_NUM_TASKS=2", 0, false },
		{ "pmix", "A=B", 4, true }, { "pmix", "A=B", 2, false }, { "pmix", "A=B", 0, false }, { "torchrun", "A=B", 0, false },
	};
	const struct sp_rank rank = { .local_size = 2, .from = cases[_i].from, .job_size = cases[_i].job_size };
	char *const environment[] = { (char *)cases[_i].variable, NULL };

	ck_assert_int_eq(sp_job_has_other_nodes(&rank, environment), cases[_i].has);
}
END_TEST

START_TEST(the_first_rank_of_all_nodes)
{
	static const struct { const char *from, *ranks, *number; uint32_t local_rank; bool is; } cases[] = {
		{ "openmpi", "OMPI_COMM_WORLD_SIZE=4", "OMPI_COMM_WORLD_RANK=0", 0, true },
		{ "openmpi", "OMPI_COMM_WORLD_SIZE=4", "OMPI_COMM_WORLD_RANK=2", 0, false },
		/* bound by Open MPI 5, local ranks are a permutation */
		{ "openmpi", "OMPI_COMM_WORLD_SIZE=4", "OMPI_COMM_WORLD_RANK=0", 1, true },
		{ "openmpi", "OMPI_COMM_WORLD_SIZE=4", "A=B", 0, true }, { "openmpi", "OMPI_COMM_WORLD_SIZE=4", "A=B", 1, false },
		{ "openmpi", "OMPI_COMM_WORLD_SIZE=2", "OMPI_COMM_WORLD_RANK=1", 0, true },
		{ "hydra", "PMI_SIZE=4", "PMI_RANK=2", 0, false }, { "intel", "PMI_SIZE=4", "PMI_RANK=0", 0, true },
		{ "slurm", "SLURM_STEP_NUM_TASKS=4", "SLURM_PROCID=2", 0, false }, { "torchrun", "A=B", "RANK=2", 0, true },
	};
	const struct sp_rank rank = { .local_rank = cases[_i].local_rank, .local_size = 2, .from = cases[_i].from };
	char *const environment[] = { (char *)cases[_i].ranks, (char *)cases[_i].number, NULL };

	ck_assert_int_eq(sp_job_is_first_rank(&rank, environment), cases[_i].is);
}
END_TEST

/* Of what the number of ranks on a node brings with it. */
START_TEST(the_first_node_is_like_this_one)
{
	static const struct { const char *from, *ranks, *number, *cpus; uint32_t local_rank, local_size; bool is; } cases[] = {
		/* in order: 0 1 2, 3 4 5 */
		{ "hydra", "PMI_SIZE=6", "PMI_RANK=3", "A=B", 0, 3, true }, { "hydra", "PMI_SIZE=6", "PMI_RANK=5", "A=B", 2, 3, true },
		{ "hydra", "PMI_SIZE=6", "PMI_RANK=0", "A=B", 0, 3, false }, { "hydra", "PMI_SIZE=6", "PMI_RANK=2", "A=B", 2, 3, false },
		/* in turn: 0 3, 1 4, 2 5 */
		{ "openmpi", "OMPI_COMM_WORLD_SIZE=6", "OMPI_COMM_WORLD_RANK=4", "A=B", 1, 2, true },
		{ "openmpi", "OMPI_COMM_WORLD_SIZE=6", "OMPI_COMM_WORLD_RANK=2", "A=B", 0, 2, true },
		{ "openmpi", "OMPI_COMM_WORLD_SIZE=6", "OMPI_COMM_WORLD_RANK=0", "A=B", 0, 2, false },
		/* the second one of the first node in turn, or of the second in order */
		{ "openmpi", "OMPI_COMM_WORLD_SIZE=6", "OMPI_COMM_WORLD_RANK=3", "A=B", 1, 2, false },
		/* uneven: 0, 1 2 3; another order; more than the other nodes */
		{ "hydra", "PMI_SIZE=4", "PMI_RANK=1", "A=B", 0, 3, false }, { "hydra", "PMI_SIZE=6", "PMI_RANK=4", "A=B", 0, 3, false },
		{ "hydra", "PMI_SIZE=4", "PMI_RANK=3", "A=B", 2, 3, false },
		/* one node, or a rank without a number */
		{ "hydra", "PMI_SIZE=3", "PMI_RANK=1", "A=B", 1, 3, false }, { "hydra", "PMI_SIZE=6", "A=B", "A=B", 0, 3, false },
		{ "hydra", "PMI_SIZE=6", "PMI_RANK=3", "A=B", 0, 0, false }, { "torchrun", "A=B", "RANK=3", "A=B", 0, 3, false },
		/* nodes of which Slurm says that they are alike, or not */
		{ "slurm", "SLURM_STEP_NUM_TASKS=6", "SLURM_PROCID=3", "SLURM_JOB_CPUS_PER_NODE=2(x2)", 0, 3, true },
		{ "slurm", "SLURM_STEP_NUM_TASKS=6", "SLURM_PROCID=3", "SLURM_JOB_CPUS_PER_NODE=4,2", 0, 3, false },
		{ "hydra", "PMI_SIZE=6", "PMI_RANK=3", "SLURM_JOB_CPUS_PER_NODE=4,2", 0, 3, false },
	};
	const struct sp_rank rank = { .local_rank = cases[_i].local_rank, .local_size = cases[_i].local_size, .from = cases[_i].from };
	char *const environment[] = { (char *)cases[_i].ranks, (char *)cases[_i].number, (char *)cases[_i].cpus, NULL };

	ck_assert_int_eq(sp_job_first_node_is_alike(&rank, environment), cases[_i].is);
}
END_TEST

/* Which of two nodes with as many ranks is the smaller one, only Slurm says. */
START_TEST(the_first_node_may_have_more_cpus)
{
	static const struct { const char *from, *ranks, *number, *cpus; bool has; } cases[] = {
		{ "hydra", "PMI_SIZE=6", "PMI_RANK=3", "A=B", false }, { "intel", "PMI_SIZE=6", "PMI_RANK=3", "A=B", false },
		{ "hydra", "PMI_SIZE=6", "PMI_RANK=3", "SLURM_JOB_CPUS_PER_NODE=2(x2)", true },
		{ "slurm", "SLURM_STEP_NUM_TASKS=6", "SLURM_PROCID=3", "SLURM_JOB_CPUS_PER_NODE=2(x2)", true },
		{ "slurm", "SLURM_STEP_NUM_TASKS=6", "SLURM_PROCID=3", "SLURM_JOB_CPUS_PER_NODE=4,2", false },
		{ "hydra", "PMI_SIZE=6", "PMI_RANK=0", "SLURM_JOB_CPUS_PER_NODE=2(x2)", false },
		/* 16 nodes and 17 */
		{ "hydra", "PMI_SIZE=48", "PMI_RANK=3", "A=B", false }, { "hydra", "PMI_SIZE=51", "PMI_RANK=3", "A=B", true },
	};
	const struct sp_rank rank = { .local_size = 3, .from = cases[_i].from };
	char *const environment[] = { (char *)cases[_i].ranks, (char *)cases[_i].number, (char *)cases[_i].cpus, NULL };

	ck_assert_int_eq(sp_job_first_node_has_as_many_cpus(&rank, environment), cases[_i].has);
}
END_TEST

START_TEST(proxies_have_the_address_of_mpiexec)
{
	static const struct { const char *line; size_t length; const char *address; } cases[] = {
#define LINE(text) text, sizeof(text)
		{ LINE("/usr/bin/hydra_pmi_proxy\0--control-port\0a:45791\0--rmk\0user"), "a:45791" },
		{ LINE("hydra_pmi_proxy\0--usize\0001\0--control-port"), NULL },
		{ LINE("hydra_pmi_proxy\0--usize\0001"), NULL },
		{ LINE("mpirun\0--control-port\0a:1"), NULL },
		{ LINE("hydra_pmi_proxy\0--control-port\0"), NULL },
	};
	const struct sp_ancestor ancestor = { .arguments = cases[_i].line, .length = cases[_i].length };
	char text[32] = "";

	ck_assert_int_eq(sp_job_address(&ancestor, 1, text, sizeof(text)), cases[_i].address ? 0 : -ENOENT);
	ck_assert_str_eq(text, cases[_i].address ? cases[_i].address : "");
	ck_assert_int_eq(sp_job_address(&ancestor, 0, text, sizeof(text)), -ENOENT);
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

	tcase_add_loop_test(executed, a_name_that_was_given, 0, 4);
	tcase_add_loop_test(executed, a_name_has_the_node_where_the_job_has_others, 0, 5);
	tcase_add_test(executed, a_step_of_Slurm);
	tcase_add_test(executed, a_step_of_Slurm_of_two_nodes);
	tcase_add_test(executed, ranks_of_one_launcher_have_one_job);
	tcase_add_loop_test(executed, what_started_a_rank, 0, 4);
	tcase_add_loop_test(executed, shells_between_launcher_and_rank, 0, 2);
	tcase_add_loop_test(executed, a_container_around_each_rank, 0, 6);
	tcase_add_test(executed, another_launcher_has_another_job);
	tcase_add_loop_test(executed, a_shell_that_sets_the_rank, 0, 2);
	tcase_add_test(executed, a_process_of_no_launcher);
	tcase_add_test(executed, long_names);
	tcase_add_loop_test(executed, a_launcher_inside_of_another, 0, 10);
	/* For another processor that takes an entry in the kernel (binfmt_misc). */
	if (!is_emulated())
		suite_add_tcase(suite, executed);
	tcase_add_test(facts, ranks_that_MPI_Comm_spawn_started);
	tcase_add_loop_test(facts, a_job_of_several_nodes, 0, 13);
	tcase_add_loop_test(facts, the_first_rank_of_all_nodes, 0, 10);
	tcase_add_loop_test(facts, the_first_node_is_like_this_one, 0, 18);
	tcase_add_loop_test(facts, the_first_node_may_have_more_cpus, 0, 8);
	tcase_add_loop_test(facts, proxies_have_the_address_of_mpiexec, 0, 5);
	tcase_add_test(facts, a_batch_system_names_the_job);
	suite_add_tcase(suite, facts);
	return suite;
}
