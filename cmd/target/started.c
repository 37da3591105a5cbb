/* Which programs of a launcher's line "splitpin run" starts: these have the library on whatever node. */
#include <stdlib.h>
#include <string.h>

#include "cmd/cmd.h"
#include "cmd/library.h"
#include "cmd/run_line.h"
#include "cmd/target/target.h"
#include "launcher/launch_line.h"

/* One program of the line, as the launcher is asked for it. */
struct part {
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
next(struct sp_launch *launch, struct part *part)
{
	struct sp_part_of_launch read;

	part->arguments = launch->arguments;
	if (!sp_launch_next(launch, &read, pass, NULL))
		return false;
	part->length = (size_t)(launch->arguments - part->arguments);
	part->program = read.program;
	return true;
}

static bool
is_by_run(const struct part *part)
{
	struct sp_words left = part->program;
	struct target_words behind;
	char **words = NULL;
	size_t n = 0;

	for (const char *word; (word = sp_words_next(&left)); ) {
		words = cmd_enlarge(words, n + 2, sizeof(*words));
		words[n++] = (char *)word;
		words[n] = NULL;
	}
	if (n == 0)
		return false;
	target_unwrap(words, &behind);
	bool is = run_is_begun(behind.rest);
	target_release_words(&behind);
	free(words);
	return is;
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
	char *named = cmd_named_library(getenv("LD_PRELOAD")), *loaded = cmd_loaded_library();
	bool is = named || loaded;

	free(named);
	free(loaded);
	return is;
}

/* How a program gets it that is started without "splitpin run". */
static struct target_reach
reach_of(const struct target *target, const struct part *part)
{
	const char *arguments = target->is_by_part ? part->arguments : target->arguments, *program;
	size_t length = target->is_by_part ? part->length : target->length;
	struct target_reach reach = target_read_reach(target->launcher, target->launcher_name, target->is_by_part, arguments, length, &program);

	reach.names_others = target->reach.names_others;
	if (reach.here && !reach.library && !is_in_environment()) {
		reach.lacks = true;
		reach.here = reach.others = false;
		free(reach.how);
		reach.how = cmd_format("splitpin run is in front of only %u of the %u programs of %s: %s runs without the library", target->by_run,
				       target->parts, target->launcher_name, part->program.at < part->program.end ? part->program.at : "another");
	}
	return reach;
}

/* What holds for all programs that are started without it. */
static void
take_others(struct target *target, struct sp_launch launch)
{
	struct part part;
	bool is_first = true;

	while (next(&launch, &part)) {
		if (is_by_run(&part))
			continue;
		struct target_reach reach = reach_of(target, &part);

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
	free(reach->how);
	reach->library = library;
	reach->here = reach->others = true;
	reach->how = cmd_format("%s starts splitpin run, which loads the library into the program", target->launcher_name);
}

void
target_read_run(struct target *target)
{
	const struct sp_launch launch = { .syntax = target_syntax(target->launcher), .is_x_shared = !target->is_by_part,
					  .arguments = target->arguments, .length = target->length };
	struct sp_launch left = launch;
	struct part part;

	while (next(&left, &part)) {
		target->parts++;
		target->by_run += is_by_run(&part);
	}
	if (target->by_run && target->by_run == target->parts)
		take_run(target);
	else if (target->by_run)
		take_others(target, launch);
}
