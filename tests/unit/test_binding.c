/* Facts about who asked for a binding: launches as they were recorded (tests/data/binding), and invented ones. */
#include <check.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "launcher/binding.h"
#include "suites.h"

#define LINES 64
#define TEXT 4096

static const struct fact {
	const char *file, *launch;
	enum sp_asked asked;
	const char *evidence;
} facts[] = {
	{ "ompi4", "default", SP_ASKED_NO, "Open MPI's default" },
	{ "ompi4", "option", SP_ASKED_YES, "OMPI_MCA_hwloc_base_binding_policy=core" },
	{ "ompi4", "none", SP_ASKED_YES, "not bound by mpirun, but by something it started" },
	{ "ompi4", "variable", SP_ASKED_YES, "OMPI_MCA_hwloc_base_binding_policy=core" },
	{ "ompi4", "mca", SP_ASKED_YES, "OMPI_MCA_hwloc_base_binding_policy=core" },
	{ "ompi4", "pe", SP_ASKED_YES, "OMPI_MCA_rmaps_base_mapping_policy=socket:PE=1" },
	{ "ompi4", "map", SP_ASKED_NO, "Open MPI's default" },
	{ "ompi4", "map-core", SP_ASKED_YES, "OMPI_MCA_rmaps_base_mapping_policy=core" },
	{ "ompi4", "ppr", SP_ASKED_YES, "OMPI_MCA_rmaps_base_mapping_policy=ppr:2:node:pe=1" },
	{ "ompi4", "rankfile", SP_ASKED_YES, "OMPI_MCA_orte_rankfile=ranks" },
	{ "ompi4", "cpu-set", SP_ASKED_YES, "OMPI_MCA_hwloc_base_binding_policy=core" },
	{ "ompi4", "cpu-list", SP_ASKED_YES, "OMPI_MCA_hwloc_base_binding_policy=cpu-list:ordered" },
	{ "ompi4", "old", SP_ASKED_YES, "OMPI_MCA_hwloc_base_bind_to_core=1" },
	{ "ompi4", "bycore", SP_ASKED_YES, "OMPI_MCA_rmaps_base_bycore=1" },
	{ "ompi4", "cpus-per-proc", SP_ASKED_YES, "OMPI_MCA_rmaps_base_cpus_per_rank=1" },
	{ "ompi4", "unbound", SP_ASKED_YES, "not bound by mpirun, but by something it started" },
	{ "ompi4", "wrapper", SP_ASKED_YES, "not bound by mpirun, but by something it started" },
	{ "ompi4", "taskset", SP_ASKED_NO, "Open MPI's default" },
	{ "ompi5", "default", SP_ASKED_NO, "Open MPI 5's default" },
	{ "ompi5", "option", SP_ASKED_YES, "prterun has --bind-to core" },
	{ "ompi5", "none", SP_ASKED_YES, "not bound by mpirun, but by something it started" },
	{ "ompi5", "variable", SP_ASKED_YES, "PRTE_MCA_hwloc_default_binding_policy=core, for prterun" },
	{ "ompi5", "ompi6-variable", SP_ASKED_YES, "PRTE_MCA_bindto=core, for prterun" },
	{ "ompi5", "prtemca", SP_ASKED_YES, "prterun has --prtemca hwloc_default_binding_policy core" },
	{ "ompi5", "ompi4-variable", SP_ASKED_YES, "OMPI_MCA_hwloc_base_binding_policy=core" },
	{ "ompi5", "map", SP_ASKED_NO, "Open MPI 5's default" },
	{ "ompi5", "map-core", SP_ASKED_YES, "prterun has --map-by core" },
	{ "ompi5", "pe", SP_ASKED_YES, "prterun has --map-by slot:PE=1" },
	{ "ompi5", "rankfile", SP_ASKED_YES, "prterun has --map-by rankfile:file=ranks" },
	{ "ompi5", "cpu-set", SP_ASKED_YES, "prterun has --cpu-set 1" },
	{ "ompi5", "wrapper", SP_ASKED_NO, "Open MPI 5's default" },
	{ "ompi5", "app-arguments", SP_ASKED_NO, "Open MPI 5's default" },
	{ "ompi5", "mpmd", SP_ASKED_YES, "prterun has --bind-to core" },
	{ "prterun", "default", SP_ASKED_NO, "PRRTE's default" },
	{ "prterun", "option", SP_ASKED_YES, "prterun has --bind-to core" },
	{ "mpich4", "default", SP_ASKED_YES, "not bound by mpiexec, but by something it started" },
	{ "mpich4", "option", SP_ASKED_YES, "mpiexec has -bind-to core" },
	{ "mpich4", "variable", SP_ASKED_YES, "HYDRA_BINDING=core" },
	{ "mpich4", "wrapper", SP_ASKED_YES, "not bound by mpiexec, but by something it started" },
	{ "mpich5", "default", SP_ASKED_YES, "not bound by mpiexec, but by something it started" },
	{ "mpich5", "option", SP_ASKED_YES, "mpiexec has -bind-to core" },
	{ "mpich5", "user", SP_ASKED_YES, "mpiexec has -bind-to user:0,1" },
	{ "mpich5", "none", SP_ASKED_YES, "not bound by mpiexec, but by something it started" },
	{ "impi", "default", SP_ASKED_NO, "Intel MPI's default" },
	{ "impi", "option", SP_ASKED_YES, "mpiexec has -bind-to core" },
	{ "impi", "binding", SP_ASKED_YES, "mpiexec has -binding pin=yes;cell=core" },
	{ "impi", "cpu-bind", SP_ASKED_YES, "I_MPI_PIN_DOMAIN=0,1" },
	{ "impi", "domain", SP_ASKED_YES, "I_MPI_PIN_DOMAIN=core" },
	{ "impi", "genv", SP_ASKED_YES, "I_MPI_PIN_DOMAIN=core" },
	{ "impi", "genv-order", SP_ASKED_YES, "I_MPI_PIN_ORDER=compact" },
	{ "impi", "list", SP_ASKED_YES, "I_MPI_PIN_PROCESSOR_LIST=1,0" },
	{ "impi", "cell", SP_ASKED_YES, "I_MPI_PIN_CELL=core" },
	{ "impi", "off", SP_ASKED_YES, "not bound by mpiexec, but by something it started" },
	{ "impi", "on", SP_ASKED_YES, "I_MPI_PIN=1" },
	{ "impi", "mpirun", SP_ASKED_NO, "Intel MPI's default" },
	{ "slurm", "default", SP_ASKED_NO, "Slurm's default" },
	{ "slurm", "default-1", SP_ASKED_NO, "Slurm's default" },
	{ "slurm", "default-x1", SP_ASKED_NO, "Slurm's default" },
	{ "slurm", "default-overcommit", SP_ASKED_NO, "Slurm's default" },
	{ "slurm", "cores", SP_ASKED_YES, "srun has --cpu-bind=cores" },
	{ "slurm", "cores-1", SP_ASKED_YES, "srun has --cpu-bind=cores" },
	{ "slurm", "cores-overcommit", SP_ASKED_YES, "SLURM_CPU_BIND_TYPE=cores,mask_cpu:0x1" },
	{ "slurm", "threads", SP_ASKED_YES, "srun has --cpu-bind=threads" },
	{ "slurm", "sockets", SP_ASKED_YES, "srun has --cpu-bind=sockets" },
	{ "slurm", "ldoms", SP_ASKED_YES, "srun has --cpu-bind=ldoms" },
	{ "slurm", "none", SP_ASKED_YES, "not bound by srun, but by something it started" },
	{ "slurm", "none-full", SP_ASKED_YES, "not bound by srun, but by something it started" },
	{ "slurm", "rank", SP_ASKED_YES, "SLURM_CPU_BIND_TYPE=rank" },
	{ "slurm", "map", SP_ASKED_YES, "SLURM_CPU_BIND_TYPE=map_cpu:1,0" },
	{ "slurm", "mask", SP_ASKED_YES, "SLURM_CPU_BIND_TYPE=mask_cpu:2,1" },
	{ "slurm", "variable", SP_ASKED_YES, "SLURM_CPU_BIND=cores, for srun" },
	{ "slurm", "verbose", SP_ASKED_NO, "Slurm's default" },
	{ "slurm", "c2", SP_ASKED_NO, "Slurm's default" },
	{ "slurm", "hint", SP_ASKED_NO, "Slurm's default" },
	{ "slurm", "distribution", SP_ASKED_NO, "Slurm's default" },
	{ "slurm", "salloc", SP_ASKED_YES, "srun has --cpu-bind=cores" },
	{ "slurm", "batch-default", SP_ASKED_NO, "Slurm's default" },
	{ "slurm", "batch-cores", SP_ASKED_YES, "srun has --cpu-bind=cores" },
	{ "slurm", "batch-ompi4", SP_ASKED_NO, "Open MPI's default" },
	{ "slurm", "batch-ompi5", SP_ASKED_NO, "Open MPI 5's default" },
	{ "slurm", "batch-mpich5", SP_ASKED_YES, "not bound by mpiexec, but by something it started" },
	{ "slurm", "batch-mpich5-option", SP_ASKED_YES, "HYDRA_USER_PROVIDED_BINDING=1" },
	{ "slurm", "batch-impi", SP_ASKED_NO, "Intel MPI's default" },
	{ "slurm", "batch-impi-option", SP_ASKED_NO, "Intel MPI's default" },
	{ "slurm-nodes", "ompi4-default", SP_ASKED_NO, "Open MPI's default" },
	{ "slurm-nodes", "ompi4-option", SP_ASKED_YES, "OMPI_MCA_hwloc_base_binding_policy=core" },
	{ "slurm-nodes", "ompi4-variable", SP_ASKED_YES, "OMPI_MCA_hwloc_base_binding_policy=core" },
	{ "slurm-nodes", "ompi5-default", SP_ASKED_UNKNOWN, "mpirun's options are not visible on all nodes" },
	{ "slurm-nodes", "ompi5-option", SP_ASKED_UNKNOWN, "mpirun's options are not visible on all nodes" },
	{ "slurm-nodes", "ompi5-variable", SP_ASKED_YES, "prted has --prtemca hwloc_default_binding_policy \"core\"" },
	{ "slurm-nodes", "ompi5-prtemca", SP_ASKED_YES, "prted has --prtemca hwloc_default_binding_policy \"core\"" },
	{ "slurm-nodes", "mpich5-default", SP_ASKED_YES, "not bound by mpiexec, but by something it started" },
	{ "slurm-nodes", "mpich5-option", SP_ASKED_YES, "HYDRA_USER_PROVIDED_BINDING=1" },
	{ "slurm-nodes", "impi-default", SP_ASKED_NO, "Intel MPI's default" },
	{ "slurm-nodes", "impi-domain", SP_ASKED_YES, "I_MPI_PIN_DOMAIN=core" },
	{ "slurm-nodes", "impi-bind", SP_ASKED_YES, "I_MPI_PIN_DOMAIN=0" },
	{ "slurm-nodes", "srun", SP_ASKED_UNKNOWN, "Slurm does not say, and srun is not visible on all nodes" },
};

#define NFACTS (sizeof(facts) / sizeof(facts[0]))

/* A launch: the rank first, then its ancestors. */
struct process {
	char arguments[TEXT], text[TEXT];
	size_t length, used;
	char *environment[LINES];
	int n;
	bool is_readable;
};

static struct process processes[SP_ANCESTORS_MAX + 2];
static struct sp_ancestor ancestors[SP_ANCESTORS_MAX];

static void
add_argument(struct process *process, const char *text)
{
	size_t size = strlen(text) + 1;

	ck_assert_uint_le(process->length + size, TEXT);
	memcpy(process->arguments + process->length, text, size);
	process->length += size;
}

static void
add_variable(struct process *process, const char *text)
{
	size_t size = strlen(text) + 1;

	ck_assert_uint_le(process->used + size, TEXT);
	ck_assert_int_lt(process->n, LINES - 1);
	process->environment[process->n++] = memcpy(process->text + process->used, text, size);
	process->used += size;
}

/* How many processes were read. */
static int
read_launch(const char *file, const char *launch)
{
	const char *data = getenv("SPLITPIN_TESTDATA");
	char path[512], line[512], wanted[128];
	bool is_here = false;
	int n = 0;

	snprintf(path, sizeof(path), "%s/binding/%s.txt", data ? data : "tests/data", file);
	snprintf(wanted, sizeof(wanted), "[launch] %s", launch);
	FILE *stream = fopen(path, "r");
	ck_assert_msg(stream, "%s: %s", path, strerror(errno));
	memset(processes, 0, sizeof(processes));
	while (fgets(line, sizeof(line), stream)) {
		line[strcspn(line, "\n")] = '\0';
		if (strncmp(line, "[launch]", 8) == 0)
			is_here = strcmp(line, wanted) == 0;
		else if (!is_here || line[0] == '\0')
			continue;
		else if (strcmp(line, "[environment]") == 0)
			processes[n - 1].is_readable = true;
		else if (line[0] == '[')
			processes[n++].is_readable = line[1] == 'r';
		else if (processes[n - 1].is_readable)
			add_variable(&processes[n - 1], line);
		else
			add_argument(&processes[n - 1], line);
	}
	fclose(stream);
	ck_assert_msg(n > 1, "%s: no launch %s", path, launch);
	return n;
}

/* As sp_ancestors_read chooses them. */
static size_t
choose_ancestors(int n)
{
	size_t chosen = 0;

	memset(ancestors, 0xa5, sizeof(ancestors));
	for (int i = 1; i < n; i++) {
		struct process *process = &processes[i];

		if (!sp_ancestors_name(process->arguments, process->length)) {
			if (chosen > 0)
				break;
			continue;
		}
		ancestors[chosen++] = (struct sp_ancestor){
			.pid = i,
			.arguments = process->arguments,
			.length = process->length,
			.environment = process->is_readable ? process->environment : NULL,
		};
	}
	return chosen;
}

START_TEST(recorded_launches)
{
	const struct fact *fact = &facts[_i];
	size_t n = choose_ancestors(read_launch(fact->file, fact->launch));
	struct sp_binding binding;
	struct sp_rank rank;

	if (sp_launcher_rank(processes[0].environment, &rank) == -EAGAIN)
		rank.from = "pmix";
	ck_assert_uint_gt(n, 0);
	ck_assert_ptr_nonnull(rank.from);
	sp_binding_find(&rank, processes[0].environment, ancestors, n, &binding);
	ck_assert_msg(binding.asked == fact->asked, "%s %s: %d", fact->file, fact->launch, binding.asked);
	ck_assert_str_eq(binding.evidence, fact->evidence);
}
END_TEST

/* Words parted by blanks; ";" parts the launchers' command lines. */
static const struct line {
	const char *from;
	const char *environment;
	const char *ancestors;
	enum sp_asked asked;
	const char *evidence;
} lines[] = {
	/* the program's arguments are its own */
	{ "openmpi", "PRTE_LAUNCHED=1", "mpirun -n 2 a --bind-to core", SP_ASKED_NO, "Open MPI 5's default" },
	{ "openmpi", "PRTE_LAUNCHED=1", "mpirun -n 2 sh -c --bind-to", SP_ASKED_NO, "Open MPI 5's default" },
	{ "openmpi", "PRTE_LAUNCHED=1", "mpirun -x A=B --mca btl self --host a,b a --map-by core", SP_ASKED_NO, "Open MPI 5's default" },
	{ "openmpi", "PRTE_LAUNCHED=1", "mpirun -n 1 a x : -n 1 --cpu-set 0-3 b", SP_ASKED_YES, "mpirun has --cpu-set 0-3" },
	{ "openmpi", "PRTE_LAUNCHED=1", "mpirun -n 1 a --bind-to core : -n 1 b --bind-to core", SP_ASKED_NO, "Open MPI 5's default" },
	{ "openmpi", "PRTE_LAUNCHED=1", "mpirun -- a --bind-to core", SP_ASKED_NO, "Open MPI 5's default" },
	{ "openmpi", "PRTE_LAUNCHED=1", "mpirun", SP_ASKED_NO, "Open MPI 5's default" },
	/* ways to write an option */
	{ "openmpi", "PRTE_LAUNCHED=1", "mpirun --bind-to=l3cache a", SP_ASKED_YES, "mpirun has --bind-to=l3cache" },
	{ "openmpi", "PRTE_LAUNCHED=1", "mpirun --bind-to= a", SP_ASKED_YES, "mpirun has --bind-to=" },
	{ "openmpi", "PRTE_LAUNCHED=1", "mpirun -bind-to numa a", SP_ASKED_YES, "mpirun has -bind-to numa" },
	{ "openmpi", "PRTE_LAUNCHED=1", "mpirun -bind-to-core a", SP_ASKED_YES, "mpirun has -bind-to-core" },
	{ "openmpi", "PRTE_LAUNCHED=1", "mpirun -rf f a", SP_ASKED_YES, "mpirun has -rf f" },
	{ "openmpi", "PRTE_LAUNCHED=1", "mpirun -bind-to", SP_ASKED_YES, "mpirun has -bind-to" },
	{ "openmpi", "PRTE_LAUNCHED=1", "mpirun --mca rmaps_base_mapping_policy slot:pe=2 a", SP_ASKED_YES, "mpirun has --mca rmaps_base_mapping_policy slot:pe=2" },
	{ "openmpi", "PRTE_LAUNCHED=1", "mpirun --report-bindings --use-hwthread-cpus --oversubscribe a", SP_ASKED_NO, "Open MPI 5's default" },
	{ "openmpi", "PRTE_LAUNCHED=1", "mpirun --mca", SP_ASKED_NO, "Open MPI 5's default" },
	/* no binding was asked for, and there is one */
	{ "openmpi", "PRTE_LAUNCHED=1", "mpirun --bind-to none a", SP_ASKED_YES, "not bound by mpirun, but by something it started" },
	{ "openmpi", "PRTE_LAUNCHED=1", "mpirun -bind-to=none a", SP_ASKED_YES, "not bound by mpirun, but by something it started" },
	{ "openmpi", "PRTE_LAUNCHED=1", "prted --prtemca hwloc_default_binding_policy \"none\"", SP_ASKED_YES, "not bound by mpirun, but by something it started" },
	{ "openmpi", "PRTE_LAUNCHED=1", "mpirun --rankfile none.txt a", SP_ASKED_YES, "mpirun has --rankfile none.txt" },
	{ "openmpi", "PRTE_LAUNCHED=1", "mpirun --rankfile ./none a", SP_ASKED_YES, "mpirun has --rankfile ./none" },
	{ "pmix", "", "prterun --bind-to none a", SP_ASKED_YES, "not bound by prterun, but by something it started" },
	{ "hydra", "", "mpiexec -bind-to none a", SP_ASKED_YES, "not bound by mpiexec, but by something it started" },
	{ "hydra", "HYDRA_BINDING=none", "mpiexec a", SP_ASKED_YES, "not bound by mpiexec, but by something it started" },
	{ "intel", "I_MPI_PIN=0", "", SP_ASKED_YES, "not bound by mpiexec, but by something it started" },
	{ "intel", "I_MPI_PIN=01", "", SP_ASKED_YES, "I_MPI_PIN=01" },
	{ "slurm", "SLURM_CPU_BIND_TYPE=none", "slurmstepd", SP_ASKED_YES, "not bound by srun, but by something it started" },
	/* to the CPUs of the step Slurm binds nevertheless */
	{ "slurm", "SLURM_CPU_BIND_TYPE=mask_cpu: SLURM_CPU_BIND_LIST=0x1", "slurmstepd; srun --cpu-bind=none a", SP_ASKED_NO, "Slurm's default" },
	{ "slurm", "", "slurmstepd; srun --cpu-bind=verbose,none a", SP_ASKED_NO, "Slurm's default" },
	{ "slurm", "", "slurmstepd; srun --cpu-bind=q,n a", SP_ASKED_NO, "Slurm's default" },
	{ "slurm", "", "slurmstepd; srun --cpu-bind=no a", SP_ASKED_NO, "Slurm's default" },
	{ "slurm", "", "slurmstepd; srun --cpu-bind=nonesuch a", SP_ASKED_YES, "srun has --cpu-bind=nonesuch" },
	/* a mapping that binds, and others */
	{ "openmpi", "PRTE_LAUNCHED=1", "mpirun --map-by ppr:2:package:PE=4 a", SP_ASKED_YES, "mpirun has --map-by ppr:2:package:PE=4" },
	{ "openmpi", "PRTE_LAUNCHED=1", "mpirun --map-by pe-list=0,1 a", SP_ASKED_YES, "mpirun has --map-by pe-list=0,1" },
	{ "openmpi", "PRTE_LAUNCHED=1", "mpirun --map-by hwthread a", SP_ASKED_YES, "mpirun has --map-by hwthread" },
	{ "openmpi", "PRTE_LAUNCHED=1", "mpirun --map-by numa:corecpus a", SP_ASKED_NO, "Open MPI 5's default" },
	{ "openmpi", "PRTE_LAUNCHED=1", "mpirun --map-by ppr:1:node a", SP_ASKED_NO, "Open MPI 5's default" },
	{ "openmpi", "PRTE_LAUNCHED=1", "mpirun --map-by :oversubscribe --rank-by core a", SP_ASKED_NO, "Open MPI 5's default" },
	/* not all can be seen */
	{ "openmpi", "PRTE_LAUNCHED=1", "", SP_ASKED_UNKNOWN, "mpirun's options are not visible on all nodes" },
	{ "openmpi", "PRTE_LAUNCHED=1", "prted --daemonize", SP_ASKED_UNKNOWN, "mpirun's options are not visible on all nodes" },
	{ "openmpi", "PRTE_LAUNCHED=1", "prte --daemonize", SP_ASKED_UNKNOWN, "mpirun's options are not visible on all nodes" },
	{ "openmpi", "PRTE_LAUNCHED=1", "mpirun --new-option x --bind-to core a", SP_ASKED_UNKNOWN, "mpirun's options are not visible on all nodes" },
	{ "openmpi", "PRTE_LAUNCHED=1", "mpirun --new-option --bind-to core a", SP_ASKED_YES, "mpirun has --bind-to core" },
	{ "openmpi", "PRTE_LAUNCHED=1", "mpirun --app f", SP_ASKED_UNKNOWN, "mpirun's options are not visible on all nodes" },
	{ "openmpi", "PRTE_LAUNCHED=1", "slurmstepd; mpirun --bind-to core", SP_ASKED_YES, "mpirun has --bind-to core" },
	/* a job with ranks on other nodes, where a command line is not: what is not handed on does not decide */
	{ "openmpi", "PRTE_LAUNCHED=1 OMPI_COMM_WORLD_SIZE=4", "prterun --bind-to core a", SP_ASKED_UNKNOWN, "mpirun's options are not visible on all nodes" },
	{ "openmpi", "PRTE_LAUNCHED=1 OMPI_COMM_WORLD_SIZE=4", "prterun --map-by slot:PE=1 a", SP_ASKED_UNKNOWN, "mpirun's options are not visible on all nodes" },
	{ "openmpi", "PRTE_LAUNCHED=1 OMPI_COMM_WORLD_SIZE=4", "prterun a", SP_ASKED_UNKNOWN, "mpirun's options are not visible on all nodes" },
	{ "openmpi", "PRTE_LAUNCHED=1 OMPI_COMM_WORLD_SIZE=2", "prterun --bind-to core a", SP_ASKED_YES, "prterun has --bind-to core" },
	{ "openmpi", "PRTE_LAUNCHED=1 OMPI_COMM_WORLD_SIZE=4", "prterun --prtemca hwloc_default_binding_policy core a", SP_ASKED_YES,
	  "prterun has --prtemca hwloc_default_binding_policy core" },
	{ "openmpi", "PRTE_LAUNCHED=1 OMPI_COMM_WORLD_SIZE=4 OMPI_MCA_hwloc_default_binding_policy=core", "prterun a", SP_ASKED_YES,
	  "OMPI_MCA_hwloc_default_binding_policy=core" },
	{ "openmpi", "OMPI_MCA_orte_bound_at_launch=1 OMPI_COMM_WORLD_SIZE=4 OMPI_MCA_hwloc_base_binding_policy=core", "mpirun --bind-to core a", SP_ASKED_YES,
	  "OMPI_MCA_hwloc_base_binding_policy=core" },
	{ "intel", "PMI_SIZE=4", "hydra_pmi_proxy; mpiexec.hydra -bind-to core a", SP_ASKED_NO, "Intel MPI's default" },
	{ "intel", "PMI_SIZE=4 I_MPI_PIN_DOMAIN=core", "hydra_pmi_proxy; mpiexec.hydra a", SP_ASKED_YES, "I_MPI_PIN_DOMAIN=core" },
	{ "hydra", "PMI_SIZE=4 HYDRA_USER_PROVIDED_BINDING=1", "hydra_pmi_proxy", SP_ASKED_YES, "HYDRA_USER_PROVIDED_BINDING=1" },
	{ "slurm", "SLURM_STEP_NUM_TASKS=4", "slurmstepd; srun --cpu-bind=cores a", SP_ASKED_UNKNOWN, "Slurm does not say, and srun is not visible on all nodes" },
	{ "slurm", "SLURM_STEP_NUM_TASKS=4", "slurmstepd; srun a", SP_ASKED_UNKNOWN, "Slurm does not say, and srun is not visible on all nodes" },
	{ "slurm", "SLURM_STEP_NUM_TASKS=4 SLURM_CPU_BIND_TYPE=map_cpu: SLURM_CPU_BIND_LIST=0", "slurmstepd; srun a", SP_ASKED_YES, "SLURM_CPU_BIND_TYPE=map_cpu:0" },
	{ "slurm", "SLURM_STEP_NUM_TASKS=2", "slurmstepd; srun --cpu-bind=cores a", SP_ASKED_YES, "srun has --cpu-bind=cores" },
	/* variables that say nothing */
	{ "openmpi", "OMPI_MCA_orte_bound_at_launch=1 OMPI_MCA_hwloc_base_binding_policy=", "", SP_ASKED_NO, "Open MPI's default" },
	{ "openmpi", "OMPI_MCA_orte_bound_at_launch=1 OMPI_MCA_rmaps_base_bycore=0", "", SP_ASKED_NO, "Open MPI's default" },
	{ "openmpi", "OMPI_MCA_orte_bound_at_launch=1 OMPI_MCA_rmaps_base_mapping_policy=slot", "", SP_ASKED_NO, "Open MPI's default" },
	{ "openmpi", "OMPI_MCA_orte_bound_at_launch=1 ELSE_MCA_hwloc_base_binding_policy=core", "", SP_ASKED_NO, "Open MPI's default" },
	/* Intel's, where the proxy cannot be read */
	{ "intel", "I_MPI_PIN_INFO=0 I_MPI_PIN_MAPPING=1 I_MPI_PIN_ORDER=compact I_MPI_PIN_DOMAIN_SIZE=1", "", SP_ASKED_NO, "Intel MPI's default" },
	{ "intel", "I_MPI_PIN= I_MPI_PIN_DOMAIN=", "", SP_ASKED_NO, "Intel MPI's default" },
	{ "intel", "I_MPI_PIN_DOMAIN= I_MPI_PIN_CELL=core", "", SP_ASKED_NO, "Intel MPI's default" },
	{ "intel", "I_MPI_PIN=x", "", SP_ASKED_YES, "I_MPI_PIN=x" },
	{ "intel", "I_MPI_PIN_PROCS=1", "", SP_ASKED_YES, "I_MPI_PIN_PROCS=1" },
	{ "intel", "", "mpiexec.hydra -genv I_MPI_DEBUG 5 -genv A=B -n 2 a -bind-to core", SP_ASKED_NO, "Intel MPI's default" },
	{ "intel", "", "mpiexec.hydra -genv I_MPI_DEBUG 5 -genv A=B -ppn 2 -bind-to core a", SP_ASKED_YES, "mpiexec has -bind-to core" },
	/* hydra */
	{ "hydra", "", "hydra_pmi_proxy --usize 1; mpiexec -n 1 a : -map-by socket -n 1 b", SP_ASKED_YES, "mpiexec has -map-by socket" },
	{ "hydra", "HYDRA_USER_PROVIDED_BINDING=1", "hydra_pmi_proxy", SP_ASKED_YES, "HYDRA_USER_PROVIDED_BINDING=1" },
	/* Slurm */
	{ "slurm", "SLURM_CPU_BIND_TYPE=mask_cpu:", "slurmstepd", SP_ASKED_UNKNOWN, "Slurm does not say, and srun is not visible on all nodes" },
	{ "slurm", "SLURM_CPU_BIND_TYPE=mask_cpu: SLURM_CPU_BIND_LIST=ff", "slurmstepd", SP_ASKED_YES, "SLURM_CPU_BIND_TYPE=mask_cpu:ff" },
	{ "slurm", "SLURM_CPU_BIND_TYPE=mask_cpu: SLURM_CPU_BIND_LIST=0x1", "slurmstepd", SP_ASKED_UNKNOWN, "Slurm does not say, and srun is not visible on all nodes" },
	{ "slurm", "", "slurmstepd", SP_ASKED_UNKNOWN, "Slurm does not say, and srun is not visible on all nodes" },
	{ "slurm", "", "slurmstepd; srun -n2 -c 4 -lu a --cpu-bind=cores", SP_ASKED_NO, "Slurm's default" },
	{ "slurm", "", "slurmstepd; srun -N 1 -lun 2 --mpi pmix --cpu-bind verbose,cores a", SP_ASKED_YES, "srun has --cpu-bind verbose,cores" },
	{ "slurm", "", "slurmstepd; srun --exclusive --overlap --cpu_bind=rank a", SP_ASKED_YES, "srun has --cpu_bind=rank" },
	{ "slurm", "", "slurmstepd; srun --cpu-bind=verbose --cpu-bin=cores a", SP_ASKED_YES, "srun has --cpu-bin=cores" },
	{ "slurm", "", "slurmstepd; srun --cpu-b=cores a", SP_ASKED_YES, "srun has --cpu-b=cores" },
	{ "slurm", "", "slurmstepd; srun --cpu-=cores a", SP_ASKED_NO, "Slurm's default" },
	{ "slurm", "", "slurmstepd; srun --cpu-bind=v,q -m block:cyclic --hint=nomultithread a", SP_ASKED_NO, "Slurm's default" },
	{ "slurm", "", "slurmstepd; srun --cpu-bind=quiet a", SP_ASKED_NO, "Slurm's default" },
	{ "slurm", "", "slurmstepd; srun --cpu-bind=verbose a", SP_ASKED_NO, "Slurm's default" },
	{ "slurm", "", "slurmstepd; srun --cpu-bind=quiet,verbose,v a", SP_ASKED_NO, "Slurm's default" },
	{ "slurm", "", "slurmstepd; srun --cpu-bind=quite a", SP_ASKED_YES, "srun has --cpu-bind=quite" },
	{ "slurm", "", "slurmstepd; srun --cpu-bind=verbatim a", SP_ASKED_YES, "srun has --cpu-bind=verbatim" },
	{ "slurm", "", "slurmstepd; srun --cpu-bind=x a", SP_ASKED_YES, "srun has --cpu-bind=x" },
	{ "slurm", "", "slurmstepd; srun --cpu-bind=v,rank a", SP_ASKED_YES, "srun has --cpu-bind=v,rank" },
	{ "slurm", "", "slurmstepd; srun -I --cpu-bind cores a", SP_ASKED_YES, "srun has --cpu-bind cores" },
	{ "slurm", "", "slurmstepd; srun -n 1 a; srun -n 1 b", SP_ASKED_NO, "Slurm's default" },
	{ "slurm", "", "slurmstepd; srun -n 1 a; srun --cpu-bind=cores b", SP_ASKED_UNKNOWN, "several srun commands with different options" },
	/* as many as are looked at: there may be more */
	{ "slurm", "", "slurmstepd; srun a; srun a; srun a; srun a; srun a; srun a", SP_ASKED_NO, "Slurm's default" },
	{ "slurm", "", "slurmstepd; srun a; srun a; srun a; srun a; srun a; srun a; srun a", SP_ASKED_UNKNOWN, "several srun commands with different options" },
	/* nobody to ask */
	{ "pals", "", "palsd", SP_ASKED_UNKNOWN, "the launcher does not say" },
	{ "flux", "", "flux-shell", SP_ASKED_UNKNOWN, "the launcher does not say" },
	{ "mvapich2", "", "", SP_ASKED_UNKNOWN, "MVAPICH2 does not say" },
	{ "mvapich2", "MV2_CPU_MAPPING=0:1", "", SP_ASKED_YES, "MV2_CPU_MAPPING=0:1" },
	{ "gforker", "", "mpiexec", SP_ASKED_YES, "not bound by mpiexec, but by something it started" },
	{ "pmix", "", "prted", SP_ASKED_UNKNOWN, "prterun's options are not visible on all nodes" },
	/* the user's word for the rank, under a launcher and under none */
	{ "alone", "", "", SP_ASKED_YES, "no launcher bound it" },
	{ "user", "SLURM_JOB_ID=1", "slurmstepd", SP_ASKED_YES, "no launcher bound it" },
	{ "user", "SLURM_STEP_ID=0", "slurmstepd", SP_ASKED_UNKNOWN, "Slurm does not say, and srun is not visible on all nodes" },
	{ "user", "OMPI_COMM_WORLD_LOCAL_RANK=0 OMPI_MCA_orte_bound_at_launch=1", "mpirun a", SP_ASKED_NO, "Open MPI's default" },
	/* what people read */
	{ "openmpi", "OMPI_MCA_hwloc_base_cpu_list=1~\177\033[31m\n", "", SP_ASKED_YES, "OMPI_MCA_hwloc_base_cpu_list=1~??[31m?" },
};

#define NLINES (sizeof(lines) / sizeof(lines[0]))

static int
read_line(const struct line *line)
{
	char copy[TEXT], *rest;
	int n = 1;

	memset(processes, 0, sizeof(processes));
	strcpy(copy, line->environment);
	for (char *word = strtok_r(copy, " ", &rest); word; word = strtok_r(NULL, " ", &rest))
		add_variable(&processes[0], word);
	strcpy(copy, line->ancestors);
	for (char *word = strtok_r(copy, " ", &rest); word; word = strtok_r(NULL, " ", &rest)) {
		bool is_last = word[strlen(word) - 1] == ';';

		if (is_last)
			word[strlen(word) - 1] = '\0';
		add_argument(&processes[n], word);
		processes[n].is_readable = true;
		n += is_last;
	}
	return n + (processes[n].length > 0);
}

START_TEST(invented_launches)
{
	const struct line *line = &lines[_i];
	size_t n = choose_ancestors(read_line(line));
	struct sp_rank rank = { .from = line->from, .local_size = 2 };
	struct sp_binding binding;

	sp_binding_find(&rank, processes[0].environment, ancestors, n, &binding);
	ck_assert_msg(binding.asked == line->asked, "%s: %d", line->ancestors, binding.asked);
	ck_assert_str_eq(binding.evidence, line->evidence);
	ck_assert_int_eq(binding.is_below, strstr(line->evidence, "by something it started") != NULL);
}
END_TEST

/* What comes with a type is an outer srun's. */
START_TEST(srun_is_asked_by_its_environment)
{
	static const struct { char *bind, *type; enum sp_asked asked; } cases[] = {
		{ "SLURM_CPU_BIND=cores", NULL, SP_ASKED_YES }, { "SLURM_CPU_BIND=verbose", NULL, SP_ASKED_NO },
		{ "SLURM_CPU_BIND=cores", "SLURM_CPU_BIND_TYPE=cores", SP_ASKED_NO },
	};
	char *environment[] = { cases[_i].bind, cases[_i].type, NULL };
	struct sp_ancestor ancestor = { .arguments = "srun\0a", .length = sizeof("srun a"), .environment = environment };
	struct sp_rank rank = { .from = "slurm" };
	struct sp_binding binding;

	sp_binding_find(&rank, NULL, &ancestor, 1, &binding);
	ck_assert_int_eq(binding.asked, cases[_i].asked);
}
END_TEST

START_TEST(long_evidence_is_cut)
{
	char variable[400] = "OMPI_MCA_hwloc_base_cpu_list=", *environment[] = { variable, NULL };
	struct sp_rank rank = { .from = "openmpi" };
	struct sp_binding binding;

	memset(variable + strlen(variable), '1', 300);
	sp_binding_find(&rank, environment, NULL, 0, &binding);
	ck_assert_int_eq(binding.asked, SP_ASKED_YES);
	ck_assert_uint_eq(strlen(binding.evidence), SP_EVIDENCE - 1);
}
END_TEST

/* A process may have written over its arguments. */
START_TEST(arguments_that_do_not_end)
{
	struct sp_ancestor ancestor = { .arguments = "mpirun\0--bind-to", .length = sizeof("mpirun --bind-to") - 1 };
	char *environment[] = { "PRTE_LAUNCHED=1", NULL };
	struct sp_rank rank = { .from = "openmpi" };
	struct sp_binding binding;

	sp_binding_find(&rank, environment, &ancestor, 1, &binding);
	ck_assert_int_eq(binding.asked, SP_ASKED_UNKNOWN);
	ancestor.length = 0;
	sp_binding_find(&rank, NULL, &ancestor, 1, &binding);
	ck_assert_str_eq(binding.evidence, "not bound by mpirun, but by something it started");
	rank.from = NULL;
	sp_binding_find(&rank, environment, NULL, 0, &binding);
	ck_assert_int_eq(binding.asked, SP_ASKED_UNKNOWN);
	ck_assert_str_eq(binding.evidence, "");
}
END_TEST

Suite *
suite_binding(void)
{
	Suite *suite = suite_create("binding");
	TCase *tcase = tcase_create("facts");

	tcase_add_loop_test(tcase, recorded_launches, 0, NFACTS);
	tcase_add_loop_test(tcase, invented_launches, 0, NLINES);
	tcase_add_loop_test(tcase, srun_is_asked_by_its_environment, 0, 3);
	tcase_add_test(tcase, long_evidence_is_cut);
	tcase_add_test(tcase, arguments_that_do_not_end);
	suite_add_tcase(suite, tcase);
	return suite;
}
