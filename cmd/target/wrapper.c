/*
 * Programs that execute a launcher or another program: env, time, taskset,
 * valgrind, gdb --args, bash -c and the like.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/text.h"
#include "cmd/cmd.h"
#include "cmd/run_line.h"
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
	{ "numactl", "CNiwPpm", 0, NULL },
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
		"adjustment", "call-graph", "class", "classdata", "count", "cpu", "cpunodebind", "delay", "error", "event", "format",
		"freq", "input", "interleave", "interval-print", "kill-after", "membind", "output", "physcpubind", "preferred",
		"preferred-many", "repeat", "signal", "trace",
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (strcmp(name, names[i]) == 0)
			return true;
	return false;
}

/* The number of words of an option with its value. */
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

/* Variables that decide whether splitpin is active, and as which rank. */
static bool
is_of_importance(const char *assignment)
{
	size_t length = strcspn(assignment, "=");

	return strncmp(assignment, "SPLITPIN", 8) == 0 || strncmp(assignment, "LD_", 3) == 0 || strncmp(assignment, "PATH=", 5) == 0 ||
	       memmem(assignment, length, "RANK", 4) || memmem(assignment, length, "SIZE", 4) || memmem(assignment, length, "LOCALID", 7);
}

/* Whether "splitpin run" begins here, or behind programs that execute it: it reads such variables itself. */
static bool
leads_to_run(char *const command[])
{
	struct target_words words;

	target_unwrap(command, &words);
	bool leads = run_is_begun(words.rest);
	target_release_words(&words);
	return leads;
}

/* Assignments from the n-th word on, up to a command; false: what that has for its environment is not known here. */
static bool
pass_assignments(char *const command[], size_t *n, bool is_important)
{
	for (; command[*n] && strchr(command[*n], '='); ++*n)
		is_important |= is_of_importance(command[*n]);
	return command[*n] && command[*n][0] != '-' && (!is_important || leads_to_run(command + *n));
}

/* The variable that an option of env removes, also where it is the next word; TARGET_EMPTIES for all; NULL: it removes none. */
static const char *
removed_by(char *const option[])
{
	static const char unset[] = "--unset";
	size_t n = sizeof(unset) - 1;

	if (strcmp(option[0], "-") == 0 || strcmp(option[0], "-i") == 0 || strcmp(option[0], "--ignore-environment") == 0)
		return TARGET_EMPTIES;
	if (strcmp(option[0], "-u") == 0 || strcmp(option[0], unset) == 0)
		return option[1];
	return strncmp(option[0], unset, n) == 0 && option[0][n] == '=' ? option[0] + n + 1 :
	       strncmp(option[0], "-u", 2) == 0 ? option[0] + 2 : NULL;
}

/* The number of words of env's option; 0: another word, or an option that is not read here. */
static size_t
words_of_removal(char *const option[])
{
	const char *name = option[0] ? removed_by(option) : NULL;

	return !name ? 0 : name == option[1] ? 2 : 1;
}

/* Options and assignments of env from the first word on, up to the command; 0: as pass_assignments returns false. */
static size_t
words_of_env(char *const command[])
{
	bool is_important = false;
	size_t n = 1, more;

	for (; (more = words_of_removal(command + n)) > 0; n += more) {
		const char *name = removed_by(command + n);

		is_important |= strcmp(name, TARGET_EMPTIES) == 0 || is_of_importance(name) || strcmp(name, "PATH") == 0;
	}
	if (command[n] && strcmp(command[n], "--") == 0)
		n++;
	return pass_assignments(command, &n, is_important) ? n : 0;
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
	size_t n = 1, words = 0;

	while (command[words])
		words++;
	if (strcmp(wrapper->name, "env") == 0)
		return words_of_env(command);
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

static void
give(struct target_words *words, const char *entry)
{
	words->given = cmd_enlarge(words->given, words->ngiven + 1, sizeof(*words->given));
	words->given[words->ngiven++] = cmd_format("%s", entry);
}

/* What the first n words of env's line give to its command. */
static void
give_by_env(struct target_words *words, size_t n)
{
	size_t i = 1, more;

	for (; (more = words_of_removal(words->rest + i)) > 0; i += more)
		give(words, removed_by(words->rest + i));
	for (; i < n; i++)
		if (strchr(words->rest[i], '='))
			give(words, words->rest[i]);
}

/* Continue with what a shell executes; false: that is not known, or there is no shell. */
static bool
enter_shell(struct target_words *words)
{
	char **inner = target_shell_words(words->rest);
	size_t given = 0;

	if (!inner || !pass_assignments(inner, &given, false)) {
		target_release_list(inner);
		return false;
	}
	for (size_t i = 0; i < given; i++)
		give(words, inner[i]);
	target_release_list(words->inner);
	words->inner = inner;
	words->rest = inner + given;
	words->is_in_shell = true;
	return true;
}

void
target_unwrap(char *const command[], struct target_words *words)
{
	const struct wrapper *wrapper;
	size_t more;

	*words = (struct target_words){ .rest = command };
	for (;;) {
		if (enter_shell(words))
			continue;
		wrapper = wrapper_of(words->rest[0]);
		more = wrapper ? words_of(wrapper, words->rest) : 0;
		if (!more)
			return;
		if (strcmp(wrapper->name, "env") == 0)
			give_by_env(words, more);
		words->rest += more;
		if (!words->is_in_shell)
			words->n += more;
	}
}

void
target_export(const struct target_words *words)
{
	for (size_t i = 0; i < words->ngiven; i++) {
		char *entry = words->given[i], *equals = strchr(entry, '=');

		if (strcmp(entry, TARGET_EMPTIES) == 0) {
			environ[0] = NULL;
		} else if (!equals) {
			unsetenv(entry);
		} else {
			*equals = '\0';
			setenv(entry, equals + 1, 1);
			*equals = '=';
		}
	}
}

void
target_release_words(struct target_words *words)
{
	for (size_t i = 0; i < words->ngiven; i++)
		free(words->given[i]);
	free(words->given);
	target_release_list(words->inner);
	*words = (struct target_words){ .n = 0 };
}
