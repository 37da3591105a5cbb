/* Hydra: mpiexec of MPICH and its proxies. */
#include <string.h>

#include "base/environment.h"
#include "launcher/binding_search.h"
#include "launcher/known/known.h"
#include "launcher/syntax.h"

/* Options of hydra's mpiexec, MPICH's and Intel's. */
static const struct sp_takes takes[] = {
	{ "aps", 0, 0 }, { "arch", 1, 0 }, { "bind-to", 1, SP_SAYS_BINDING }, { "binding", 1, SP_SAYS_BINDING },
	{ "bootstrap", 1, 0 }, { "bootstrap-exec", 1, 0 }, { "bootstrap-exec-args", 1, 0 }, { "branch-count", 1, 0 },
	{ "check_mpi", 0, 0 }, { "cleanup", 0, 0 }, { "configfile", 1, SP_SAYS_OPTIONS | SP_SAYS_PROGRAMS },
	{ "cpu-bind", 1, SP_SAYS_BINDING }, { "debug", 0, 0 }, { "demux", 1, 0 }, { "disable-auto-cleanup", 0, 0 },
	{ "disable-hostname-propagation", 0, 0 }, { "disable-x", 0, 0 }, { "enable-auto-cleanup", 0, 0 },
	{ "enable-hostname-propagation", 0, 0 }, { "enable-x", 0, 0 }, { "env", 2, SP_SAYS_PAIR }, { "envall", 0, 0 },
	{ "envlist", 1, 0 }, { "envnone", 0, 0 }, { "errfile", 1, 0 }, { "errfile-pattern", 1, 0 },
	{ "f", 1, SP_SAYS_HOSTS }, { "g", 1, 0 }, { "gdb", 0, 0 }, { "gdb-args", 1, 0 },
	{ "genv", 2, SP_SAYS_PAIR_FOR_ALL }, { "genvall", 0, 0 }, { "genvexcl", 1, 0 }, { "genvlist", 1, 0 },
	{ "genvnone", 0, 0 }, { "gpu-subdevs-per-proc", 1, 0 }, { "gpus-per-proc", 1, 0 }, { "grr", 1, SP_SAYS_A_NODE },
	{ "gtool", 1, 0 }, { "gtoolfile", 1, 0 }, { "help", 0, 0 }, { "host", 1, SP_SAYS_HOSTS },
	{ "hostfile", 1, SP_SAYS_HOSTS }, { "hostlist", 1, SP_SAYS_HOSTS }, { "hosts", 1, SP_SAYS_HOSTS },
	{ "hosts-group", 1, 0 }, { "hybrid-hosts", 0, 0 }, { "iface", 1, 0 }, { "info", 0, 0 }, { "l", 0, 0 },
	{ "launcher", 1, 0 }, { "launcher-exec", 1, 0 }, { "localhost", 1, 0 }, { "machine", 1, SP_SAYS_HOSTS },
	{ "machinefile", 1, SP_SAYS_HOSTS }, { "machinelist", 1, SP_SAYS_HOSTS }, { "machines", 1, SP_SAYS_HOSTS },
	{ "map-by", 1, SP_SAYS_BINDING }, { "membind", 1, 0 }, { "memory-alloc-kinds", 1, 0 }, { "mps", 0, 0 },
	{ "n", 1, SP_SAYS_RANKS }, { "nameserver", 1, 0 }, { "nolocal", 0, 0 }, { "np", 1, SP_SAYS_RANKS },
	{ "order-nodes", 1, 0 }, { "ordered-output", 0, 0 }, { "outfile", 1, 0 }, { "outfile-pattern", 1, 0 },
	{ "output-from", 1, 0 }, { "path", 1, 0 }, { "perhost", 1, SP_SAYS_A_NODE }, { "pmi-port", 0, 0 },
	{ "pmi_args", 4, 0 }, { "ppn", 1, SP_SAYS_A_NODE }, { "prepend-pattern", 1, 0 }, { "prepend-rank", 0, 0 },
	{ "prepend-timestamp", 0, 0 }, { "print-all-exitcodes", 0, 0 }, { "print-rank-map", 0, 0 }, { "profile", 0, 0 },
	{ "prot", 0, 0 }, { "rankmap", 1, 0 }, { "report-bindings", 0, 0 }, { "rmk", 1, 0 }, { "rr", 0, 0 }, { "s", 1, 0 },
	{ "silent-abort", 0, 0 }, { "skip-launch-node", 0, 0 }, { "tmpdir", 1, 0 }, { "topolib", 1, 0 }, { "umask", 1, 0 },
	{ "use-app-topology", 1, 0 }, { "usize", 1, 0 }, { "v", 0, 0 }, { "verbose", 0, 0 }, { "version", 0, 0 },
	{ "wdir", 1, SP_SAYS_FOLDER },
	/* Open MPI's: its mpirun is read like this where it started torchrun. */
	{ "app", SP_UNKNOWN, SP_SAYS_PROGRAMS }, { "tune", SP_UNKNOWN, SP_SAYS_OPTIONS },
	{ "", 0, 0 },
};

const struct sp_syntax sp_syntax_hydra = { .takes = takes, .may_pair = true };

static bool
option_asks(const struct sp_option *option)
{
	return option->says & SP_SAYS_BINDING;
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
	.has_local_rank = true,
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
