/* Has Open MPI's mpirun pass variables on to the ranks of other nodes. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/environment.h"
#include "cmd/cmd.h"
#include "cmd/target/target.h"
#include "launcher/options.h"

bool
target_is_handed_on(const char *entry)
{
	return strncmp(entry, "LD_PRELOAD=", 11) == 0 || strncmp(entry, "SPLITPIN=", 9) == 0 || strncmp(entry, "SPLITPIN_", 9) == 0;
}

struct said {
	bool has_x, has_list;
};

/* It takes one of the two, not both (Open MPI 4). */
static struct said
read_command(const char *arguments, size_t size)
{
	struct said said = { false, false };
	struct sp_options options;
	struct sp_option option;

	sp_options_begin(&options, &sp_syntax_openmpi, arguments, size);
	while (sp_options_next(&options, &option)) {
		said.has_x |= sp_option_is(&option, "x");
		said.has_list |= option.second && strcmp(option.value, "mca_base_env_list") == 0;
	}
	return said;
}

static bool
is_in_list(const char *list, const char *name, size_t length)
{
	while (*list) {
		if (strncmp(list, name, length) == 0 && strchr(";=", list[length]))
			return true;
		list += strcspn(list, ";");
		list += *list == ';';
	}
	return false;
}

/* Add to the list in the environment; what the user has in it stays. */
static void
hand_on_by_list(char *const environment[])
{
	const char *users = getenv(TARGET_LIST);
	char *list = cmd_format("%s", users ? users : "");

	for (char *const *entry = environment; *entry; entry++) {
		size_t length = strcspn(*entry, "=");

		if (target_is_handed_on(*entry) && !is_in_list(list, *entry, length))
			list = cmd_append(list, ";", "%.*s", (int)length, *entry);
	}
	setenv(TARGET_LIST, list, 1);
	free(list);
}

/* Whether a part of the command, up to the next ':', hands it on. */
static bool
names(char *const word[], const char *name, size_t length)
{
	for (; *word && strcmp(*word, ":") != 0; word++)
		if ((strcmp(*word, "-x") == 0 || strcmp(*word, "--x") == 0) && word[1] && strncmp(word[1], name, length) == 0 &&
		    (word[1][length] == '\0' || word[1][length] == '='))
			return true;
	return false;
}

static size_t
add_options(char *const part[], char *const entry[], char **to)
{
	size_t n = 0;

	for (; *entry; entry++) {
		size_t length = strcspn(*entry, "=");

		if (names(part, *entry, length))
			continue;
		to[n++] = cmd_format("-x");
		to[n++] = cmd_format("%.*s", (int)length, *entry);
	}
	return n;
}

/* In front of the options of each program: Open MPI 4 takes them for that one alone. */
char **
target_give(const struct target *target, char *const command[], char *const entry[])
{
	size_t words = 0, parts = 1, at = 0;

	for (; command[words]; words++)
		parts += strcmp(command[words], ":") == 0;
	char **to = cmd_allocate(words + 2 * parts * sp_strings_count(entry) + 1, sizeof(*to));

	for (size_t i = 0; i < words; i++) {
		to[at++] = cmd_format("%s", command[i]);
		if (i == target->wrappers || (i > target->wrappers && strcmp(command[i], ":") == 0))
			at += add_options(command + i + 1, entry, to + at);
	}
	return to;
}

static char **
hand_on_by_options(const struct target *target, char *const command[], char *const environment[])
{
	char **entry = cmd_allocate(sp_strings_count(environment) + 1, sizeof(*entry));
	size_t n = 0;

	for (char *const *at = environment; *at; at++)
		if (target_is_handed_on(*at))
			entry[n++] = *at;
	char **to = target_give(target, command, entry);
	free(entry);
	return to;
}

char **
target_hand_on(const struct target *target, char *command[])
{
	if (target->launcher != TARGET_OPENMPI)
		return command;
	const struct said said = read_command(target->arguments, target->length);

	if (said.has_x && target->is_in_shell)
		return command;
	char **environment = target_environment(target);
	if (said.has_x)
		command = hand_on_by_options(target, command, environment);
	else if (!said.has_list)
		hand_on_by_list(environment);
	target_release_list(environment);
	return command;
}
