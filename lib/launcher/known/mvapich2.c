/* MVAPICH2 by mpirun_rsh, or by its own Hydra. */
#include "base/environment.h"
#include "launcher/binding_search.h"
#include "launcher/known/known.h"

/* With MVAPICH2 the library binds, within MPI_Init; mpiexec does not. */
static void
find_binding(const struct sp_search *search)
{
	static const char *const users[] = {
		"MV2_CPU_MAPPING", "MV2_CPU_BINDING_POLICY", "MV2_HYBRID_BINDING_POLICY", "MV2_CPU_BINDING_LEVEL",
	};

	for (size_t i = 0; i < sizeof(users) / sizeof(users[0]); i++) {
		if (sp_search_has(search->environment, users[i])) {
			sp_binding_answer(search, SP_ASKED_YES, "%s=%s", users[i], sp_environment_value(search->environment, users[i]));
			return;
		}
	}
	sp_binding_answer(search, SP_ASKED_UNKNOWN, "MVAPICH2 does not say");
}

static const struct sp_launcher_process processes[] = {
	{ "mpirun_rsh", SP_IS_COMMAND }, { "mpispawn", SP_IS_DAEMON },
	{ NULL, SP_IS_NEITHER },
};

const struct sp_launcher_details sp_known_mvapich2 = {
	.title = "MVAPICH2",
	.has_local_rank = true,
	.processes = processes,
	.find_binding = find_binding,
	.binder = "mpiexec",
	.remedy = "set MV2_ENABLE_AFFINITY=0",
};
