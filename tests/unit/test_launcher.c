/* Facts about the launchers, recorded (tests/data/launch-env) and invented. */
#include <check.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "launcher/known/known.h"
#include "launcher/known/torchrun.h"
#include "launcher/launcher.h"
#include "suites.h"

#define LINES 128

/* The processes of one launch, in the order of their process ids. */
static const struct launch {
	const char *file;
	int rc;
	const char *from;
	unsigned size;
	unsigned rank[4];
} launches[] = {
	{ "ompi4none", 0, "openmpi", 4, { 0, 1, 2, 3 } },
	{ "ompi4core", 0, "openmpi", 4, { 0, 1, 2, 3 } },
	{ "ompi5none", 0, "openmpi", 4, { 0, 1, 2, 3 } },
	{ "ompi5core", 0, "openmpi", 4, { 0, 2, 1, 3 } },
	{ "mpmd-o5", 0, "openmpi", 4, { 0, 1, 2, 3 } },
	{ "sb-ompi4", 0, "openmpi", 2, { 0, 1 } },
	{ "sb-ompi5", 0, "openmpi", 2, { 0, 1 } },
	{ "mpich4none", 0, "hydra", 4, { 0, 1, 2, 3 } },
	{ "mpich4core", 0, "hydra", 4, { 0, 1, 2, 3 } },
	{ "mpich4port", 0, "hydra", 4, { 0, 1, 2, 3 } },
	{ "mpich5none", 0, "hydra", 4, { 0, 1, 2, 3 } },
	{ "mpich5core", 0, "hydra", 4, { 0, 1, 2, 3 } },
	{ "mpmd-m4", 0, "hydra", 4, { 0, 1, 2, 3 } },
	{ "mpmd-m5", 0, "hydra", 4, { 0, 1, 2, 3 } },
	{ "sb-mpich4", 0, "hydra", 2, { 0, 1 } },
	{ "sb-mpich5", 0, "hydra", 2, { 0, 1 } },
	{ "impinone", 0, "intel", 4, { 0, 1, 2, 3 } },
	{ "impipin", 0, "intel", 4, { 0, 1, 2, 3 } },
	{ "sb-impi", 0, "intel", 2, { 0, 1 } },
	{ "gfork", 0, "gforker", 2, { 0, 1 } },
	{ "srun-def", 0, "slurm", 2, { 0, 1 } },
	{ "srun-none-none", 0, "slurm", 4, { 0, 1, 2, 3 } },
	{ "srun-none-cores", 0, "slurm", 4, { 0, 1, 2, 3 } },
	{ "srun-pmi2-none", 0, "slurm", 4, { 0, 1, 2, 3 } },
	{ "srun-pmi2-cores", 0, "slurm", 4, { 0, 1, 2, 3 } },
	{ "srun-pmix-none", 0, "slurm", 4, { 0, 1, 2, 3 } },
	{ "srun-pmix-cores", 0, "slurm", 4, { 0, 1, 2, 3 } },
	{ "torchrun", 0, "torchrun", 2, { 0, 1 } },
	{ "deepspeed", 0, "deepspeed", 2, { 0, 1 } },
	{ "srun-torchrun", 0, "torchrun", 2, { 0, 1 } },
	{ "prterun", -EAGAIN, NULL, 4, { 0, 1, 2, 3 } },
};

#define NLAUNCHES (sizeof(launches) / sizeof(launches[0]))

static FILE *
open_launch(const char *file)
{
	const char *data = getenv("SPLITPIN_TESTDATA");
	char path[512];

	snprintf(path, sizeof(path), "%s/launch-env/%s.env", data ? data : "tests/data", file);
	FILE *stream = fopen(path, "r");
	ck_assert_msg(stream, "%s: %s", path, strerror(errno));
	return stream;
}

/* The next process's variables; false after the last. */
static bool
next_process(FILE *stream, char *environment[LINES])
{
	char line[512];
	int n = 0;

	while (fgets(line, sizeof(line), stream) && line[0] != '\n') {
		line[strcspn(line, "\n")] = '\0';
		if (line[0] == '[')
			continue;
		ck_assert_int_lt(n, LINES - 1);
		environment[n++] = strdup(line);
	}
	environment[n] = NULL;
	return n > 0;
}

static void
release(char *environment[])
{
	for (; *environment; environment++)
		free(*environment);
}

START_TEST(recorded_launches_tell_rank_and_size)
{
	const struct launch *launch = &launches[_i];
	FILE *stream = open_launch(launch->file);
	char *environment[LINES];
	unsigned process = 0;
	struct sp_rank rank;

	for (; next_process(stream, environment); process++) {
		ck_assert_uint_lt(process, launch->size);
		ck_assert_int_eq(sp_launcher_rank(environment, &rank), launch->rc);
		if (launch->rc == 0) {
			ck_assert_uint_eq(rank.local_rank, launch->rank[process]);
			ck_assert_uint_eq(rank.local_size, launch->size);
			ck_assert_str_eq(rank.from, launch->from);
		}
		release(environment);
	}
	ck_assert_uint_eq(process, launch->size);
	fclose(stream);
}
END_TEST

/* Environments by hand: one text, variables parted by blanks, "_" stands for a blank in a value. */
static const struct fact {
	const char *environment;
	int rc;
	unsigned rank, size;
	const char *from;	/* or bad_name */
} facts[] = {
	/* nobody's */
	{ "", -ENOENT, 0, 0, NULL },
	{ "HOME=/ PATH=/bin SHELL=/bin/sh MAIL= OMP_NUM_THREADS=4", -ENOENT, 0, 0, NULL },
	{ "= =1 S SL SLURM_LOCALID OMPI_COMM_WORLD_LOCAL_RANK PMIX_RANK", -ENOENT, 0, 0, NULL },
	{ "XOMPI_COMM_WORLD_LOCAL_RANK=0 OMPI_COMM_WORLD_LOCAL_RANKS=1 PMI_RANK=0 PMI_SIZE=2", -ENOENT, 0, 0, NULL },

	/* the user's word */
	{ "SPLITPIN_LOCAL_RANK=1 SPLITPIN_LOCAL_SIZE=3", 0, 1, 3, "user" },
	{ "SPLITPIN_LOCAL_RANK=_1_ SPLITPIN_LOCAL_SIZE=_3", 0, 1, 3, "user" },
	{ "OMPI_COMM_WORLD_LOCAL_RANK=0 OMPI_COMM_WORLD_LOCAL_SIZE=2 SPLITPIN_LOCAL_RANK=1 SPLITPIN_LOCAL_SIZE=3", 0, 1, 3, "user" },
	{ "SPLITPIN_LOCAL_RANK= SPLITPIN_LOCAL_SIZE= MPI_LOCALRANKID=0 MPI_LOCALNRANKS=2", 0, 0, 2, "hydra" },
	{ "SPLITPIN_LOCAL_RANK=0 SPLITPIN_LOCAL_SIZE=1", 0, 0, 1, "user" },
	{ "SPLITPIN_LOCAL_RANK=0 SPLITPIN_LOCAL_SIZE=4194304", 0, 0, 4194304, "user" },
	{ "SPLITPIN_LOCAL_RANK=0 SPLITPIN_LOCAL_SIZE=4194305", -EINVAL, 0, 0, "SPLITPIN_LOCAL_SIZE=4194305" },
	{ "SPLITPIN_LOCAL_RANK=1", -EINVAL, 0, 0, "SPLITPIN_LOCAL_SIZE=" },
	{ "SPLITPIN_LOCAL_SIZE=1", -EINVAL, 0, 0, "SPLITPIN_LOCAL_RANK=" },
	{ "SPLITPIN_LOCAL_RANK=x SPLITPIN_LOCAL_SIZE=2", -EINVAL, 0, 0, "SPLITPIN_LOCAL_RANK=x" },
	{ "SPLITPIN_LOCAL_RANK=-1 SPLITPIN_LOCAL_SIZE=2", -EINVAL, 0, 0, "SPLITPIN_LOCAL_RANK=-1" },
	{ "SPLITPIN_LOCAL_RANK=0 SPLITPIN_LOCAL_SIZE=2x", -EINVAL, 0, 0, "SPLITPIN_LOCAL_SIZE=2x" },
	{ "SPLITPIN_LOCAL_RANK=0 SPLITPIN_LOCAL_SIZE=0", -EINVAL, 0, 0, "SPLITPIN_LOCAL_SIZE=0" },
	{ "SPLITPIN_LOCAL_RANK=2 SPLITPIN_LOCAL_SIZE=2", -EINVAL, 0, 0, "SPLITPIN_LOCAL_RANK=2" },
	{ "SPLITPIN_LOCAL_RANK=0 SPLITPIN_LOCAL_SIZE=99999999999999999999", -EINVAL, 0, 0, "SPLITPIN_LOCAL_SIZE=99999999999999999999" },

	/* a program without a launcher, if the user says so; tasks of a launcher are never alone */
	{ "SPLITPIN_LOCAL_RANK=alone HOME=/", 0, 0, 1, "alone" },
	{ "SPLITPIN_LOCAL_RANK=_Alone_", 0, 0, 1, "alone" },
	{ "SPLITPIN_LOCAL_RANK=alone SPLITPIN_LOCAL_SIZE=2", 0, 0, 1, "alone" },
	{ "SPLITPIN_LOCAL_RANK=off", -EINVAL, 0, 0, "SPLITPIN_LOCAL_RANK=off" },
	{ "SPLITPIN_LOCAL_RANK=alones", -EINVAL, 0, 0, "SPLITPIN_LOCAL_RANK=alones" },
	{ "SPLITPIN_LOCAL_RANK=alone SLURM_LOCALID=0 SLURM_NODEID=0 SLURM_JOB_ID=7", 0, 0, 1, "alone" },
	{ "SPLITPIN_LOCAL_RANK=alone MPI_LOCALRANKID=1 MPI_LOCALNRANKS=2", 0, 1, 2, "hydra" },
	{ "SPLITPIN_LOCAL_RANK=alone MPI_LOCALRANKID=2 MPI_LOCALNRANKS=2", -ENOENT, 0, 0, NULL },
	{ "SPLITPIN_LOCAL_RANK=alone FLUX_TASK_LOCAL_ID=1 FLUX_JOB_SIZE=4 FLUX_JOB_NNODES=2", 0, 1, 2, "flux" },
	{ "SPLITPIN_LOCAL_RANK=alone FLUX_TASK_LOCAL_ID=1 FLUX_JOB_SIZE=4", -ENOENT, 0, 0, NULL },
	{ "SPLITPIN_LOCAL_RANK=alone PMIX_RANK=1", -EAGAIN, 0, 0, NULL },

	/* of a variable that is there twice the first counts, also when it is empty */
	{ "MPI_LOCALRANKID=1 MPI_LOCALRANKID=0 MPI_LOCALNRANKS=2 MPI_LOCALNRANKS=9", 0, 1, 2, "hydra" },
	{ "PMIX_RANK= PMIX_RANK=1", -ENOENT, 0, 0, NULL },
	{ "MPI_LOCALRANK=1 MPI_LOCALRANKIDS=1 MPI_LOCALRANKID=0 MPI_LOCALNRANKS=2", 0, 0, 2, "hydra" },

	/* launchers that were not recorded */
	{ "MV2_COMM_WORLD_LOCAL_RANK=3 MV2_COMM_WORLD_LOCAL_SIZE=4", 0, 3, 4, "mvapich2" },
	{ "PALS_LOCAL_RANKID=5 PALS_LOCAL_SIZE=12 PMI_RANK=17 PMI_SIZE=24 PMI_LOCAL_RANK=5", 0, 5, 12, "pals" },
	{ "FLUX_TASK_LOCAL_ID=1 FLUX_TASK_RANK=1 FLUX_JOB_SIZE=2 FLUX_JOB_NNODES=1", 0, 1, 2, "flux" },
	{ "FLUX_TASK_LOCAL_ID=1 FLUX_JOB_SIZE=4 FLUX_JOB_NNODES=2", 0, 1, 2, "flux" },
	{ "FLUX_TASK_LOCAL_ID=1 FLUX_JOB_SIZE=5 FLUX_JOB_NNODES=2", -ENOENT, 0, 0, NULL },
	{ "FLUX_TASK_LOCAL_ID=2 FLUX_TASK_RANK=2 FLUX_JOB_SIZE=4 FLUX_JOB_NNODES=2", -ENOENT, 0, 0, NULL },
	{ "FLUX_TASK_LOCAL_ID=2 FLUX_JOB_SIZE=2 FLUX_JOB_NNODES=1", -ENOENT, 0, 0, NULL },
	{ "FLUX_TASK_LOCAL_ID=0 FLUX_JOB_SIZE=1 FLUX_JOB_NNODES=2", -ENOENT, 0, 0, NULL },
	{ "FLUX_TASK_LOCAL_ID=0 FLUX_JOB_SIZE=2 FLUX_JOB_NNODES=0", -ENOENT, 0, 0, NULL },
	{ "FLUX_TASK_LOCAL_ID=1 FLUX_JOB_SIZE=4", -ENOENT, 0, 0, NULL },
	{ "FLUX_TASK_LOCAL_ID=1 FLUX_JOB_SIZE=4 FLUX_JOB_NNODES=2 PMIX_RANK=1", -EAGAIN, 0, 0, NULL },
	{ "FLUX_JOB_SIZE=4 FLUX_JOB_NNODES=2 PMI_RANK=0 PMI_SIZE=4 PMI_DEBUG=0", -ENOENT, 0, 0, NULL },

	/* PyTorch's: its variables are common names, so one that is torchrun's alone has to be there */
	{ "LOCAL_RANK=1 LOCAL_WORLD_SIZE=4 TORCHELASTIC_RUN_ID=none", 0, 1, 4, "torchrun" },
	{ "LOCAL_RANK=1 LOCAL_WORLD_SIZE=4 MASTER_ADDR=n1", 0, 1, 4, "torchrun" },
	{ "LOCAL_RANK=1 LOCAL_WORLD_SIZE=4", -ENOENT, 0, 0, NULL },
	{ "LOCAL_RANK=1 TORCHELASTIC_RUN_ID=none MASTER_ADDR=n1", -ENOENT, 0, 0, NULL },
	{ "LOCAL_RANK=4 LOCAL_WORLD_SIZE=4 TORCHELASTIC_RUN_ID=none", -ENOENT, 0, 0, NULL },
	{ "LOCAL_RANK=x LOCAL_WORLD_SIZE=4 MASTER_ADDR=n1", -ENOENT, 0, 0, NULL },
	{ "LOCAL_RANK=0 LOCAL_WORLD_SIZE=x MASTER_ADDR=n1", -ENOENT, 0, 0, NULL },
	{ "LOCAL_RANK=0 LOCAL_WORLD_SIZE=4194304 MASTER_ADDR=n1", 0, 0, 4194304, "torchrun" },
	{ "LOCAL_RANK=0 LOCAL_WORLD_SIZE=4194305 MASTER_ADDR=n1", -ENOENT, 0, 0, NULL },
	{ "LOCAL_RANK=0 LOCAL_WORLD_SIZE=4 MASTER_ADDR=", -ENOENT, 0, 0, NULL },
	{ "LOGNAME=me LOCAL_WORLD_SIZE=4 TORCHELASTIC_RUN_ID=none", -ENOENT, 0, 0, NULL },
	{ "LOCAL_RANK=1 LOCAL_WORLD_SIZE=4 TORCHELASTIC_RUN_ID=7 SLURM_STEP_ID=0 SLURM_STEP_NUM_TASKS=1 SLURM_STEP_TASKS_PER_NODE=1 SLURM_NODEID=0 SLURM_LOCALID=0", 0, 1, 4, "torchrun" },
	{ "LOCAL_RANK=1 LOCAL_WORLD_SIZE=4 MASTER_ADDR=n1 SLURM_STEP_ID=0 SLURM_STEP_NUM_TASKS=2 SLURM_STEP_TASKS_PER_NODE=2 SLURM_NODEID=0 SLURM_LOCALID=1", 0, 1, 2, "slurm" },
	{ "LOCAL_RANK=1 LOCAL_WORLD_SIZE=4 TORCHELASTIC_RUN_ID=7 OMPI_COMM_WORLD_LOCAL_RANK=0 OMPI_COMM_WORLD_LOCAL_SIZE=1", 0, 1, 4, "torchrun" },
	{ "LOCAL_RANK=1 LOCAL_WORLD_SIZE=4 TORCHELASTIC_RUN_ID=7 SPLITPIN_LOCAL_RANK=0 SPLITPIN_LOCAL_SIZE=2", 0, 0, 2, "user" },
	/* --virtual-local-rank; and the first worker of the second of two nodes with as many, or with other numbers */
	{ "LOCAL_RANK=0 LOCAL_WORLD_SIZE=4 TORCHELASTIC_RUN_ID=7 RANK=6 GROUP_RANK=1 WORLD_SIZE=8 GROUP_WORLD_SIZE=2", 0, 2, 4, "torchrun" },
	{ "LOCAL_RANK=0 LOCAL_WORLD_SIZE=4 TORCHELASTIC_RUN_ID=7 RANK=4 GROUP_RANK=1 WORLD_SIZE=8 GROUP_WORLD_SIZE=2", 0, 0, 4, "torchrun" },
	{ "LOCAL_RANK=0 LOCAL_WORLD_SIZE=2 TORCHELASTIC_RUN_ID=7 RANK=3 GROUP_RANK=1 WORLD_SIZE=5 GROUP_WORLD_SIZE=2", 0, 0, 2, "torchrun" },
	{ "LOCAL_RANK=0 LOCAL_WORLD_SIZE=4 TORCHELASTIC_RUN_ID=7 RANK=6 GROUP_RANK=0 WORLD_SIZE=8 GROUP_WORLD_SIZE=2", 0, 0, 4, "torchrun" },
	{ "LOCAL_RANK=1 LOCAL_WORLD_SIZE=4 TORCHELASTIC_RUN_ID=7 RANK=6 GROUP_RANK=1 WORLD_SIZE=8 GROUP_WORLD_SIZE=2", 0, 1, 4, "torchrun" },
	/* DeepSpeed's, by itself and started by srun -n 1; LOCAL_SIZE is anybody's */
	{ "LOCAL_RANK=3 LOCAL_SIZE=4 CROSS_RANK=0 CROSS_SIZE=1 RANK=3 WORLD_SIZE=4 MASTER_ADDR=n1", 0, 3, 4, "deepspeed" },
	{ "LOCAL_RANK=1 LOCAL_SIZE=4 CROSS_RANK=1 CROSS_SIZE=2 RANK=5 WORLD_SIZE=8 SLURM_STEP_ID=0 SLURM_STEP_NUM_TASKS=1 SLURM_STEP_TASKS_PER_NODE=1 SLURM_NODEID=0 SLURM_LOCALID=0", 0, 1, 4, "deepspeed" },
	{ "LOCAL_RANK=1 LOCAL_SIZE=4 MASTER_ADDR=n1", -ENOENT, 0, 0, NULL },
	{ "LOCAL_RANK=4 LOCAL_SIZE=4 CROSS_SIZE=1", -ENOENT, 0, 0, NULL },
	{ "LOCAL_SIZE=4 CROSS_SIZE=1 MASTER_ADDR=n1", -ENOENT, 0, 0, NULL },

	/* gforker, and launchers that set its variables too */
	{ "PMI_RANK=1 PMI_SIZE=2 PMI_DEBUG=0", 0, 1, 2, "gforker" },
	{ "PMI_RANK=1 PMI_SIZE=2", -ENOENT, 0, 0, NULL },
	{ "PMI_RANK=1 PMI_SIZE=2 PMI_DEBUG=0 HYDRA_LAUNCH_TYPE=2", -ENOENT, 0, 0, NULL },
	{ "PMI_RANK=1 PMI_SIZE=2 PMI_DEBUG=0 PALS_RANKID=1", -ENOENT, 0, 0, NULL },
	{ "PMI_RANK=1 PMI_SIZE=2 PMI_DEBUG=0 PMIX_RANK=1", -EAGAIN, 0, 0, NULL },
	{ "PMI_RANK=1 PMI_SIZE=2 PMI_DEBUG=0 SLURM_STEP_ID=0 SLURM_STEP_NUM_TASKS=1 SLURM_STEP_TASKS_PER_NODE=1 SLURM_NODEID=0 SLURM_LOCALID=0", 0, 1, 2, "gforker" },

	/* PMIx alone */
	{ "PMIX_RANK=0 PMIX_NAMESPACE=a", -EAGAIN, 0, 0, NULL },
	{ "PMIX_RANK=x", -ENOENT, 0, 0, NULL },
	{ "PMIX_RANK=-1", -ENOENT, 0, 0, NULL },

	/* Intel's name is for Intel's launcher, not for its module */
	{ "I_MPI_ROOT=/opt MPI_LOCALRANKID=0 MPI_LOCALNRANKS=2", 0, 0, 2, "hydra" },

	/* nonsense of a launcher is never made up for by the one around it */
	{ "MPI_LOCALRANKID=2 MPI_LOCALNRANKS=2", -ENOENT, 0, 0, NULL },
	{ "MPI_LOCALRANKID=0", -ENOENT, 0, 0, NULL },
	{ "MPI_LOCALRANKID=0 MPI_LOCALNRANKS=", -ENOENT, 0, 0, NULL },
	{ "MPI_LOCALRANKID= MPI_LOCALNRANKS=2", -ENOENT, 0, 0, NULL },
	{ "MPI_LOCALRANKID=0 MPI_LOCALNRANKS=0", -ENOENT, 0, 0, NULL },
	{ "MPI_LOCALRANKID=-1 MPI_LOCALNRANKS=2", -ENOENT, 0, 0, NULL },
	{ "MPI_LOCALRANKID=4294967296 MPI_LOCALNRANKS=2", -ENOENT, 0, 0, NULL },
	{ "MPI_LOCALRANKID=18446744073709551616 MPI_LOCALNRANKS=18446744073709551617", -ENOENT, 0, 0, NULL },
	{ "MPI_LOCALRANKID=0 MPI_LOCALNRANKS=4294967295", -ENOENT, 0, 0, NULL },
	{ "MPI_LOCALRANKID=0 MPI_LOCALNRANKS=4194304", 0, 0, 4194304, "hydra" },
	{ "OMPI_COMM_WORLD_LOCAL_RANK=x OMPI_COMM_WORLD_LOCAL_SIZE=2 SLURM_STEP_ID=0 SLURM_STEP_TASKS_PER_NODE=2 SLURM_NODEID=0 SLURM_LOCALID=0", -ENOENT, 0, 0, NULL },
	{ "OMPI_COMM_WORLD_LOCAL_RANK=1 SLURM_STEP_ID=0 SLURM_STEP_TASKS_PER_NODE=2 SLURM_NODEID=0 SLURM_LOCALID=0", -ENOENT, 0, 0, NULL },
	{ "OMPI_COMM_WORLD_LOCAL_RANK=2 OMPI_COMM_WORLD_LOCAL_SIZE=2 PMIX_RANK=1", -EAGAIN, 0, 0, NULL },
	{ "OMPI_COMM_WORLD_LOCAL_SIZE=2 MPI_LOCALRANKID=1 MPI_LOCALNRANKS=2", 0, 1, 2, "hydra" },

	/* one mpirun inside another: who is the inner one? */
	{ "OMPI_COMM_WORLD_LOCAL_RANK=0 OMPI_COMM_WORLD_LOCAL_SIZE=2 MPI_LOCALRANKID=1 MPI_LOCALNRANKS=4", -ENOENT, 0, 0, NULL },
	{ "OMPI_COMM_WORLD_LOCAL_RANK=1 OMPI_COMM_WORLD_LOCAL_SIZE=2 MPI_LOCALRANKID=1 MPI_LOCALNRANKS=4", -ENOENT, 0, 0, NULL },
	{ "OMPI_COMM_WORLD_LOCAL_RANK=0 OMPI_COMM_WORLD_LOCAL_SIZE=4 MPI_LOCALRANKID=1 MPI_LOCALNRANKS=4", -ENOENT, 0, 0, NULL },
	{ "OMPI_COMM_WORLD_LOCAL_RANK=1 OMPI_COMM_WORLD_LOCAL_SIZE=4 MPI_LOCALRANKID=1 MPI_LOCALNRANKS=4", 0, 1, 4, "openmpi" },
	{ "MV2_COMM_WORLD_LOCAL_RANK=1 MV2_COMM_WORLD_LOCAL_SIZE=4 MPI_LOCALRANKID=1 MPI_LOCALNRANKS=4", 0, 1, 4, "hydra" },
	{ "FLUX_TASK_LOCAL_ID=0 FLUX_JOB_SIZE=1 FLUX_JOB_NNODES=1 MPI_LOCALRANKID=1 MPI_LOCALNRANKS=4", 0, 1, 4, "hydra" },
};

#define NFACTS (sizeof(facts) / sizeof(facts[0]))

/* Cut text at its blanks into an environment that points into it. */
static void
split(char *text, char *environment[LINES])
{
	int n = 0;

	for (char *entry = strtok(text, " "); entry; entry = strtok(NULL, " ")) {
		ck_assert_int_lt(n, LINES - 1);
		environment[n++] = entry;
	}
	environment[n] = NULL;
	for (int i = 0; i < n; i++) {
		char *value = strchr(environment[i], '=');

		for (; value && *value != '\0'; value++) {
			if (value[0] == '_' && (value[-1] == '=' || value[1] == '\0'))
				*value = ' ';
		}
	}
}

static int
ask(const char *text, struct sp_rank *rank)
{
	char *environment[LINES], copy[1024];

	ck_assert_uint_lt(strlen(text), sizeof(copy));
	strcpy(copy, text);
	split(copy, environment);
	int rc = sp_launcher_rank(environment, rank);
	if (rank->bad_value) {
		static char kept[128];

		snprintf(kept, sizeof(kept), "%s", rank->bad_value);
		rank->bad_value = kept;
	}
	return rc;
}

static void
check_fault(const struct sp_rank *rank, const char *expected)
{
	char fault[256];

	snprintf(fault, sizeof(fault), "%s=%s", rank->bad_name, rank->bad_value);
	ck_assert_str_eq(fault, expected);
}

START_TEST(invented_environments)
{
	const struct fact *fact = &facts[_i];
	struct sp_rank rank;
	int rc = ask(fact->environment, &rank);

	ck_assert_msg(rc == fact->rc, "%s: %d, not %d", fact->environment, rc, fact->rc);
	if (rc == -EINVAL) {
		check_fault(&rank, fact->from);
		return;
	}
	ck_assert_ptr_null(rank.bad_name);
	ck_assert_uint_eq(rank.local_rank, fact->rank);
	ck_assert_uint_eq(rank.local_size, fact->size);
	if (rc == 0)
		ck_assert_str_eq(rank.from, fact->from);
}
END_TEST

/* One direct srun task: what is asked of the step, the node and the task. */
static const struct step {
	const char *tasks_per_node, *node, *local;
	const char *more;
	int rc;
	unsigned size;
} steps[] = {
	{ "2(x2)", "0", "1", "", 0, 2 },
	{ "2(x2)", "1", "1", "", 0, 2 },
	{ "2(x2)", "2", "1", "", -ENOENT, 0 },
	{ "2,1", "0", "1", "", 0, 2 },
	{ "2,1", "1", "0", "", 0, 1 },
	{ "2,1", "1", "1", "", -ENOENT, 0 },
	{ "3(x2),1,5(x3)", "2", "0", "", 0, 1 },
	{ "3(x2),1,5(x3)", "5", "4", "", 0, 5 },
	{ "3(x2),1,5(x3)", "6", "0", "", -ENOENT, 0 },
	{ "256(x9408)", "9407", "255", "", 0, 256 },
	{ "2(x4294967295)", "4294967294", "0", "", 0, 2 },
	{ "2(x2)", "", "0", "", -ENOENT, 0 },
	{ "2(x2)", "x", "0", "", -ENOENT, 0 },
	{ "", "0", "0", "", -ENOENT, 0 },
	{ "0", "0", "0", "", -ENOENT, 0 },
	{ "2(", "0", "0", "", -ENOENT, 0 },
	{ "2(x", "0", "0", "", -ENOENT, 0 },
	{ "2(x2", "0", "0", "", -ENOENT, 0 },
	{ "2(x0)", "0", "0", "", -ENOENT, 0 },
	{ "2x", "0", "0", "", -ENOENT, 0 },
	{ "2(y2)", "0", "0", "", -ENOENT, 0 },
	{ "2[x2)", "0", "0", "", -ENOENT, 0 },
	{ "2,", "1", "0", "", -ENOENT, 0 },
	{ ",2", "0", "0", "", -ENOENT, 0 },
	{ "-2", "0", "0", "", -ENOENT, 0 },
	{ "99999999999999999999", "0", "0", "", -ENOENT, 0 },

	/* batch script, extern and interactive step */
	{ "2", "0", "0", "SLURM_STEP_ID=4294967291", -ENOENT, 0 },
	{ "2", "0", "0", "SLURM_STEP_ID=4294967292", -ENOENT, 0 },
	{ "2", "0", "0", "SLURM_STEP_ID=4294967290", -ENOENT, 0 },
	{ "2", "0", "0", "SLURM_STEP_ID=4294967280", -ENOENT, 0 },
	{ "2", "0", "0", "SLURM_STEP_ID=4294967279", 0, 2 },
	{ "2", "0", "0", "SLURM_STEP_ID=", -ENOENT, 0 },
	{ "2", "0", "0", "SLURM_STEP_ID=batch", -ENOENT, 0 },

	/* somebody else's ranks in the step */
	{ "2", "0", "0", "PRTE_LAUNCHED=1", -ENOENT, 0 },
	{ "2", "0", "0", "PRTE_LAUNCHED=1 PMIX_RANK=1 PMIX_NAMESPACE=prterun-node-1@1", -EAGAIN, 0 },
	{ "2", "0", "0", "PMIX_RANK=1 PMIX_NAMESPACE=1319763969", -EAGAIN, 0 },
	{ "2", "0", "0", "PMIX_RANK=0 PMIX_NAMESPACE=slurm.pmix.7.0", 0, 2 },
	{ "2", "0", "0", "PMIX_RANK=0 PMIX_NAMESPACE=slurm.pmi", -EAGAIN, 0 },
	{ "2", "0", "0", "PMI_SIZE=2", 0, 2 },
	{ "2", "0", "0", "PMI_SIZE=4", -ENOENT, 0 },
	{ "2", "0", "0", "PMI_SIZE=x", -ENOENT, 0 },
};

#define NSTEPS (sizeof(steps) / sizeof(steps[0]))

START_TEST(slurm_steps)
{
	const struct step *step = &steps[_i];
	struct sp_rank rank;
	char text[512];

	/* step->more first: the first of two counts */
	snprintf(text, sizeof(text),
		 "%s SLURM_STEP_ID=3 SLURM_STEP_NUM_TASKS=2 SLURM_PROCID=9 SLURM_NTASKS=9"
		 " SLURM_STEP_TASKS_PER_NODE=%s SLURM_NODEID=%s SLURM_LOCALID=%s",
		 step->more, step->tasks_per_node, step->node, step->local);
	int rc = ask(text, &rank);
	ck_assert_msg(rc == step->rc, "%s: %d, not %d", text, rc, step->rc);
	ck_assert_uint_eq(rank.local_size, step->size);
	if (rc == 0)
		ck_assert_uint_eq(rank.local_rank, (unsigned)atoi(step->local));
}
END_TEST

START_TEST(batch_script_is_no_rank)
{
	struct sp_rank rank;

	ck_assert_int_eq(ask("SLURM_JOB_ID=1 SLURM_LOCALID=0 SLURM_NODEID=0 SLURM_TASKS_PER_NODE=2", &rank), -ENOENT);
}
END_TEST

START_TEST(why_a_worker_has_no_rank)
{
	static const struct { const char *rank, *size; int error; } cases[] = {
		{ "1", "2", 0 }, { "2", "2", -EBADMSG }, { "x", "2", -EBADMSG }, { "1", NULL, -ENOENT }, { NULL, "2", -ENOENT },
	};
	struct sp_rank rank;

	ck_assert_int_eq(sp_torchrun_rank((char *[]){ "SIGN=1", NULL }, cases[_i].rank, cases[_i].size, "SIGN", &rank), cases[_i].error);
}
END_TEST

START_TEST(no_environment)
{
	struct sp_rank rank;
	char *none[] = { NULL };

	ck_assert_int_eq(sp_launcher_rank(NULL, &rank), -ENOENT);
	ck_assert_int_eq(sp_launcher_rank(none, &rank), -ENOENT);
	ck_assert_ptr_null(rank.from);
	ck_assert_ptr_null(rank.bad_name);
}
END_TEST

START_TEST(who_may_be_asked_why)
{
	static const struct {
		const char *environment;
		bool may;
	} asked[] = {
		{ "SPLITPIN_DEBUG=1", true }, { "SPLITPIN_REPORT=0", true }, { "SPLITPIN_DEBUG=", false },
		{ "SPLITPIN_CORES=all SLURM_JOB_ID=1", false }, { "PMIX_RANK=0 SPLITPIN_REPORT=1", true },
		{ "SPLITPIN_LOCAL_RANK=0 SPLITPIN_LOCAL_SIZE=1 SPLITPIN_DEBUG=1", true },
	};
	struct sp_rank rank;

	for (size_t i = 0; i < sizeof(asked) / sizeof(asked[0]); i++) {
		ask(asked[i].environment, &rank);
		ck_assert_msg(rank.may_be_asked == asked[i].may, "%s", asked[i].environment);
	}
}
END_TEST

/* Both parts of the table are about the same launchers. */
START_TEST(the_table_is_whole)
{
	const struct sp_launcher_row *row = &sp_launcher_row[_i];
	const struct sp_launcher_details *details = sp_launcher_details[_i];

	ck_assert_str_ne(row->name, "");
	ck_assert_ptr_nonnull(details->title);
	ck_assert_int_eq(sp_launcher_find(row->name), _i);
	for (int other = 0; other < SP_LAUNCHERS; other++)
		if (other != _i && details->has_local_rank && sp_launcher_details[other]->has_local_rank)
			ck_assert_int_ne(row->rank, sp_launcher_row[other].rank);
	if (details->job[1])
		ck_assert_ptr_nonnull(details->job[0]);
}
END_TEST

#define NOTHING(...)
#define FAMILY(a, b, start, first, last) { a, b, start },
static const struct { char first, second, start[16]; } families[] = { SP_EACH_VARIABLE(FAMILY, NOTHING) };

#define SECOND(letter) (UINT32_C(1) << ((letter) & 31))
#define LETTER(row, first, seconds) { first, seconds },
static const struct { char first; uint32_t seconds; } letters[] = { SP_EACH_LETTER(LETTER) };

/* A family whose letters were forgotten would never be looked at. */
START_TEST(each_family_has_its_letters)
{
	size_t i = 0;

	ck_assert_int_eq(families[_i].start[0], families[_i].first);
	ck_assert_int_eq(families[_i].start[1], families[_i].second);
	while (i < sizeof(letters) / sizeof(letters[0]) && letters[i].first != families[_i].first)
		i++;
	ck_assert_uint_lt(i, sizeof(letters) / sizeof(letters[0]));
	ck_assert(letters[i].seconds & SECOND(families[_i].second));
}
END_TEST

START_TEST(no_launcher_has_another_name)
{
	ck_assert_int_eq(sp_launcher_find("mpirun"), SP_LAUNCHERS);
	ck_assert_int_eq(sp_launcher_find(""), SP_LAUNCHERS);
}
END_TEST

START_TEST(libraries_come_before_managers)
{
	bool manager = false;

	for (enum sp_launcher i = 0; i < SP_LAUNCHERS; i++) {
		manager |= sp_launcher_row[i].kind == SP_MANAGER_LAUNCHER;
		ck_assert(!manager || sp_launcher_row[i].kind != SP_LIBRARY_LAUNCHER);
	}
}
END_TEST

/* Blanks stand for the ends of arguments. */
static const struct {
	const char *arguments;
	bool starts;
} starters[] = {
	{ "/usr/bin/python3 /opt/bin/torchrun --nproc-per-node 4 train.py", true },
	{ "python3.11 -u -X dev -m torch.distributed.run train.py", true },
	{ "python -m torch.distributed.launch train.py", true },
	{ "/opt/venv/bin/python3 /opt/venv/bin/accelerate launch train.py", true },
	{ "python3 -u -m deepspeed.launcher.launch --world_info=e30 train.py", true },
	{ "torchrun train.py", true },
	{ "python3 train.py torchrun", false },
	{ "python3 -m train torchrun", false },
	{ "python3 -W ignore torchrun.py", false },
	{ "python3", false },
	{ "python3 -m", false },
	{ "./a torchrun", false },
	{ "", false },
};
#define NSTARTERS ((int)(sizeof(starters) / sizeof(starters[0])))

START_TEST(what_starts_workers)
{
	size_t length = strlen(starters[_i].arguments) + 1;
	char *arguments = memcpy(malloc(length), starters[_i].arguments, length);

	for (size_t i = 0; i < length; i++)
		if (arguments[i] == ' ')
			arguments[i] = '\0';
	ck_assert_int_eq(sp_torchrun_is_started(arguments, length), starters[_i].starts);
	ck_assert(!sp_torchrun_is_started(arguments, length - 1));
	free(arguments);
}
END_TEST

/* Who numbers ranks, or types "splitpin run", means each process that is started; what a rank starts itself is none. */
static const struct from_start {
	const char *entry[5];
	bool expected;
} from_start[] = {
	{ { "SPLITPIN_LOCAL_RANK=0", "SPLITPIN_LOCAL_SIZE=2" }, true },
	{ { "SPLITPIN_LOCAL_RANK=0", "SPLITPIN_LOCAL_SIZE=2", "SPLITPIN_RUN=taken by 4711" }, false },
	{ { "SPLITPIN_LOCAL_RANK=2", "SPLITPIN_LOCAL_SIZE=2" }, false },
	{ { "SPLITPIN_LOCAL_RANK=alone" }, false },
	{ { "SPLITPIN_LOCAL_RANK=alone", "SPLITPIN_RUN=ranks" }, true },
	{ { "SPLITPIN_LOCAL_RANK=alone", "SPLITPIN_RUN=4711" }, false },
	{ { "MPI_LOCALRANKID=0", "MPI_LOCALNRANKS=2" }, false },
	{ { "MPI_LOCALRANKID=0", "MPI_LOCALNRANKS=2", "SPLITPIN_RUN=ranks" }, true },
	{ { "MPI_LOCALRANKID=0", "MPI_LOCALNRANKS=2", "SPLITPIN_RUN=taken by 4711" }, false },
	{ { "SPLITPIN_RUN=ranks", "SPLITPIN_DEBUG=1" }, false },
};

START_TEST(a_rank_from_its_start_is_one_that_the_user_means)
{
	struct sp_rank rank;

	sp_launcher_rank((char *const *)from_start[_i].entry, &rank);
	ck_assert_int_eq(rank.from_start, from_start[_i].expected);
}
END_TEST

Suite *
suite_launcher(void)
{
	Suite *suite = suite_create("launcher");
	TCase *tcase = tcase_create("facts");

	tcase_add_loop_test(tcase, recorded_launches_tell_rank_and_size, 0, NLAUNCHES);
	tcase_add_loop_test(tcase, invented_environments, 0, NFACTS);
	tcase_add_loop_test(tcase, slurm_steps, 0, NSTEPS);
	tcase_add_test(tcase, batch_script_is_no_rank);
	tcase_add_loop_test(tcase, why_a_worker_has_no_rank, 0, 5);
	tcase_add_test(tcase, no_environment);
	tcase_add_test(tcase, who_may_be_asked_why);
	tcase_add_loop_test(tcase, the_table_is_whole, 0, SP_LAUNCHERS);
	tcase_add_loop_test(tcase, each_family_has_its_letters, 0, sizeof(families) / sizeof(families[0]));
	tcase_add_test(tcase, no_launcher_has_another_name);
	tcase_add_test(tcase, libraries_come_before_managers);
	tcase_add_loop_test(tcase, what_starts_workers, 0, NSTARTERS);
	tcase_add_loop_test(tcase, a_rank_from_its_start_is_one_that_the_user_means, 0, sizeof(from_start) / sizeof(from_start[0]));
	suite_add_tcase(suite, tcase);
	return suite;
}
