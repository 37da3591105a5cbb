/* One process: which launcher it is, if any. */
#include <stdlib.h>
#include <string.h>

#include "base/pin.h"
#include "base/starters.h"
#include "base/text.h"
#include "launcher/ancestors.h"
#include "launcher/known/known.h"
#include "process/process.h"

/* Without its folder, and without what follows a '.', a ':' or a blank: mpirun.openmpi, "slurmstepd: [1.0]". */
static bool
is_called(const char *argument, const char *name)
{
	size_t length = strlen(name);

	argument = sp_last_part(argument);
	return strncmp(argument, name, length) == 0 && strchr(".: ", argument[length]);
}

static const struct sp_launcher_process *
launcher_called(const char *argument)
{
	for (enum sp_launcher i = 0; i < SP_LAUNCHERS; i++)
		for (const struct sp_launcher_process *its = sp_launcher_details[i]->processes; its && its->name; its++)
			if (is_called(argument, its->name))
				return its;
	return NULL;
}

static bool
is_shell(const char *argument)
{
	argument = sp_last_part(argument);
	return sp_starts(argument, strcspn(argument, ".: ")) & SP_STARTS_SCRIPT;
}

static const struct sp_launcher_process *
find_process(const char *arguments, size_t length)
{
	if (length == 0 || arguments[length - 1] != '\0')
		return NULL;
	size_t first = strlen(arguments) + 1;

	if (is_shell(arguments) && first < length)
		return launcher_called(arguments + first);
	return launcher_called(arguments);
}

const char *
sp_ancestors_name(const char *arguments, size_t length)
{
	const struct sp_launcher_process *process = find_process(arguments, length);

	return process ? process->name : NULL;
}

bool
sp_ancestor_is_command(const struct sp_ancestor *ancestor)
{
	const struct sp_launcher_process *process = find_process(ancestor->arguments, ancestor->length);

	return process && process->is == SP_IS_COMMAND;
}

bool
sp_ancestor_is_daemon(const struct sp_ancestor *ancestor)
{
	const struct sp_launcher_process *process = find_process(ancestor->arguments, ancestor->length);

	return process && process->is == SP_IS_DAEMON;
}

const char *
sp_ancestors_line(const struct sp_ancestor *ancestor, size_t *length)
{
	size_t shell = is_shell(ancestor->arguments) ? strlen(ancestor->arguments) + 1 : 0;

	if (shell >= ancestor->length)
		shell = 0;
	*length = ancestor->length - shell;
	return ancestor->arguments + shell;
}

bool
sp_ancestors_is_launcher(pid_t pid)
{
	size_t length;
	char *arguments = sp_process_arguments(pid, &length);
	bool is = arguments && sp_ancestors_name(arguments, length);

	free(arguments);
	return is;
}

bool
sp_ancestor_read(pid_t pid, struct sp_ancestor *ancestor)
{
	size_t length;
	char *arguments = sp_process_arguments(pid, &length);

	if (!arguments || !sp_ancestors_name(arguments, length)) {
		free(arguments);
		return false;
	}
	*ancestor = (struct sp_ancestor){
		.pid = pid,
		.arguments = arguments,
		.length = length,
		.environment = sp_process_environment(pid),
	};
	sp_pin_get(pid, &ancestor->mask);
	return true;
}

bool
sp_ancestor_is_like(const struct sp_ancestor *ancestor, pid_t pid)
{
	size_t length;
	char *arguments = sp_process_arguments(pid, &length);
	bool is_like = arguments && length == ancestor->length && memcmp(arguments, ancestor->arguments, length) == 0;

	free(arguments);
	return is_like;
}

void
sp_ancestors_release(struct sp_ancestor ancestor[], size_t n)
{
	for (size_t i = 0; i < n; i++) {
		free((void *)ancestor[i].arguments);
		free((void *)ancestor[i].environment);
		ancestor[i].arguments = NULL;
		ancestor[i].environment = NULL;
	}
}
