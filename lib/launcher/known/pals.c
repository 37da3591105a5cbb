/* PALS, of HPE Cray. */
#include "launcher/known/known.h"

static const struct sp_launcher_process processes[] = {
	{ "palsd", SP_IS_DAEMON },
	{ NULL, SP_IS_NEITHER },
};

const struct sp_launcher_details sp_known_pals = {
	.title = "PALS",
	.has_local_rank = true,
	.job = { "PALS_APID" },
	.world = "PALS_RANKID",
	.processes = processes,
	.remedy = "use mpiexec --depth=%u --cpu-bind depth, or --cpu-bind none",
	.remedy_for_all = "use mpiexec --cpu-bind none",
};
