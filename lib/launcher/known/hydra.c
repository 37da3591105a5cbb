/* Hydra: mpiexec of MPICH and its proxies. */
#include "launcher/known/hydra.h"

#include <string.h>

#include "base/environment.h"
#include "launcher/binding_search.h"
#include "launcher/known/known.h"
#include "launcher/syntax.h"

/* Options of hydra's mpiexec, MPICH's and Intel's. */
static const struct sp_takes takes[] = {
	{ "aps", 0 }, { "arch", 1 }, { "bind-to", 1 }, { "binding", 1 }, { "bootstrap", 1 }, { "bootstrap-exec", 1 },
	{ "bootstrap-exec-args", 1 }, { "branch-count", 1 }, { "check_mpi", 0 }, { "cleanup", 0 }, { "configfile", 1 },
	{ "cpu-bind", 1 }, { "debug", 0 }, { "demux", 1 }, { "disable-auto-cleanup", 0 },
	{ "disable-hostname-propagation", 0 }, { "disable-x", 0 }, { "enable-auto-cleanup", 0 },
	{ "enable-hostname-propagation", 0 }, { "enable-x", 0 }, { "env", 2 }, { "envall", 0 }, { "envlist", 1 },
	{ "envnone", 0 }, { "errfile", 1 }, { "errfile-pattern", 1 }, { "f", 1 }, { "g", 1 }, { "gdb", 0 },
	{ "gdb-args", 1 }, { "genv", 2 }, { "genvall", 0 }, { "genvexcl", 1 }, { "genvlist", 1 }, { "genvnone", 0 },
	{ "gpu-subdevs-per-proc", 1 }, { "gpus-per-proc", 1 }, { "grr", 1 }, { "gtool", 1 }, { "gtoolfile", 1 },
	{ "help", 0 }, { "host", 1 }, { "hostfile", 1 }, { "hostlist", 1 }, { "hosts", 1 }, { "hosts-group", 1 },
	{ "hybrid-hosts", 0 }, { "iface", 1 }, { "info", 0 }, { "l", 0 }, { "launcher", 1 }, { "launcher-exec", 1 },
	{ "localhost", 1 }, { "machine", 1 }, { "machinefile", 1 }, { "machinelist", 1 }, { "machines", 1 },
	{ "map-by", 1 }, { "membind", 1 }, { "memory-alloc-kinds", 1 }, { "mps", 0 }, { "n", 1 }, { "nameserver", 1 },
	{ "nolocal", 0 }, { "np", 1 }, { "order-nodes", 1 }, { "ordered-output", 0 }, { "outfile", 1 },
	{ "outfile-pattern", 1 }, { "output-from", 1 }, { "path", 1 }, { "perhost", 1 }, { "pmi-port", 0 },
	{ "pmi_args", 4 }, { "ppn", 1 }, { "prepend-pattern", 1 }, { "prepend-rank", 0 }, { "prepend-timestamp", 0 },
	{ "print-all-exitcodes", 0 }, { "print-rank-map", 0 }, { "profile", 0 }, { "prot", 0 }, { "rankmap", 1 },
	{ "report-bindings", 0 }, { "rmk", 1 }, { "rr", 0 }, { "s", 1 }, { "silent-abort", 0 }, { "skip-launch-node", 0 },
	{ "tmpdir", 1 }, { "topolib", 1 }, { "umask", 1 }, { "use-app-topology", 1 }, { "usize", 1 }, { "v", 0 },
	{ "verbose", 0 }, { "version", 0 }, { "wdir", 1 },
	{ "", 0 },
};

static void
read_own(const struct sp_reading *reading, const struct sp_option *option)
{
	static const char *const ranks[] = { "n", "np", NULL }, *const a_node[] = { "ppn", "perhost", "grr", NULL };
	static const char *const hosts[] = { "f", "host", "hosts", "hostfile", "hostlist", "machine", "machinefile", "machinelist", "machines", NULL };

	if (sp_option_is_one_of(option, ranks))
		sp_reading_take_number(option->value, &reading->part->ranks);
	else if (sp_option_is_one_of(option, a_node))
		sp_reading_take_number(option->value, &reading->part->a_node);
	else
		sp_reading_take_pair(reading, option, "env");
	reading->part->has_hosts |= sp_option_is_one_of(option, hosts);
}

static void
read_shared(const struct sp_reading *reading, const struct sp_option *option)
{
	sp_reading_take_pair(reading, option, "genv");
}

/* app is Open MPI's: its mpirun is read like this where it started torchrun. */
const struct sp_syntax sp_syntax_hydra = {
	.takes = takes,
	.may_pair = true,
	.files = (const char *const []){ "configfile", "tune", NULL },
	.elsewhere = (const char *const []){ "configfile", "app", NULL },
	.read_own = read_own,
	.read_shared = read_shared,
};

static bool
option_asks(const struct sp_option *option)
{
	return sp_option_is(option, "bind-to") || sp_option_is(option, "binding") ||
	       sp_option_is(option, "map-by") || sp_option_is(option, "cpu-bind");
}

/* Of its processes mpiexec has options; mpirun is mpiexec, or a script that starts it. */
bool
sp_hydra_launchers_ask(const struct sp_search *search)
{
	static const char *const commands[] = { "mpiexec", "mpirun", NULL };
	bool is_whole;

	for (size_t i = 0; i < search->n; i++)
		if (sp_search_is_one_of(commands, search->title[i]) &&
		    sp_binding_look_at_options(search, i, &sp_syntax_hydra, option_asks, &is_whole))
			return true;
	return false;
}

/* MPICH binds only on request, and then sets a variable in the ranks. */
static void
find_binding(const struct sp_search *search)
{
	const char *variable = sp_environment_value(search->environment, "HYDRA_BINDING");

	if (sp_hydra_launchers_ask(search))
		return;
	if (variable && *variable != '\0')
		sp_binding_answer(search, SP_ASKED_YES, "HYDRA_BINDING=%s", variable);
	else if (sp_search_has(search->environment, "HYDRA_USER_PROVIDED_BINDING"))
		sp_binding_answer(search, SP_ASKED_YES, "HYDRA_USER_PROVIDED_BINDING=1");
	else
		sp_binding_answer_below(search, "mpiexec");
}

static const struct sp_launcher_process processes[] = {
	{ "mpirun", SP_IS_COMMAND }, { "mpiexec", SP_IS_COMMAND },
	{ "hydra_pmi_proxy", SP_IS_DAEMON }, { "hydra_bstrap_proxy", SP_IS_DAEMON },
	{ NULL, SP_IS_NEITHER },
};

const struct sp_launcher_details sp_known_hydra = {
	.title = "MPICH",
	.prefix = "MPI_LOCAL",
	.world = "PMI_RANK",
	.ranks = "PMI_SIZE",
	.spawned = "PMI_SPAWNED",
	.processes = processes,
	.address = { "hydra_pmi_proxy", "--control-port" },
	.syntax = &sp_syntax_hydra,
	.find_binding = find_binding,
	.binder = "mpiexec",
	.remedy = "use mpiexec -bind-to none instead, or -bind-to core:%u",
	.remedy_for_all = "use mpiexec -bind-to none instead",
};
