/* splitpin run: settings and library into the environment, then the command. */
#include "cmd/commands.h"
#include "cmd/run.h"

#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd/cmd.h"
#include "cmd/library.h"
#include "cmd/setting_options.h"
#include "cmd/target/target.h"
#include "engine.h"
#include "launcher/launcher.h"
#include "base/ascii.h"
#include "base/text.h"

/*
 * Become the lone rank: this process, which then executes the program, has its
 * cores from now on, whether the library can be loaded into that or not.  What
 * fails, the engine warns of.
 */
static void
become_alone(void)
{
	char *self = cmd_format("%d", (int)getpid());
	struct sp_rank rank;

	setenv(RUN_LOCAL_RANK, RUN_ALONE, 0);
	setenv(SP_RUN, self, 1);
	free(self);
	if (sp_launcher_rank(environ, &rank) != 0)
		return;
	char *library = cmd_find_library(), *problem = NULL;
	const struct sp_engine *engine = cmd_open_engine(library, &problem);
	if (engine)
		engine->settle(&rank, SP_BY_START, environ);
	else
		cmd_complain("%s; the program is not bound", problem);
	free(problem);
	free(library);
}

/* What stands in front of the launcher or program may take the library away again. */
static char *
why_taken(const struct target *target)
{
	const char *preload = target_given(target->given, "LD_PRELOAD");
	bool is_taken = preload && !cmd_names_library(preload) && !target->by_run;

	return is_taken ? cmd_format("the command %s LD_PRELOAD", *preload ? "replaces" : "removes") : NULL;
}

char *
run_why_nothing(const struct run_request *request, const struct target *target)
{
	struct sp_rank rank;
	struct target_job job;
	char *program = target->path ? realpath(target->path, NULL) : NULL;
	struct sp_settings settings;

	target_read_job(target, &job);
	bool is_rank = sp_launcher_rank(job.environment, &rank) != -ENOENT;
	sp_settings_read(&settings, job.environment, program, NULL, NULL);
	char *why = cmd_why_off(&settings);
	sp_settings_release(&settings);
	target_release_job(&job);
	free(program);
	if (!why)
		why = why_taken(target);
	if (!why && !request->alone)
		why = target_first_obstacle(target);
	if (!why && target->launcher == TARGET_NO_LAUNCHER && !is_rank && !request->alone && target_is_parallel(target) && request->not_alone)
		why = cmd_format("%s has no launcher, and --alone is off", target->word);
	return why;
}

void
run_be_alone(const struct run_request *request, const struct target *target)
{
	struct sp_rank rank;
	char **environment = target_environment(target);

	if (!request->not_alone && target->launcher == TARGET_NO_LAUNCHER && target_is_parallel(target) &&
	    sp_launcher_rank(environment, &rank) == -ENOENT)
		setenv(RUN_LOCAL_RANK, RUN_ALONE, 0);
	target_release_list(environment);
}

static void
tell(const struct run_request *request, const struct target *target)
{
	struct sp_omp_env omp_env;

	sp_omp_env_read(&omp_env, environ);
	cmd_settings_tell_team(&omp_env);
	char *why = target ? run_why_nothing(request, target) : NULL;
	if (why)
		cmd_complain("nothing will be pinned: %s", why);
	free(why);
}

/* Pass --alone off on to an inner "splitpin run"; its own options come later, so they count. */
static char **
tell_inner(const struct run_request *request, const struct target *target, char *command[])
{
	char *off[] = { "--alone=off", NULL };

	if (!request->not_alone || target->launcher != TARGET_NO_LAUNCHER || !target->by_run || target->is_in_shell)
		return command;
	return cmd_insert_words(command, target->wrappers + 2, off);
}

/*
 * Warn about the command, in a job only as its first rank; what an inner "splitpin
 * run" starts, that one warns about, by its own settings.  Returns the command to start.
 */
static char **
look_at(const struct run_request *request, char *command[])
{
	struct sp_rank rank = { .local_rank = 0 };
	struct target target;

	sp_launcher_rank(environ, &rank);
	if (rank.local_rank > 0)
		return command;
	int error = target_find(&target, command);
	if (!error)
		run_be_alone(request, &target);
	if (error || !target.by_run || target.by_run < target.parts)
		tell(request, error || request->check ? NULL : &target);
	if (!error)
		command = target_hand_on(&target, tell_inner(request, &target, command));
	target_release(&target);
	return command;
}

int
run_start(char *const command[])
{
	execvp(command[0], command);

	int error = errno;

	if (error == ENOENT)
		cmd_complain("%s: no such program%s", command[0], target_hint(command[0]));
	else
		cmd_complain("%s: %s", command[0], strerror(error));
	return error == ENOENT ? CMD_NOT_FOUND : CMD_CANNOT_RUN;
}

/* What a dry run decides shows only in what is printed. */
static void
show_dry_run(const struct run_request *request)
{
	const char *dry_run = getenv("SPLITPIN_DRYRUN");

	if (!request->check && dry_run && *dry_run && strcmp(dry_run, "0") != 0 && !getenv("SPLITPIN_DEBUG"))
		setenv("SPLITPIN_REPORT", "1", 0);
}

int
run_prepare(const struct run_request *request)
{
	int status = cmd_preload();

	const char *before = getenv(RUN_LOCAL_RANK);

	if (status)
		return status;
	cmd_settings_export(&request->settings);
	show_dry_run(request);
	setenv(SP_RUN, SP_RUN_RANKS, 1);
	if (request->alone && request->check)
		setenv(RUN_LOCAL_RANK, RUN_ALONE, 0);
	else if (request->alone)
		become_alone();
	else if (request->not_alone && before && sp_ascii_is(before, RUN_ALONE))
		unsetenv(RUN_LOCAL_RANK);
	return 0;
}

int
run_self(char *const words[], char *const command[])
{
	char **line = cmd_insert_words(command, 0, words);

	execv("/proc/self/exe", line);
	cmd_complain("/proc/self/exe: %s", strerror(errno));
	free(line);
	return CMD_CANNOT_RUN;
}

int
cmd_run(int argc, char *argv[])
{
	struct run_request request = { .alone = false };
	char **command = NULL;

	int status = run_parse(argc, argv, &request);

	if (status < 0) {
		status = cmd_print_help(&run_usage);
	} else if (status == 0) {
		char **rest = argv + optind;

		status = run_prepare(&request);
		if (!status)
			command = look_at(&request, rest);
	}
	cmd_settings_release(&request.settings);
	if (!command)
		return status;
	/* From a process that has what "splitpin run" gives to the command. */
	char *const check[] = { "splitpin", "check", "--format", request.check_as_json ? "json" : "text", "--", NULL };
	return request.check ? run_self(check, command) : run_start(command);
}
