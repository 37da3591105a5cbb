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

#define VARIABLE "LD_PRELOAD"

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
	if (behind.binder)
		part->binder = behind.binder;
	if (behind.folder)
		target_enter_folder(words, behind.folder);
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
read_part(const struct sp_part_of_launch *read, struct target_part *part)
{
	struct sp_words left = read->program;
	struct target_words words = { .n = 0 };
	char **command = NULL;
	size_t n = 0;

	for (const char *word; (word = sp_words_next(&left)); ) {
		command = cmd_enlarge(command, n + 2, sizeof(*command));
		command[n++] = (char *)word;
		command[n] = NULL;
	}
	if (read->folder)
		target_enter_folder(&words, read->folder);
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

void
target_read_parts(struct target *target)
{
	struct sp_launch left = target_launch(target);
	struct sp_part_of_launch read;

	while (sp_launch_next(&left, &read, NULL, NULL)) {
		target->part = cmd_enlarge(target->part, target->parts + 1, sizeof(*target->part));
		struct target_part *part = &target->part[target->parts++];

		*part = (struct target_part){ .given = NULL };
		read_part(&read, part);
		target->by_run += part->is_by_run;
	}
}
