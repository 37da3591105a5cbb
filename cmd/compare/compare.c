/* splitpin compare: runs a job with and without the library by turns. */
#include "cmd/commands.h"

#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cmd/cmd.h"
#include "cmd/compare/one_run.h"
#include "cmd/compare/result.h"
#include "cmd/compare/ways.h"
#include "cmd/options.h"
#include "cmd/run.h"
#include "cmd/terminal.h"

#define ROUNDS 5

struct request {
	struct run_request run;
	struct compare compare;
	const char *output;	/* file that keeps what the runs print, or NULL */
	bool as_json;
};

/* The files of all runs. */
struct files {
	int input;
	off_t begin;		/* offset of standard input at which each run begins to read, or -1 */
	FILE *output;		/* what the present run prints */
	FILE *kept;		/* what all have printed, or NULL */
};

static int
take_rounds(void *field, const char *value)
{
	return cmd_parse_count("--rounds", value, COMPARE_RUNS_MAX, field);
}

#define TEXT(number) #number
#define TEXT_OF(number) TEXT(number)

static const struct cmd_option options[] = {
	{ "rounds", 0, "N", NULL, "runs of each kind, from 1 to " TEXT_OF(COMPARE_RUNS_MAX) " (default: " TEXT_OF(ROUNDS)
	  "); telling a difference from noise takes " TEXT_OF(COMPARE_RUNS),
	  take_rounds, offsetof(struct request, compare.rounds) },
	{ "format", 0, "FORMAT", "text json", "text or json (default: text)", cmd_take_is_json, offsetof(struct request, as_json) },
	{ "output", 0, "FILE", "<file>", "save the output of the runs to FILE (it is shown only for a run that fails, which ends the comparison)",
	  cmd_take_text, offsetof(struct request, output) },
	{ "alone", 0, "[off]", "off", "COMMAND has no launcher: see splitpin run --help", run_take_alone, offsetof(struct request, run) },
	{ .name = NULL }
};

static void
print_more(void)
{
	terminal_print_help("\nIf standard input is a file, each run reads it from the beginning.\n"
	      "The exit status is that of the run that failed, 128 and more if a signal ended it, 126\n"
	      "or 127 if COMMAND cannot be run, 2 if there is nothing to compare, or 0.\n");
}

const struct cmd_usage compare_usage = {
	.name = "compare", .synopsis = "[OPTION]... [--] COMMAND [ARGUMENT]...", .options = options, .has_settings = true,
	.operand = "<command>", .print_more = print_more, .explain = run_explain_launchers,
	.about = "Run a job alternately without and with splitpin, and say how much faster it is and\n"
		"whether the difference exceeds the noise:\n"
		"    splitpin compare -- mpirun --bind-to none -n 4 ./program\n",
};

/* Returns 0, a status, or -1: help was asked for. */
static int
read_options(int argc, char *argv[], struct request *request)
{
	int status = cmd_options_read(&compare_usage, argc, argv, &request->run.settings, request);

	if (!status && optind == argc) {
		cmd_complain("no job given: use splitpin compare [options] -- COMMAND");
		return CMD_USAGE;
	}
	request->compare.command = argv + optind;
	return status;
}

/* Only the first run could read a terminal or a pipe, so no run does. */
static int
open_files(struct files *files, const char *kept)
{
	struct stat input;
	bool is_file = fstat(STDIN_FILENO, &input) == 0 && S_ISREG(input.st_mode);

	*files = (struct files){
		.input = is_file ? STDIN_FILENO : open("/dev/null", O_RDONLY | O_CLOEXEC),
		.begin = is_file ? lseek(STDIN_FILENO, 0, SEEK_CUR) : -1,
		.output = tmpfile(),
		.kept = kept ? fopen(kept, "we") : NULL,
	};
	if (files->input >= 0 && files->output && (files->kept || !kept)) {
		fcntl(fileno(files->output), F_SETFD, FD_CLOEXEC);
		return 0;
	}
	cmd_complain("%s: %s", kept && files->output ? kept : "a file for the output", strerror(errno));
	return CMD_USAGE;
}

static void
copy_output(struct files *files, FILE *to)
{
	char text[4096];
	size_t n;

	rewind(files->output);
	while ((n = fread(text, 1, sizeof(text), files->output)) > 0)
		fwrite(text, 1, n, to);
}

static void
keep_output(struct files *files, unsigned round, enum compare_way way)
{
	if (!files->kept)
		return;
	fprintf(files->kept, "# round %u, %s\n", round, compare_way_name[way]);
	copy_output(files, files->kept);
	fflush(files->kept);
}

static void
close_files(struct files *files)
{
	if (files->output)
		fclose(files->output);
	if (files->kept)
		fclose(files->kept);
}

/* Shows the progress, on a terminal. */
static void
tell(const struct compare *compare, const struct compare_run *run, const struct job_end *end)
{
	if (isatty(STDERR_FILENO))
		fprintf(stderr, "round %u of %u, %s: %.3g s\n", run->round, compare->rounds, compare_way_name[run->way], end->wall);
	if (end->is_survived)
		cmd_complain("warning: round %u, %s: a process of the job is still running and may disturb the next run", run->round,
			     compare_way_name[run->way]);
}

/* A run that failed ends all; so does a signal.  Returns the status, 0: well. */
static int
judge_end(const struct compare_run *run, const struct job_end *end, struct files *files)
{
	if (end->signal)
		return 128 + end->signal;
	if (!end->status)
		return 0;
	bool is_silent = fseek(files->output, 0, SEEK_END) == 0 && ftell(files->output) == 0;
	cmd_complain("round %u, %s: the job failed with status %d; %s", run->round, compare_way_name[run->way], end->status,
		     is_silent ? "it printed nothing" : "what it printed:");
	copy_output(files, stderr);
	return end->status;
}

static int
run_once(struct compare *compare, struct ways *ways, struct files *files)
{
	struct compare_run run = { .round = (unsigned)(compare->nruns / 2) + 1, .way = compare_way(compare->nruns) };
	struct job job = { .input = files->input, .output = fileno(files->output) };
	struct job_end end;

	ways_set(ways, run.way, &job);
	if (files->begin >= 0)
		lseek(files->input, files->begin, SEEK_SET);
	rewind(files->output);
	if (ftruncate(fileno(files->output), 0) != 0)
		cmd_complain("warning: the output of a run is kept twice: %s", strerror(errno));
	fflush(stdout);
	int error = job_run(&job, &end);
	if (error) {
		cmd_complain("the job cannot be started: %s", strerror(-error));
		return EXIT_FAILURE;
	}
	keep_output(files, run.round, run.way);
	if (run.way == COMPARE_WITH)
		reports_read(files->output, &compare->reports);
	int status = judge_end(&run, &end, files);
	compare->signal = end.signal;
	if (status)
		return status;
	tell(compare, &run, &end);
	run.wall = end.wall;
	run.cpu = end.cpu;
	compare->is_silent = ways->is_to_report && !compare->reports.n;
	compare->run[compare->nruns++] = run;
	return 0;
}

static void
conclude(const struct request *request)
{
	struct compare_result result = compare_conclude(&request->compare);

	(request->as_json ? compare_print_json : compare_print_text)(&request->compare, &result);
	free(result.sentence);
}

static int
run_all(struct request *request, struct ways *ways)
{
	struct compare *compare = &request->compare;
	struct files files;
	int status = open_files(&files, request->output);

	compare->run = cmd_allocate(2 * compare->rounds, sizeof(*compare->run));
	while (!status && compare->nruns < 2 * compare->rounds)
		status = run_once(compare, ways, &files);
	close_files(&files);
	if (compare->reports.n > 1)
		compare->cpu_unknown = "ranks run on other nodes, too";
	if (status == 0 || compare->signal) {
		conclude(request);
		status = cmd_close_output() ? EXIT_FAILURE : status;
	}
	return status;
}

static int
run(struct request *request)
{
	struct compare *compare = &request->compare;
	struct ways ways;
	int status = ways_find(&ways, &request->run, compare->command);

	if (!status) {
		compare->cpu_unknown = ways.cpu_unknown;
		compare->is_lone = ways.is_lone;
		status = run_all(request, &ways);
	}
	ways_release(&ways);
	reports_release(&compare->reports);
	free(compare->run);
	return status;
}

int
cmd_compare(int argc, char *argv[])
{
	struct request request = { .compare.rounds = ROUNDS };
	int status = read_options(argc, argv, &request);

	if (status < 0)
		status = cmd_print_help(&compare_usage);
	else if (status == 0)
		status = run(&request);
	cmd_settings_release(&request.run.settings);
	return status;
}
