/*
 * What stands before a launcher or a program and executes it: env, time,
 * taskset and the like.
 */
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "cmd/cmd.h"
#include "cmd/target/target.h"

static const struct wrapper {
	const char *name;
	const char *letters;	/* options of one letter that take a value */
	size_t operands;	/* words between its options and the program */
} wrappers[] = {
	{ "env", "", 0 },
	{ "ionice", "cn", 0 },
	{ "nice", "n", 0 },
	{ "nohup", "", 0 },
	{ "numactl", "CNiwPpm", 0 },
	{ "setsid", "", 0 },
	{ "stdbuf", "ioe", 0 },
	{ "strace", "abeEoOPsSuIUX", 0 },
	{ "taskset", "", 1 },
	{ "time", "fo", 0 },
	{ "timeout", "ks", 1 },
};

static const struct wrapper *
wrapper_of(const char *word)
{
	char *found = NULL;

	for (size_t i = 0; i < sizeof(wrappers) / sizeof(wrappers[0]); i++) {
		if (strcmp(sp_last_part(word), wrappers[i].name) != 0)
			continue;
		found = cmd_look_up(word);
		free(found);
		return found ? &wrappers[i] : NULL;
	}
	return NULL;
}

/* Long options of these programs whose value may be the next word. */
static bool
takes_next_word(const char *name)
{
	static const char *const names[] = {
		"adjustment", "class", "classdata", "cpunodebind", "error", "format", "input", "interleave", "kill-after",
		"membind", "output", "physcpubind", "preferred", "preferred-many", "signal",
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (strcmp(name, names[i]) == 0)
			return true;
	return false;
}

/* How many words an option is. */
static size_t
option_words(const struct wrapper *wrapper, const char *option)
{
	if (option[1] == '-')
		return takes_next_word(option + 2) ? 2 : 1;
	for (const char *letter = option + 1; *letter != '\0'; letter++)
		if (strchr(wrapper->letters, *letter))
			return letter[1] == '\0' ? 2 : 1;
	return 1;
}

/* Variables that say whether, and as which rank, splitpin acts. */
static bool
is_of_importance(const char *assignment)
{
	size_t length = strcspn(assignment, "=");

	return strncmp(assignment, "SPLITPIN", 8) == 0 || strncmp(assignment, "LD_", 3) == 0 || strncmp(assignment, "PATH=", 5) == 0 ||
	       memmem(assignment, length, "RANK", 4) || memmem(assignment, length, "SIZE", 4) || memmem(assignment, length, "LOCALID", 7);
}

/* 0: what it leaves of the environment is not known here. */
static size_t
words_of_env(char *const command[])
{
	size_t n = 1;

	while (command[n] && strchr(command[n], '=') && !is_of_importance(command[n]))
		n++;
	return command[n] && command[n][0] != '-' && !strchr(command[n], '=') ? n : 0;
}

/* 0: it executes nothing. */
static size_t
words_of(const struct wrapper *wrapper, char *const command[])
{
	size_t n = 1, words = 0;

	while (command[words])
		words++;
	if (strcmp(wrapper->name, "env") == 0)
		return words_of_env(command);
	while (n < words && command[n][0] == '-' && command[n][1] != '\0') {
		bool is_last = strcmp(command[n], "--") == 0;

		n += is_last ? 1 : option_words(wrapper, command[n]);
		if (is_last)
			break;
	}
	n += wrapper->operands;
	return n < words ? n : 0;
}

size_t
target_wrapper_words(char *const command[])
{
	const struct wrapper *wrapper;
	size_t n = 0, more;

	while ((wrapper = wrapper_of(command[n])) && (more = words_of(wrapper, command + n)))
		n += more;
	return n;
}
