#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/environment.h"
#include "base/pin.h"
#include "base/process.h"
#include "base/text.h"
#include "base/words.h"
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

/* "--cpunodebind=0", "--membind 0": as getopt_long has it, a name may be cut short. */
static bool
long_option_binds(struct sp_words *words, const char *name)
{
	static const char *const with_value[] = { "int", "pref", "memb", "weighted", "cpu", "phys", "le", "off", "sh", "fi" };

	for (size_t i = 0; i < sizeof(with_value) / sizeof(with_value[0]) && !strchr(name, '='); i++)
		if (strncmp(name, with_value[i], strlen(with_value[i])) == 0) {
			sp_words_next(words);
			break;
		}
	return strncmp(name, "cpu", 3) == 0 || strncmp(name, "phys", 4) == 0;
}

/* "-C0", "-aN 0", "-m 0" */
static bool
letters_bind(struct sp_words *words, const char *letter)
{
	for (; *letter != '\0'; letter++)
		if (strchr("CNciwpPmLoMISf", *letter)) {
			if (letter[1] == '\0')
				sp_words_next(words);
			return strchr("CNc", *letter) != NULL;
		}
	return false;
}

/* numactl is as often used for memory alone, which leaves the mask as the launcher has made it. */
static bool
numactl_binds(struct sp_words words)
{
	const char *word;

	while ((word = sp_words_next(&words)) && word[0] == '-' && word[1] != '\0' && strcmp(word, "--") != 0)
		if (word[1] == '-' ? long_option_binds(&words, word + 2) : letters_bind(&words, word + 1))
			return true;
	return false;
}

/* Places behind --membind are for memory, until --cpubind; a word without a colon is then the program. */
static bool
hwloc_binds(struct sp_words words)
{
	bool is_memory = false;
	const char *word;

	while ((word = sp_words_next(&words)) && strcmp(word, "--") != 0) {
		if (strcmp(word, "--membind") == 0)
			is_memory = true;
		else if (strcmp(word, "--cpubind") == 0)
			is_memory = false;
		else if (word[0] != '-' && !is_memory)
			return true;
		else if (word[0] != '-' && !strchr(word, ':'))
			return false;
	}
	return false;
}

static bool
always_binds(struct sp_words words)
{
	(void)words;
	return true;
}

static const struct wrapper {
	const char *name;
	bool (*binds)(struct sp_words words);	/* by the words behind its name */
} wrappers[] = {
	{ "taskset", always_binds },
	{ "numactl", numactl_binds },
	{ "hwloc-bind", hwloc_binds },
	{ "likwid-pin", always_binds },
	{ "dplace", always_binds },
	{ "omplace", always_binds },
};

static const char *
wrapper_of(const struct sp_ancestor *ancestor, bool *is_for_all)
{
	struct sp_words words = { ancestor->arguments, ancestor->arguments + ancestor->length };
	const char *word = sp_words_next(&words), *wrapper = NULL;

	*is_for_all = true;
	while (word && (word = sp_words_next(&words))) {
		*is_for_all &= strcmp(word, ":") != 0;
		for (size_t i = 0; !wrapper && i < sizeof(wrappers) / sizeof(wrappers[0]); i++)
			if (strcmp(sp_last_part(word), wrappers[i].name) == 0 && wrappers[i].binds(words))
				wrapper = wrappers[i].name;
	}
	return wrapper;
}

const char *
sp_asked_of_wrapper(const struct sp_ancestor ancestor[], size_t n, bool *is_for_all)
{
	const char *wrapper = NULL;

	for (size_t i = 0; i < n && !wrapper; i++)
		wrapper = wrapper_of(&ancestor[i], is_for_all);
	return wrapper;
}

bool
sp_asked_below_launcher(pid_t launcher, const struct sp_cpus *inherited)
{
	pid_t parent = getppid();
	struct sp_cpus mask;

	return launcher && parent != launcher && sp_pin_get(parent, &mask) == 0 && !sp_cpus_equal(&mask, inherited);
}
