/* Open MPI, and PRRTE, which Open MPI 5 uses and prterun is: what leaves PMIX_RANK alone. */
#include <stdio.h>
#include <string.h>

#include "base/ascii.h"
#include "base/environment.h"
#include "launcher/binding_search.h"
#include "launcher/known/known.h"
#include "launcher/known/truth.h"
#include "launcher/syntax.h"

/* Options of orterun 4.1 and of PRRTE's mpirun, prterun, orted and prted. */
static const struct sp_takes takes[] = {
	{ "H", 1, SP_SAYS_HOSTS }, { "N", 1, SP_SAYS_A_NODE }, { "c", 1, SP_SAYS_RANKS }, { "n", 1, SP_SAYS_RANKS },
	{ "np", 1, SP_SAYS_RANKS }, { "x", 1, SP_SAYS_VARIABLE }, { "activate", 1, 0 }, { "add-host", 1, 0 },
	{ "add-hostfile", 1, 0 }, { "alloc-id", 1, 0 }, { "allow-run-as-root", 0, 0 }, { "am", 1, SP_SAYS_OPTIONS },
	{ "amca", 1, SP_SAYS_OPTIONS }, { "app", 1, SP_SAYS_OPTIONS | SP_SAYS_PROGRAMS }, { "append-env", 1, 0 },
	{ "arch", 1, 0 }, { "bind-to", 1, SP_SAYS_BINDING }, { "bind-to-core", 0, SP_SAYS_BINDING },
	{ "bind-to-none", 0, SP_SAYS_BINDING }, { "bind-to-socket", 0, SP_SAYS_BINDING }, { "bindto", 1, SP_SAYS_BINDING },
	{ "bycore", 0, SP_SAYS_BINDING }, { "bynode", 0, 0 }, { "byslot", 0, 0 }, { "bysocket", 0, 0 }, { "cartofile", 1, 0 },
	{ "cf", 1, 0 }, { "continuous", 0, 0 }, { "cpu-list", 1, SP_SAYS_BINDING }, { "cpu-set", 1, SP_SAYS_BINDING },
	{ "cpus-per-proc", 1, SP_SAYS_BINDING }, { "cpus-per-rank", 1, SP_SAYS_BINDING }, { "d", 0, 0 }, { "daemonize", 0, 0 },
	{ "debug", 0, 0 }, { "debug-daemons", 0, 0 }, { "debug-daemons-file", 0, 0 }, { "debug-devel", 0, 0 },
	{ "debugger", 1, 0 }, { "default-hostfile", 1, SP_SAYS_HOSTS }, { "disable-recovery", 0, 0 }, { "display", 1, 0 },
	{ "display-allocation", 0, 0 }, { "display-comm", 0, 0 }, { "display-comm-finalize", 0, 0 },
	{ "display-devel-allocation", 0, 0 }, { "display-devel-map", 0, 0 }, { "display-diffable-map", 0, 0 },
	{ "display-map", 0, 0 }, { "display-topo", 0, 0 }, { "do-not-launch", 0, 0 }, { "do-not-resolve", 0, 0 },
	{ "dvm", 0, 0 }, { "dvm-uri", 1, 0 }, { "enable-recovery", 0, 0 }, { "exec-agent", 1, 0 }, { "file", 1, 0 },
	{ "forward-signals", 1, 0 }, { "get-stack-traces", 0, 0 }, { "gmca", 2, SP_SAYS_PARAMETER },
	{ "gomca", 2, SP_SAYS_PARAMETER }, { "gpu-support", 1, 0 }, { "h", 0, 0 }, { "help", 0, 0 }, { "hetero-nodes", 0, 0 },
	{ "hnp", 1, 0 }, { "host", 1, SP_SAYS_HOSTS }, { "hostfile", 1, SP_SAYS_HOSTS }, { "index-argv-by-rank", 0, 0 },
	{ "initial-errhandler", 1, 0 }, { "keepalive", 1, 0 }, { "launch-agent", 1, 0 }, { "leave-session-attached", 0, 0 },
	{ "machinefile", 1, SP_SAYS_HOSTS }, { "map-by", 1, SP_SAYS_MAPPING }, { "mapby", 1, SP_SAYS_MAPPING },
	{ "max-restarts", 1, 0 }, { "max-vm-size", 1, 0 }, { "mca", 2, SP_SAYS_PARAMETER }, { "memory-alloc-kinds", 1, 0 },
	{ "merge-stderr-to-stdout", 0, 0 }, { "namespace", 1, 0 }, { "no-aggregate-help", 0, 0 }, { "no-app-prefix", 0, 0 },
	{ "no-ready-msg", 0, 0 }, { "nolocal", 0, 0 }, { "nooversubscribe", 0, 0 }, { "noprefix", 0, 0 }, { "novm", 0, 0 },
	{ "npernode", 1, SP_SAYS_A_NODE }, { "npersocket", 1, 0 }, { "omca", 2, SP_SAYS_PARAMETER }, { "ompi-server", 1, 0 },
	{ "output", 1, 0 }, { "output-directory", 1, 0 }, { "output-filename", 1, 0 }, { "output-proctable", 0, 0 },
	{ "oversubscribe", 0, 0 }, { "parsable", 0, 0 }, { "parseable", 0, 0 }, { "path", 1, 0 },
	{ "pernode", 0, SP_SAYS_ONE_A_NODE }, { "personality", 1, 0 }, { "pid", 1, 0 }, { "pmixmca", 2, SP_SAYS_PARAMETER },
	{ "ppr", 1, SP_SAYS_A_NODE }, { "prefix", 1, 0 }, { "preload-binary", 0, 0 }, { "preload-files", 1, 0 },
	{ "prepend-env", 1, 0 }, { "prtemca", 2, SP_SAYS_PARAMETER }, { "pset", 1, 0 }, { "q", 0, 0 }, { "quiet", 0, 0 },
	{ "rank-by", 1, 0 }, { "rankby", 1, 0 }, { "rankfile", 1, SP_SAYS_BINDING }, { "report-bindings", 0, 0 },
	{ "report-child-jobs-separately", 0, 0 }, { "report-events", 1, 0 }, { "report-pid", 1, 0 },
	{ "report-state-on-timeout", 0, 0 }, { "report-uri", 1, 0 }, { "rf", 1, SP_SAYS_BINDING }, { "rtos", 1, 0 },
	{ "runtime-options", 1, 0 }, { "s", 0, 0 }, { "set-cwd-to-session-dir", 0, 0 }, { "set-env", 1, 0 },
	{ "set-sid", 0, 0 }, { "show-progress", 0, 0 }, { "singleton", 1, 0 }, { "soft", 0, 0 }, { "spawn-timeout", 1, 0 },
	{ "stdin", 1, 0 }, { "stop-in-app", 0, 0 }, { "stop-in-init", 0, 0 }, { "stop-on-exec", 0, 0 },
	{ "stream-buffering", 1, 0 }, { "system-server", 0, 0 }, { "tag-output", 0, 0 }, { "timeout", 1, 0 },
	{ "timestamp-output", 0, 0 }, { "tmpdir", 1, 0 }, { "tree-spawn", 0, 0 }, { "tune", 1, SP_SAYS_OPTIONS },
	{ "tv", 0, 0 }, { "uniform-nodes", 0, 0 }, { "unset-env", 1, 0 }, { "use-hwthread-cpus", 0, 0 },
	{ "use-regexp", 0, 0 }, { "v", 0, 0 }, { "V", 0, 0 }, { "verbose", 0, 0 }, { "wd", 1, SP_SAYS_FOLDER },
	{ "wdir", 1, SP_SAYS_FOLDER }, { "with-ft", 1, 0 }, { "xml", 0, 0 }, { "xml-file", 1, 0 }, { "xterm", 1, 0 },
	/* Hydra's: its mpiexec is read like this where ranks have variables of an Open MPI around it. */
	{ "configfile", SP_UNKNOWN, SP_SAYS_OPTIONS | SP_SAYS_PROGRAMS },
	{ "", 0, 0 },
};

const struct sp_syntax sp_syntax_openmpi = { .takes = takes, .shared_x = "PRTE_LAUNCHED" };

/*
 * Open MPI 4 hands options on to all ranks as variables; with Open MPI 5 and
 * PRRTE they stay with the launcher, and variables go to the other nodes as
 * daemons' options.  PRRTE of Open MPI 6 has bindto and mapby for two of them.
 */

static const char *const commands[] = { "mpirun", "mpiexec", "orterun", "prterun", "oshrun", "shmemrun", NULL };
static const char *const launchers[] = { "mpirun", "mpiexec", "orterun", "prterun", "oshrun", "shmemrun", "orted", "prted", "prte", NULL };

static const char *const binding_parameters[] = {
	"hwloc_base_binding_policy", "hwloc_default_binding_policy", "bindto",
	"hwloc_base_bind_to_core", "hwloc_base_bind_to_socket",
	"hwloc_base_cpu_set", "hwloc_base_cpu_list", "hwloc_default_cpu_list", "hwloc_base_slot_list",
	"rmaps_base_bycore", "rmaps_base_cpus_per_rank", "rmaps_base_cpus_per_proc",
	"orte_rankfile", "rmaps_rank_file_path", NULL
};
static const char *const binding_mappings[] = {
	"rmaps_base_mapping_policy", "rmaps_default_mapping_policy", "mapby", "rmaps_ppr_pattern", NULL
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
	return sp_search_is_one_of(binding_parameters, copy) ? strcmp(value, "0") != 0 :
	       sp_search_is_one_of(binding_mappings, copy) && mapping_binds(value);
}

static const char *
user_variable(char *const environment[])
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
option_asks(const struct sp_option *option)
{
	if (option->second)
		return parameter_asks(option->value, option->second);
	if (option->says & SP_SAYS_MAPPING)
		return option->value && mapping_binds(option->value);
	return option->says & SP_SAYS_BINDING;
}

/* Parameters are handed on to the daemons of other nodes, options of Open MPI 5 and PRRTE are not. */
static bool
option_is_parameter(const struct sp_option *option)
{
	return option->second && option_asks(option);
}

/*
 * Whether a launcher of Open MPI's was asked; *is_clear: the user's own command
 * is there and asks for nothing, so that none of the job's nodes finds more.
 */
static bool
launchers_ask(const struct sp_search *search, bool *is_clear)
{
	bool is_whole;

	*is_clear = false;
	for (size_t i = 0; i < search->n; i++) {
		const struct sp_ancestor *ancestor = &search->ancestor[i];

		if (!sp_search_is_one_of(launchers, search->title[i]))
			continue;
		const char *variable = user_variable(ancestor->environment);
		if (variable) {
			sp_binding_answer(search, SP_ASKED_YES, "%s, for %s", variable, search->title[i]);
			return true;
		}
		if (sp_binding_look_at_options(search, i, &sp_syntax_openmpi,
					       search->has_other_nodes ? option_is_parameter : option_asks, &is_whole))
			return true;
		*is_clear |= is_whole && !search->has_other_nodes && ancestor->environment && sp_search_is_one_of(commands, search->title[i]);
	}
	return false;
}

static void
find_openmpi(const struct sp_search *search)
{
	const char *variable = user_variable(search->environment);
	bool is_clear;

	if (variable)
		sp_binding_answer(search, SP_ASKED_YES, "%s", variable);
	else if (launchers_ask(search, &is_clear))
		return;
	else if (sp_search_has(search->environment, "PRTE_LAUNCHED") && is_clear)
		sp_binding_answer(search, SP_ASKED_NO, "Open MPI 5's default");
	else if (sp_search_has(search->environment, "PRTE_LAUNCHED"))
		sp_binding_answer(search, SP_ASKED_UNKNOWN, "mpirun's options are not visible on all nodes");
	else if (sp_search_has(search->environment, "OMPI_MCA_orte_bound_at_launch"))
		sp_binding_answer(search, SP_ASKED_NO, "Open MPI's default");
	else
		sp_binding_answer_below(search, "mpirun");
}

static void
find_prrte(const struct sp_search *search)
{
	bool is_clear;

	if (launchers_ask(search, &is_clear))
		return;
	if (is_clear)
		sp_binding_answer(search, SP_ASKED_NO, "PRRTE's default");
	else
		sp_binding_answer(search, SP_ASKED_UNKNOWN, "prterun's options are not visible on all nodes");
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
} overcommit_parameters[] = {
	{ "rmaps_base_oversubscribe", sp_is_true },
	{ "rmaps_base_mapping_policy", mapping_allows },
	{ "rmaps_default_mapping_policy", mapping_allows },
	{ "mapby", mapping_allows },
};

/* text: "NAME", or "NAME=VALUE" where value is NULL. */
static const char *
parameter_allows(const char *text, const char *value)
{
	for (size_t i = 0; i < sizeof(overcommit_parameters) / sizeof(overcommit_parameters[0]); i++) {
		const char *name = overcommit_parameters[i].name;
		size_t length = strlen(name);

		if (strncmp(text, name, length) != 0 || text[length] != (value ? '\0' : '='))
			continue;
		return overcommit_parameters[i].allows(value ? value : text + length + 1) ? name : NULL;
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
	return (option->says & SP_SAYS_MAPPING) && option->value && mapping_allows(option->value) ? "--map-by with OVERSUBSCRIBE" : NULL;
}

/* srun is left out: its --oversubscribe means that other jobs may use the nodes. */
static const char *
allows(const struct sp_search *search, bool is_prrte)
{
	const char *what = variable_allows(search->environment, is_prrte);

	for (size_t i = 0; i < search->n && !what; i++) {
		const struct sp_ancestor *ancestor = &search->ancestor[i];
		struct sp_options options;
		struct sp_option option;

		if (!sp_search_is_one_of(launchers, search->title[i]))
			continue;
		what = variable_allows(ancestor->environment, is_prrte);
		sp_options_begin(&options, &sp_syntax_openmpi, ancestor->arguments, ancestor->length);
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
prrte_overcommit(const struct sp_search *search)
{
	return search->has_other_nodes ? "mpirun's slots" : allows(search, true);
}

static const char *
openmpi_overcommit(const struct sp_search *search)
{
	return sp_environment_value(search->environment, "PRTE_LAUNCHED") ? prrte_overcommit(search) : allows(search, false);
}

static const struct sp_launcher_process openmpi_processes[] = {
	{ "mpirun", SP_IS_COMMAND }, { "mpiexec", SP_IS_COMMAND }, { "orterun", SP_IS_COMMAND }, { "orted", SP_IS_DAEMON },
	/* IBM's Spectrum MPI */
	{ "jsrun", SP_IS_NEITHER }, { "jsmd", SP_IS_DAEMON },
	{ NULL, SP_IS_NEITHER },
};

static const struct sp_launcher_process prrte_processes[] = {
	{ "prterun", SP_IS_COMMAND }, { "prte", SP_IS_NEITHER }, { "prted", SP_IS_DAEMON },
	{ NULL, SP_IS_NEITHER },
};

const struct sp_launcher_details sp_known_openmpi = {
	.title = "Open MPI",
	.has_local_rank = true,
	.job = { "PMIX_NAMESPACE" },
	.world = "OMPI_COMM_WORLD_RANK",
	.ranks = "OMPI_COMM_WORLD_SIZE",
	.node = "PMIX_HOSTNAME",
	.spawned = "OMPI_PARENT_PORT",
	.line = { "OMPI_COMMAND", "OMPI_ARGV", "OMPI_NUM_APP_CTX" },
	.processes = openmpi_processes,
	.syntax = &sp_syntax_openmpi,
	.find_binding = find_openmpi,
	.bound = "OMPI_MCA_orte_bound_at_launch=1",
	.binder = "mpirun",
	.remedy = "use mpirun --bind-to none instead, or --map-by slot:PE=%u",
	.remedy_for_all = "use mpirun --bind-to none instead",
	.find_overcommit = openmpi_overcommit,
	.has_overcommit_option = true,
};

const struct sp_launcher_details sp_known_pmix = {
	.title = "PMIx",
	.job = { "PMIX_NAMESPACE" },
	.world = "PMIX_RANK",
	.processes = prrte_processes,
	.syntax = &sp_syntax_openmpi,
	.find_binding = find_prrte,
	.binder = "prterun",
	.remedy = "use prterun --bind-to none instead, or --map-by slot:PE=%u",
	.remedy_for_all = "use prterun --bind-to none instead",
	.find_overcommit = prrte_overcommit,
	.has_overcommit_option = true,
};
