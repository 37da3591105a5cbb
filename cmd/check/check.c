/* splitpin check: runs one check after the other and prints the problems. */
#include "cmd/commands.h"

#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/pin.h"
#include "base/text.h"
#include "cmd/check/answer.h"
#include "cmd/check/rows.h"
#include "cmd/cmd.h"
#include "cmd/options.h"
#include "cmd/run.h"
#include "cmd/terminal.h"
#include "launcher/nearest.h"
#include "gpus/pbs.h"

struct request {
	char *const *command;	/* NULL-terminated; may be empty */
	bool as_json;
	bool no_start;
};

static const struct check_row *const tables[] = {
	check_preload_rows, check_node_rows, check_settings_rows, check_shm_rows,
};

#define NTABLES (sizeof(tables) / sizeof(tables[0]))

static void
print_rows(const struct check_row *row)
{
	for (; row->id; row++) {
		char *title = cmd_format("  %s", row->id);

		terminal_print_row(title, 24, row->what);
		free(title);
	}
}

static const struct cmd_option options[] = {
	{ "no-start", 0, NULL, NULL, "do not start the launcher: look only at this node", cmd_take_flag, offsetof(struct request, no_start) },
	{ "format", 0, "FORMAT", "text json", "text or json (default: text)", cmd_take_is_json, offsetof(struct request, as_json) },
	{ .name = NULL }
};

static void
print_more(void)
{
	terminal_print_help("\n"
	      "The exit status is 1 if splitpin is not active or there is a problem (notes do not\n"
	      "count), and 3 if the command was not measured: its launcher would queue a job, or\n"
	      "its options are not read. What is looked at on this node:\n");
	for (size_t i = 0; i < NTABLES; i++)
		print_rows(tables[i]);
	puts("and in a program:");
	print_rows(check_program_rows);
	print_rows(check_gpus_rows);
	puts("and in the ranks of a launcher:");
	print_rows(check_openmp_rows);
	print_rows(check_run_rows);
}

const struct cmd_usage check_usage = {
	.name = "check", .synopsis = "[OPTION]... [--] [COMMAND [ARGUMENT]...]", .options = options, .operand = "<command>",
	.print_more = print_more, .explain = run_explain_launchers,
	.about = "Say whether splitpin is loaded and active here, and if not, why; then list the\n"
		"problems of this node and this environment, each with a remedy.\n"
		"With COMMAND (a launcher with its options and a program) the launcher is started,\n"
		"and splitpin probe in place of each program: it says for each rank whether splitpin\n"
		"is active there, which CPUs the rank would have, and what a run would warn of. The\n"
		"program is not started. COMMAND may contain splitpin run; splitpin run --check does\n"
		"the same.\n",
};

/*
 * "splitpin check PROGRAM --format json" means the same as the options in
 * front, unless a "--" says where the command begins.
 */
static int
read_own_behind(int argc, char *argv[], struct request *request)
{
	int program = optind, behind = argc - program - 1;

	if (behind < 1 || behind > 2 || strcmp(argv[program - 1], "--") == 0 || strncmp(argv[program + 1], "--format", 8) != 0 ||
	    argv[program + 1][8] != (behind == 1 ? '=' : '\0'))
		return 0;
	optind = program + 1;
	int status = cmd_options_read(&check_usage, argc, argv, NULL, request);
	argv[program + 1] = NULL;
	return status;
}

/* Returns 0, a status, or -1: help was asked for. */
static int
read_options(int argc, char *argv[], struct request *request)
{
	int status = cmd_options_read(&check_usage, argc, argv, NULL, request);

	request->command = argv + optind;
	return status ? status : read_own_behind(argc, argv, request);
}

/* Returns 0, or CMD_USAGE after a message. */
static int
find_target(struct check *check, char *const command[])
{
	struct target *target = &check->target;
	int error = target_find(target, command);

	if (!error && target_is_read(target->launcher) && !target->is_in_shell && !target->word) {
		cmd_complain("%s: no program in its line", target->launcher_name);
		return CMD_USAGE;
	}
	if (error)
		cmd_complain("%s%s%s: %s%s", target->word, target->is_script ? ", a script for " : "",
			     target->is_script ? target->path : "", target_problem(error),
			     error == -ENOENT ? target_hint(target->word) : "");
	return error ? CMD_USAGE : 0;
}

static void
look(struct check *check, const struct check_row *rows)
{
	for (check->row = rows; check->row->id; check->row++) {
		check->row->look(check);
		check->result.looked++;
	}
}

static void
find_out(struct check *check)
{
	if (sp_pin_get(0, &check->mask) != 0 || sp_pin_allowed(&check->allowed) != 0)
		check->allowed = check->mask;
	check->rank_error = sp_nearest_find(getpid(), environ, &check->rank);
	target_read_job(&check->target, &check->job);
	/* The file's globs are compared with the path that /proc shows. */
	char *program = check->target.path ? realpath(check->target.path, NULL) : NULL;
	sp_settings_read(&check->settings, check->job.environment, program, NULL, NULL);
	check->environment = sp_pbs_environment(environ);
	free(program);
	check_find_loaded(check);
	check->library = check_find_library();
}

/* What is known of the program; the caller's. */
static char *
about_program(const struct target *target)
{
	const char *openmp = target_needs(target, target_is_openmp), *mpi = target_needs(target, target_is_any_mpi);

	const char *hint = target->error == -ENOENT ? target_hint(target->word) : "";

	if (!target->path && target->error && (target->error != -ENOENT || *hint))
		return cmd_format("%s: %s%s", target->word, target_problem(target->error), hint);
	if (!target->path)
		return cmd_format("%s is not on this node and was not examined", target->word);
	if (!mpi)
		mpi = target_needs(target, target_is_pmix);
	if (!mpi && !openmp && target->is_script)
		return cmd_format("%s is a script for %s", target->word, target->path);
	if (!mpi && !openmp)
		return cmd_format("%s is not linked with MPI or OpenMP", target->path);
	return cmd_format("%s needs %s%s%s", target->path, mpi ? mpi : openmp, mpi && openmp ? " and " : "",
			  mpi && openmp ? openmp : "");
}

static void
describe(struct check *check)
{
	const struct target *target = &check->target;
	struct check_result *result = &check->result;

	result->target = target;
	result->about_program = target->word ? about_program(target) : NULL;
	result->about_gpus = target->path ? check_gpus(check) : NULL;
}

static void
release(struct check *check)
{
	check_release_result(&check->result);
	free(check->library);
	free(check->not_started);
	target_release_job(&check->job);
	target_release(&check->target);
	sp_settings_release(&check->settings);
}

static void
start(struct check *check, const struct request *request)
{
	check->not_started = request->no_start ? cmd_format("--no-start") : check_why_not_started(&check->target, request->command);
	if (check->not_started)
		return;
	check_launch(&check->target, request->command, &check->result.measured);
	look(check, check_run_rows);
}

static int
status_of(const struct check_result *result)
{
	if (check_problems(result) || result->answer.acts == CHECK_NO)
		return EXIT_FAILURE;
	return result->answer.acts == CHECK_UNKNOWN ? CHECK_NOT_MEASURED : EXIT_SUCCESS;
}

static int
run(const struct request *request)
{
	struct check check = { .library = NULL };
	bool has_command = request->command && request->command[0];
	int status = has_command ? find_target(&check, request->command) : 0;

	check.command = has_command ? request->command : NULL;
	if (!status) {
		find_out(&check);
		for (size_t i = 0; i < NTABLES; i++)
			look(&check, tables[i]);
		if (check.target.path) {
			look(&check, check_program_rows);
			look(&check, check_gpus_rows);
		}
		if (has_command)
			start(&check, request);
		look(&check, check_openmp_rows);
		check_conclude(&check);
		describe(&check);
		(request->as_json ? check_print_json : check_print_text)(&check.result);
		status = cmd_close_output() ? EXIT_FAILURE : status_of(&check.result);
	}
	release(&check);
	return status;
}

/* "splitpin run" in the command checks what it would start, from what it would give it. */
static int
check_by_run(const struct request *request, const struct target_words *words)
{
	char *check[] = { request->as_json ? "--check=json" : "--check", NULL };
	char **line = cmd_insert_words(request->command, words->n + 2, check), *self = realpath("/proc/self/exe", NULL);

	if (self)
		line[words->n] = self;
	return run_start(line);
}

int
cmd_check(int argc, char *argv[])
{
	struct request request = { .as_json = false };
	int status = read_options(argc, argv, &request);

	if (status)
		return status < 0 ? cmd_print_help(&check_usage) : status;
	if (!request.command || !request.command[0])
		return run(&request);

	struct target_words words;

	target_unwrap(request.command, &words);
	status = !words.is_in_shell && run_is_begun(words.rest) ? check_by_run(&request, &words) : run(&request);
	target_release_words(&words);
	return status;
}
