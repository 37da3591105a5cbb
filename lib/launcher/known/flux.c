/* Flux, which sets the size of the job instead of the node's. */
#include "launcher/known/known.h"

static const struct sp_launcher_process processes[] = {
	{ "flux-shell", SP_IS_DAEMON },
	{ NULL, SP_IS_NEITHER },
};

const struct sp_launcher_details sp_known_flux = {
	.title = "Flux",
	.job = { "FLUX_JOB_ID" },
	.world = "FLUX_TASK_RANK",
	.ranks = "FLUX_JOB_SIZE",
	.processes = processes,
	.remedy = "use flux run -c %u, or -o cpu-affinity=off",
	.remedy_for_all = "use flux run -o cpu-affinity=off",
};
