/*
 * What the user says: the table of settings, and how a value is read.
 */
#include "settings/config.h"

#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "base/ascii.h"

#define PREFIX "SPLITPIN"
#define PREFIX_LENGTH (sizeof(PREFIX) - 1)

#define SENTENCE 512		/* room for one */

/* No rank waits longer for others. */
#define SECONDS_MAX 60

/* Longer unknown names resemble no setting. */
#define NAME_MAX_LENGTH 40

struct word {
	const char *text;
	unsigned value;
};

static const struct word truths[] = {
	{ "on", true }, { "1", true }, { "yes", true }, { "true", true },
	{ "off", false }, { "0", false }, { "no", false }, { "false", false },
	{ NULL, 0 }
};

static const struct word inherited[] = {
	{ "keep", SP_INHERITED_KEEP }, { "ignore", SP_INHERITED_IGNORE },
	{ NULL, 0 }
};

static const struct word neighbours[] = {
	{ "avoid", SP_NEIGHBOURS_AVOID }, { "ignore", SP_NEIGHBOURS_IGNORE },
	{ NULL, 0 }
};

static const struct word shares[] = {
	{ "equal", SP_SHARE_EQUAL }, { "all", SP_SHARE_ALL },
	{ NULL, 0 }
};

static const struct word distributions[] = {
	{ "block", SP_BLOCK }, { "cyclic", SP_CYCLIC },
	{ NULL, 0 }
};

static const struct word binds[] = {
	{ "spread", SP_SPREAD }, { "close", SP_CLOSE }, { "none", SP_NO_BIND },
	{ NULL, 0 }
};

static const struct word granularities[] = {
	{ "auto", SP_BY_TEAM }, { "core", SP_BY_CORE }, { "thread", SP_BY_THREAD },
	{ NULL, 0 }
};

static const struct word kinds[] = {
	{ "auto", SP_KINDS_AUTO }, { "performance", SP_KINDS_PERFORMANCE },
	{ "efficiency", SP_KINDS_EFFICIENCY }, { "all", SP_KINDS_ALL },
	{ NULL, 0 }
};

static const struct word devices[] = {
	{ "off", SP_DEVICES_OFF }, { "auto", SP_DEVICES_AUTO }, { "gpu", SP_DEVICES_GPU },
	{ "nic", SP_DEVICES_NIC },
	{ NULL, 0 }
};

static const struct word alone[] = {
	{ "off", SP_ALONE_OFF }, { "pin", SP_ALONE_PIN },
	{ NULL, 0 }
};

static const struct word guards[] = {
	{ "auto", SP_GUARD_AUTO }, { "off", SP_GUARD_OFF }, { "warn", SP_GUARD_WARN },
	{ "keep", SP_GUARD_KEEP },
	{ NULL, 0 }
};

static const struct word memories[] = {
	{ "default", SP_MEMORY_DEFAULT }, { "local", SP_MEMORY_LOCAL },
	{ "interleave", SP_MEMORY_INTERLEAVE }, { "interleave:all", SP_MEMORY_INTERLEAVE_ALL },
	{ "bind", SP_MEMORY_BIND }, { "preferred", SP_MEMORY_PREFERRED },
	{ "hbm", SP_MEMORY_HBM }, { "hbm:bind", SP_MEMORY_HBM_BIND },
	{ NULL, 0 }
};

/* Parsers: 0, or -EINVAL and the field untouched. */
typedef int parser(const char *text, void *field, const struct word *words);

static parser parse_flag, parse_word, parse_count, parse_reserve, parse_seconds, parse_text;

static const struct row {
	struct sp_setting setting;
	parser *parse;			/* NULL: read elsewhere, here only known */
	const struct word *words;
	size_t field;
} rows[] = {
	{ { "SPLITPIN", "on or off", "on",
	    "whether splitpin does anything at all" },
	  parse_flag, truths, offsetof(struct sp_config, on) },
	{ { "SPLITPIN_DEBUG", "0 or 1", "0",
	    "tell each decision and each pin on standard error" },
	  parse_flag, truths, offsetof(struct sp_config, debug) },
	{ { "SPLITPIN_REPORT", "0 or 1", "0",
	    "show one table for each node: which rank has which cores, and whether any overlap" },
	  parse_flag, truths, offsetof(struct sp_config, report) },
	{ { "SPLITPIN_DRYRUN", "0 or 1", "0",
	    "decide and tell, but change no mask and no memory policy" },
	  parse_flag, truths, offsetof(struct sp_config, dry_run) },
	{ { "SPLITPIN_TOPOLOGY", "a file in hwloc's XML or hwloc's synthetic syntax", "this machine",
	    "the machine for which SPLITPIN_DRYRUN=1 decides" },
	  parse_text, NULL, offsetof(struct sp_config, topology) },
	{ { "SPLITPIN_LOCAL_RANK", "0 and up", "what the launcher says",
	    "number of this rank among the job's ranks on its node; needs SPLITPIN_LOCAL_SIZE" },
	  NULL, NULL, 0 },
	{ { "SPLITPIN_LOCAL_SIZE", "1 and up", "what the launcher says",
	    "how many ranks the job has on this node; needs SPLITPIN_LOCAL_RANK" },
	  NULL, NULL, 0 },
	{ { "SPLITPIN_INHERITED", "keep or ignore", "keep",
	    "what becomes of a mask that the launcher has narrowed already" },
	  parse_word, inherited, offsetof(struct sp_config, inherited) },
	{ { "SPLITPIN_WAIT", "seconds from 0 to 60, as 2 or 0.5", "2",
	    "how long a rank waits at most for the others of its node, where it has to see their masks" },
	  parse_seconds, NULL, offsetof(struct sp_config, wait_ms) },
	{ { "SPLITPIN_NEIGHBOURS", "avoid or ignore", "avoid",
	    "whether cores that another of your jobs has on this node are left to it while there are others" },
	  parse_word, neighbours, offsetof(struct sp_config, neighbours) },
	{ { "SPLITPIN_SHARE", "equal or all", "equal",
	    "whether cores left over stay free or are dealt out" },
	  parse_word, shares, offsetof(struct sp_config, policy.share) },
	{ { "SPLITPIN_DISTRIBUTION", "block or cyclic", "block",
	    "ranks in order over the machine, or dealt round its NUMA nodes" },
	  parse_word, distributions, offsetof(struct sp_config, policy.distribution) },
	{ { "SPLITPIN_KINDS", "auto, performance, efficiency or all", "auto",
	    "which cores to use where some are faster than others" },
	  parse_word, kinds, offsetof(struct sp_config, policy.kinds) },
	{ { "SPLITPIN_DEVICES", "off, auto, gpu or nic", "off",
	    "whether ranks go to the NUMA nodes by the GPUs or network cards near them" },
	  parse_word, devices, offsetof(struct sp_config, policy.devices) },
	{ { "SPLITPIN_SMT", "all, or 1 and up", "all",
	    "hardware threads of each core that a share may use" },
	  parse_count, NULL, offsetof(struct sp_config, policy.smt) },
	{ { "SPLITPIN_CORES", "all, or 1 and up", "all",
	    "cores that each rank gets, spread over its part of the node" },
	  parse_count, NULL, offsetof(struct sp_config, policy.cores) },
	{ { "SPLITPIN_RESERVE", "a number of cores, or a CPU list such as 0-1 or 0,68", "0",
	    "cores of each NUMA node, or CPUs by number, that no rank gets" },
	  parse_reserve, NULL, offsetof(struct sp_config, policy) },
	{ { "SPLITPIN_BIND", "spread, close or none", "spread",
	    "how the OpenMP threads of a rank are placed in its share" },
	  parse_word, binds, offsetof(struct sp_config, bind) },
	{ { "SPLITPIN_GRANULARITY", "auto, core or thread", "auto",
	    "whether a thread is pinned to its core or to one CPU of it" },
	  parse_word, granularities, offsetof(struct sp_config, granularity) },
	{ { "SPLITPIN_ALONE", "off or pin", "off",
	    "whether the threads of a program that no launcher started are pinned too" },
	  parse_word, alone, offsetof(struct sp_config, alone) },
	{ { "SPLITPIN_GUARD", "auto, off, warn or keep", "auto",
	    "whether masks that others have changed are told of at the end of each rank, or restored" },
	  parse_word, guards, offsetof(struct sp_config, guard) },
	{ { "SPLITPIN_MEMORY", "default, local, interleave, interleave:all, bind, preferred, hbm or hbm:bind", "default",
	    "where the memory of a rank is put" },
	  parse_word, memories, offsetof(struct sp_config, memory) },
	{ { "SPLITPIN_MEMORY_MOVE", "0 or 1", "0",
	    "move the memory that is in use already to where SPLITPIN_MEMORY puts it" },
	  parse_flag, truths, offsetof(struct sp_config, memory_move) },
	{ { "SPLITPIN_MEMORY_CHECK", "0 or 1", "0",
	    "tell at the end of each rank on which NUMA nodes its memory lies" },
	  parse_flag, truths, offsetof(struct sp_config, memory_check) },
};

#define NROWS (sizeof(rows) / sizeof(rows[0]))

_Static_assert(NROWS <= SP_SETTINGS_MAX, "SP_SETTINGS_MAX");

static bool
is_word(const char *text, const char *word)
{
	const char *rest;

	return sp_ascii_begins(sp_ascii_skip_blanks(text), word, &rest) &&
	       *sp_ascii_skip_blanks(rest) == '\0';
}

static int
find_word(const char *text, const struct word *words, unsigned *value)
{
	for (; words->text; words++) {
		if (is_word(text, words->text)) {
			*value = words->value;
			return 0;
		}
	}
	return -EINVAL;
}

static int
parse_flag(const char *text, void *field, const struct word *words)
{
	unsigned value;

	if (find_word(text, words, &value) < 0)
		return -EINVAL;
	*(bool *)field = value;
	return 0;
}

/* All enums of the settings have the size of unsigned. */
_Static_assert(sizeof(enum sp_inherited) == sizeof(unsigned), "enum");

static int
parse_word(const char *text, void *field, const struct word *words)
{
	unsigned value;

	if (find_word(text, words, &value) < 0)
		return -EINVAL;
	memcpy(field, &value, sizeof(value));
	return 0;
}

static int
parse_count(const char *text, void *field, const struct word *words)
{
	uint32_t number = 0;

	(void)words;
	if (!is_word(text, "all") && (!sp_ascii_number(text, &number) || number == 0))
		return -EINVAL;
	*(uint32_t *)field = number;
	return 0;
}

/* A single number counts cores; a list has a ',' or a '-': CPU 5 alone is "5-5". */
static int
parse_reserve(const char *text, void *field, const struct word *words)
{
	struct sp_policy *policy = field;
	struct sp_cpus reserved = { 0 };
	uint32_t cores = 0;

	(void)words;
	if (strpbrk(text, ",-") ? sp_cpus_parse(text, &reserved) < 0 : !sp_ascii_number(text, &cores))
		return -EINVAL;
	policy->reserve = cores;
	policy->reserved = reserved;
	return 0;
}

/* Seconds with up to three digits behind the point, as milliseconds. */
static int
parse_seconds(const char *text, void *field, const struct word *words)
{
	const char *p = text = sp_ascii_skip_blanks(text);
	uint32_t ms = 0, scale = 1000;
	bool behind = false;

	(void)words;
	for (; sp_ascii_is_digit(*p) || (*p == '.' && !behind); p++) {
		if (*p == '.') {
			behind = true;
			continue;
		}
		if (behind && scale > 1)
			scale /= 10;
		else if (behind)
			continue;
		ms = behind ? ms + (uint32_t)(*p - '0') * scale : ms * 10 + (uint32_t)(*p - '0') * 1000;
		if (ms > SECONDS_MAX * 1000)
			return -EINVAL;
	}
	if (p == text || (p == text + 1 && behind) || *sp_ascii_skip_blanks(p) != '\0')
		return -EINVAL;
	*(uint32_t *)field = ms;
	return 0;
}

/* The initial text is for people: nothing is set. */
static int
parse_text(const char *text, void *field, const struct word *words)
{
	(void)words;
	*(const char **)field = text;
	return 0;
}

const struct sp_setting *
sp_config_setting(unsigned i)
{
	return i < NROWS ? &rows[i].setting : NULL;
}

const char *
sp_config_memory_name(enum sp_memory memory)
{
	const struct word *word = memories;

	while (word->text && word->value != memory)
		word++;
	return word->text;
}

static int
parse(const struct row *row, const char *text, struct sp_config *config)
{
	return row->parse ? row->parse(text, (char *)config + row->field, row->words) : 0;
}

static bool
is_control(char c)
{
	return (unsigned char)c < ' ' || c == 0x7f;
}

const char *
sp_config_quote(const char *text, size_t length, char quoted[SP_QUOTED])
{
	bool cut = length > SP_QUOTED - 1;

	if (cut)
		length = SP_QUOTED - 4;
	for (size_t i = 0; i < length; i++)
		quoted[i] = is_control(text[i]) ? '?' : text[i];
	strcpy(quoted + length, cut ? "..." : "");
	return quoted;
}

static const char *
value_of(const char *entry)
{
	return entry + strcspn(entry, "=") + 1;
}

/* held: the entry that holds instead; NULL: the initial value does. */
static void
complain_of_value(const struct sp_setting *setting, const char *value, const char *held,
		  void (*complain)(const char *))
{
	char sentence[SENTENCE], quoted[SP_QUOTED], instead[SP_QUOTED];

	if (!complain)
		return;
	held = held ? value_of(held) : setting->initial;
	snprintf(sentence, sizeof(sentence), "%s=%s is wrong: it takes %s; using %s",
		 setting->name, sp_config_quote(value, strlen(value), quoted), setting->values,
		 sp_config_quote(held, strlen(held), instead));
	complain(sentence);
}

/* How many letters have to be changed, added or left out to make b of a. */
static unsigned
distance(const char *a, size_t length, const char *b)
{
	unsigned row[NAME_MAX_LENGTH + 1];

	for (unsigned j = 0; j <= length; j++)
		row[j] = j;
	for (unsigned i = 1; *b != '\0'; i++, b++) {
		unsigned diagonal = row[0];

		row[0] = i;
		for (size_t j = 1; j <= length; j++) {
			unsigned change = diagonal + (sp_ascii_lower(a[j - 1]) != sp_ascii_lower(*b));
			unsigned shift = (row[j] < row[j - 1] ? row[j] : row[j - 1]) + 1;

			diagonal = row[j];
			row[j] = change < shift ? change : shift;
		}
	}
	return row[length];
}

/* At most every other letter of it differs. */
const struct sp_setting *
sp_config_nearest(const char *name, size_t length)
{
	const struct sp_setting *best = NULL;
	unsigned least = NAME_MAX_LENGTH;

	if (length > NAME_MAX_LENGTH)
		return NULL;
	for (size_t i = 0; i < NROWS; i++) {
		const char *known = rows[i].setting.name;
		unsigned far = distance(name, length, known);

		if (far < least && 2 * far <= strlen(known + PREFIX_LENGTH)) {
			least = far;
			best = &rows[i].setting;
		}
	}
	return best;
}

static void
complain_of_name(const char *name, size_t length, void (*complain)(const char *))
{
	const struct sp_setting *meant = sp_config_nearest(name, length);
	char sentence[SENTENCE], quoted[SP_QUOTED];

	if (!complain)
		return;
	sp_config_quote(name, length, quoted);
	if (meant)
		snprintf(sentence, sizeof(sentence), "%s is no setting of splitpin: did you mean %s?",
			 quoted, meant->name);
	else
		snprintf(sentence, sizeof(sentence), "%s is no setting of splitpin: see splitpin(7)",
			 quoted);
	complain(sentence);
}

static const struct row *
find_row(const char *name, size_t length)
{
	for (size_t i = 0; i < NROWS; i++) {
		const char *known = rows[i].setting.name;

		if (strncmp(name, known, length) == 0 && known[length] == '\0')
			return &rows[i];
	}
	return NULL;
}

static char
as_in_a_variable(char c)
{
	if (c >= 'a' && c <= 'z')
		return (char)(c - 'a' + 'A');
	return c == '-' ? '_' : c;
}

size_t
sp_config_name(const char *name, size_t length, char *variable, size_t size)
{
	const char *rest;
	bool whole = sp_ascii_begins(name, "splitpin", &rest) && rest <= name + length &&
		     (rest == name + length || *rest == '_' || *rest == '-');
	size_t n = (size_t)snprintf(variable, size, "%s%.*s", whole ? "" : PREFIX "_", (int)length, name);

	for (char *c = variable; *c != '\0'; c++)
		*c = as_in_a_variable(*c);
	return n;
}

const struct sp_setting *
sp_config_find(const char *variable)
{
	const struct row *row = find_row(variable, strlen(variable));

	return row ? &row->setting : NULL;
}

bool
sp_config_takes(const struct sp_setting *setting, const char *value)
{
	struct sp_config config;
	const struct row *row = find_row(setting->name, strlen(setting->name));

	return row && *sp_ascii_skip_blanks(value) != '\0' && parse(row, value, &config) == 0;
}

static bool
is_ours(const char *entry)
{
	return strncmp(entry, PREFIX, PREFIX_LENGTH) == 0 &&
	       (entry[PREFIX_LENGTH] == '=' || entry[PREFIX_LENGTH] == '_');
}

static void
read_one(struct sp_config *config, const char *entry, bool seen[], const char *held[],
	 void (*complain)(const char *))
{
	size_t length = strcspn(entry, "=");
	const struct row *row = find_row(entry, length);

	if (entry[length] == '\0')
		return;
	if (row && seen[row - rows])
		return;
	if (row)
		seen[row - rows] = true;

	const char *value = entry + length + 1;

	if (*sp_ascii_skip_blanks(value) == '\0')
		return;
	if (!row)
		complain_of_name(entry, length, complain);
	else if (parse(row, value, config) < 0)
		complain_of_value(&row->setting, value, held[row - rows], complain);
	else
		held[row - rows] = entry;
}

static void
read_all(struct sp_config *config, char *const entries[], const char *held[],
	 void (*complain)(const char *))
{
	bool seen[NROWS] = { false };	/* of a variable that is there twice the first counts */

	for (; entries && *entries; entries++) {
		if (is_ours(*entries))
			read_one(config, *entries, seen, held, complain);
	}
}

void
sp_config_read_over(struct sp_config *config, char *const site[], char *const environment[],
		    void (*complain)(const char *sentence), const char *origin[SP_SETTINGS_MAX])
{
	const char *held[NROWS] = { NULL };

	*config = (struct sp_config){ 0 };
	for (size_t i = 0; i < NROWS; i++)
		parse(&rows[i], rows[i].setting.initial, config);
	config->topology = NULL;
	read_all(config, site, held, complain);
	read_all(config, environment, held, complain);
	if (origin)
		memcpy(origin, held, sizeof(held));
}

void
sp_config_read(struct sp_config *config, char *const environment[],
	       void (*complain)(const char *sentence))
{
	sp_config_read_over(config, NULL, environment, complain, NULL);
}
