#include "cmd/check/torchrun.h"

#include <stdlib.h>
#include <string.h>

#include "base/environment.h"
#include "base/text.h"
#include "cmd/cmd.h"

/* Its options without a value; each other takes one. */
static const char *const flags[] = { "help", "module", "no-python", "run-path", "standalone", "virtual-local-rank" };

size_t
check_torchrun_words(const struct target *target, char *const command[])
{
	size_t n = target->wrappers;

	if (!target->word || target->launcher != TARGET_NO_LAUNCHER || target->is_in_shell)
		return 0;
	if (strcmp(sp_last_part(command[n]), "torchrun") == 0)
		return n + 1;
	if (strncmp(sp_last_part(command[n++]), "python", 6) != 0)
		return 0;
	n += command[n] && strcmp(command[n], "-u") == 0;
	return command[n] && strcmp(command[n], "-m") == 0 && command[n + 1] && strcmp(command[n + 1], "torch.distributed.run") == 0 ? n + 2 : 0;
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

/* "1:1", as a number of nodes, is one. */
static bool
is_one(const char *nodes)
{
	return strcmp(nodes, "1") == 0 || strcmp(nodes, "1:1") == 0;
}

bool
check_torchrun_waits(char *const command[], size_t first)
{
	struct started started = { false, false };
	size_t program = find_program(command, first, &started);

	for (size_t i = first; i < program; i++) {
		const char *word = command[i], *value = strchr(word, '=');

		if (strncmp(word, "--nnodes", 8) == 0 && (value || command[i + 1]) && !is_one(value ? value + 1 : command[i + 1]))
			return true;
	}
	return false;
}

char **
check_torchrun_with_probe(const struct target *target, char *const command[], size_t first, const char *self)
{
	struct started started = { false, false };
	size_t words = sp_strings_count(command), n = 0, program = find_program(command, first, &started);
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
