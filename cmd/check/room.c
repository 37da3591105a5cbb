/* Whether the node has CPUs enough for the job, and its launcher leaves them to the ranks. */
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "cmd/check/node.h"
#include "cmd/check/rows.h"
#include "cmd/cmd.h"
#include "cmd/setting_options.h"
#include "settings/config.h"
#include "topology.h"

/* Tasks of srun are elsewhere, unless this is a node of the job. */
static bool
runs_here(const struct check *check)
{
	return check->target.launcher != TARGET_SRUN || check_variable("SLURM_JOB_ID");
}

static uint32_t
ranks_here(const struct check *check)
{
	if (check->target.launcher != TARGET_NO_LAUNCHER)
		return runs_here(check) ? check->job.here : 0;
	return check->is_rank ? check->rank.local_size : 1;
}

static uint32_t
at_least_one(uint32_t number)
{
	return number ? number : 1;
}

/* Of all ranks on this node; *most: of one of them. */
static uint64_t
threads_here(const struct check *check, uint32_t ranks, uint32_t *most)
{
	const struct target_job *job = &check->job;
	uint64_t n = 0;

	*most = at_least_one(check->omp_env.threads);
	if (job->parts < 2 || ranks != job->ranks)
		return (uint64_t)ranks * *most;
	for (uint32_t i = 0; i < job->parts; i++) {
		n += (uint64_t)job->ranks_of[i] * at_least_one(job->threads[i]);
		*most = at_least_one(job->threads[i]) > *most ? at_least_one(job->threads[i]) : *most;
	}
	return n;
}

static void
look_for_many_threads(struct check *check)
{
	uint32_t ranks = ranks_here(check), cpus = sp_cpus_count(check_cpus(check)), most;
	uint64_t n = threads_here(check, ranks, &most);

	if (n <= cpus || (check->job.overcommit && most == 1))
		return;
	char *list = cmd_list(check_cpus(check));
	if (ranks == 1)
		check_found(check, "%llu threads, but a job may use only %u CPU%s here (%s)", (unsigned long long)n,
			    cpus, sp_plural(cpus), list);
	else
		check_found(check, "%u ranks with %llu thread%s in all, but the job may use only %u CPU%s here (%s)", ranks,
			    (unsigned long long)n, sp_plural((uint32_t)n), cpus, sp_plural(cpus), list);
	free(list);
}

/* Known to start no threads beside its ranks: it is linked with MPI, and with no OpenMP. */
static bool
is_mpi_alone(const struct target *target)
{
	return target_needs(target, target_is_any_mpi) && !target_needs(target, target_is_openmp);
}

static uint32_t
cores_allowed(const struct check *check)
{
	struct sp_machine *machine;
	uint32_t n;

	if (sp_topology_read(NULL, check_cpus(check), &machine) != 0)
		return 0;
	n = sp_machine_cores(machine, check_cpus(check));
	free(machine);
	return n;
}

/*
 * What Open MPI does by default to jobs of one rank or two.  A run cuts again
 * only where threads are announced, or a setting says which cores ranks get.
 */
static void
look_for_default_binding(struct check *check)
{
	uint32_t ranks = check->job.ranks;

	if (!target_binds_to_core(&check->job, &check->settings.config) || check->omp_env.threads || is_mpi_alone(&check->target))
		return;
	uint32_t cores = cores_allowed(check);
	if (cores >= 2 * ranks)
		check_found(check, "%s binds %s to one core by default, with all threads and children of %s; this node has %u cores, and OMP_NUM_THREADS is not set",
			    check->target.launcher_name, ranks == 1 ? "its rank" : "each of its ranks", check->target.word, cores);
}

/* As a run warns: it keeps the binding. */
static void
look_for_asked_binding(struct check *check)
{
	uint32_t ranks = ranks_here(check), threads;

	if (check->job.binder)
		check_noted(check, "behind %s, %s binds each rank, and a run keeps that: the cores here are those of ranks that it does not bind",
			    check->target.launcher_name, check->job.binder);
	if (!check->job.is_core_asked || ranks == 0 || check->settings.config.inherited == SP_INHERITED_IGNORE)
		return;
	threads_here(check, ranks, &threads);
	uint32_t cores = cores_allowed(check);
	if (threads > 1 && cores > ranks)
		check_found(check, "the binding that was asked for is kept (%s): %s 1 core for %u threads, and %u of the %u cores here stay%s idle",
			    check->job.evidence, ranks == 1 ? "the rank has" : "each rank has", threads, cores - ranks, cores, cores - ranks == 1 ? "s" : "");
}

const struct check_row check_room_rows[] = {
	{ "threads-many", "the job has more threads or ranks than the node has CPUs",
	  "set OMP_NUM_THREADS to the CPUs of the node divided by its ranks, or start fewer ranks on it", look_for_many_threads },
	{ "bound-default", "the launcher's default binds ranks to one core",
	  "use mpirun --bind-to none, or set OMP_NUM_THREADS: each rank then has its part of the node", look_for_default_binding },
	{ "bound-asked", "an option of the launcher binds ranks of several threads to one core",
	  "use --bind-to none, or --map-by slot:PE=N (Open MPI) or -bind-to core:N (MPICH) for ranks of N threads", look_for_asked_binding },
	{ .id = NULL }
};
