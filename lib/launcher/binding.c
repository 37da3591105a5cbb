/*
 * A launcher has a row: what to look for in the rank's environment, in that of
 * its launchers, and on their command lines; and what it means that there is
 * nothing.
 */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/ascii.h"
#include "base/environment.h"
#include "launcher/binding.h"
#include "launcher/options.h"

struct search {
	char *const *environment;
	const struct sp_ancestor *ancestor;
	size_t n;
	struct sp_binding *binding;
};

/* Values are the user's and may hold anything. */
__attribute__((format(printf, 3, 4))) static void
answer(const struct search *search, enum sp_asked asked, const char *format, ...)
{
	struct sp_binding *binding = search->binding;
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(binding->evidence, sizeof(binding->evidence), format, arguments);
	va_end(arguments);
	for (char *c = binding->evidence; *c != '\0'; c++)
		if (*c < ' ' || *c > '~')
			*c = '?';
	binding->asked = asked;
}

static void
answer_below(const struct search *search, const char *launcher)
{
	answer(search, SP_ASKED_YES, "not bound by %s, but by something it started", launcher);
	search->binding->is_below = true;
}

static bool
is_set(char *const environment[], const char *name)
{
	const char *value = sp_environment_value(environment, name);

	return value && *value != '\0';
}

static const char *
name_of(const struct sp_ancestor *ancestor)
{
	const char *name = sp_ancestors_name(ancestor->arguments, ancestor->length);

	return name ? name : "";
}

static bool
is_one_of(const char *const words[], const char *word)
{
	for (; *words; words++)
		if (strcmp(*words, word) == 0)
			return true;
	return false;
}

/* "mpirun has --bind-to core" */
static void
answer_option(const struct search *search, const struct sp_ancestor *ancestor, const struct sp_option *option)
{
	bool is_apart = option->value && option->value > option->word + strlen(option->word);

	answer(search, SP_ASKED_YES, "%s has %s%s%s%s%s", name_of(ancestor), option->word,
	       is_apart ? " " : "", is_apart ? option->value : "",
	       option->second ? " " : "", option->second ? option->second : "");
}

/*
 * Open MPI 4 hands options on to all ranks as variables; with Open MPI 5 and
 * PRRTE they stay with the launcher, and variables go to the other nodes as
 * daemons' options.  PRRTE of Open MPI 6 has bindto and mapby for two of them.
 */

static const char *const openmpi_commands[] = { "mpirun", "mpiexec", "orterun", "prterun", NULL };
static const char *const openmpi_launchers[] = { "mpirun", "mpiexec", "orterun", "prterun", "orted", "prted", "prte", NULL };

static const char *const openmpi_parameters[] = {
	"hwloc_base_binding_policy", "hwloc_default_binding_policy", "bindto",
	"hwloc_base_bind_to_core", "hwloc_base_bind_to_socket",
	"hwloc_base_cpu_set", "hwloc_base_cpu_list", "hwloc_default_cpu_list", "hwloc_base_slot_list",
	"rmaps_base_bycore", "rmaps_base_cpus_per_rank", "rmaps_base_cpus_per_proc",
	"orte_rankfile", "rmaps_rank_file_path", NULL
};
static const char *const openmpi_mappings[] = {
	"rmaps_base_mapping_policy", "rmaps_default_mapping_policy", "mapby", "rmaps_ppr_pattern", NULL
};
static const char *const openmpi_options[] = {
	"bind-to", "bindto", "bind-to-core", "bind-to-socket", "bind-to-none", "bycore",
	"cpus-per-proc", "cpus-per-rank", "cpu-set", "cpu-list", "rankfile", "rf", NULL
};

/*
 * Ranks mapped by core or by processing elements are bound to these, so a binding
 * was asked for.  By slot, node or socket says where ranks go, not how many CPUs
 * they have there.  (A daemon has its values in quotes.)
 */
static bool
mapping_binds(const char *value)
{
	static const char between[] = ":,\"";
	static const char *const words[] = { "core", "hwthread", "pe=", "pe-list=", "rankfile" };
	const char *end;

	for (value += strspn(value, between); *value != '\0'; value += strcspn(value, between), value += strspn(value, between))
		for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
			if (sp_ascii_begins(value, words[i], &end) && (end[-1] == '=' || strchr(between, *end)))
				return true;
	return false;
}

/* name ends at a NUL or '='. */
static bool
parameter_asks(const char *name, const char *value)
{
	char copy[40];

	snprintf(copy, sizeof(copy), "%.*s", (int)strcspn(name, "="), name);
	if (*value == '\0')
		return false;
	return is_one_of(openmpi_parameters, copy) ? strcmp(value, "0") != 0 :
	       is_one_of(openmpi_mappings, copy) && mapping_binds(value);
}

static const char *
openmpi_variable(char *const environment[])
{
	static const char *const prefixes[] = { "OMPI_MCA_", "PRTE_MCA_", "PMIX_MCA_", "ORTE_MCA_" };

	for (; environment && *environment; environment++)
		for (size_t i = 0; i < sizeof(prefixes) / sizeof(prefixes[0]); i++) {
			const char *name = *environment + 9, *value = strchr(*environment, '=');

			if (strncmp(*environment, prefixes[i], 9) == 0 && value && parameter_asks(name, value + 1))
				return *environment;
		}
	return NULL;
}

static bool
openmpi_option_asks(const struct sp_option *option)
{
	if (option->second)
		return parameter_asks(option->value, option->second);
	if (sp_option_is(option, "map-by") || sp_option_is(option, "mapby"))
		return option->value && mapping_binds(option->value);
	for (const char *const *name = openmpi_options; *name; name++)
		if (sp_option_is(option, *name))
			return true;
	return false;
}

static bool
hydra_option_asks(const struct sp_option *option)
{
	return sp_option_is(option, "bind-to") || sp_option_is(option, "binding") ||
	       sp_option_is(option, "map-by") || sp_option_is(option, "cpu-bind");
}

/* quiet and verbose, alone or before a type, are about messages. */
static bool
srun_type_asks(const char *value)
{
	const char *type = value;

	for (; *type != '\0'; type += strcspn(type, ","), type += strspn(type, ",")) {
		size_t length = strcspn(type, ",");

		if (!(length == 5 && strncmp(type, "quiet", 5) == 0) && !(length == 7 && strncmp(type, "verbose", 7) == 0) &&
		    !(length == 1 && strchr("qv", *type)))
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

/* Whether an option on this command line asks; *is_whole: nothing may have been missed. */
static bool
look_at_options(const struct search *search, const struct sp_ancestor *ancestor, enum sp_syntax syntax,
		bool (*asks)(const struct sp_option *option), bool *is_whole)
{
	struct sp_options options;
	struct sp_option option;

	sp_options_begin(&options, syntax, ancestor->arguments, ancestor->length);
	while (sp_options_next(&options, &option)) {
		if (asks(&option)) {
			answer_option(search, ancestor, &option);
			return true;
		}
	}
	*is_whole = !options.is_incomplete;
	return false;
}

/* Whether a launcher of Open MPI's was asked; *is_clear: the user's own command is there and asks for nothing. */
static bool
openmpi_launchers_ask(const struct search *search, bool *is_clear)
{
	bool is_whole;

	*is_clear = false;
	for (size_t i = 0; i < search->n; i++) {
		const struct sp_ancestor *ancestor = &search->ancestor[i];

		if (!is_one_of(openmpi_launchers, name_of(ancestor)))
			continue;
		const char *variable = openmpi_variable(ancestor->environment);
		if (variable) {
			answer(search, SP_ASKED_YES, "%s, for %s", variable, name_of(ancestor));
			return true;
		}
		if (look_at_options(search, ancestor, SP_SYNTAX_OPENMPI, openmpi_option_asks, &is_whole))
			return true;
		*is_clear |= is_whole && ancestor->environment && is_one_of(openmpi_commands, name_of(ancestor));
	}
	return false;
}

static void
find_openmpi(const struct search *search)
{
	const char *variable = openmpi_variable(search->environment);
	bool is_clear;

	if (variable)
		answer(search, SP_ASKED_YES, "%s", variable);
	else if (openmpi_launchers_ask(search, &is_clear))
		return;
	else if (is_set(search->environment, "PRTE_LAUNCHED") && is_clear)
		answer(search, SP_ASKED_NO, "default of Open MPI 5");
	else if (is_set(search->environment, "PRTE_LAUNCHED"))
		answer(search, SP_ASKED_UNKNOWN, "mpirun's options are not visible here");
	else if (is_set(search->environment, "OMPI_MCA_orte_bound_at_launch"))
		answer(search, SP_ASKED_NO, "default of Open MPI");
	else
		answer_below(search, "mpirun");
}

static void
find_prrte(const struct search *search)
{
	bool is_clear;

	if (openmpi_launchers_ask(search, &is_clear))
		return;
	if (is_clear)
		answer(search, SP_ASKED_NO, "default of PRRTE");
	else
		answer(search, SP_ASKED_UNKNOWN, "prterun's options are not visible here");
}

/* hydra's two: proxies and mpiexec; mpirun is the same, or a script that starts it. */
static bool
hydra_launchers_ask(const struct search *search)
{
	static const char *const commands[] = { "mpiexec", "mpirun", NULL };
	bool is_whole;

	for (size_t i = 0; i < search->n; i++)
		if (is_one_of(commands, name_of(&search->ancestor[i])) &&
		    look_at_options(search, &search->ancestor[i], SP_SYNTAX_HYDRA, hydra_option_asks, &is_whole))
			return true;
	return false;
}

/* MPICH binds nobody unless it is asked, and then says so to the ranks. */
static void
find_hydra(const struct search *search)
{
	const char *variable = sp_environment_value(search->environment, "HYDRA_BINDING");

	if (hydra_launchers_ask(search))
		return;
	if (variable && *variable != '\0')
		answer(search, SP_ASKED_YES, "HYDRA_BINDING=%s", variable);
	else if (is_set(search->environment, "HYDRA_USER_PROVIDED_BINDING"))
		answer(search, SP_ASKED_YES, "HYDRA_USER_PROVIDED_BINDING=1");
	else
		answer_below(search, "mpiexec");
}

/* A proxy has what the user has set; a rank has also what the proxy has derived from that. */
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
find_intel(const struct search *search)
{
	const char *variable = intel_variable(search->environment, false);

	for (size_t i = 0; i < search->n && !variable; i++)
		variable = intel_variable(search->ancestor[i].environment, true);
	if (variable)
		answer(search, SP_ASKED_YES, "%s", variable);
	else if (!hydra_launchers_ask(search))
		answer(search, SP_ASKED_NO, "default of Intel MPI");
}

/* mpiexec of MVAPICH2 binds nobody; the library does, within MPI_Init. */
static void
find_mvapich2(const struct search *search)
{
	static const char *const users[] = {
		"MV2_CPU_MAPPING", "MV2_CPU_BINDING_POLICY", "MV2_HYBRID_BINDING_POLICY", "MV2_CPU_BINDING_LEVEL",
	};

	for (size_t i = 0; i < sizeof(users) / sizeof(users[0]); i++) {
		if (is_set(search->environment, users[i])) {
			answer(search, SP_ASKED_YES, "%s=%s", users[i], sp_environment_value(search->environment, users[i]));
			return;
		}
	}
	answer(search, SP_ASKED_UNKNOWN, "MVAPICH2 does not say");
}

/*
 * slurmstepd hands masks to tasks whether it was asked for cores or took its
 * default.  It writes those with 0x, and the user's own list of masks without.
 */
static bool
slurm_variable_asks(const struct search *search)
{
	const char *type = sp_environment_value(search->environment, "SLURM_CPU_BIND_TYPE");
	const char *list = sp_environment_value(search->environment, "SLURM_CPU_BIND_LIST");

	if (!type || *type == '\0')
		return false;
	if (strcmp(type, "mask_cpu:") == 0 && (!list || *list == '\0' || strncmp(list, "0x", 2) == 0))
		return false;
	answer(search, SP_ASKED_YES, "SLURM_CPU_BIND_TYPE=%s%s", type, list ? list : "");
	return true;
}

/* What an outer srun has set for this one does not count; it comes with a type. */
static bool
srun_asks(const struct search *search, const struct sp_ancestor *srun)
{
	const char *value = sp_environment_value(srun->environment, "SLURM_CPU_BIND");
	bool is_whole;

	if (look_at_options(search, srun, SP_SYNTAX_SRUN, srun_option_asks, &is_whole))
		return true;
	if (!value || !srun_type_asks(value) || sp_environment_value(srun->environment, "SLURM_CPU_BIND_TYPE"))
		return false;
	answer(search, SP_ASKED_YES, "SLURM_CPU_BIND=%s, for srun", value);
	return true;
}

/* Which of several sruns has started the rank is not known: they have to agree. */
static void
find_slurm(const struct search *search)
{
	size_t sruns = 0, asking = 0;

	if (slurm_variable_asks(search))
		return;
	for (size_t i = 0; i < search->n; i++) {
		if (strcmp(name_of(&search->ancestor[i]), "srun") != 0)
			continue;
		sruns++;
		asking += srun_asks(search, &search->ancestor[i]);
	}
	if (sruns == 0)
		answer(search, SP_ASKED_UNKNOWN, "Slurm does not say, and srun runs on another node");
	else if (search->n >= SP_ANCESTORS_MAX || (asking != 0 && asking != sruns))
		answer(search, SP_ASKED_UNKNOWN, "several srun commands with different options");
	else if (asking == 0)
		answer(search, SP_ASKED_NO, "default of Slurm");
}

static void
find_gforker(const struct search *search)
{
	answer_below(search, "mpiexec");
}

static void
find_by_hand(const struct search *search)
{
	answer(search, SP_ASKED_YES, "no launcher bound it");
}

/* Nothing is known of the binding of those that have no entry. */
static void (*const finders[SP_LAUNCHERS + 1])(const struct search *search) = {
	[SP_LAUNCHER_USER] = find_by_hand,
	[SP_LAUNCHER_OPENMPI] = find_openmpi,
	[SP_LAUNCHER_INTEL] = find_intel,
	[SP_LAUNCHER_HYDRA] = find_hydra,
	[SP_LAUNCHER_MVAPICH2] = find_mvapich2,
	[SP_LAUNCHER_SLURM] = find_slurm,
	[SP_LAUNCHER_GFORKER] = find_gforker,
	[SP_LAUNCHER_PMIX] = find_prrte,
	[SP_LAUNCHER_ALONE] = find_by_hand,
};

enum sp_launcher
sp_binding_launcher(const struct sp_rank *rank, char *const environment[])
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
	for (size_t i = 0; i < sizeof(marks) / sizeof(marks[0]); i++)
		if (is_set(environment, marks[i].mark))
			return marks[i].launcher;
	return launcher;
}

/* "--bind-to none" cannot be why a mask is narrow.  (Slurm binds to the CPUs of the step nevertheless.) */
static bool
is_none(enum sp_launcher launcher, const char *evidence)
{
	const char *none = strstr(evidence, "none");

	if (launcher == SP_LAUNCHER_INTEL && strcmp(evidence, "I_MPI_PIN=0") == 0)
		return true;
	return none > evidence && strchr(" =\"", none[-1]) && strchr(",\"", none[4]) && launcher != SP_LAUNCHER_SLURM;
}

void
sp_binding_find(const struct sp_rank *rank, char *const environment[],
		const struct sp_ancestor ancestor[], size_t n, struct sp_binding *binding)
{
	const struct search search = {
		.environment = environment,
		.ancestor = ancestor,
		.n = n,
		.binding = binding,
	};

	*binding = (struct sp_binding){ .asked = SP_ASKED_UNKNOWN };
	if (!rank->from)
		return;
	enum sp_launcher launcher = sp_binding_launcher(rank, environment);
	if (finders[launcher])
		finders[launcher](&search);
	else
		answer(&search, SP_ASKED_UNKNOWN, "the launcher does not say");
	if (binding->asked == SP_ASKED_YES && is_none(launcher, binding->evidence))
		answer_below(&search, launcher == SP_LAUNCHER_OPENMPI ? "mpirun" : launcher == SP_LAUNCHER_PMIX ? "prterun" : "mpiexec");
}
