/* Reads the options of splitpin plan. */
#include "cmd/plan/request.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/cmd.h"
#include "cmd/picture.h"
#include "cmd/plan/for/for.h"
#include "cmd/plan/line.h"
#include "cmd/plan/make/beside.h"
#include "cmd/plan/make/parts.h"
#include "cmd/terminal.h"
#include "launcher/ancestors.h"

/* More nodes are taken for a typing error. */
#define NODES_MAX 1000000

enum {
	OPTION_TOPOLOGY = 256, OPTION_ALLOWED, OPTION_SET, OPTION_FORMAT, OPTION_FOR, OPTION_GPUS, OPTION_ADVISE, OPTION_NODES,
	OPTION_ALL, OPTION_COLOR, OPTION_BESIDE, OPTION_PICTURE
};

static const struct option own_options[] = {
	{ "ranks", required_argument, NULL, 'n' },
	{ "threads", required_argument, NULL, 't' },
	{ "topology", required_argument, NULL, OPTION_TOPOLOGY },
	{ "allowed", required_argument, NULL, OPTION_ALLOWED },
	{ "set", required_argument, NULL, OPTION_SET },
	{ "format", required_argument, NULL, OPTION_FORMAT },
	{ "picture", required_argument, NULL, OPTION_PICTURE },
	{ "for", required_argument, NULL, OPTION_FOR },
	{ "gpus", required_argument, NULL, OPTION_GPUS },
	{ "beside", required_argument, NULL, OPTION_BESIDE },
	{ "all", no_argument, NULL, OPTION_ALL },
	{ "advise", no_argument, NULL, OPTION_ADVISE },
	{ "nodes", required_argument, NULL, OPTION_NODES },
	{ "color", required_argument, NULL, OPTION_COLOR },
	{ "help", no_argument, NULL, 'h' },
};

#define NOWN (sizeof(own_options) / sizeof(own_options[0]))

static const struct {
	const char *name;
	plan_printer *print;
} formats[] = {
	{ "text", plan_print_text }, { "json", plan_print_json }, { "masks", plan_print_masks },
	{ "lists", plan_print_lists }, { "xml", NULL },
};

#define NFORMATS (sizeof(formats) / sizeof(formats[0]))

int
request_print_help(void)
{
	terminal_print_help("usage: splitpin plan -n RANKS [-t THREADS] [options] [: -n RANKS ...]\n"
	      "       splitpin plan [options] LAUNCHER [ARGUMENT]... PROGRAM [ARGUMENT]...\n"
	      "       splitpin plan -n RANKS --for LAUNCHER [options] -- COMMAND...\n"
	      "       splitpin plan --advise [--nodes NODES] [options]\n"
	      "\n"
	      "Show which cores each rank of a node would get and where each OpenMP thread\n"
	      "would be pinned, using the same code as a run. Given the command\n"
	      "line of a launcher (mpirun, mpiexec, prterun, srun), it reads ranks, threads and\n"
	      "variables from that line, also behind splitpin run or taskset; nothing is\n"
	      "started.\n"
	      "Ranks that differ are given in parts: -n 4 -t 2 : -n 1 -t 8\n"
	      "\n"
	      "  -n, --ranks RANKS      ranks on the node\n"
	      "      --advise           list the numbers of ranks that suit the machine, best first,\n"
	      "                         and why: cores left idle, NUMA nodes and L3 groups that\n"
	      "                         a rank spans, ranks per GPU\n"
	      "      --nodes NODES      with --advise: number of nodes of the job\n"
	      "  -t, --threads THREADS  OpenMP threads of each rank (default: those of\n"
	      "                         OMP_NUM_THREADS, or one per CPU of the share)\n"
	      "      --topology SOURCE  plan for another machine: a file in hwloc's XML (lstopo NAME.xml\n"
	      "                         writes one), what lstopo or lscpu -p printed there, or\n"
	      "                         hwloc's synthetic syntax, such as\n"
	      "                         \"pack:2 numa:2 core:8 pu:2\"; -: a file from standard\n"
	      "                         input (default: this machine, restricted to the CPUs\n"
	      "                         that this process may use)\n"
	      "      --allowed LIST     use only these CPUs of the machine, such as 0-31,64-95\n"
	      "      --gpus LIST        the GPUs of the job: all, or numbers such as\n"
	      "                         0-3; one list per rank, separated by colons: 0:1:2:3\n"
	      "      --beside JOB       leave cores to a job of yours that already runs on the\n"
	      "                         node, such as \"-n 2 -t 4\"; may be repeated\n"
	      "      --SETTING VALUE    a setting as an option: --smt 1\n"
	      "      --set NAME=VALUE   the same, with or without the prefix SPLITPIN_\n"
	      "      --format FORMAT    text, json, masks, lists or xml (default: text); xml is\n"
	      "                         hwloc's, with ranks and threads for lstopo to draw\n"
	      "      --picture FILE     have lstopo draw the plan: FILE.svg, FILE.png or FILE.pdf\n"
	      "      --for LAUNCHER     print shell commands for the same placement without splitpin:\n"
	      "                         slurm, openmpi (the version installed), openmpi4,\n"
	      "                         openmpi5, mpich, intel, pals, torchrun, openmp; mpirun\n"
	      "                         or mpiexec: for the MPI library found here\n"
	      "      --all              show all ranks in full, even if there are many\n"
	      "      --color WHEN       auto, always or never (default: auto: on a terminal,\n"
	      "                         unless NO_COLOR is set)\n"
	      "  -h, --help             this text\n"
	      "\n"
	      "\"splitpin help settings\" lists the settings.\n");
	return cmd_close_output();
}

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

static int
parse_format(const char *text, struct request *request)
{
	for (size_t i = 0; i < NFORMATS; i++) {
		if (strcmp(text, formats[i].name) == 0) {
			request->print = formats[i].print;
			return 0;
		}
	}
	cmd_complain("--format %s: use text, json, masks, lists or xml", text);
	return CMD_USAGE;
}

static int
parse_allowed(const char *text, struct request *request)
{
	int error = sp_cpus_parse(text, &request->allowed);

	request->restricted = true;
	if (error == -ERANGE) {
		cmd_complain("--allowed %s: splitpin handles CPU numbers up to %u", text, SP_CPUS_MAX - 1);
		return CMD_USAGE;
	}
	if (error == 0 && !sp_cpus_empty(&request->allowed))
		return 0;
	cmd_complain("--allowed %s: use a list of CPUs, such as 0-31,64-95", text);
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
parse_threads(struct request *request)
{
	char name[OPTION_NAME];

	return cmd_parse_count(name_of(request, "-t", name), optarg, THREADS_MAX, &request->part.threads);
}

/* As mpirun's users write it, "-np 4" is "-n 4"; to getopt it is -n with "p". */
static int
parse_ranks(char *const argv[], struct request *request)
{
	char name[OPTION_NAME];
	bool is_np = strcmp(optarg, "p") == 0 && argv[optind] && strcmp(argv[optind], ":") != 0;

	return cmd_parse_count(name_of(request, is_np ? "-np" : "-n", name), is_np ? argv[optind++] : optarg, SP_CPUS_MAX,
			       &request->part.ranks);
}

static int
parse_option(int option, char *const argv[], struct request *request)
{
	int status = cmd_settings_take(&request->settings, option, argv);

	if (status >= 0)
		return status;
	switch (option) {
	case 'n':
		return parse_ranks(argv, request);
	case 't':
		return parse_threads(request);
	case OPTION_TOPOLOGY:
		request->plan.source = optarg;
		return 0;
	case OPTION_ALLOWED:
		return parse_allowed(optarg, request);
	case OPTION_GPUS:
		request->plan.gpus = optarg;
		return 0;
	case OPTION_BESIDE:
		request->beside = cmd_enlarge(request->beside, request->nbeside + 1, sizeof(*request->beside));
		request->beside[request->nbeside++] = optarg;
		return 0;
	case OPTION_ADVISE:
		request->advise = true;
		return 0;
	case OPTION_NODES:
		return cmd_parse_count("--nodes", optarg, NODES_MAX, &request->nodes);
	case OPTION_ALL:
		request->plan.all = true;
		return 0;
	case OPTION_COLOR:
		return terminal_take_color(optarg);
	case OPTION_SET:
		return cmd_settings_parse(&request->settings, optarg);
	case OPTION_PICTURE:
		request->picture = optarg;
		return picture_check_file(optarg);
	case OPTION_FORMAT:
		return say_once("--format", optarg, &request->format);
	default:
		return say_once("--for", optarg, &request->launcher);
	}
}

static bool
names_launcher(const char *word)
{
	return sp_ancestors_name(word, strlen(word) + 1) != NULL;
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
	int status = request->plan.command ? plan_read_line(&request->plan, request->plan.command, &request->target, &request->job) : 0;
	return status || !request->format ? status : parse_format(request->format, request);
}

/* Options that --advise replaces. */
static int
check_advise(const struct request *request)
{
	if (request->plan.nranks || request->plan.threads)
		cmd_complain("--advise and %s exclude each other: it says which ranks and threads to choose",
			     request->plan.nranks ? "-n" : "-t");
	else if (request->nbeside)
		cmd_complain("--advise and --beside exclude each other: it advises for a node without other jobs");
	else if (request->launcher)
		cmd_complain("--advise and --for %s exclude each other", request->launcher);
	else if (request->print != plan_print_text && request->print != plan_print_json)
		cmd_complain(request->picture ? "--advise and --picture exclude each other" : "--advise --format %s: use text or json", request->format);
	else
		return 0;
	return CMD_USAGE;
}

/* Read options up to the first other word.  Returns 0, a status, or -1: help was asked for. */
static int
parse_part(int argc, char *argv[], const struct option *options, struct request *request)
{
	int option, status;

	request->part = (struct plan_part){ .ranks = 0 };
	while ((option = getopt_long(argc, argv, "+:n:t:h", options, NULL)) != -1) {
		if (option == 'h')
			return -1;
		if (option == '?' || option == ':')
			return cmd_wrong_option(argv, option, options, "plan");
		status = parse_option(option, argv, request);
		if (status)
			return status;
	}
	return 0;
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

/* Returns what parse_part returns. */
static int
parse_parts(int argc, char *argv[], const struct option *options, struct request *request)
{
	struct plan *plan = &request->plan;
	bool goes_on;
	int status;

	do {
		status = parse_part(argc, argv, options, request);
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
request_read(int argc, char *argv[], struct option options[], struct request *request)
{
	memcpy(options, own_options, sizeof(own_options));
	cmd_settings_options(options, NOWN);
	opterr = 0;
	optind = 1;
	int status = parse_parts(argc, argv, options, request);
	if (status)
		return status;
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
