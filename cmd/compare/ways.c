#include "cmd/compare/ways.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/pin.h"
#include "cmd/cmd.h"
#include "cmd/library.h"

#define REPORT "SPLITPIN_REPORT"

/* The texts are not copied: setenv makes new ones and leaves the old. */
static char **
environment_now(void)
{
	return cmd_insert_words(environ, 0, NULL);
}

/* LD_PRELOAD without the entries that name the library. */
static void
strip_preload(void)
{
	char *rest = NULL, *list = cmd_format("%s", getenv("LD_PRELOAD") ? getenv("LD_PRELOAD") : ""), *left = cmd_format("%s", "");

	for (char *entry = strtok_r(list, ": \t\n", &rest); entry; entry = strtok_r(NULL, ": \t\n", &rest))
		if (!cmd_names_library(entry))
			left = cmd_append(left, ":", "%s", entry);
	if (*left)
		setenv("LD_PRELOAD", left, 1);
	else
		unsetenv("LD_PRELOAD");
	free(list);
	free(left);
}

/* Why the two would not differ, the caller's; NULL: they may. */
static char *
why_the_same(const struct run_request *request, const struct target *target, char *const command[])
{
	if (target->by_run)
		return cmd_format("the command itself starts its program by splitpin run: omit that");
	for (; target->launcher != TARGET_NO_LAUNCHER && *command; command++)
		if (cmd_names_library(*command))
			return cmd_format("the command itself names the library (%s): omit that", *command);
	return run_why_nothing(request, target);
}

/* The process is on the cores of a lone rank only as long as the environment is made. */
static int
prepare(struct ways *ways, const struct run_request *request)
{
	struct sp_cpus before;
	bool is_known = sp_pin_get(0, &before) == 0;
	int status = run_prepare(request);

	if (status || !request->alone)
		return status;
	ways->has_mask = is_known && sp_pin_get(0, &ways->mask) == 0;
	if (is_known)
		sp_pin_set(0, &before);
	return 0;
}

/* A library that the loader's own file names is in every process: it is switched off. */
static void
set_without(struct ways *ways, bool is_by_file)
{
	const char *value = getenv("SPLITPIN");
	char *before = value ? cmd_format("%s", value) : NULL;

	strip_preload();
	if (is_by_file)
		setenv("SPLITPIN", "off", 1);
	ways->environment[COMPARE_WITHOUT] = environment_now();
	if (is_by_file && before)
		setenv("SPLITPIN", before, 1);
	else if (is_by_file)
		unsetenv("SPLITPIN");
	free(before);
}

/* A report in a run's output shows what each node has; what the user has asked for is left as it is. */
static bool
may_report(void)
{
	return !getenv(REPORT) && !getenv("SPLITPIN_DEBUG") && !getenv("SPLITPIN_LOG");
}

static void
set_commands(struct ways *ways, const struct cmd_settings *settings, const struct target *target, char *const command[],
	     bool is_by_file, bool reports)
{
	/* It passes variables on to other nodes only if -x names them. */
	bool is_told = target->launcher == TARGET_OPENMPI && !target->is_in_shell;
	char **entry = cmd_allocate(settings->n + 3, sizeof(*entry));

	entry[0] = is_told && is_by_file ? "SPLITPIN" : NULL;
	ways->command[COMPARE_WITHOUT] = target_give(target, command, entry);
	entry[0] = is_told ? "LD_PRELOAD" : NULL;
	for (size_t i = 0; i < settings->n; i++)
		entry[i + 1] = settings->entry[i];
	entry[settings->n + 1] = reports ? REPORT : NULL;
	ways->command[COMPARE_WITH] = target_give(target, command, entry);
	free(entry);
}

static int
find(struct ways *ways, const struct run_request *request, const struct target *target, char *const command[])
{
	char *loaded = cmd_loaded_library();
	bool is_by_file = loaded && !cmd_names_library(getenv("LD_PRELOAD"));

	free(loaded);
	ways->is_lone = target->launcher == TARGET_NO_LAUNCHER;
	if (target->launcher == TARGET_SRUN)
		ways->cpu_unknown = "srun's ranks are children of Slurm's daemon";
	set_without(ways, is_by_file);
	int status = prepare(ways, request);
	if (status)
		return status;
	run_be_alone(request, target);
	bool reports = may_report();
	if (reports)
		setenv(REPORT, "1", 1);
	ways->is_to_report = reports && !request->alone;
	set_commands(ways, &request->settings, target, command, is_by_file, reports);
	ways->environment[COMPARE_WITH] = environment_now();
	char *why = why_the_same(request, target, command);
	if (why) {
		cmd_complain("nothing to compare: %s", why);
		status = CMD_USAGE;
	}
	free(why);
	return status;
}

int
ways_find(struct ways *ways, const struct run_request *request, char *const command[])
{
	struct target target;
	int error = target_find(&target, command), status = 0;

	*ways = (struct ways){ .has_mask = false };
	if (error) {
		cmd_complain("%s: %s%s", target.word, target_problem(error), error == -ENOENT ? target_hint(target.word) : "");
		status = error == -ENOENT ? CMD_NOT_FOUND : CMD_CANNOT_RUN;
	} else {
		status = find(ways, request, &target, command);
	}
	target_release(&target);
	return status;
}

void
ways_set(const struct ways *ways, enum compare_way way, struct job *job)
{
	job->command = ways->command[way];
	job->environment = ways->environment[way];
	job->mask = way == COMPARE_WITH && ways->has_mask ? &ways->mask : NULL;
}

void
ways_release(struct ways *ways)
{
	for (enum compare_way way = 0; way < COMPARE_WAYS; way++) {
		target_release_list(ways->command[way]);
		free(ways->environment[way]);
	}
	*ways = (struct ways){ .has_mask = false };
}
