/*
 * Programs that execute a launcher or another program: env, time, taskset,
 * valgrind, gdb --args, bash -c and the like.
 */
#include <stdlib.h>
#include <string.h>

#include "base/environment.h"
#include "base/text.h"
#include "cmd/cmd.h"
#include "cmd/target/target.h"

static const struct wrapper {
	const char *name;
	const char *letters;	/* options of one letter that take a value */
	size_t operands;	/* words between its options and the program */
	const char *begin;	/* the words of which one must precede these options; NULL: none */
} wrappers[] = {
	{ "chrt", "TPD", 1, NULL },
	{ "cuda-gdb", "", 0, "--args" },
	{ "env", "", 0, NULL },
	{ "gdb", "", 0, "--args" },
	{ "ionice", "cn", 0, NULL },
	{ "ltrace", "aAeDFlnopsuwx", 0, NULL },
	{ "nice", "n", 0, NULL },
	{ "nohup", "", 0, NULL },
	{ "nsys", "bcdefostwxy", 0, "profile launch" },
	{ "numactl", "CNciwPpm", 0, NULL },
	{ "perf", "CDeFGIcjmoprtux", 0, "stat record trace" },
	{ "setsid", "", 0, NULL },
	{ "stdbuf", "ioe", 0, NULL },
	{ "strace", "abeEoOPsSuIUX", 0, NULL },
	{ "taskset", "", 1, NULL },
	{ "time", "fo", 0, NULL },
	{ "timeout", "ks", 1, NULL },
	{ "valgrind", "", 0, NULL },
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
		"adjustment", "call-graph", "class", "classdata", "count", "cpu", "delay", "error", "event", "format", "freq", "input",
		"interval-print", "kill-after", "output", "repeat", "signal", "trace",
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (strcmp(name, names[i]) == 0)
			return true;
	return false;
}

/* The same of numactl, in any abbreviation that it accepts. */
static bool
takes_next_word_of_numactl(const char *name)
{
	static const char *const begins[] = { "cpu", "int", "memb", "phys", "pref", "weighted" };

	for (size_t i = 0; i < sizeof(begins) / sizeof(begins[0]); i++)
		if (strncmp(name, begins[i], strlen(begins[i])) == 0)
			return !strchr(name, '=');
	return false;
}

/* Whether the value of such an option is the next word; none of taskset's has one, whose --cpu is --cpu-list. */
static bool
takes_value(const struct wrapper *wrapper, const char *name)
{
	if (strcmp(wrapper->name, "taskset") == 0)
		return false;
	return strcmp(wrapper->name, "numactl") == 0 ? takes_next_word_of_numactl(name) : takes_next_word(name);
}

/* The number of words of an option with its value. */
static size_t
option_words(const struct wrapper *wrapper, const char *option)
{
	if (option[1] == '-')
		return takes_value(wrapper, option + 2) ? 2 : 1;
	for (const char *letter = option + 1; *letter != '\0'; letter++)
		if (strchr(wrapper->letters, *letter))
			return letter[1] == '\0' ? 2 : 1;
	return 1;
}

/* "stat" of "stat record trace"; a debugger's may follow other options, and have one dash. */
static size_t
word_that_begins(const struct wrapper *wrapper, char *const command[])
{
	size_t last = wrapper->begin[0] == '-' ? SIZE_MAX : 1;

	for (size_t n = 1; n <= last && command[n]; n++) {
		const char *word = command[n];

		if (wrapper->begin[0] == '-' && strcmp(word, "-args") == 0)
			return n;
		for (const char *at = wrapper->begin; *at; at += strcspn(at, " "), at += *at == ' ')
			if (strcspn(at, " ") == strlen(word) && strncmp(at, word, strlen(word)) == 0)
				return n;
	}
	return 0;
}

/* 0: it executes nothing. */
static size_t
words_of(const struct wrapper *wrapper, char *const command[])
{
	size_t n = 1, words = sp_strings_count(command);

	if (wrapper->begin) {
		n = word_that_begins(wrapper, command);
		if (n++ == 0)
			return 0;
	}
	while (n < words && command[n][0] == '-' && command[n][1] != '\0') {
		bool is_last = strcmp(command[n], "--") == 0;

		n += is_last ? 1 : option_words(wrapper, command[n]);
		if (is_last)
			break;
	}
	n += wrapper->operands;
	return n < words ? n : 0;
}

/* Continue with what a shell executes; false: that is not known, or there is no shell. */
static bool
enter_shell(struct target_words *words)
{
	size_t variables;
	char **inner = target_shell_words(words->rest, &variables);

	if (!inner)
		return false;
	for (size_t i = 0; i < variables; i++)
		target_words_add(words, inner[i]);
	target_release_list(words->inner);
	words->inner = inner;
	words->rest = inner + variables;
	words->is_in_shell = true;
	return true;
}

static const char *
binder(const struct wrapper *wrapper, const char *before)
{
	return strcmp(wrapper->name, "taskset") == 0 || strcmp(wrapper->name, "numactl") == 0 ? wrapper->name : before;
}

/* Continue behind a wrapper; false: it executes nothing. */
static bool
pass(struct target_words *words)
{
	const struct wrapper *wrapper = wrapper_of(words->rest[0]);

	if (wrapper && strcmp(wrapper->name, "env") == 0)
		return target_pass_env(words);
	size_t more = wrapper ? words_of(wrapper, words->rest) : 0;
	if (more)
		words->binder = binder(wrapper, words->binder);
	words->rest += more;
	if (!words->is_in_shell)
		words->n += more;
	return more > 0;
}

void
target_unwrap(char *const command[], struct target_words *words)
{
	*words = (struct target_words){ .rest = command };
	while (enter_shell(words) || pass(words))
		;
}

void
target_release_words(struct target_words *words)
{
	for (size_t i = 0; i < words->ngiven; i++)
		free(words->given[i]);
	free(words->given);
	free(words->folder);
	target_release_list(words->inner);
	*words = (struct target_words){ .n = 0 };
}
