/* splitpin show: reads the options, picks the jobs, prints them. */
#include "cmd/show/show.h"

#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "cmd/cmd.h"
#include "cmd/json_parts.h"
#include "cmd/picture.h"
#include "cmd/show/faults.h"
#include "cmd/show/jobs.h"
#include "cmd/show/labels.h"
#include "cmd/show/nodes.h"
#include "cmd/show/jobs_without.h"
#include "cmd/show/print.h"
#include "cmd/show/sums.h"
#include "cmd/show/table_row.h"
#include "cmd/show/watch.h"
#include "cmd/show/which.h"
#include "cmd/terminal.h"
#include "process/process.h"

enum { OPTION_ALL = 256, OPTION_FORMAT, OPTION_COLOR, OPTION_WATCH, OPTION_NODES, OPTION_LINES, OPTION_PICTURE };

static const struct option options[] = {
	{ "all", no_argument, NULL, OPTION_ALL },
	{ "format", required_argument, NULL, OPTION_FORMAT },
	{ "picture", required_argument, NULL, OPTION_PICTURE },
	{ "color", required_argument, NULL, OPTION_COLOR },
	{ "watch", optional_argument, NULL, OPTION_WATCH },
	{ "nodes", optional_argument, NULL, OPTION_NODES },
	{ "lines", optional_argument, NULL, OPTION_LINES },
	{ "help", no_argument, NULL, 'h' },
	{ NULL, 0, NULL, 0 }
};

struct request {
	bool all;
	char *which;		/* a part of a job's name, or a process; NULL: all */
	enum { AS_TEXT, AS_TABLE, AS_JSON } format;
	bool is_format_set;
	const char *picture;	/* the file to draw to, or NULL */
	bool has_sums;		/* figures for it, too: --lines=sums */
	bool has_lines;		/* for another splitpin show that merges: no heading, JSON in one line, no job is no fault */
	double seconds;		/* between two looks; 0: there is one */
	const char *list;	/* of nodes; "": those of the Slurm job; NULL: this one */
	struct nodes nodes;
};

static int
print_help(void)
{
	terminal_print_help("usage: splitpin show [JOB|PID] [--all] [--format text|table|json]\n"
	      "                     [--watch [SECONDS]] [--nodes [LIST]]\n"
	      "\n"
	      "Show the ranks and threads of your running jobs on this node: the share of each\n"
	      "rank, the cores that it needs and claims, where each thread may run and where it\n"
	      "last ran, and its problems.\n"
	      "Jobs without splitpin (MPI, or busy OpenMP threads) follow: where their threads run,\n"
	      "what collides, and the command that starts them with splitpin.\n"
	      "\n"
	      "  JOB              only jobs with this text in their name, this ID, this program or\n"
	      "                   this Slurm name\n"
	      "  PID              only the job of this process or thread\n"
	      "      --all        jobs of all users, where permissions allow it\n"
	      "      --format FORMAT\n"
	      "                   text, table (one line for each rank) or json (default: text;\n"
	      "                   table with --watch or --nodes)\n"
	      "      --picture FILE\n"
	      "                   have lstopo draw one job: FILE.svg, FILE.png or FILE.pdf\n"
	      "      --watch [SECONDS]\n"
	      "                   refresh every 2 seconds, or every SECONDS, until q or Ctrl-C;\n"
	      "                   JSON is one object per line\n"
	      "      --nodes [LIST]\n"
	      "                   show these nodes, by ssh (n1,n2), or without LIST those of\n"
	      "                   the Slurm job (JOB or the current one), by srun\n"
	      "      --lines      for scripts: a table without heading, or with --format json one\n"
	      "                   line\n"
	      "      --color WHEN auto, always or never (default: auto: on a terminal, unless\n"
	      "                   NO_COLOR is set)\n"
	      "  -h, --help       this text\n"
	      "\n"
	      "The exit status is 1 if threads have drifted out of their share, crowd a core or have\n"
	      "too few CPUs, or shares overlap.\n");
	return cmd_close_output();
}

static int
parse_format(const char *text, struct request *request)
{
	static const char *const names[] = { [AS_TEXT] = "text", [AS_TABLE] = "table", [AS_JSON] = "json" };

	for (unsigned i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (strcmp(text, names[i]) != 0)
			continue;
		request->format = i;
		request->is_format_set = true;
		return 0;
	}
	cmd_complain("--format %s: use text, table or json", text);
	return CMD_USAGE;
}

/* An optional argument, which may follow a blank; NULL: there is none. */
static const char *
argument_behind(char *argv[], const char *allowed)
{
	const char *next = argv[optind];

	if (optarg || !next || *next == '-' || (allowed && strspn(next, allowed) != strlen(next)))
		return optarg;
	optind++;
	return next;
}

#define SECONDS_LEAST 0.1
#define SECONDS_MOST 86400

static int
parse_watch(const char *text, struct request *request)
{
	char *end = NULL;

	request->seconds = text ? strtod(text, &end) : 2;
	if (text && (end == text || *end || !(request->seconds >= SECONDS_LEAST && request->seconds <= SECONDS_MOST))) {
		cmd_complain("--watch %s: use seconds from 0.1 to 86400", text);
		return CMD_USAGE;
	}
	return 0;
}

static int
parse_lines(const char *text, struct request *request)
{
	request->has_lines = true;
	request->has_sums = text && strcmp(text, "sums") == 0;
	if (!text || request->has_sums)
		return 0;
	cmd_complain("--lines=%s: --lines takes no argument", text);
	return CMD_USAGE;
}

/* Returns 0, a status, or -1: help was asked for. */
static int
parse_options(int argc, char *argv[], struct request *request)
{
	int option, status = 0;

	opterr = 0;
	optind = 1;
	while (!status && (option = getopt_long(argc, argv, ":h", options, NULL)) != -1) {
		if (option == 'h')
			return -1;
		if (option == '?' || option == ':')
			return cmd_wrong_option(argv, option, options, "show");
		if (option == OPTION_ALL)
			request->all = true;
		else if (option == OPTION_PICTURE)
			status = picture_check_file(request->picture = optarg);
		else if (option == OPTION_COLOR)
			status = terminal_take_color(optarg);
		else if (option == OPTION_WATCH)
			status = parse_watch(argument_behind(argv, "0123456789."), request);
		else if (option == OPTION_LINES)
			status = parse_lines(optarg, request);
		else if (option == OPTION_NODES)
			request->list = (request->list = argument_behind(argv, NULL)) ? request->list : "";
		else
			status = parse_format(optarg, request);
	}
	if (!status && request->picture && (request->is_format_set || request->seconds > 0 || request->list)) {
		cmd_complain("--picture: a picture shows one moment on this node; omit --format, --watch and --nodes");
		return CMD_USAGE;
	}
	if (!status && request->has_lines && request->is_format_set && request->format != AS_TABLE && request->format != AS_JSON) {
		cmd_complain("--lines: it goes with --format table or json");
		return CMD_USAGE;
	}
	/* Several words are a name as the text has it: Slurm job 17 step 0. */
	for (; optind < argc; optind++)
		request->which = cmd_append(request->which, " ", "%s", argv[optind]);
	return status;
}

static void
print_sums(const struct show *show)
{
	struct sum sum;

	sums_of(show, &sum);
	sums_print(&sum);
}

static void
print_as_asked(const struct request *request, const struct show *show)
{
	if (request->format == AS_JSON) {
		show_print_json(show);
	} else if (request->format == AS_TABLE) {
		if (!request->has_lines)
			table_row_heading(strlen(show_host()));
		show_print_table(show);
		if (request->has_sums)
			print_sums(show);
	} else {
		show_print_text(show);
	}
}

/* Whether a process has this number, whose job would have been found. */
static bool
is_here(const struct request *request)
{
	char path[32];
	struct stat file;

	snprintf(path, sizeof(path), "/proc/%d", (int)sp_process_number(request->which));
	return stat(path, &file) == 0 && (request->all || file.st_uid == geteuid());
}

static char *
no_such_job(const struct request *request)
{
	char *sentence = is_here(request) ? cmd_format("%s: this process is no rank, and has started none that runs", request->which) :
		cmd_format("%s: no such job, program or process on this node%s",
			   request->which, request->all ? "" : "; --all includes the jobs of other users");

	cmd_make_plain(sentence);
	return sentence;
}

/* Show this node.  Returns EXIT_FAILURE if there are faults. */
static int
look(void *data)
{
	const struct request *request = data;
	const uid_t self = geteuid();
	struct show show;
	int error = jobs_read(request->all ? NULL : &self, &show), status = CMD_USAGE;

	if (error == -E2BIG) {
		cmd_complain("/dev/shm has too many files: not all jobs are shown");
		error = 0;
	}
	bool is_lenient = request->has_lines || request->seconds > 0, is_there = !error && jobs_pick(&show, request->which);

	if (error) {
		cmd_complain("/dev/shm cannot be listed: %s", strerror(-error));
	} else if (!is_there && !is_lenient) {
		char *sentence = no_such_job(request);
		cmd_complain("%s", sentence);
		free(sentence);
	} else {
		faults_find(&show);
		jobs_without_find_faults(&show);
		if (request->format == AS_TABLE && request->seconds > 0) {
			char *summary = is_there ? faults_summary(&show) : no_such_job(request);
			printf("%s: %s\n\n", show_host(), summary);
			free(summary);
		}
		status = request->picture ? show_draw(&show, request->picture) : EXIT_SUCCESS;
		if (!request->picture)
			print_as_asked(request, &show);
		if (status == EXIT_SUCCESS)
			status = show.nfaults + show.ncrowded ? EXIT_FAILURE : EXIT_SUCCESS;
	}
	jobs_release(&show);
	return status;
}

/* One line of a JSON text: its strings have no line feeds, so what follows one is indentation. */
static void
join_lines(char *text)
{
	char *to = text;

	for (const char *from = text; *from; from++) {
		if (*from == '\n')
			from += strspn(from + 1, " ");
		else
			*to++ = *from;
	}
	*to = '\0';
}

/* A look whose JSON is one line. */
static int
look_in_lines(void *data)
{
	const struct request *request = data;
	int status;

	if (request->format != AS_JSON)
		return look(data);
	char *text = watch_capture(look, data, false, &status);
	join_lines(text);
	if (*text)
		puts(text);
	free(text);
	return status;
}

static void
print_node_json(const struct node *node, const char *before)
{
	bool is_answer = node->output[0] == '{' && strchr(node->output, '\n');

	fputs(before, stdout);
	if (is_answer) {
		printf("%.*s", (int)strcspn(node->output, "\n"), node->output);
		return;
	}
	cmd_json_member("{\"host\": ", node->name);
	printf(", \"error\": \"no answer\", \"status\": %d}", node->status);
}

static bool
has_failed(const struct node *node)
{
	return node->status != EXIT_SUCCESS && node->status != EXIT_FAILURE;
}

static size_t
longest_name(const struct nodes *nodes)
{
	size_t longest = 0;

	for (size_t i = 0; i < nodes->n; i++)
		longest = strlen(nodes->node[i].name) > longest ? strlen(nodes->node[i].name) : longest;
	return longest;
}

/* One sentence on all nodes, if there are several and any has ranks. */
static void
print_sentence(const struct sum sum[], size_t n)
{
	size_t ranks = 0;

	for (size_t i = 0; i < n; i++)
		ranks += sum[i].ranks;
	if (n < 2 || !ranks)
		return;
	char *sentence = sums_sentence(sum, n, "busy thread");
	terminal_print(0, 4, "%s", sentence);
	free(sentence);
}

/* What the other nodes print is safe for a terminal: splitpin has removed control characters there. */
static int
print_nodes(const struct request *request)
{
	struct sum *sum = cmd_allocate(request->nodes.n + 1, sizeof(*sum));
	size_t n = 0;
	int status = EXIT_SUCCESS;

	if (request->format == AS_JSON)
		printf("{\"splitpin\": \"%s\", \"time\": %lld, \"nodes\": [", SP_VERSION, (long long)time(NULL));
	else if (!request->has_lines)
		table_row_heading(longest_name(&request->nodes));
	for (size_t i = 0; i < request->nodes.n; i++) {
		const struct node *node = &request->nodes.node[i];

		status = has_failed(node) ? CMD_USAGE : node->status > status ? node->status : status;
		if (request->format != AS_JSON)
			n += sums_take(node->output, node->name, &sum[n]);
		if (request->format == AS_JSON)
			print_node_json(node, i ? ", " : "");
		else if (has_failed(node))
			printf("%-8s %sproblem:%s no answer%s (status %d)\n", node->name, terminal_red(), terminal_plain(),
			       node->status == NODE_LATE ? " in time" : "", node->status);
		else
			fputs(node->output, stdout);
	}
	if (request->format == AS_JSON)
		puts("]}");
	else if (!request->has_lines)
		print_sentence(sum, n);
	free(sum);
	return status;
}

static int
look_at_nodes(void *data)
{
	struct request *request = data;
	char *arguments[8] = { "show", request->format == AS_JSON ? "--lines" : "--lines=sums", request->format == AS_JSON ? "--format=json" : "--format=table",
			       terminal_has_colour() ? "--color=always" : "--color=never" };
	size_t n = 4;

	if (request->all)
		arguments[n++] = "--all";
	if (request->which) {
		arguments[n++] = "--";
		arguments[n++] = request->which;
	}
	nodes_run(&request->nodes, arguments);
	return print_nodes(request);
}

/* Faults do not end a watch. */
static int
look_again(void *data)
{
	struct request *request = data;
	int status = request->list ? look_at_nodes(request) : look_in_lines(request);

	if (request->format != AS_JSON && !isatty(STDOUT_FILENO))
		putchar('\n');
	return status == EXIT_FAILURE || (request->list && status == CMD_USAGE) ? EXIT_SUCCESS : status;
}

static int
run(struct request *request)
{
	const char *job = request->which && jobs_is_number(request->which) ? request->which : NULL;
	int status = request->list ? nodes_find(request->list, job, &request->nodes) : 0;

	if (!request->is_format_set && (request->list || request->seconds > 0 || request->has_lines))
		request->format = AS_TABLE;
	if (!status && request->seconds > 0) {
		status = watch(request->seconds, request->format != AS_JSON, look_again, request);
	} else if (!status) {
		status = request->list ? look_at_nodes(request) : request->has_lines ? look_in_lines(request) : look(request);
		if (status != CMD_USAGE && cmd_close_output())
			status = EXIT_FAILURE;
	}
	nodes_release(&request->nodes);
	return status;
}

int
cmd_show(int argc, char *argv[])
{
	struct request request = { .format = AS_TEXT };
	int status = parse_options(argc, argv, &request);

	if (geteuid() == 0)
		sp_process_read_all();
	status = status < 0 ? print_help() : status ? status : run(&request);
	free(request.which);
	return status;
}
