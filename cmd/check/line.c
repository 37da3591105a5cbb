#include "cmd/check/line.h"

#include <stdlib.h>
#include <string.h>

#include "cmd/check/torchrun.h"
#include "cmd/cmd.h"
#include "cmd/run_line.h"
#include "launcher/launch_line.h"

/* Whether a word is a program with MPI or OpenMP, and nothing that only names one (an input file). */
static bool
is_parallel_program(char *word)
{
	char *const command[] = { word, NULL };
	struct target target = { 0 };
	bool is = strchr(word, '/') && target_find(&target, command) == 0 && !target.is_script && target_is_parallel(&target);

	target_release(&target);
	return is;
}

static bool
is_script(char *word)
{
	char *const command[] = { word, NULL };
	struct target target = { 0 };
	bool is = target_find(&target, command) == 0 && target.is_script;

	target_release(&target);
	return is;
}

/* How many of these words stand in front of the program. */
static size_t
words_in_front(char *const words[])
{
	struct target_words unwrapped;
	struct cmd_settings settings = { 0 };
	size_t n;

	target_unwrap(words, &unwrapped);
	n = unwrapped.n;
	bool is_in_shell = unwrapped.is_in_shell;
	target_release_words(&unwrapped);
	char *const *started = is_in_shell ? NULL : run_command_of(words + n, &settings);
	cmd_settings_release(&settings);
	if (started)
		return (size_t)(started - words) + words_in_front(started);
	if (!is_in_shell && is_script(words[n]))
		for (size_t i = n + 1; words[i]; i++)
			if (is_parallel_program(words[i]))
				return i;
	return n;
}

/* The words from one on up to the ':' that ends a part of a launcher's line; not copied, the array is the caller's. */
static char **
part_at(char *const word[])
{
	size_t n = 0;

	while (word[n] && strcmp(word[n], ":") != 0)
		n++;
	char **part = cmd_allocate(n + 1, sizeof(*part));
	memcpy(part, word, n * sizeof(*part));
	part[n] = NULL;
	return part;
}

/* Mark the first word of each program of a launcher's line; the words of its arguments are those of the command behind the wrappers. */
static void
mark_programs(const struct target *target, bool is_program[])
{
	struct sp_launch launch = { .syntax = target_syntax(target->launcher), .is_x_shared = !target->is_by_part,
				    .arguments = target->arguments, .length = target->length };
	struct sp_part_of_launch part;

	while (sp_launch_next(&launch, &part, NULL, NULL)) {
		size_t n = target->wrappers;

		for (const char *at = target->arguments; at < part.program.at; at += strlen(at) + 1)
			n++;
		is_program[n] |= part.program.at < part.program.end;
	}
}

/* Open MPI then starts the one of its folder. */
static bool
is_not_in_path(const char *word)
{
	char *found = cmd_look_up(word);

	free(found);
	return !found;
}

char **
check_line_with_probes(const struct target *target, char *const command[])
{
	static const char *const probe[] = { "probe", "--" };
	char *self = realpath("/proc/self/exe", NULL);
	size_t words = 0, n = 0;

	size_t torchrun = check_torchrun_words(target, command);
	if (torchrun) {
		char **with_probe = check_torchrun_with_probe(target, command, torchrun, self ? self : "splitpin");

		free(self);
		return with_probe;
	}
	while (command[words])
		words++;
	bool *is_program = cmd_allocate(words + 1, sizeof(*is_program));
	if (target->launcher == TARGET_NO_LAUNCHER)
		is_program[0] = true;
	else
		mark_programs(target, is_program);
	bool *is_in_folder = cmd_allocate(words + 1, sizeof(*is_in_folder));
	for (size_t i = words; i-- > 0; ) {
		char **part = is_program[i] ? part_at(command + i) : NULL;

		if (part) {
			size_t front = words_in_front(part);

			is_program[i] = false;
			is_program[i + front] = true;
			is_in_folder[i] = front == 0 && target->launcher == TARGET_OPENMPI && is_not_in_path(command[i]);
		}
		free(part);
	}
	char **line = cmd_allocate(words * 4 + 1, sizeof(*line));
	for (size_t i = 0; i < words; i++) {
		if (is_program[i]) {
			line[n++] = cmd_format("%s", self ? self : "splitpin");
			line[n++] = cmd_format("%s", probe[0]);
			line[n++] = cmd_format("%s", probe[1]);
		}
		line[n++] = cmd_format("%s%s", is_in_folder[i] ? "./" : "", command[i]);
	}
	line[n] = NULL;
	free(is_in_folder);
	free(is_program);
	free(self);
	return line;
}
