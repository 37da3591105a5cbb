/*
 * A launcher has a row: what to look for in the rank's environment, in that of
 * its launchers, and on their command lines; and what it means that there is
 * nothing.
 */
#include <string.h>

#include "base/environment.h"
#include "launcher/binding_search.h"
#include "launcher/job.h"

static bool
hydra_option_asks(const struct sp_option *option)
{
	return sp_option_is(option, "bind-to") || sp_option_is(option, "binding") ||
	       sp_option_is(option, "map-by") || sp_option_is(option, "cpu-bind");
}

/* quiet and verbose, alone or before a type, concern messages; none means no binding, so it does not explain a narrow mask. */
static bool
srun_type_asks(const char *value)
{
	const char *type = value;

	for (; *type != '\0'; type += strcspn(type, ","), type += strspn(type, ",")) {
		size_t length = strcspn(type, ",");

		if (!(length == 5 && strncmp(type, "quiet", 5) == 0) && !(length == 7 && strncmp(type, "verbose", 7) == 0) &&
		    !(length == 1 && strchr("qvn", *type)) && !(length == 4 && strncmp(type, "none", 4) == 0) &&
		    !(length == 2 && strncmp(type, "no", 2) == 0))
			return true;
	}
	return false;
}

/* An option may be abbreviated. */
static bool
srun_option_asks(const struct sp_option *option)
{
	bool is_cpu_bind = option->length > 4 &&
			   (strncmp(option->name, "cpu-bind", option->length) == 0 ||
			    strncmp(option->name, "cpu_bind", option->length) == 0);

	return is_cpu_bind && option->value && srun_type_asks(option->value);
}

/* Hydra consists of mpiexec and its proxies; mpirun is mpiexec, or a script that starts it. */
static bool
hydra_launchers_ask(const struct sp_binding_search *search)
{
	static const char *const commands[] = { "mpiexec", "mpirun", NULL };
	bool is_whole;

	for (size_t i = 0; i < search->n; i++)
		if (sp_binding_is_one_of(commands, sp_binding_title(&search->ancestor[i])) &&
		    sp_binding_look_at_options(search, &search->ancestor[i], SP_SYNTAX_HYDRA, hydra_option_asks, &is_whole))
			return true;
	return false;
}

/* MPICH binds only on request, and then sets a variable in the ranks. */
static void
find_hydra(const struct sp_binding_search *search)
{
	const char *variable = sp_environment_value(search->environment, "HYDRA_BINDING");

	if (hydra_launchers_ask(search))
		return;
	if (variable && *variable != '\0')
		sp_binding_answer(search, SP_ASKED_YES, "HYDRA_BINDING=%s", variable);
	else if (sp_binding_is_set(search->environment, "HYDRA_USER_PROVIDED_BINDING"))
		sp_binding_answer(search, SP_ASKED_YES, "HYDRA_USER_PROVIDED_BINDING=1");
	else
		sp_binding_answer_below(search, "mpiexec");
}

/* A proxy has the user's variables; a rank also has those that the proxy derived from them. */
static const char *
intel_variable(char *const environment[], bool is_proxy)
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
find_intel(const struct sp_binding_search *search)
{
	const char *variable = intel_variable(search->environment, false);

	for (size_t i = 0; i < search->n && !variable; i++)
		variable = intel_variable(search->ancestor[i].environment, true);
	if (variable)
		sp_binding_answer(search, SP_ASKED_YES, "%s", variable);
	else if (search->has_other_nodes || !hydra_launchers_ask(search))
		sp_binding_answer(search, SP_ASKED_NO, "Intel MPI's default");
}

/* With MVAPICH2 the library binds, within MPI_Init; mpiexec does not. */
static void
find_mvapich2(const struct sp_binding_search *search)
{
	static const char *const users[] = {
		"MV2_CPU_MAPPING", "MV2_CPU_BINDING_POLICY", "MV2_HYBRID_BINDING_POLICY", "MV2_CPU_BINDING_LEVEL",
	};

	for (size_t i = 0; i < sizeof(users) / sizeof(users[0]); i++) {
		if (sp_binding_is_set(search->environment, users[i])) {
			sp_binding_answer(search, SP_ASKED_YES, "%s=%s", users[i], sp_environment_value(search->environment, users[i]));
			return;
		}
	}
	sp_binding_answer(search, SP_ASKED_UNKNOWN, "MVAPICH2 does not say");
}

/*
 * slurmstepd hands masks to tasks whether it was asked for cores or took its
 * default.  It writes those with 0x, and the user's own list of masks without.
 * Where it handed out none, it has not bound the task.
 */
static bool
slurm_variable_asks(const struct sp_binding_search *search)
{
	const char *type = sp_environment_value(search->environment, "SLURM_CPU_BIND_TYPE");
	const char *list = sp_environment_value(search->environment, "SLURM_CPU_BIND_LIST");

	if (!type || *type == '\0')
		return false;
	if (strcmp(type, "none") == 0) {
		sp_binding_answer_below(search, "srun");
		return true;
	}
	if (strcmp(type, "mask_cpu:") == 0 && (!list || *list == '\0' || strncmp(list, "0x", 2) == 0))
		return false;
	sp_binding_answer(search, SP_ASKED_YES, "SLURM_CPU_BIND_TYPE=%s%s", type, list ? list : "");
	return true;
}

/* SLURM_CPU_BIND that an outer srun has set does not count; SLURM_CPU_BIND_TYPE comes with it. */
static bool
srun_asks(const struct sp_binding_search *search, const struct sp_ancestor *srun)
{
	const char *value = sp_environment_value(srun->environment, "SLURM_CPU_BIND");
	bool is_whole;

	if (sp_binding_look_at_options(search, srun, SP_SYNTAX_SRUN, srun_option_asks, &is_whole))
		return true;
	if (!value || !srun_type_asks(value) || sp_environment_value(srun->environment, "SLURM_CPU_BIND_TYPE"))
		return false;
	sp_binding_answer(search, SP_ASKED_YES, "SLURM_CPU_BIND=%s, for srun", value);
	return true;
}

/*
 * If there are several sruns it is not known which one started the rank, so they
 * have to agree.  srun runs on at most one node of the step.
 */
static void
find_slurm(const struct sp_binding_search *search)
{
	size_t sruns = 0, asking = 0;

	if (slurm_variable_asks(search))
		return;
	for (size_t i = 0; i < search->n && !search->has_other_nodes; i++) {
		if (strcmp(sp_binding_title(&search->ancestor[i]), "srun") != 0)
			continue;
		sruns++;
		asking += srun_asks(search, &search->ancestor[i]);
	}
	if (sruns == 0)
		sp_binding_answer(search, SP_ASKED_UNKNOWN, "Slurm does not say, and srun is not visible on all nodes");
	else if (search->n >= SP_ANCESTORS_MAX || (asking != 0 && asking != sruns))
		sp_binding_answer(search, SP_ASKED_UNKNOWN, "several srun commands with different options");
	else if (asking == 0)
		sp_binding_answer(search, SP_ASKED_NO, "Slurm's default");
}

static void
find_gforker(const struct sp_binding_search *search)
{
	sp_binding_answer_below(search, "mpiexec");
}

static void
find_by_hand(const struct sp_binding_search *search)
{
	sp_binding_answer(search, SP_ASKED_YES, "no launcher bound it");
}

/* For launchers without an entry nothing is known about bindings. */
static void (*const finders[SP_LAUNCHERS + 1])(const struct sp_binding_search *search) = {
	[SP_LAUNCHER_USER] = find_by_hand,
	[SP_LAUNCHER_OPENMPI] = sp_binding_find_openmpi,
	[SP_LAUNCHER_INTEL] = find_intel,
	[SP_LAUNCHER_HYDRA] = find_hydra,
	[SP_LAUNCHER_MVAPICH2] = find_mvapich2,
	[SP_LAUNCHER_SLURM] = find_slurm,
	[SP_LAUNCHER_GFORKER] = find_gforker,
	[SP_LAUNCHER_PMIX] = sp_binding_find_prrte,
	[SP_LAUNCHER_ALONE] = find_by_hand,
};

/* "--bind-to none" cannot be why a mask is narrow. */
static bool
is_none(enum sp_launcher launcher, const char *evidence)
{
	const char *none = strstr(evidence, "none");

	if (launcher == SP_LAUNCHER_INTEL && strcmp(evidence, "I_MPI_PIN=0") == 0)
		return true;
	return none > evidence && strchr(" =\"", none[-1]) && strchr(",\"", none[4]) && launcher != SP_LAUNCHER_SLURM;	/* SLURM_CPU_BIND_LIST may contain "none" */
}

void
sp_binding_find(const struct sp_rank *rank, char *const environment[],
		const struct sp_ancestor ancestor[], size_t n, struct sp_binding *binding)
{
	const struct sp_binding_search search = {
		.environment = environment,
		.ancestor = ancestor,
		.n = n,
		.has_other_nodes = rank->from && sp_job_has_other_nodes(rank, environment),
		.binding = binding,
	};

	*binding = (struct sp_binding){ .asked = SP_ASKED_UNKNOWN };
	if (!rank->from)
		return;
	enum sp_launcher launcher = sp_launcher_of_rank(rank, environment);
	if (finders[launcher])
		finders[launcher](&search);
	else
		sp_binding_answer(&search, SP_ASKED_UNKNOWN, "the launcher does not say");
	if (binding->asked == SP_ASKED_YES && is_none(launcher, binding->evidence))
		sp_binding_answer_below(&search, launcher == SP_LAUNCHER_OPENMPI ? "mpirun" : launcher == SP_LAUNCHER_PMIX ? "prterun" : "mpiexec");
}
