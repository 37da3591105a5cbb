/* What env changes for the command that it executes. */
#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#include "base/environment.h"
#include "cmd/cmd.h"
#include "cmd/target/target.h"

enum { OPTION_SIGNALS = 256 };

static const struct option options[] = {
	{ "argv0", required_argument, NULL, 'a' },
	{ "block-signal", optional_argument, NULL, OPTION_SIGNALS },
	{ "chdir", required_argument, NULL, 'C' },
	{ "debug", no_argument, NULL, 'v' },
	{ "default-signal", optional_argument, NULL, OPTION_SIGNALS },
	{ "ignore-environment", no_argument, NULL, 'i' },
	{ "ignore-signal", optional_argument, NULL, OPTION_SIGNALS },
	{ "list-signal-handling", no_argument, NULL, OPTION_SIGNALS },
	{ "split-string", required_argument, NULL, 'S' },
	{ "unset", required_argument, NULL, 'u' },
	{ NULL, 0, NULL, 0 }
};

void
target_enter_folder(struct target_words *words, const char *folder)
{
	char *inside = words->folder && folder[0] != '/' ? cmd_format("%s/%s", words->folder, folder) : cmd_format("%s", folder);

	free(words->folder);
	words->folder = inside;
}

/* "env", the words of -S, and those behind it: its options may be in the string. */
static char **
insert(char **string, char *const *behind)
{
	char *env[] = { "env", NULL }, **named = cmd_insert_words(string, 0, env);
	char **shared = cmd_insert_words(behind, 0, named), **all = target_copy(shared);

	free(shared);
	free(named);
	target_release_list(string);
	return all;
}

/* env -S 'A=b ./program': variables and escapes in the string are not read. */
static bool
enter_string(struct target_words *words, const char *string, char *const *behind)
{
	if (strpbrk(string, "$#\\"))
		return false;
	char **inner = insert(target_split(string), behind);

	target_release_list(words->inner);
	words->inner = inner;
	words->rest = inner;
	words->is_in_shell = true;
	return target_pass_env(words);
}

/* Returns whether the option is read here. */
static bool
take(struct target_words *words, int option)
{
	if (option == 'i')
		target_words_add(words, TARGET_EMPTIES);
	else if (option == 'u')
		target_words_add(words, optarg);
	else if (option == 'C')
		target_enter_folder(words, optarg);
	return option != '?';
}

static bool
read_words(struct target_words *words)
{
	char *const *line = words->rest;
	int argc = (int)sp_strings_count(line), option;

	opterr = 0;
	optind = 0;
	while ((option = getopt_long(argc, (char **)line, "+a:C:iS:u:v", options, NULL)) != -1) {
		if (option == 'S')
			return enter_string(words, optarg, line + optind);
		if (!take(words, option))
			return false;
	}
	char *const *at = line + optind;

	if (*at && strcmp(*at, "-") == 0) {
		target_words_add(words, TARGET_EMPTIES);
		at++;
	}
	target_pass_assignments(words, &at);
	if (!*at)
		return false;
	words->n += words->is_in_shell ? 0 : (size_t)(at - line);
	words->rest = at;
	return true;
}

bool
target_pass_env(struct target_words *words)
{
	const struct target_words before = *words;
	char *folder = before.folder ? cmd_format("%s", before.folder) : NULL;
	int index = optind;
	bool passed = read_words(words);

	optind = index;
	if (passed) {
		free(folder);
		return true;
	}
	/* What it would give to no command, or to one that is not known, does not count. */
	while (words->ngiven > before.ngiven)
		free(words->given[--words->ngiven]);
	free(words->folder);
	words->folder = folder;
	return false;
}
