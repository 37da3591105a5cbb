/* splitpin check: runs one check after the other and prints the problems. */
#include "cmd/check/check.h"

#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/pin.h"
#include "base/text.h"
#include "cmd/check/answer.h"
#include "cmd/check/node.h"
#include "cmd/check/preload.h"
#include "cmd/check/print.h"
#include "cmd/check/rows.h"
#include "cmd/cmd.h"
#include "cmd/run.h"
#include "cmd/terminal.h"
#include "launcher/nearest.h"
#include "gpus/pbs.h"

enum { OPTION_FORMAT = 256 };

static const struct option options[] = {
	{ "format", required_argument, NULL, OPTION_FORMAT },
	{ "help", no_argument, NULL, 'h' },
	{ NULL, 0, NULL, 0 }
};

struct request {
	char *const *command;	/* NULL-terminated; may be empty */
	void (*print)(const struct check *check);
};

static const struct check_row *const tables[] = {
	check_rank_rows, check_preload_rows, check_node_rows, check_openmp_rows, check_room_rows, check_shm_rows,
};

#define NTABLES (sizeof(tables) / sizeof(tables[0]))

static void
print_rows(const struct check_row *row)
{
	for (; row->id; row++) {
		char *text = cmd_format("  %-19s  %s\n", row->id, row->what);

		terminal_print_help(text);
		free(text);
	}
}

static int
print_help(void)
{
	terminal_print_help("usage: splitpin check [--format text|json] [--] [COMMAND [ARGUMENT]...]\n"
	      "\n"
	      "Say whether splitpin is loaded and active here, and if not, why; then list the\n"
	      "problems of this node and this environment, each with a remedy.\n"
	      "With COMMAND (a program, or a launcher with its options and a program), also say\n"
	      "whether splitpin is active in the program, and list its problems. Nothing is run.\n"
	      "COMMAND may contain splitpin run; splitpin run --check does the same.\n"
	      "\n"
	      "      --format FORMAT  text or json (default: text)\n"
	      "  -h, --help           this text\n"
	      "\n"
	      "The exit status is 1 if splitpin is not loaded or not active, or if there is a\n"
	      "problem; notes do not count. The checks are:\n");
	for (size_t i = 0; i < NTABLES; i++)
		print_rows(tables[i]);
	terminal_print_help("and in a program:\n");
	print_rows(check_program_rows);
	print_rows(check_gpus_rows);
	return cmd_close_output();
}

static int
parse_format(const char *text, struct request *request)
{
	bool as_json;
	int status = cmd_text_or_json(text, &as_json);

	request->print = as_json ? check_print_json : check_print_text;
	return status;
}

/*
 * "splitpin check PROGRAM --format json" means the same as the options in
 * front, unless a "--" says where the command begins.
 */
static int
read_own_behind(char *argv[], struct request *request)
{
	static const char format[] = "--format";
	char **word = argv + optind;
	size_t n = sizeof(format) - 1;

	if (!word[0] || !word[1] || strcmp(word[-1], "--") == 0 || strncmp(word[1], format, n) != 0)
		return 0;
	const char *value = word[1][n] == '=' && !word[2] ? word[1] + n + 1 :
		word[1][n] == '\0' && word[2] && !word[3] ? word[2] : NULL;
	if (value)
		word[1] = NULL;
	return value ? parse_format(value, request) : 0;
}

/* Returns 0, a status, or -1: help was asked for. */
static int
parse_options(int argc, char *argv[], struct request *request)
{
	int option, status = 0;

	opterr = 0;
	optind = 1;
	while (!status && (option = getopt_long(argc, argv, "+:h", options, NULL)) != -1) {
		if (option == 'h')
			return -1;
		if (option == '?' || option == ':')
			return cmd_wrong_option(argv, option, options, "check");
		status = parse_format(optarg, request);
	}
	request->command = argv + optind;
	return status ? status : read_own_behind(argv, request);
}

/* Returns 0, or CMD_USAGE after a message. */
static int
find_target(struct check *check, char *const command[])
{
	struct target *target = &check->target;
	int error = target_find(target, command);

	if (error)
		cmd_complain("%s%s%s: %s", target->word, target->is_script ? ", a script for " : "",
			     target->is_script ? target->path : "", target_problem(error));
	return error ? CMD_USAGE : 0;
}

static void
look(struct check *check, const struct check_row *rows)
{
	for (check->row = rows; check->row->id; check->row++) {
		check->row->look(check);
		check->looked++;
	}
}

static void
find_out(struct check *check)
{
	if (sp_pin_get(0, &check->mask) != 0 || sp_pin_allowed(&check->allowed) != 0)
		check->allowed = check->mask;
	check->rank_error = sp_nearest_find(getpid(), environ, &check->rank);
	check->is_rank = check->rank_error == 0;
	check->is_bound_by_launcher = check_is_bound_by_launcher(check);
	target_read_job(&check->target, &check->job);
	sp_omp_env_read(&check->omp_env, check->job.environment);
	/* The file's globs are compared with the path that /proc shows. */
	char *program = check->target.path ? realpath(check->target.path, NULL) : NULL;
	sp_settings_read(&check->settings, check->job.environment, program, NULL, NULL);
	check->environment = sp_pbs_environment(environ);
	free(program);
	check_find_loaded(check);
	check->library = check->target.reach.library && check->answer.library ? cmd_format("%s", check->answer.library) : check_find_library();
}

static void
release(struct check *check)
{
	check_release_findings(check);
	free(check->library);
	check_release_answer(&check->answer);
	target_release_job(&check->job);
	target_release(&check->target);
	sp_settings_release(&check->settings);
}

/* Whether words in front of a command bind it to CPUs that are here. */
static bool
find_mask(const struct target_mask *mask, struct sp_cpus *cpus)
{
	struct sp_cpus own;

	return target_mask_cpus(mask, NULL, sp_pin_get(0, &own) == 0 ? &own : NULL, cpus) && !sp_cpus_empty(cpus);
}

/* mask: of the command, which is then this process's, too; or NULL. */
static int
run(const struct request *request, const struct target_mask *mask)
{
	struct check check = { .looked = 0 };
	struct sp_cpus cpus;

	check.is_mask_of_command = mask && find_mask(mask, &cpus) && sp_pin_set(0, &cpus) == 0;
	int status = request->command && request->command[0] ? find_target(&check, request->command) : 0;
	if (!status) {
		find_out(&check);
		for (size_t i = 0; i < NTABLES; i++)
			look(&check, tables[i]);
		if (check.target.path) {
			look(&check, check_program_rows);
			look(&check, check_gpus_rows);
		}
		check_conclude(&check);
		request->print(&check);
		status = cmd_close_output() || check_problems(&check) || check.answer.acts == CHECK_NO ? EXIT_FAILURE : EXIT_SUCCESS;
	}
	release(&check);
	return status;
}

/* A command on the CPUs to which words in front of it bind it; for the rest of the process's life. */
static char **
confined(const struct target_words *words, char *const command[])
{
	static char name[] = "taskset", option[] = "-c";
	struct sp_cpus cpus;
	size_t n = 0;

	if (!find_mask(&words->mask, &cpus))
		return (char **)command;
	/* The words may have changed PATH. */
	char *path = cmd_look_up_in(name, "/usr/local/bin:/usr/bin:/bin");
	while (command[n])
		n++;
	char **longer = cmd_allocate(n + 4, sizeof(*longer));
	longer[0] = path ? path : name;
	longer[1] = option;
	longer[2] = cmd_list(&cpus);
	memcpy(longer + 3, command, n * sizeof(*longer));
	return longer;
}

/* As "splitpin run" would, in the environment that words in front give it. */
static int
check_under_run(const struct request *request, const struct target_words *words)
{
	char **command;
	bool is_checked = true;
	int argc = 0;

	target_enter(words);
	while (words->rest[argc])
		argc++;
	int status = run_up_to_start(argc - 1, (char **)words->rest + 1, &command, &is_checked);
	return command ? run_start(run_checked(confined(words, command), request->print == check_print_json)) : status;
}

/* As from a process that has the environment and is in the folder that words in front give. */
static int
check_behind(const struct request *request, const struct target_words *words)
{
	target_enter(words);
	return run_start(run_checked(confined(words, words->rest), request->print == check_print_json));
}

int
cmd_check(int argc, char *argv[])
{
	struct request request = { .print = check_print_text };
	int status = parse_options(argc, argv, &request);

	if (status)
		return status < 0 ? print_help() : status;
	if (!request.command || !request.command[0])
		return run(&request, NULL);

	struct target_words words;

	target_unwrap(request.command, &words);
	if (run_is_begun(words.rest))
		status = check_under_run(&request, &words);
	else if (words.ngiven || words.folder)
		status = check_behind(&request, &words);
	else
		status = run(&request, &words.mask);
	target_release_words(&words);
	return status;
}
