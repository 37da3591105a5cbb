/* What a launcher's command line gives to the ranks. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/target/target.h"
#include "cmd/cmd.h"
#include "cmd/library.h"
#include "launcher/options.h"

#define VARIABLE "LD_PRELOAD"

/* What the options say of LD_PRELOAD; the last one counts. */
struct said {
	bool names;		/* an option hands it on */
	bool withholds;		/* one keeps it, or all that is not named, from the ranks */
	char *value;		/* what the ranks get instead of this environment's; NULL: that */
	const char *word;	/* the option, as it was written */
};

static void
say(struct said *said, bool names, bool withholds, const char *word)
{
	free(said->value);
	*said = (struct said){ .names = names, .withholds = withholds, .word = word };
}

/* "LD_PRELOAD" or "LD_PRELOAD=VALUE". */
static bool
take_entry(struct said *said, const char *entry, const char *word)
{
	size_t length = strlen(VARIABLE);

	if (!entry || strncmp(entry, VARIABLE, length) != 0 || (entry[length] != '\0' && entry[length] != '='))
		return false;
	say(said, true, false, word);
	if (entry[length] == '=')
		said->value = cmd_format("%s", entry + length + 1);
	return true;
}

/* A list of names, with or without values. */
static bool
take_list(struct said *said, const char *list, const char *word)
{
	char *copy = cmd_format("%s", list ? list : ""), *rest = NULL;
	bool found = false;

	for (char *entry = strtok_r(copy, ", ", &rest); entry; entry = strtok_r(NULL, ", ", &rest))
		found |= take_entry(said, entry, word);
	free(copy);
	return found;
}

static void
read_openmpi(struct said *said, const struct sp_option *option)
{
	if (sp_option_is(option, "x"))
		take_entry(said, option->value, option->word);
}

static void
read_hydra(struct said *said, const struct sp_option *option)
{
	if (sp_option_is(option, "genvnone") || sp_option_is(option, "envnone")) {
		say(said, false, true, option->word);
	} else if (sp_option_is(option, "genvlist") || sp_option_is(option, "envlist")) {
		if (!take_list(said, option->value, option->word))
			say(said, false, true, option->word);
	} else if (sp_option_is(option, "genv") || sp_option_is(option, "env")) {
		if (take_entry(said, option->value, option->word) && option->second) {
			free(said->value);
			said->value = cmd_format("%s", option->second);
		}
	} else if (sp_option_is(option, "genvexcl")) {
		if (take_list(said, option->value, option->word))
			say(said, false, true, option->word);
	}
}

/* "ALL", "NONE", "NIL", or names with or without values; ALL beside others. */
static void
take_export(struct said *said, const char *list, const char *word)
{
	bool all = !list || strstr(list, "ALL");

	if (!take_list(said, list, word))
		say(said, false, !all, word);
}

static void
read_srun(struct said *said, const struct sp_option *option)
{
	if (sp_option_is(option, "export"))
		take_export(said, option->value, option->word);
}

static const struct {
	enum sp_syntax syntax;
	void (*read)(struct said *said, const struct sp_option *option);
	bool others;		/* the environment reaches other nodes unasked */
	const char *advice;	/* the option that does it */
} families[] = {
	[TARGET_OPENMPI] = { SP_SYNTAX_OPENMPI, read_openmpi, false, "-x " VARIABLE },
	[TARGET_HYDRA] = { SP_SYNTAX_HYDRA, read_hydra, true, "-genv " VARIABLE " PATH" },
	[TARGET_SRUN] = { SP_SYNTAX_SRUN, read_srun, true, "--export=ALL" },
};

static char *
explain(const struct target_reach *reach, const struct said *said, enum target_launcher launcher, const char *name)
{
	if (said->value && !reach->library)
		return cmd_format("%s with %s gives its ranks another " VARIABLE ", which does not name libsplitpin.so", name, said->word);
	if (!reach->here)
		return cmd_format("%s with %s keeps " VARIABLE " from its ranks; %s passes it on", name, said->word,
				  families[launcher].advice);
	if (!reach->others)
		return cmd_format("%s passes " VARIABLE " on to ranks on this node, but not to those on other nodes: use %s",
				  name, families[launcher].advice);
	if (said->names)
		return cmd_format("%s with %s gives " VARIABLE " to its ranks, on this node and on others", name, said->word);
	return cmd_format("%s passes " VARIABLE " on to its ranks, on this node and on others", name);
}

static struct target_reach
conclude(struct said *said, enum target_launcher launcher, const char *name)
{
	struct target_reach reach = { .here = !said->withholds, .others = said->names || (families[launcher].others && !said->withholds) };

	if (said->value)
		reach.library = cmd_named_library(said->value);
	/* Another value replaces the one that has the library. */
	if (said->value && !reach.library)
		reach.here = reach.others = false;
	reach.how = explain(&reach, said, launcher, name);
	return reach;
}

struct target_reach
target_read_reach(enum target_launcher launcher, const char *name, const char *arguments, size_t length,
		  const char **program)
{
	struct said said = { .names = false };
	struct sp_options options;
	struct sp_option option;

	if (launcher == TARGET_NO_LAUNCHER || launcher == TARGET_OTHER)
		return (struct target_reach){ .here = true, .others = true,
			.how = cmd_format("splitpin does not know how %s passes " VARIABLE " on to its ranks", name) };
	const char *exported = getenv("SLURM_EXPORT_ENV");
	if (launcher == TARGET_SRUN && exported && *exported)
		take_export(&said, exported, "SLURM_EXPORT_ENV");
	sp_options_begin(&options, families[launcher].syntax, arguments, length);
	while (sp_options_next(&options, &option))
		families[launcher].read(&said, &option);
	*program = options.program;
	struct target_reach reach = conclude(&said, launcher, name);
	free(said.value);
	return reach;
}
