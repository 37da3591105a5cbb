/* splitpin config: the settings in effect, and where each comes from. */
#include "cmd/commands.h"

#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd/cmd.h"
#include "cmd/config/result.h"
#include "cmd/library.h"
#include "cmd/options.h"
#include "launcher/ancestors.h"
#include "launcher/launcher.h"

static void
blame(void *data, const char *sentence)
{
	struct config_result *result = data;

	result->wrong = cmd_enlarge(result->wrong, result->nwrong + 1, sizeof(*result->wrong));
	result->wrong[result->nwrong] = cmd_format("%s", sentence);
	cmd_make_plain(result->wrong[result->nwrong++]);
}

static bool
begins_as_script(const char *path)
{
	char start[2] = "";
	int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	bool is = fd >= 0 && read(fd, start, 2) == 2 && start[0] == '#' && start[1] == '!';

	if (fd >= 0)
		close(fd);
	return is;
}

/* A program that is not on this machine may be on the nodes: its path is used unchanged. */
static int
find_program(const char *name, struct config_result *result)
{
	char *path = cmd_look_up(name);

	if (!path) {
		cmd_complain("--for %s: not found in PATH; include a slash if it is a path", name);
		return CMD_USAGE;
	}
	char *whole = realpath(path, NULL);
	int error = whole ? 0 : errno;

	if (error == ENOENT && path[0] == '/') {
		result->program = path;
		return 0;
	}
	if (!error && !cmd_is_program(whole)) {
		cmd_complain("--for %s: not an executable file", name);
		error = ENOEXEC;
		free(whole);
	} else if (error) {
		cmd_complain("--for %s: %s", name, strerror(error));
	} else {
		result->program = whole;
		result->is_script = begins_as_script(whole);
		result->is_launcher = sp_ancestors_name(path, strlen(path) + 1) || sp_ancestors_name(whole, strlen(whole) + 1);
	}
	free(path);
	return error ? CMD_USAGE : 0;
}

static int
take_program(void *data, const char *value)
{
	struct config_result *result = data;

	free(result->program);
	result->program = NULL;
	return find_program(value, result);
}

static const struct cmd_option options[] = {
	{ "for", 0, "PROGRAM", "<program>", "show what applies to this program: its path is matched against the file's sections and "
	  "leave_alone; a name without a slash is looked up in PATH", take_program, 0 },
	{ "file", 0, "CANDIDATE", "<file>", "check this file before it becomes the site's file, alone, without the environment",
	  cmd_take_text, offsetof(struct config_result, candidate) },
	{ "all", 0, NULL, NULL, "include settings that have their defaults", cmd_take_flag, offsetof(struct config_result, all) },
	{ "format", 0, "FORMAT", "text json", "text or json (default: text)", cmd_take_is_json, offsetof(struct config_result, as_json) },
	{ .name = NULL }
};

static void
print_more(void)
{
	printf("\nThe site's file is\n    %s\nThe exit status is 1 if there are problems.\n", sp_site_file());
}

const struct cmd_usage config_usage = {
	.name = "config", .synopsis = "[OPTION]...", .options = options, .print_more = print_more,
	.about = "Show the settings in effect here, where each comes from, and any problems.\n"
		"The environment takes precedence over the site's file.\n",
};

/* Returns 0, a status, or -1: help was asked for. */
static int
read_options(int argc, char *argv[], struct config_result *result)
{
	int status = cmd_options_read(&config_usage, argc, argv, NULL, result);

	if (!status && optind < argc) {
		cmd_complain("%s: splitpin config takes only options; --for PROGRAM names a program", argv[optind]);
		return CMD_USAGE;
	}
	return status;
}

/* Wrong variables of a rank keep splitpin from acting. */
static void
check_rank(struct config_result *result)
{
	struct sp_rank rank;

	if (sp_launcher_rank(environ, &rank) != -EINVAL)
		return;
	char *sentence = cmd_append(cmd_wrong_rank(&rank), ": ", "set SPLITPIN_LOCAL_RANK to a number from 0 and SPLITPIN_LOCAL_SIZE to a larger one");

	blame(result, sentence);
	free(sentence);
}

static void
release(struct config_result *result)
{
	for (size_t i = 0; i < result->nwrong; i++)
		free(result->wrong[i]);
	free(result->wrong);
	free(result->program);
	free(result->library);
	sp_settings_release(&result->settings);
}

/* Ranks report the file's faults in one sentence; this lists all. */
static void
read_settings(struct config_result *result)
{
	struct sp_config again;

	if (result->candidate) {
		sp_site_read_candidate(&result->settings.site, result->candidate, environ, result->program);
		result->settings.is_site_read = true;
		sp_settings_combine(&result->settings, NULL, NULL, NULL);
	} else {
		sp_settings_read(&result->settings, environ, result->program, NULL, NULL);
		sp_config_read_over(&again, result->settings.site.entries, environ, blame, result, NULL);
		result->library = cmd_loaded_library();
	}
	sp_site_complain(&result->settings.site, blame, result);
	if (!result->candidate)
		check_rank(result);
}

int
cmd_config(int argc, char *argv[])
{
	struct config_result result = { .all = false };
	int status = read_options(argc, argv, &result);

	if (status < 0) {
		status = cmd_print_help(&config_usage);
	} else if (status == 0) {
		read_settings(&result);
		(result.as_json ? config_print_json : config_print_text)(&result);
		status = cmd_close_output();
		if (status == 0 && result.nwrong)
			status = EXIT_FAILURE;
	}
	release(&result);
	return status;
}
