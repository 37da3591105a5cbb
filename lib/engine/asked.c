#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/environment.h"
#include "base/pin.h"
#include "base/process.h"
#include "base/text.h"
#include "engine/asked.h"
#include "settings/config.h"

static bool
is_preloaded(char *const environment[])
{
	const char *value = sp_environment_value(environment, "LD_PRELOAD");

	return value && strstr(value, "libsplitpin");
}

/* It starts the rank, with variables that it may set. */
static bool
is_starter(pid_t pid)
{
	static const char *const starters[] = { "env", "sh", "bash", "dash", "ksh", "zsh", "csh", "tcsh", "time", "timeout", "nice", "stdbuf" };
	size_t length;
	char *arguments = sp_process_arguments(pid, &length);
	bool is = !arguments;

	for (size_t i = 0; arguments && i < sizeof(starters) / sizeof(starters[0]); i++)
		is |= strcmp(sp_last_part(arguments), starters[i]) == 0;
	free(arguments);
	return is;
}

bool
sp_asked_to_stay(char *const own_environment[], pid_t pid, char *const environment[])
{
	struct sp_config config;

	sp_config_read(&config, environment, NULL, NULL);
	return !config.on || config.inherited == SP_INHERITED_KEEP ||
	       (is_preloaded(own_environment) && !is_preloaded(environment) && !is_starter(pid));
}

const char *
sp_asked_of_wrapper(const struct sp_ancestor ancestor[], size_t n)
{
	static const char *const wrappers[] = { "taskset", "numactl", "hwloc-bind", "likwid-pin", "dplace", "omplace", NULL };

	for (size_t i = 0; i < n; i++)
		for (size_t at = 0; at < ancestor[i].length; at += strlen(ancestor[i].arguments + at) + 1)
			for (const char *const *wrapper = wrappers; at && *wrapper; wrapper++)
				if (strcmp(sp_last_part(ancestor[i].arguments + at), *wrapper) == 0)
					return *wrapper;
	return NULL;
}

bool
sp_asked_below_launcher(pid_t launcher, const struct sp_cpus *inherited)
{
	pid_t parent = getppid();
	struct sp_cpus mask;

	return launcher && parent != launcher && sp_pin_get(parent, &mask) == 0 && !sp_cpus_equal(&mask, inherited);
}
