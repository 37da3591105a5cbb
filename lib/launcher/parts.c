#include "launcher/parts.h"

#include <string.h>

#include "base/ascii.h"

struct reading {
	struct sp_part_of_launch *part;	/* NULL: only options that count for all programs are read */
	bool is_x_shared;
	sp_variable_visitor *visit;
	void *data;
};

/* "NAME=VALUE"; the value of a bare NAME is in the launcher's environment, if anywhere. */
static void
take_variable(const struct reading *reading, const char *entry, size_t length)
{
	const char *equals = memchr(entry, '=', length);

	if (equals)
		reading->visit(entry, (size_t)(equals - entry), equals + 1, (size_t)(entry + length - equals - 1), reading->data);
}

static void
take_variables(const struct reading *reading, const char *list, const char *between)
{
	for (const char *at = list; *at; at += strcspn(at, between), at += strspn(at, between))
		take_variable(reading, at, strcspn(at, between));
}

/* "2" of "2-4", "2:1". */
static void
take_number(const char *text, uint32_t *number)
{
	uint64_t n;

	if (text && sp_ascii_digits(text, &n) && n <= UINT32_MAX)
		*number = (uint32_t)n;
}

static void
read_openmpi(const struct reading *reading, const struct sp_option *option)
{
	static const char *const ranks[] = { "n", "np", "c", NULL }, *const a_node[] = { "N", "npernode", "ppr", NULL };

	if (sp_option_is_one_of(option, ranks))
		take_number(option->value, &reading->part->ranks);
	else if (sp_option_is_one_of(option, a_node))
		take_number(option->value, &reading->part->a_node);
	else if (sp_option_is(option, "pernode"))
		reading->part->a_node = 1;
	else if ((sp_option_is(option, "map-by") || sp_option_is(option, "mapby")) && option->value &&
		 strncmp(option->value, "ppr:", 4) == 0 && strstr(option->value, ":node"))
		take_number(option->value + 4, &reading->part->a_node);
	else if (sp_option_is(option, "x") && option->value)
		take_variable(reading, option->value, strlen(option->value));
}

static void
read_shared_openmpi(const struct reading *reading, const struct sp_option *option)
{
	if (option->second && strcmp(option->value, "mca_base_env_list") == 0)
		take_variables(reading, option->second, ";");
	else if (reading->is_x_shared && sp_option_is(option, "x") && option->value)
		take_variable(reading, option->value, strlen(option->value));
}

/* "-env NAME VALUE", "-env NAME=VALUE". */
static void
take_pair(const struct reading *reading, const struct sp_option *option, const char *name)
{
	if (!sp_option_is(option, name) || !option->value)
		return;
	if (option->second)
		reading->visit(option->value, strlen(option->value), option->second, strlen(option->second), reading->data);
	else
		take_variable(reading, option->value, strlen(option->value));
}

static void
read_hydra(const struct reading *reading, const struct sp_option *option)
{
	static const char *const ranks[] = { "n", "np", NULL }, *const a_node[] = { "ppn", "perhost", "grr", NULL };
	static const char *const hosts[] = { "f", "host", "hosts", "hostfile", "hostlist", "machine", "machinefile", "machinelist", "machines", NULL };

	if (sp_option_is_one_of(option, ranks))
		take_number(option->value, &reading->part->ranks);
	else if (sp_option_is_one_of(option, a_node))
		take_number(option->value, &reading->part->a_node);
	else
		take_pair(reading, option, "env");
	reading->part->has_hosts |= sp_option_is_one_of(option, hosts);
}

static void
read_shared_hydra(const struct reading *reading, const struct sp_option *option)
{
	take_pair(reading, option, "genv");
}

static void
read_srun(const struct reading *reading, const struct sp_option *option)
{
	static const char *const ranks[] = { "n", "ntasks", NULL }, *const nodes[] = { "N", "nodes", NULL };

	if (sp_option_is_one_of(option, ranks))
		take_number(option->value, &reading->part->ranks);
	else if (sp_option_is_one_of(option, nodes))
		take_number(option->value, &reading->part->nodes);
	else if (sp_option_is(option, "ntasks-per-node"))
		take_number(option->value, &reading->part->a_node);
	else if (sp_option_is(option, "export") && option->value)
		take_variables(reading, option->value, ",");
}

static void
read_nothing(const struct reading *reading, const struct sp_option *option)
{
	(void)reading;
	(void)option;
}

/* Of an option that counts for the program in whose part it stands; for all programs, wherever it stands. */
static const struct {
	void (*own)(const struct reading *reading, const struct sp_option *option);
	void (*shared)(const struct reading *reading, const struct sp_option *option);
} readers[] = {
	[SP_SYNTAX_OPENMPI] = { read_openmpi, read_shared_openmpi },
	[SP_SYNTAX_HYDRA] = { read_hydra, read_shared_hydra },
	[SP_SYNTAX_SRUN] = { read_srun, read_nothing },
};

void
sp_launch_shared(const struct sp_launch *launch, sp_variable_visitor *visit, void *data)
{
	const struct reading reading = { .is_x_shared = launch->is_x_shared, .visit = visit, .data = data };
	struct sp_options options;
	struct sp_option option;

	sp_options_begin(&options, launch->syntax, launch->arguments, launch->length);
	while (sp_options_next(&options, &option))
		readers[launch->syntax].shared(&reading, &option);
}

/* The length of the part, up to the ':'.  The ':' precedes the next part as the launcher's name precedes the first. */
static size_t
length_of_part(const struct sp_launch *launch)
{
	struct sp_words words = { launch->arguments, launch->arguments + launch->length };
	const char *word = sp_words_next(&words);

	while (word && (word = sp_words_next(&words)) && strcmp(word, ":") != 0)
		continue;
	return word ? (size_t)(word - launch->arguments) : launch->length;
}

bool
sp_launch_next(struct sp_launch *launch, struct sp_part_of_launch *part, sp_variable_visitor *visit, void *data)
{
	static const char *const files[] = { "multi-prog", "configfile", "app", NULL };
	const struct reading reading = { .part = part, .visit = visit, .data = data };
	struct sp_options options;
	struct sp_option option;
	size_t length = length_of_part(launch);

	if (!length || launch->arguments[launch->length - 1] != '\0')
		return false;
	*part = (struct sp_part_of_launch){ .ranks = 0 };
	sp_options_begin(&options, launch->syntax, launch->arguments, length);
	while (sp_options_next(&options, &option)) {
		readers[launch->syntax].own(&reading, &option);
		part->is_elsewhere |= sp_option_is_one_of(&option, files);
	}
	launch->arguments += length;
	launch->length -= length;
	part->program = (struct sp_words){ options.program ? options.program : launch->arguments, launch->arguments };
	return true;
}
