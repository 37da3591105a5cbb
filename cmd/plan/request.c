/* Reads the options of splitpin plan. */
#include "cmd/plan/request.h"

#include <errno.h>
#include <getopt.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd/cmd.h"
#include "cmd/commands.h"
#include "cmd/options.h"
#include "cmd/picture.h"
#include "cmd/plan/for/for.h"
#include "cmd/plan/for/launchers.h"
#include "cmd/plan/make/beside.h"
#include "cmd/plan/make/parts.h"
#include "cmd/run.h"
#include "cmd/terminal.h"
#include "launcher/ancestors.h"
#include "launcher/job.h"

/* More nodes are taken for a typing error. */
#define NODES_MAX 1000000

static const struct {
	const char *name;
	plan_printer *print;
} formats[] = {
	{ "text", plan_print_text }, { "json", plan_print_json }, { "masks", plan_print_masks },
	{ "lists", plan_print_lists }, { "xml", NULL },
};

#define NFORMATS (sizeof(formats) / sizeof(formats[0]))

/* An option given twice has to have the same value. */
static int
say_once(const char *option, const char *text, const char **said)
{
	if (*said && strcmp(*said, text) != 0) {
		cmd_complain("%s %s contradicts %s %s", option, text, option, *said);
		return CMD_USAGE;
	}
	*said = text;
	return 0;
}

static plan_printer *
printer_of(const char *format)
{
	for (size_t i = 0; i < NFORMATS; i++)
		if (strcmp(format, formats[i].name) == 0)
			return formats[i].print;
	return NULL;
}

static int
take_format(void *field, const char *value)
{
	return say_once("--format", value, field);
}

static int
take_launcher(void *field, const char *value)
{
	return say_once("--for", value, field);
}

static int
take_allowed(void *data, const char *value)
{
	struct request *request = data;
	int error = sp_cpus_parse(value, &request->allowed);

	request->restricted = true;
	if (error == -ERANGE)
		cmd_complain("--allowed %s: splitpin handles CPU numbers up to %u", value, SP_CPUS_MAX - 1);
	else if (error || sp_cpus_empty(&request->allowed))
		cmd_complain("--allowed %s: use a list of CPUs, such as 0-31,64-95", value);
	else
		return 0;
	return CMD_USAGE;
}

#define OPTION_NAME 32

/* The name of an option for messages; in later parts with their number: "part 2: -n". */
static const char *
name_of(const struct request *request, const char *option, char name[OPTION_NAME])
{
	if (!request->plan.parts.n)
		return option;
	snprintf(name, OPTION_NAME, "part %u: %s", request->plan.parts.n + 1, option);
	return name;
}

static int
take_threads(void *data, const char *value)
{
	struct request *request = data;
	char name[OPTION_NAME];

	return cmd_parse_count(name_of(request, "-t", name), value, THREADS_MAX, &request->part.threads);
}

/* As mpirun's users write it, "-np 4" is "-n 4"; to getopt it is -n with "p". */
static int
take_ranks(void *data, const char *value)
{
	struct request *request = data;
	char name[OPTION_NAME], *const *next = request->argv + optind;
	bool is_np = strcmp(value, "p") == 0 && *next && strcmp(*next, ":") != 0;

	optind += is_np;
	return cmd_parse_count(name_of(request, is_np ? "-np" : "-n", name), is_np ? *next : value, SP_CPUS_MAX, &request->part.ranks);
}

static int
take_beside(void *data, const char *value)
{
	struct request *request = data;

	request->beside = cmd_enlarge(request->beside, request->nbeside + 1, sizeof(*request->beside));
	request->beside[request->nbeside++] = value;
	return 0;
}

static int
take_nodes(void *field, const char *value)
{
	return cmd_parse_count("--nodes", value, NODES_MAX, field);
}

#define FIELD(name) offsetof(struct request, name)

static const struct cmd_option options[] = {
	{ "ranks", 'n', "RANKS", NULL, "ranks on the node", take_ranks, 0 },
	{ "advise", 0, NULL, NULL, "list the numbers of ranks that suit the machine, best first, and why: cores left idle, NUMA nodes and "
	  "L3 groups that a rank spans, ranks per GPU", cmd_take_flag, FIELD(advise) },
	{ "nodes", 0, "NODES", NULL, "with --advise: number of nodes of the job", take_nodes, FIELD(nodes) },
	{ "threads", 't', "THREADS", NULL, "OpenMP threads of each rank (default: those of OMP_NUM_THREADS, or one per CPU of the share)",
	  take_threads, 0 },
	{ "topology", 0, "SOURCE", "<file>", "plan for another machine: a file in hwloc's XML (lstopo NAME.xml writes one), what lstopo or "
	  "lscpu -p printed there, or hwloc's synthetic syntax, such as \"pack:2 numa:2 core:8 pu:2\"; -: a file from standard input "
	  "(default: this machine, restricted to the CPUs that this process may use)", cmd_take_text, FIELD(plan.source) },
	{ "allowed", 0, "LIST", NULL, "use only these CPUs of the machine, such as 0-31,64-95", take_allowed, 0 },
	{ "gpus", 0, "LIST", NULL, "the GPUs of the job: all, or numbers such as 0-3; one list per rank, separated by colons: 0:1:2:3",
	  cmd_take_text, FIELD(plan.gpus) },
	{ "beside", 0, "JOB", NULL, "leave cores to a job of yours that already runs on the node, such as \"-n 2 -t 4\"; may be repeated",
	  take_beside, 0 },
	{ "format", 0, "FORMAT", "text json masks lists xml", "text, json, masks, lists or xml (default: text); xml is hwloc's, with ranks and "
	  "threads for lstopo to draw", take_format, FIELD(format) },
	{ "picture", 0, "FILE", "<file>", "have lstopo draw the plan: FILE.svg, FILE.png or FILE.pdf", picture_take, FIELD(picture) },
	{ "for", 0, "LAUNCHER", launcher_words, "print shell commands for the same placement without splitpin: slurm, openmpi "
	  "(the version installed), openmpi4, openmpi5, mpich, intel, pals, torchrun, deepspeed, openmp; mpirun or mpiexec: for the MPI library found here",
	  take_launcher, FIELD(launcher) },
	{ "all", 0, NULL, NULL, "show all ranks in full, even if there are many", cmd_take_flag, FIELD(plan.all) },
	CMD_COLOR,
	{ .name = NULL }
};

const struct cmd_usage plan_usage = {
	.name = "plan", .options = options, .has_settings = true, .operand = "<command>",
	.synopsis = "-n RANKS [-t THREADS] [OPTION]... [: -n RANKS ...]\n"
		"[OPTION]... LAUNCHER [ARGUMENT]... PROGRAM [ARGUMENT]...\n"
		"-n RANKS --for LAUNCHER [OPTION]... -- COMMAND...\n"
		"--advise [--nodes NODES] [OPTION]...\n",
	.about = "Show which cores each rank of a node would get and where each OpenMP thread\n"
		"would be pinned, using the same code as a run. Given the command\n"
		"line of a launcher (mpirun, mpiexec, prterun, srun), it reads ranks, threads and\n"
		"variables from that line, also behind splitpin run or taskset; nothing is\n"
		"started. In a job of a batch system it does not predict, unless other options\n"
		"ask for that: it starts the launcher as splitpin run --check does.\n"
		"Ranks that differ are given in parts: -n 4 -t 2 : -n 1 -t 8\n",
};

static bool
names_launcher(const char *word)
{
	return sp_ancestors_name(word, strlen(word) + 1) != NULL;
}

/*
 * Whether a line is typed where it would run, inside an allocation, and asks for nothing
 * that is otherwise: then the launcher itself is asked, with a probe in each rank.
 */
static bool
is_here_and_now(const struct request *request)
{
	const struct plan *plan = &request->plan;
	const char *topology = getenv("SPLITPIN_DRYRUN");
	bool is_text = !request->picture && (!request->format || strcmp(request->format, "text") == 0);

	return sp_job_batch_id(environ) && is_text && !plan->nranks && !plan->threads && !plan->source && !plan->gpus && !plan->nbeside &&
	       !request->restricted && !(topology && *topology);
}

/* What to print: a format, or the commands of a launcher. */
static int
choose_printer(struct request *request)
{
	if (request->launcher && request->format) {
		cmd_complain("--for %s and --format %s exclude each other: --for prints shell commands",
			     request->launcher, request->format);
		return CMD_USAGE;
	}
	if (request->picture && (request->launcher || request->format)) {
		cmd_complain("--picture and %s exclude each other", request->launcher ? "--for" : "--format");
		return CMD_USAGE;
	}
	if (request->launcher && request->plan.command && names_launcher(request->plan.command[0])) {
		cmd_complain("%s: --for %s prints the launcher's command line: give it the program alone",
			     request->plan.command[0], request->launcher);
		return CMD_USAGE;
	}
	if (request->launcher)
		return plan_for(request->launcher, &request->plan, &request->print);
	if (request->plan.command && request->plan.source && strchr(request->plan.command[0], ':')) {
		cmd_complain("%s: a description is one word: put \"%s %s ...\" between quotes", request->plan.command[0],
			     request->plan.source, request->plan.command[0]);
		return CMD_USAGE;
	}
	if (request->plan.command && request->plan.parts.n && names_launcher(request->plan.command[0])) {
		cmd_complain("%s: its line has parts of its own: leave out those in front of it", request->plan.command[0]);
		return CMD_USAGE;
	}
	if (request->plan.command && request->advise) {
		cmd_complain("%s: --advise takes no command", request->plan.command[0]);
		return CMD_USAGE;
	}
	request->print = request->picture ? NULL : request->print;
	if (request->plan.command && is_here_and_now(request) && plan_may_start(request->plan.command)) {
		char *const check[] = { "splitpin", "run", "--check", "--", NULL };

		cmd_settings_export(&request->settings);
		return run_self(check, request->plan.command);
	}
	int status = request->plan.command ? plan_read_line(&request->plan, request->plan.command, &request->target, &request->job) : 0;
	if (!status && request->format)
		request->print = printer_of(request->format);
	return status;
}

/* Options that --advise replaces. */
static int
check_advise(const struct request *request)
{
	if (request->plan.nranks || request->plan.threads)
		cmd_complain("--advise and %s exclude each other: --advise proposes the numbers of ranks and threads",
			     request->plan.nranks ? "-n" : "-t");
	else if (request->nbeside)
		cmd_complain("--advise and --beside exclude each other: --advise is for a node without other jobs");
	else if (request->launcher)
		cmd_complain("--advise and --for %s exclude each other", request->launcher);
	else if (request->print != plan_print_text && request->print != plan_print_json)
		cmd_complain(request->picture ? "--advise and --picture exclude each other" : "--advise --format %s: use text or json", request->format);
	else
		return 0;
	return CMD_USAGE;
}

/*
 * The program of a part, up to a word ':', which becomes NULL and is passed.  What
 * stands behind options without --for is a launcher's line, which has parts of its
 * own.  Returns whether another part comes.
 */
static bool
take_command(char *argv[], struct request *request)
{
	char **word = argv + optind;

	if (*word && strcmp(*word, ":") != 0)
		request->part.command = word;
	if (request->part.command && !request->launcher)
		return false;
	while (*word && strcmp(*word, ":") != 0)
		word++;
	bool goes_on = *word != NULL;

	*word = NULL;
	optind = (int)(word - argv) + goes_on;
	return goes_on;
}

/* Returns what cmd_options_read does. */
static int
parse_parts(int argc, char *argv[], struct request *request)
{
	struct plan *plan = &request->plan;
	bool goes_on;
	int status;

	do {
		request->part = (struct plan_part){ .ranks = 0 };
		status = cmd_options_read(&plan_usage, argc, argv, &request->settings, request);
		if (status)
			return status;
		goes_on = take_command(argv, request);
		if (goes_on || plan->parts.n)
			status = plan_parts_add(&plan->parts, &request->part, "");
	} while (!status && goes_on);
	for (size_t i = 0; !status && i < request->nbeside; i++)
		status = plan_add_beside(plan, request->beside[i]);
	plan->nranks = request->part.ranks;
	plan->threads = request->part.threads;
	plan->command = request->part.command;
	if (status || !plan->parts.n)
		return status;
	plan->threads = 0;
	return plan_parts_end(&plan->parts, "", &plan->nranks);
}

int
request_read(int argc, char *argv[], struct request *request)
{
	request->argv = argv;
	int status = parse_parts(argc, argv, request);
	if (!status)
		status = choose_printer(request);
	if (status)
		return status;
	if (request->advise)
		return check_advise(request);
	if (request->plan.nranks == 0 || request->nodes) {
		cmd_complain(request->nodes ? "--nodes needs --advise: a plan is for one node" :
					      "how many ranks? Give -n RANKS, or use --advise to compare numbers of ranks");
		return CMD_USAGE;
	}
	return 0;
}
