/* What words of a command change of the environment. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/environment.h"
#include "cmd/cmd.h"
#include "cmd/target/target.h"

void
target_words_add(struct target_words *words, const char *entry)
{
	words->given = cmd_enlarge(words->given, words->ngiven + 1, sizeof(*words->given));
	words->given[words->ngiven++] = cmd_format("%s", entry);
}

void
target_pass_assignments(struct target_words *words, char *const **at)
{
	for (; **at && strchr(**at, '='); ++*at)
		target_words_add(words, **at);
}

char **
target_take_given(struct target_words *words)
{
	char **given = cmd_enlarge(words->given, words->ngiven + 1, sizeof(*given));

	given[words->ngiven] = NULL;
	words->given = NULL;
	words->ngiven = 0;
	return given;
}

const char *
target_given(char *const given[], const char *name)
{
	const char *value = NULL;
	size_t n = strlen(name);

	for (; given && *given; given++) {
		if (strcmp(*given, TARGET_EMPTIES) == 0 || strcmp(*given, name) == 0)
			value = "";
		else if (strncmp(*given, name, n) == 0 && given[0][n] == '=')
			value = *given + n + 1;
	}
	return value;
}

char **
target_put(char **environment, char *entry)
{
	size_t length = strcspn(entry, "="), n = 0;

	for (; environment[n]; n++) {
		if (strncmp(environment[n], entry, length) == 0 && environment[n][length] == '=') {
			free(environment[n]);
			environment[n] = entry;
			return environment;
		}
	}
	environment = cmd_enlarge(environment, n + 2, sizeof(*environment));
	environment[n] = entry;
	environment[n + 1] = NULL;
	return environment;
}

char **
target_copy(char *const environment[])
{
	size_t n = sp_strings_count(environment);
	char **copy = cmd_allocate(n + 1, sizeof(*copy));

	for (size_t i = 0; i < n; i++)
		copy[i] = cmd_format("%s", environment[i]);
	return copy;
}

/* A variable, or all of them: TARGET_EMPTIES. */
static void
take_away(char **environment, const char *name)
{
	size_t length = strlen(name), kept = 0;

	for (size_t n = 0; environment[n]; n++) {
		if (strcmp(name, TARGET_EMPTIES) == 0 || (strncmp(environment[n], name, length) == 0 && environment[n][length] == '='))
			free(environment[n]);
		else
			environment[kept++] = environment[n];
	}
	environment[kept] = NULL;
}

char **
target_change(char **environment, char *const given[])
{
	for (; given && *given; given++) {
		if (strchr(*given, '='))
			environment = target_put(environment, cmd_format("%s", *given));
		else
			take_away(environment, *given);
	}
	return environment;
}

char **
target_environment(const struct target *target)
{
	return target_change(target_copy(environ), target->given);
}

void
target_export(const struct target_words *words)
{
	for (size_t i = 0; i < words->ngiven; i++) {
		const char *entry = words->given[i];

		if (strcmp(entry, TARGET_EMPTIES) == 0)
			environ[0] = NULL;
		else if (strchr(entry, '='))
			cmd_export(entry);
		else
			unsetenv(entry);
	}
}
