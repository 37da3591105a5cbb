#include <stdbool.h>
#include <string.h>

#include "base/ascii.h"
#include "base/environment.h"
#include "launcher/job.h"
#include "launcher/launchers.h"
#include "launcher/options.h"
#include "launcher/overcommit.h"

static bool
is_true(const char *value)
{
	static const char *const noes[] = { "", "0", "false", "no", "f", "n" };
	const char *end;

	for (size_t i = 0; i < sizeof(noes) / sizeof(noes[0]); i++)
		if (sp_ascii_begins(value, noes[i], &end) && *end == '\0')
			return false;
	return true;
}

/*
 * Among the modifiers behind a mapping's ':', "node:PE=2,OVERSUBSCRIBE"; the
 * launchers take an abbreviation.  (A daemon has its values in quotes.)
 */
static bool
mapping_allows(const char *value)
{
	static const char between[] = ":,\"", word[] = "oversubscribe";

	for (value += strcspn(value, ":"); *value != '\0'; value += strcspn(value, between)) {
		value += strspn(value, between);
		size_t length = strcspn(value, between), alike = 0;

		while (alike < length && sp_ascii_lower(value[alike]) == word[alike])
			alike++;
		if (alike == length && length >= strlen("over"))
			return true;
	}
	return false;
}

/* MCA parameters, as options and behind the prefix of a variable. */
static const struct parameter {
	const char *name;
	bool (*allows)(const char *value);
} parameters[] = {
	{ "rmaps_base_oversubscribe", is_true },
	{ "rmaps_base_mapping_policy", mapping_allows },
	{ "rmaps_default_mapping_policy", mapping_allows },
	{ "mapby", mapping_allows },
};

/* text: "NAME", or "NAME=VALUE" where value is NULL. */
static const char *
parameter_allows(const char *text, const char *value)
{
	for (size_t i = 0; i < sizeof(parameters) / sizeof(parameters[0]); i++) {
		const char *name = parameters[i].name;
		size_t length = strlen(name);

		if (strncmp(text, name, length) != 0 || text[length] != (value ? '\0' : '='))
			continue;
		return parameters[i].allows(value ? value : text + length + 1) ? name : NULL;
	}
	return NULL;
}

/* Open MPI 4 does not read PRRTE's. */
static const char *
variable_allows(char *const environment[], bool is_prrte)
{
	const char *name = NULL;

	for (; environment && *environment && !name; environment++)
		if (strncmp(*environment, "OMPI_MCA_", 9) == 0 || (is_prrte && strncmp(*environment, "PRTE_MCA_", 9) == 0))
			name = parameter_allows(*environment + 9, NULL);
	return name;
}

static const char *
option_allows(const struct sp_option *option)
{
	if (sp_option_is(option, "oversubscribe"))
		return "--oversubscribe";
	if (option->second)
		return parameter_allows(option->value, option->second);
	if (!sp_option_is(option, "map-by") && !sp_option_is(option, "mapby"))
		return NULL;
	return option->value && mapping_allows(option->value) ? "--map-by with OVERSUBSCRIBE" : NULL;
}

/* srun is left out: its --oversubscribe means that other jobs may use the nodes. */
static bool
is_openmpis(const struct sp_ancestor *ancestor)
{
	static const char *const launchers[] = { "mpirun", "mpiexec", "orterun", "prterun", "orted", "prted", "prte" };
	const char *name = sp_ancestors_name(ancestor->arguments, ancestor->length);

	for (size_t i = 0; name && i < sizeof(launchers) / sizeof(launchers[0]); i++)
		if (strcmp(name, launchers[i]) == 0)
			return true;
	return false;
}

static const char *
openmpi_allows(char *const environment[], bool is_prrte, const struct sp_ancestor ancestor[], size_t n)
{
	const char *what = variable_allows(environment, is_prrte);

	for (size_t i = 0; i < n && !what; i++) {
		struct sp_options options;
		struct sp_option option;

		if (!is_openmpis(&ancestor[i]))
			continue;
		what = variable_allows(ancestor[i].environment, is_prrte);
		sp_options_begin(&options, SP_SYNTAX_OPENMPI, ancestor[i].arguments, ancestor[i].length);
		while (!what && sp_options_next(&options, &option))
			what = option_allows(&option);
	}
	return what;
}

/*
 * PRRTE starts more ranks than a node has slots only on request.  The number of
 * slots is that of the cores unless the user gives another, in options that are
 * visible on one node only.
 */
static const char *
prrte_allows(const struct sp_rank *rank, char *const environment[], const struct sp_ancestor ancestor[], size_t n)
{
	if (sp_job_has_other_nodes(rank, environment))
		return "mpirun's slots";
	return openmpi_allows(environment, true, ancestor, n);
}

bool
sp_overcommit_needs_ancestors(const struct sp_rank *rank, char *const environment[])
{
	enum sp_launcher launcher = sp_launcher_of_rank(rank, environment);

	return (launcher == SP_LAUNCHER_OPENMPI || launcher == SP_LAUNCHER_PMIX) && !sp_overcommit_asked(rank, environment, NULL, 0);
}

const char *
sp_overcommit_asked(const struct sp_rank *rank, char *const environment[], const struct sp_ancestor ancestor[], size_t n)
{
	const char *slurms = sp_environment_value(environment, "SLURM_OVERCOMMIT");

	switch (sp_launcher_of_rank(rank, environment)) {
	case SP_LAUNCHER_OPENMPI:
		if (!sp_environment_value(environment, "PRTE_LAUNCHED"))
			return openmpi_allows(environment, false, ancestor, n);
		return prrte_allows(rank, environment, ancestor, n);
	case SP_LAUNCHER_PMIX:
		return prrte_allows(rank, environment, ancestor, n);
	case SP_LAUNCHER_SLURM:
		return slurms && is_true(slurms) ? "SLURM_OVERCOMMIT" : NULL;
	default:
		return NULL;
	}
}
