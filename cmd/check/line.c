#include "cmd/check/line.h"

#include <stdlib.h>
#include <string.h>

#include "base/environment.h"
#include "cmd/check/torchrun.h"
#include "cmd/cmd.h"
#include "cmd/run_line.h"

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

/* Mark the first word of each program of a launcher's line, or of the command that has none; the words of its arguments are those of the command behind the wrappers. */
static void
mark_programs(const struct target *target, bool is_program[])
{
	struct sp_launch launch = target_launch(target);
	struct sp_part_of_launch part;

	is_program[0] = target->launcher == TARGET_NO_LAUNCHER;
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

/* Takes over the line, and returns a longer one. */
static char **
insert(char **line, size_t at, char *const words[])
{
	char **copies = target_copy(words), **longer = cmd_insert_words(line, at, copies);

	free(copies);
	free(line);
	return longer;
}

char **
check_line_with_probes(const struct target *target, char *const command[])
{
	char *self = realpath("/proc/self/exe", NULL);
	char *const probe[] = { self ? self : "splitpin", "probe", "--", NULL };
	size_t torchrun = check_torchrun_words(target, command), words = sp_strings_count(command);
	bool *is_program = cmd_allocate(words + 1, sizeof(*is_program));

	char **line = torchrun ? check_torchrun_with_probe(target, command, torchrun, probe[0]) : target_copy(command);

	if (!torchrun)
		mark_programs(target, is_program);
	/* From the last one on, so that the places of those in front stay as they are. */
	for (size_t i = words; i-- > 0; ) {
		if (!is_program[i])
			continue;
		char **part = part_at(command + i);
		size_t front = words_in_front(part);

		if (front == 0 && target->launcher == TARGET_OPENMPI && is_not_in_path(command[i])) {
			free(line[i]);
			line[i] = cmd_format("./%s", command[i]);
		}
		line = insert(line, i + front, probe);
		free(part);
	}
	free(is_program);
	free(self);
	return line;
}
