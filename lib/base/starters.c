#include "base/starters.h"

#include <string.h>

#define SHELL (SP_STARTS_LINE | SP_STARTS_SCRIPT | SP_STARTS_WITH_SETTINGS)
#define SETTER (SP_STARTS_WITH_SETTINGS | SP_STARTS_ONE)

static const struct {
	char name[11];		/* text, not a pointer, which the loader would relocate in every process */
	unsigned char starts;
} starters[] = {
	{ "sh", SHELL }, { "bash", SHELL }, { "dash", SHELL }, { "ksh", SHELL }, { "zsh", SHELL },
	{ "busybox", SP_STARTS_SCRIPT }, { "csh", SP_STARTS_WITH_SETTINGS }, { "tcsh", SP_STARTS_WITH_SETTINGS },
	{ "env", SETTER }, { "nice", SETTER }, { "stdbuf", SETTER }, { "time", SETTER }, { "timeout", SETTER },
	{ "chrt", SP_STARTS_ONE }, { "gdb", SP_STARTS_ONE }, { "ionice", SP_STARTS_ONE }, { "ltrace", SP_STARTS_ONE },
	{ "nohup", SP_STARTS_ONE }, { "numactl", SP_STARTS_ONE }, { "perf", SP_STARTS_ONE }, { "setpriv", SP_STARTS_ONE },
	{ "setsid", SP_STARTS_ONE }, { "splitpin", SP_STARTS_ONE }, { "strace", SP_STARTS_ONE }, { "sudo", SP_STARTS_ONE },
	{ "taskset", SP_STARTS_ONE }, { "unshare", SP_STARTS_ONE },
};

unsigned
sp_starts(const char *name, size_t length)
{
	for (size_t i = 0; i < sizeof(starters) / sizeof(starters[0]); i++)
		if (strlen(starters[i].name) == length && strncmp(name, starters[i].name, length) == 0)
			return starters[i].starts;
	return 0;
}
