/* Intel MPI, whose mpiexec is a Hydra: its processes and options are that one's. */
#include <string.h>

#include "launcher/binding_search.h"
#include "launcher/known/known.h"
#include "launcher/options.h"

/* A proxy has the user's variables; a rank also has those that the proxy derived from them. */
static const char *
user_variable(char *const environment[], bool is_proxy)
{
	static const char *const users[] = {
		"I_MPI_PIN", "I_MPI_PIN_DOMAIN", "I_MPI_PIN_PROCESSOR_LIST", "I_MPI_PIN_PROCS", "I_MPI_PIN_PROCESSOR_EXCLUDE_LIST",
		"I_MPI_PIN_CELL", "I_MPI_PIN_ORDER", "I_MPI_PIN_MODE",
	};
	size_t n = is_proxy ? sizeof(users) / sizeof(users[0]) : 5;

	for (; environment && *environment; environment++)
		for (size_t i = 0; i < n; i++) {
			size_t length = strlen(users[i]);

			if (strncmp(*environment, users[i], length) == 0 && (*environment)[length] == '=' &&
			    (*environment)[length + 1] != '\0')
				return *environment;
		}
	return NULL;
}

static void
find_binding(const struct sp_search *search)
{
	const char *variable = user_variable(search->environment, false);

	for (size_t i = 0; i < search->n && !variable; i++)
		variable = user_variable(search->ancestor[i].environment, true);
	if (variable)
		sp_binding_answer(search, SP_ASKED_YES, "%s", variable);
	else if (search->has_other_nodes || !sp_hydra_launchers_ask(search))
		sp_binding_answer(search, SP_ASKED_NO, "Intel MPI's default");
}

const struct sp_launcher_details sp_known_intel = {
	.title = "Intel MPI",
	.job = { "I_MPI_HYDRA_UUID" },
	.world = "PMI_RANK",
	.ranks = "PMI_SIZE",
	.syntax = &sp_syntax_hydra,
	.find_binding = find_binding,
	.binder = "mpiexec",
	.unbound = "I_MPI_PIN=0",
	.remedy = "set I_MPI_PIN_CELL=core and I_MPI_PIN_DOMAIN=%u instead, or I_MPI_PIN=0",
	.remedy_for_all = "set I_MPI_PIN=0 instead",
};
