#include <string.h>

#include "base/environment.h"
#include "launcher/launchers.h"

/*
 * No prefix: Intel MPI, since its variables are Hydra's; Flux, since it sets the
 * size of the job instead of the node's; and PMI_RANK and PMI_SIZE, which many
 * launchers set.
 */
const struct sp_launcher_details sp_launcher_details[SP_LAUNCHERS] = {
	[SP_LAUNCHER_USER] = { .prefix = "SPLITPIN_LOCAL_" },
	[SP_LAUNCHER_TORCHRUN] = { .remedy = "start torchrun without --numa-binding" },
	[SP_LAUNCHER_DEEPSPEED] = { .remedy = "start deepspeed without --bind_cores_to_rank" },
	[SP_LAUNCHER_OPENMPI] = { .prefix = "OMPI_COMM_WORLD_LOCAL_", .job = { "PMIX_NAMESPACE" },
				  .world = "OMPI_COMM_WORLD_RANK", .ranks = "OMPI_COMM_WORLD_SIZE", .node = "PMIX_HOSTNAME", .spawned = "OMPI_PARENT_PORT",
				  .remedy = "give mpirun --bind-to none instead, or --map-by slot:PE=%u" },
	[SP_LAUNCHER_INTEL] = { .job = { "I_MPI_HYDRA_UUID" }, .world = "PMI_RANK", .ranks = "PMI_SIZE", .remedy = "set I_MPI_PIN_DOMAIN=%u instead, or I_MPI_PIN=0" },
	[SP_LAUNCHER_HYDRA] = { .prefix = "MPI_LOCAL", .world = "PMI_RANK", .ranks = "PMI_SIZE", .spawned = "PMI_SPAWNED",
				.remedy = "give mpiexec -bind-to none instead, or -bind-to core:%u" },
	[SP_LAUNCHER_MVAPICH2] = { .prefix = "MV2_COMM_WORLD_LOCAL_", .remedy = "set MV2_ENABLE_AFFINITY=0" },
	[SP_LAUNCHER_PALS] = { .prefix = "PALS_LOCAL_", .job = { "PALS_APID" }, .world = "PALS_RANKID",
			       .remedy = "give mpiexec --depth=%u --cpu-bind depth, or --cpu-bind none" },
	[SP_LAUNCHER_FLUX] = { .job = { "FLUX_JOB_ID" }, .remedy = "give flux run -c %u, or -o cpu-affinity=off" },
	[SP_LAUNCHER_SLURM] = { .prefix = "SLURM_", .job = { "SLURM_JOB_ID", "SLURM_STEP_ID" },
				.world = "SLURM_PROCID", .ranks = "SLURM_STEP_NUM_TASKS", .node = "SLURMD_NODENAME", .remedy = "give srun -c %u and no --cpu-bind" },
	[SP_LAUNCHER_PMIX] = { .job = { "PMIX_NAMESPACE" }, .world = "PMIX_RANK",
			       .remedy = "give prterun --bind-to none instead, or --map-by slot:PE=%u" },
};

enum sp_launcher
sp_launcher_find(const char *name)
{
	enum sp_launcher launcher = 0;

	while (launcher < SP_LAUNCHERS && strcmp(sp_launcher_row[launcher].name, name) != 0)
		launcher++;
	return launcher;
}

enum sp_launcher
sp_launcher_of_rank(const struct sp_rank *rank, char *const environment[])
{
	static const struct { enum sp_launcher launcher; const char *mark; } marks[] = {
		{ SP_LAUNCHER_OPENMPI, "OMPI_COMM_WORLD_LOCAL_RANK" },
		{ SP_LAUNCHER_INTEL, "I_MPI_HYDRA_UUID" },
		{ SP_LAUNCHER_HYDRA, "MPI_LOCALRANKID" },
		{ SP_LAUNCHER_MVAPICH2, "MV2_COMM_WORLD_LOCAL_RANK" },
		{ SP_LAUNCHER_PALS, "PALS_LOCAL_RANKID" },
		{ SP_LAUNCHER_FLUX, "FLUX_TASK_LOCAL_ID" },
		{ SP_LAUNCHER_PMIX, "PRTE_LAUNCHED" },
		{ SP_LAUNCHER_SLURM, "SLURM_STEP_ID" },
		{ SP_LAUNCHER_GFORKER, "PMI_DEBUG" },
	};

	enum sp_launcher launcher = sp_launcher_find(rank->from);
	if (launcher != SP_LAUNCHER_USER && launcher != SP_LAUNCHER_ALONE)
		return launcher;
	for (size_t i = 0; i < sizeof(marks) / sizeof(marks[0]); i++) {
		const char *value = sp_environment_value(environment, marks[i].mark);

		if (value && *value != '\0')
			return marks[i].launcher;
	}
	return launcher;
}

const char *
sp_launcher_title(const char *name)
{
	static const char *const titles[SP_LAUNCHERS] = {
		[SP_LAUNCHER_USER] = "SPLITPIN_LOCAL_RANK", [SP_LAUNCHER_TORCHRUN] = "torchrun", [SP_LAUNCHER_DEEPSPEED] = "DeepSpeed",
		[SP_LAUNCHER_OPENMPI] = "Open MPI", [SP_LAUNCHER_INTEL] = "Intel MPI", [SP_LAUNCHER_HYDRA] = "MPICH",
		[SP_LAUNCHER_MVAPICH2] = "MVAPICH2", [SP_LAUNCHER_PALS] = "PALS", [SP_LAUNCHER_FLUX] = "Flux", [SP_LAUNCHER_SLURM] = "Slurm",
		[SP_LAUNCHER_GFORKER] = "PMI_RANK", [SP_LAUNCHER_PMIX] = "PMIx", [SP_LAUNCHER_ALONE] = "no launcher",
	};
	enum sp_launcher launcher = sp_launcher_find(name);

	return launcher < SP_LAUNCHERS ? titles[launcher] : name;
}
