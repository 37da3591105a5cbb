#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/environment.h"
#include "base/pin.h"
#include "base/starters.h"
#include "base/text.h"
#include "base/words.h"
#include "launcher/known/known.h"
#include "launcher/without.h"
#include "node/asked.h"
#include "process/process.h"
#include "settings/config.h"

bool
sp_asked_is_starter(pid_t pid)
{
	size_t length;
	char *arguments = sp_process_arguments(pid, &length);
	const char *name = arguments ? sp_last_part(arguments) : NULL;
	bool is = !name || sp_starts(name, strlen(name)) & SP_STARTS_WITH_SETTINGS;

	free(arguments);
	return is;
}

bool
sp_asked_to_stay(char *const own_environment[], pid_t pid, char *const environment[])
{
	struct sp_config config;

	sp_config_read(&config, environment, NULL, NULL);
	return !config.on || config.inherited == SP_INHERITED_KEEP ||
	       (sp_is_preloaded(own_environment) && !sp_is_preloaded(environment) && !sp_asked_is_starter(pid));
}

/*
 * numactl's options are read as numactl reads them, with their values, since what
 * is behind the last of them is the program's: "numactl -m 0 ./a -N 4" binds no
 * CPUs.
 */

/* Options such as "--cpunodebind=0", "--membind 0"; getopt_long accepts abbreviated names. */
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

/* Options such as "-C0", "-aN 0", "-m 0". */
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

/* Whether numactl binds to CPUs: it is often used for memory alone, and the mask is then still the launcher's. */
static bool
numactl_binds(struct sp_words words)
{
	const char *word;

	while ((word = sp_words_next(&words)) && word[0] == '-' && word[1] != '\0' && strcmp(word, "--") != 0)
		if (word[1] == '-' ? long_option_binds(&words, word + 2) : letters_bind(&words, word + 1))
			return true;
	return false;
}

/* Places after --membind are for memory, until --cpubind; a word without a colon there is the program. */
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
	bool (*binds)(struct sp_words words);	/* whether it binds, by the words after its name */
} wrappers[] = {
	{ "taskset", always_binds },
	{ "numactl", numactl_binds },
	{ "hwloc-bind", hwloc_binds },
	{ "likwid-pin", always_binds },
	{ "dplace", always_binds },
	{ "omplace", always_binds },
};

/* The binding program that a word names, given the words after it; NULL: none. */
static const char *
wrapper_at(const char *word, struct sp_words words)
{
	for (size_t i = 0; i < sizeof(wrappers) / sizeof(wrappers[0]); i++)
		if (strcmp(sp_last_part(word), wrappers[i].name) == 0 && wrappers[i].binds(words))
			return wrappers[i].name;
	return NULL;
}

static const char *
wrapper_of(struct sp_words words, bool *is_for_all)
{
	const char *word, *wrapper = NULL;

	*is_for_all = true;
	while ((word = sp_words_next(&words))) {
		*is_for_all &= strcmp(word, ":") != 0;
		if (!wrapper)
			wrapper = wrapper_at(word, words);
	}
	return wrapper;
}

/* Search the words after the launcher's name. */
static const char *
wrapper_of_launcher(const struct sp_ancestor *ancestor, bool *is_for_all)
{
	struct sp_words words = { ancestor->arguments, ancestor->arguments + ancestor->length };

	sp_words_next(&words);
	return wrapper_of(words, is_for_all);
}

/* Search the program and its arguments, separated by blanks; of several programs only this rank's. */
static const char *
wrapper_in_variables(const struct sp_launcher_details *launcher, char *const environment[], bool *is_for_all)
{
	const char *program = sp_environment_value(environment, launcher->line.program);
	const char *arguments = sp_environment_value(environment, launcher->line.arguments);
	const char *programs = sp_environment_value(environment, launcher->line.programs), *wrapper = NULL;
	char *line = NULL;

	if (!program || !arguments || asprintf(&line, "%s %s", program, arguments) < 0)
		return NULL;
	const char *end = line + strlen(line) + 1;
	for (char *c = line; *c; c++)
		if (*c == ' ')
			*c = '\0';
	wrapper = wrapper_of((struct sp_words){ line, end }, is_for_all);
	*is_for_all = programs && strcmp(programs, "1") == 0;
	free(line);
	return wrapper;
}

const char *
sp_asked_of_wrapper(bool has_other_nodes, char *const environment[], const struct sp_ancestor ancestor[], size_t n, bool *is_for_all)
{
	const char *wrapper = NULL;

	for (enum sp_launcher i = 0; has_other_nodes && i < SP_LAUNCHERS && !wrapper; i++)
		if (sp_launcher_details[i]->line.program)
			wrapper = wrapper_in_variables(sp_launcher_details[i], environment, is_for_all);
	if (has_other_nodes)
		return wrapper;
	for (size_t i = 0; i < n && !wrapper; i++)
		wrapper = wrapper_of_launcher(&ancestor[i], is_for_all);
	return wrapper;
}

bool
sp_asked_below_launcher(pid_t launcher, const struct sp_cpus *inherited)
{
	pid_t parent = getppid();
	struct sp_cpus mask;

	return launcher && parent != launcher && sp_pin_get(parent, &mask) == 0 && !sp_cpus_equal(&mask, inherited);
}
