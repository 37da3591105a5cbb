/* What a launcher's command line gives to the ranks. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd/target/target.h"
#include "cmd/cmd.h"
#include "cmd/library.h"
#include "launcher/known/known.h"
#include "launcher/options.h"

#define VARIABLE "LD_PRELOAD"

/* What the options do with one variable; the last one counts. */
struct said {
	const char *variable;
	bool names;		/* an option hands it on */
	bool withholds;		/* one keeps it, or all that is not named, from the ranks */
	char *value;		/* what the ranks get instead of this environment's; NULL: that */
	const char *word;	/* the option, as it was written */
	bool is_by_part;	/* an option counts for its program alone: Open MPI 4 */
	unsigned parts, named;	/* programs, parted by ':'; how many of them get the variable */
	bool is_for_all;	/* a parameter, or the environment, hands it on to all of them */
};

static void
say(struct said *said, bool names, bool withholds, const char *word)
{
	free(said->value);
	said->names = names;
	said->withholds = withholds;
	said->value = NULL;
	said->word = word;
}

/* "LD_PRELOAD" or "LD_PRELOAD=VALUE". */
static bool
take_entry(struct said *said, const char *entry, const char *word)
{
	size_t length = strlen(said->variable);

	if (!entry || strncmp(entry, said->variable, length) != 0 || (entry[length] != '\0' && entry[length] != '='))
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

	for (char *entry = strtok_r(copy, ", ;", &rest); entry; entry = strtok_r(NULL, ", ;", &rest))
		found |= take_entry(said, entry, word);
	free(copy);
	return found;
}

static void
read_openmpi(struct said *said, const struct sp_option *option)
{
	if (sp_option_is(option, "x") && take_entry(said, option->value, option->word))
		said->named++;
	else if (option->second && strcmp(option->value, "mca_base_env_list") == 0)
		said->is_for_all |= take_list(said, option->second, option->word);
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
	enum sp_launcher launcher;	/* that has its ranks and options */
	void (*read)(struct said *said, const struct sp_option *option);
	bool others;		/* the environment reaches other nodes unasked */
	const char *advice;	/* the option that does it */
} families[] = {
	[TARGET_OPENMPI] = { SP_LAUNCHER_OPENMPI, read_openmpi, false, "-x " VARIABLE },
	[TARGET_HYDRA] = { SP_LAUNCHER_HYDRA, read_hydra, true, "-genv " VARIABLE " PATH" },
	[TARGET_SRUN] = { SP_LAUNCHER_SLURM, read_srun, true, "--export=ALL" },
};

bool
target_is_read(enum target_launcher launcher)
{
	return launcher != TARGET_NO_LAUNCHER && launcher != TARGET_OTHER;
}

enum sp_launcher
target_known(enum target_launcher launcher)
{
	return families[launcher].launcher;
}

const struct sp_syntax *
target_syntax(enum target_launcher launcher)
{
	return sp_launcher_details[families[launcher].launcher]->syntax;
}

/* Whether an option gives it to only some of the programs. */
static bool
is_partial(const struct said *said)
{
	return said->names && said->is_by_part && !said->is_for_all && said->named < said->parts;
}

static char *
explain(const struct target_reach *reach, const struct said *said, enum target_launcher launcher, const char *name)
{
	if (said->value && !reach->library)
		return cmd_format("%s with %s gives its ranks another " VARIABLE ", which does not name libsplitpin.so", name, said->word);
	if (is_partial(said) && !(reach->here && reach->others))
		return cmd_format("%s with %s gives " VARIABLE " to %u of its %u programs alone%s: repeat it behind each ':'",
				  name, said->word, said->named, said->parts, reach->here ? " on other nodes" : "");
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

/* In a job of Slurm's srun starts Open MPI's daemons, which have mpirun's environment and hand it on. */
static bool
is_started_by_srun(void)
{
	static const char *const overrides[] = { "OMPI_MCA_plm", "PRTE_MCA_plm" };
	const char *job = getenv("SLURM_JOB_ID"), *exported = getenv("SLURM_EXPORT_ENV");

	for (size_t i = 0; i < sizeof(overrides) / sizeof(overrides[0]); i++)
		if (getenv(overrides[i]) && (strstr(getenv(overrides[i]), "rsh") || strstr(getenv(overrides[i]), "ssh")))
			return false;
	return job && *job && !(exported && strncmp(exported, "NONE", 4) == 0);
}

static void
read_options(struct said *said, enum target_launcher launcher, const char *arguments, size_t length, const char **program)
{
	struct sp_options options;
	struct sp_option option;
	const char *exported = getenv("SLURM_EXPORT_ENV"), *list = getenv(TARGET_LIST);

	if (launcher == TARGET_SRUN && exported && *exported)
		take_export(said, exported, "SLURM_EXPORT_ENV");
	if (launcher == TARGET_OPENMPI && list)
		said->is_for_all = take_list(said, list, TARGET_LIST);
	sp_options_begin(&options, target_syntax(launcher), arguments, length);
	while (sp_options_next(&options, &option))
		families[launcher].read(said, &option);
	*program = options.program;
}

/* Whether it reaches the ranks of other nodes. */
static bool
reaches_others(const struct said *said, enum target_launcher launcher)
{
	bool is_by_environment = families[launcher].others || (launcher == TARGET_OPENMPI && is_started_by_srun());

	if (is_partial(said))
		return is_by_environment && !said->value;
	return said->names || (is_by_environment && !said->withholds);
}

static struct target_reach
conclude(struct said *said, enum target_launcher launcher, const char *name)
{
	struct target_reach reach = { .here = !said->withholds, .others = reaches_others(said, launcher) };

	if (said->value)
		reach.library = cmd_named_library(said->value);
	/* Another value replaces the one that has the library. */
	if (said->value && !reach.library)
		reach.here = reach.others = false;
	/* The programs without the option have what this environment has. */
	if (said->value && is_partial(said) && !cmd_names_library(getenv(VARIABLE)))
		reach.here = false;
	reach.how = explain(&reach, said, launcher, name);
	return reach;
}

static unsigned
count_parts(const char *arguments, size_t length)
{
	struct sp_words words = { arguments, arguments + length };
	unsigned parts = 1;

	/* The launcher's name, or the ':' in front of a part. */
	sp_words_next(&words);
	for (const char *word; (word = sp_words_next(&words)); )
		parts += strcmp(word, ":") == 0;
	return parts;
}

/* The settings in this environment that do not reach other nodes. */
static char *
find_missing(enum target_launcher launcher, const struct said *of_library, const char *arguments, size_t length)
{
	char *missing = NULL;
	const char *program;

	for (char **entry = environ; *entry; entry++) {
		if (!target_is_handed_on(*entry) || strncmp(*entry, VARIABLE, strlen(VARIABLE)) == 0)
			continue;
		char *name = cmd_format("%.*s", (int)strcspn(*entry, "="), *entry);
		struct said said = { .variable = name, .is_by_part = of_library->is_by_part, .parts = of_library->parts };

		read_options(&said, launcher, arguments, length, &program);
		if (!reaches_others(&said, launcher))
			missing = cmd_append(missing, ", ", "%s", name);
		free(said.value);
		free(name);
	}
	return missing;
}

struct target_reach
target_read_reach(enum target_launcher launcher, const char *name, bool is_openmpi4, const char *arguments, size_t length,
		  const char **program)
{
	struct said said = { .variable = VARIABLE, .is_by_part = is_openmpi4, .parts = count_parts(arguments, length) };

	if (!target_is_read(launcher))
		return (struct target_reach){ .here = true, .others = true,
			.how = cmd_format("splitpin cannot tell whether %s passes " VARIABLE " on to its ranks", name) };
	read_options(&said, launcher, arguments, length, program);
	struct target_reach reach = conclude(&said, launcher, name);
	reach.missing = find_missing(launcher, &said, arguments, length);
	reach.names_others = launcher == TARGET_OPENMPI && target_names_others(arguments, length);
	free(said.value);
	return reach;
}
