/*
 * The programs of a launcher's line, and what stands in front of each: those that
 * "splitpin run" starts have the library on whatever node, and env may take it away.
 */
#include <stdlib.h>
#include <string.h>

#include "cmd/cmd.h"
#include "cmd/library.h"
#include "cmd/run_line.h"
#include "cmd/target/target.h"
#include "launcher/launch_line.h"

#define VARIABLE "LD_PRELOAD"

/* One program of the line, as the launcher is asked for it. */
struct piece {
	const char *arguments;	/* its own part of the line */
	size_t length;
	struct sp_words program;
};

static void
pass(const char *name, size_t length, const char *value, size_t value_length, void *data)
{
	(void)name;
	(void)length;
	(void)value;
	(void)value_length;
	(void)data;
}

static bool
next(struct sp_launch *launch, struct piece *piece)
{
	struct sp_part_of_launch read;

	piece->arguments = launch->arguments;
	if (!sp_launch_next(launch, &read, pass, NULL))
		return false;
	piece->length = (size_t)(launch->arguments - piece->arguments);
	piece->program = read.program;
	return true;
}

/* What "splitpin run" gives, behind what its words give already. */
static void
add_run(struct target_words *words, const struct cmd_settings *settings)
{
	char *library = cmd_find_library(), *entry = cmd_format(VARIABLE "=%s", library ? library : "");

	if (library)
		target_words_add(words, entry);
	for (size_t i = 0; i < settings->n; i++)
		target_words_add(words, settings->entry[i]);
	free(entry);
	free(library);
}

/* What stands in front of the program, "splitpin run" with what follows it too; given is added to words. */
static void
read_front(char *const command[], struct target_words *words, struct target_part *part)
{
	struct cmd_settings settings = { 0 };
	struct target_words behind;

	target_unwrap(command, &behind);
	for (size_t i = 0; i < behind.ngiven; i++)
		target_words_add(words, behind.given[i]);
	if (behind.folder)
		target_enter_folder(words, behind.folder);
	if (behind.mask.by)
		part->binder = behind.mask.by;
	char *const *started = run_command_of(behind.rest, &settings);
	if (started) {
		add_run(words, &settings);
		read_front(started, words, part);
	} else {
		part->word = cmd_format("%s", behind.rest[0]);
	}
	part->is_by_run |= run_is_begun(behind.rest);
	cmd_settings_release(&settings);
	target_release_words(&behind);
}

static void
read_part(const struct piece *piece, struct target_part *part)
{
	struct sp_words left = piece->program;
	struct target_words words = { .n = 0 };
	char **command = NULL;
	size_t n = 0;

	for (const char *word; (word = sp_words_next(&left)); ) {
		command = cmd_enlarge(command, n + 2, sizeof(*command));
		command[n++] = (char *)word;
		command[n] = NULL;
	}
	if (n)
		read_front(command, &words, part);
	part->folder = words.folder;
	words.folder = NULL;
	part->given = target_take_given(&words);
	const char *preload = target_given(part->given, VARIABLE);
	part->is_by_run &= !preload || cmd_names_library(preload);
	free(command);
}

void
target_release_parts(struct target *target)
{
	for (uint32_t i = 0; i < target->parts && target->part; i++) {
		target_release_list(target->part[i].given);
		free(target->part[i].word);
		free(target->part[i].folder);
	}
	free(target->part);
}

static void
release(struct target_reach *reach)
{
	free(reach->library);
	free(reach->missing);
	free(reach->how);
	*reach = (struct target_reach){ .library = NULL };
}

static bool
is_in_environment(void)
{
	char *loaded = cmd_loaded_library();
	bool is = loaded || cmd_names_library(getenv(VARIABLE));

	free(loaded);
	return is;
}

static void
explain(struct target_reach *reach, bool is_everywhere, char *how)
{
	reach->here = reach->others = is_everywhere;
	free(reach->how);
	reach->how = how;
}

/* How a program gets it that is started without "splitpin run". */
static struct target_reach
reach_of(const struct target *target, const struct piece *piece, const struct target_part *part)
{
	const char *arguments = target->is_by_part ? piece->arguments : target->arguments, *program;
	size_t length = target->is_by_part ? piece->length : target->length;
	struct target_reach reach = target_read_reach(target->launcher, target->launcher_name, target->is_by_part, arguments, length, &program);
	const char *preload = target_given(part->given, VARIABLE);

	reach.names_others = target->reach.names_others;
	if (preload) {
		free(reach.library);
		reach.library = cmd_named_library(preload);
		reach.is_taken = !reach.library;
		explain(&reach, reach.library, reach.library ?
			cmd_format("behind %s " VARIABLE " is set for %s", target->launcher_name, part->word) :
			cmd_format("%s runs without the library: behind %s, " VARIABLE " is %s", part->word, target->launcher_name,
				   *preload ? "replaced" : "removed"));
	} else if (target->by_run && reach.here && !reach.library && !is_in_environment()) {
		reach.lacks = true;
		explain(&reach, false, cmd_format("splitpin run is in front of only %u of the %u programs of %s: %s runs without the library",
						  target->by_run, target->parts, target->launcher_name, part->word ? part->word : "another"));
	}
	return reach;
}

/* What holds for all programs that are started without it. */
static void
take_others(struct target *target, struct sp_launch launch)
{
	struct piece piece;
	bool is_first = true;

	for (uint32_t i = 0; next(&launch, &piece); i++) {
		if (target->part[i].is_by_run)
			continue;
		struct target_reach reach = reach_of(target, &piece, &target->part[i]);

		if (is_first || (target->reach.here && !reach.here) || (target->reach.others && !reach.others)) {
			release(&target->reach);
			target->reach = reach;
		} else {
			release(&reach);
		}
		is_first = false;
	}
}

static void
take_run(struct target *target)
{
	struct target_reach *reach = &target->reach;
	char *library = cmd_find_library();

	if (!library)
		return;
	free(reach->library);
	reach->library = library;
	explain(reach, true, cmd_format("%s starts splitpin run, which loads the library into the program", target->launcher_name));
}

void
target_read_parts(struct target *target)
{
	const struct sp_launch launch = { .syntax = target_syntax(target->launcher), .is_x_shared = !target->is_by_part,
					  .arguments = target->arguments, .length = target->length };
	struct sp_launch left = launch;
	struct piece piece;
	bool is_changed = false;

	while (next(&left, &piece)) {
		target->part = cmd_enlarge(target->part, target->parts + 1, sizeof(*target->part));
		struct target_part *part = &target->part[target->parts++];

		*part = (struct target_part){ .given = NULL };
		read_part(&piece, part);
		target->by_run += part->is_by_run;
		is_changed |= !part->is_by_run && target_given(part->given, VARIABLE);
	}
	if (target->by_run && target->by_run == target->parts)
		take_run(target);
	else if (target->by_run || is_changed)
		take_others(target, launch);
}
