#include "cmd/check/torchrun.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "cmd/cmd.h"

/* Its options without a value; each other takes one. */
static const char *const flags[] = { "help", "module", "no-python", "run-path", "standalone", "virtual-local-rank" };

bool
check_is_torchrun(const struct target *target)
{
	return target->word && target->launcher == TARGET_NO_LAUNCHER && strcmp(sp_last_part(target->word), "torchrun") == 0;
}

/* Whether a word is this option, as argparse reads it: abbreviated, and torchrun's with '-' or '_' inside. */
static bool
is_option(const char *word, const char *name)
{
	if (strncmp(word, "--", 2) != 0 || !word[2])
		return false;
	for (word += 2; *word && *name && (*word == *name || (*word == '_' && *name == '-')); word++, name++)
		;
	return !*word;
}

static bool
takes_next_word(const char *word)
{
	if (word[1] != '-')
		return word[1] && strchr("rt", word[1]) && !word[2];
	for (size_t i = 0; i < sizeof(flags) / sizeof(flags[0]); i++)
		if (is_option(word, flags[i]))
			return false;
	return !strchr(word, '=');
}

/* What it executes: Python with the program or the module, or the program itself. */
struct started {
	bool is_module, is_program;
};

/* The Python that it executes: torchrun's own, unless that is hidden in a site's script. */
static const char *
python_of(const struct target *target)
{
	const char *named = getenv("PYTHON_EXEC");

	if (named)
		return named;
	return target->path && strncmp(sp_last_part(target->path), "python", 6) == 0 ? target->path : "python3";
}

/* The word of its program, or that of the end. */
static size_t
find_program(char *const command[], size_t at, struct started *started)
{
	for (; command[at] && command[at][0] == '-'; at++) {
		const char *word = command[at];

		if (strcmp(word, "--") == 0)
			return at + 1;
		started->is_module |= strcmp(word, "-m") == 0 || is_option(word, "module");
		started->is_program |= is_option(word, "no-python");
		at += takes_next_word(word) && command[at + 1];
	}
	return at;
}

char **
check_torchrun_with_probe(const struct target *target, char *const command[], const char *self)
{
	struct started started = { false, false };
	size_t words = 0, n = 0, first = target->wrappers + 1, program = find_program(command, first, &started);

	while (command[words])
		words++;
	char **line = cmd_allocate(words + 8, sizeof(*line));
	for (size_t i = 0; i < program; i++)
		if (i < first || (strcmp(command[i], "-m") != 0 && !is_option(command[i], "module")))
			line[n++] = cmd_format("%s", command[i]);
	const char *const probe[] = {
		started.is_program ? NULL : "--no_python", self, "probe", "--", started.is_program ? NULL : python_of(target),
		started.is_module ? "-m" : NULL,
	};
	for (size_t i = 0; i < sizeof(probe) / sizeof(probe[0]); i++)
		if (probe[i])
			line[n++] = cmd_format("%s", probe[i]);
	for (size_t i = program; i < words; i++)
		line[n++] = cmd_format("%s", command[i]);
	line[n] = NULL;
	return line;
}
