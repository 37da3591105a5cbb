/*
 * splitpin probe: stands where a launcher would start a program, starts nothing,
 * and says what would become of the program as a rank.
 */
#include "cmd/probe/probe.h"

#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd/cmd.h"
#include "cmd/commands.h"
#include "cmd/library.h"
#include "cmd/options.h"
#include "cmd/run.h"
#include "cmd/probe/ask_pmix.h"
#include "cmd/probe/settle.h"
#include "cmd/setting_options.h"
#include "cmd/target/target.h"
#include "cmd/terminal.h"
#include "elf/runtimes.h"
#include "launcher/launchers.h"
#include "launcher/nearest.h"

struct finding {
	struct target target;
	int error;		/* of target_find */
	struct sp_rank rank;
	struct sp_settings settings;
	char *settings_here;
	const char *active;	/* "yes", "no", "perhaps" */
	char *library, *version;	/* of the library that is loaded here, and would be in the program */
	char *why;		/* why it is not active, or may not be; NULL: it is */
};

static const struct cmd_option options[] = { { .name = NULL } };

const struct cmd_usage probe_usage = {
	.name = "probe", .synopsis = "[--] PROGRAM [ARGUMENT]...", .options = options, .operand = "<command>",
	.about = "Put this where a launcher takes its program, and it says on each rank whether\n"
		"splitpin would be active there, on which CPUs the rank would run, and why:\n"
		"    jsrun -n 6 splitpin probe ./program\n"
		"PROGRAM is not started, nothing is changed, and no CPU is claimed.\n"
		"splitpin check does this by itself for launchers whose options it reads.\n",
};

/* What LD_PRELOAD has in this rank instead of the library; the caller's. */
static char *
why_not_loaded(void)
{
	const char *preload = getenv("LD_PRELOAD");
	char *named = cmd_named_library(preload), *why;

	if (named)
		why = cmd_format("LD_PRELOAD names %s, which could not be loaded on this node", named);
	else if (preload && *preload)
		why = cmd_format("LD_PRELOAD is %s, without libsplitpin.so", preload);
	else
		why = cmd_format("LD_PRELOAD is not set");
	free(named);
	return why;
}

static char *
why_no_rank(const struct sp_rank *rank, int error)
{
	if (error == -EAGAIN)
		return cmd_format("only PMIx knows the number of this rank, and the libpmix of the program did not give it: use --report in the run");
	if (error == -EINVAL)
		return cmd_wrong_rank(rank);
	return cmd_format("not started by a known MPI launcher");
}

/* Why the library would do nothing in the program; the caller's, or NULL. */
static char *
why_not(struct finding *finding, int error)
{
	int no_rank = sp_nearest_find(getpid(), environ, &finding->rank);
	if (no_rank == -EAGAIN && probe_ask_pmix(&finding->target, &finding->rank) == 0)
		no_rank = 0;
	char *why = finding->library ? NULL : why_not_loaded();

	if (!why && error)
		why = cmd_format("%s: %s%s", finding->target.word, target_problem(error), error == -ENOENT ? target_hint(finding->target.word) : "");
	if (!why)
		why = cmd_why_off(&finding->settings);
	if (!why)
		why = target_first_obstacle(&finding->target);
	return why || !no_rank ? why : why_no_rank(&finding->rank, no_rank);
}

/* Why it may do nothing, which shows when the program runs; the caller's, or NULL. */
static char *
why_perhaps(const struct target *target, const struct sp_rank *rank)
{
	if (rank->from_start || target_is_parallel(target))
		return NULL;
	if (target->is_script)
		return cmd_format("%s is a script for %s: whether it starts or loads MPI or OpenMP is not known before it runs", target->word, target->path);
	return cmd_format("%s is not linked with MPI or OpenMP: whether it loads one is not known before it runs", target->path);
}

/* Those of the environment that are the same for all ranks, but for the check's own: on another node some may be missing. */
static char *
settings_here(void)
{
	char *list = cmd_format("%s", "");

	for (char **entry = environ; *entry; entry++)
		if (target_is_handed_on(*entry) && strncmp(*entry, "SPLITPIN", 8) == 0 && strncmp(*entry, "SPLITPIN_LOCAL_", 15) != 0 &&
		    strncmp(*entry, "SPLITPIN_DRYRUN=", 16) != 0)
			list = cmd_append(list, " ", "%s", *entry);
	return list;
}

static void
find_out(struct finding *finding, char *const command[])
{
	char *problem = NULL;
	/* Before the dry run has its own. */
	finding->settings_here = settings_here();
	int error = finding->error = target_find(&finding->target, command);
	char *program = finding->target.path ? realpath(finding->target.path, NULL) : NULL;

	sp_settings_read(&finding->settings, environ, program, NULL, NULL);
	free(program);
	finding->library = cmd_loaded_library();
	finding->version = finding->library ? cmd_library_version(finding->library) : NULL;
	finding->active = "no";
	finding->why = why_not(finding, error);
	if (finding->why)
		return;
	const char *openmp = target_needs(&finding->target, target_is_openmp);
	error = probe_settle(finding->library, &finding->rank, openmp ? sp_runtime_of_file(openmp) : SP_RUNTIMES, &finding->settings, &problem);
	finding->why = error ? problem : why_perhaps(&finding->target, &finding->rank);
	finding->active = error ? "no" : finding->why ? "perhaps" : "yes";
}

const char *const probe_openmp[PROBE_OPENMP] = { "OMP_NUM_THREADS", "OMP_PROC_BIND", "KMP_AFFINITY" };

static char *
own_line(const struct finding *finding)
{
	const struct sp_rank *rank = &finding->rank;
	char host[65] = "", *line, *settings = finding->settings_here;

	gethostname(host, sizeof(host) - 1);
	line = cmd_format("host=%s pid=%d", host, (int)getpid());
	if (rank->local_size)
		line = cmd_append(line, " ", "rank=%u/%u launcher=\"%s\"", rank->local_rank, rank->local_size, sp_launcher_title(rank->from));
	if (finding->library)
		line = cmd_append(line, " ", "library=\"%s\" version=%s", finding->library, finding->version ? finding->version : "unknown");
	line = cmd_append(line, " ", "program=\"%s\" active=%s", finding->target.path ? finding->target.path : finding->target.word, finding->active);
	if (*settings)
		line = cmd_append(line, " ", "settings=\"%s\"", settings);
	for (size_t i = 0; i < PROBE_OPENMP; i++)
		if (getenv(probe_openmp[i]))
			line = cmd_append(line, " ", "%s=\"%s\"", probe_openmp[i], getenv(probe_openmp[i]));
	line = cmd_append(line, " ", "openmp=%s", target_needs(&finding->target, target_is_openmp) ? "yes" : "no");
	return finding->why ? cmd_append(line, " ", "why=\"%s\"", finding->why) : line;
}

int
cmd_probe(int argc, char *argv[])
{
	struct finding finding = { .active = "no" };
	int status = cmd_options_read(&probe_usage, argc, argv, NULL, &finding);

	if (status)
		return status < 0 ? cmd_print_help(&probe_usage) : status;
	if (optind == argc) {
		cmd_complain("no program given: use splitpin probe PROGRAM");
		return CMD_USAGE;
	}
	find_out(&finding, argv + optind);
	char *line = own_line(&finding);
	printf(PROBE_MARK "%s\n", line);
	free(line);
	sp_settings_release(&finding.settings);
	target_release(&finding.target);
	free(finding.library);
	free(finding.version);
	free(finding.why);
	free(finding.settings_here);
	status = cmd_close_output();
	/* Launchers end the other ranks when one fails. */
	return !status && finding.error && !finding.rank.local_size ? CMD_NOT_FOUND : status;
}
