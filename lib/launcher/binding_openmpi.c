/* Who asked for a binding, with Open MPI and PRRTE. */
#include <stdio.h>
#include <string.h>

#include "base/ascii.h"
#include "base/environment.h"
#include "launcher/binding_search.h"

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
	if (!value || *value == '\0')
		return false;
	return sp_binding_is_one_of(openmpi_parameters, copy) ? strcmp(value, "0") != 0 :
	       sp_binding_is_one_of(openmpi_mappings, copy) && mapping_binds(value);
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

/* Parameters are handed on to the daemons of other nodes, options of Open MPI 5 and PRRTE are not. */
static bool
openmpi_parameter_asks(const struct sp_option *option)
{
	return option->second && openmpi_option_asks(option);
}

/*
 * Whether a launcher of Open MPI's was asked; *is_clear: the user's own command
 * is there and asks for nothing, so that none of the job's nodes finds more.
 */
static bool
openmpi_launchers_ask(const struct sp_binding_search *search, bool *is_clear)
{
	bool is_whole;

	*is_clear = false;
	for (size_t i = 0; i < search->n; i++) {
		const struct sp_ancestor *ancestor = &search->ancestor[i];

		if (!sp_binding_is_one_of(openmpi_launchers, sp_binding_title(ancestor)))
			continue;
		const char *variable = openmpi_variable(ancestor->environment);
		if (variable) {
			sp_binding_answer(search, SP_ASKED_YES, "%s, for %s", variable, sp_binding_title(ancestor));
			return true;
		}
		if (sp_binding_look_at_options(search, ancestor, SP_SYNTAX_OPENMPI,
					       search->has_other_nodes ? openmpi_parameter_asks : openmpi_option_asks, &is_whole))
			return true;
		*is_clear |= is_whole && !search->has_other_nodes && ancestor->environment && sp_binding_is_one_of(openmpi_commands, sp_binding_title(ancestor));
	}
	return false;
}

void
sp_binding_find_openmpi(const struct sp_binding_search *search)
{
	const char *variable = openmpi_variable(search->environment);
	bool is_clear;

	if (variable)
		sp_binding_answer(search, SP_ASKED_YES, "%s", variable);
	else if (openmpi_launchers_ask(search, &is_clear))
		return;
	else if (sp_binding_is_set(search->environment, "PRTE_LAUNCHED") && is_clear)
		sp_binding_answer(search, SP_ASKED_NO, "Open MPI 5's default");
	else if (sp_binding_is_set(search->environment, "PRTE_LAUNCHED"))
		sp_binding_answer(search, SP_ASKED_UNKNOWN, "mpirun's options are not visible on all nodes");
	else if (sp_binding_is_set(search->environment, "OMPI_MCA_orte_bound_at_launch"))
		sp_binding_answer(search, SP_ASKED_NO, "Open MPI's default");
	else
		sp_binding_answer_below(search, "mpirun");
}

void
sp_binding_find_prrte(const struct sp_binding_search *search)
{
	bool is_clear;

	if (openmpi_launchers_ask(search, &is_clear))
		return;
	if (is_clear)
		sp_binding_answer(search, SP_ASKED_NO, "PRRTE's default");
	else
		sp_binding_answer(search, SP_ASKED_UNKNOWN, "prterun's options are not visible on all nodes");
}
