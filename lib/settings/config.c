/* The table of settings, and how an environment is read by it. */
#include "settings/config.h"

#include <errno.h>
#include <limits.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "base/ascii.h"
#include "base/environment.h"
#include "launcher/launcher.h"
#include "settings/parse.h"

#define PREFIX "SPLITPIN"
#define PREFIX_LENGTH (sizeof(PREFIX) - 1)

#define SENTENCE 512		/* room for one */

#define TRUTHS \
	{ "on", true }, { "1", true }, { "yes", true }, { "true", true }, \
	{ "off", false }, { "0", false }, { "no", false }, { "false", false }

static const struct sp_word truths[] = { TRUTHS, { NULL, 0 } };

static const struct sp_word switches[] = { TRUTHS, { "observe", SP_BOTH(true, true) }, { NULL, 0 } };

static const struct sp_word reports[] = { TRUTHS, { "memory", SP_BOTH(true, true) }, { NULL, 0 } };

static const struct sp_word inherited[] = {
	{ "auto", SP_INHERITED_AUTO }, { "keep", SP_INHERITED_KEEP }, { "ignore", SP_INHERITED_IGNORE },
	{ NULL, 0 }
};

static const struct sp_word neighbours[] = {
	{ "avoid", SP_NEIGHBOURS_AVOID }, { "ignore", SP_NEIGHBOURS_IGNORE },
	{ NULL, 0 }
};

static const struct sp_word domains[] = {
	{ "auto", SP_DOMAIN_AUTO }, { "node", SP_DOMAIN_NODE }, { "package", SP_DOMAIN_PACKAGE },
	{ "numa", SP_DOMAIN_NUMA }, { "l3", SP_DOMAIN_L3 }, { "core", SP_DOMAIN_CORE },
	{ NULL, 0 }
};

static const struct sp_word shares[] = {
	{ "equal", SP_SHARE_EQUAL }, { "all", SP_SHARE_ALL },	/* or a number */
	{ NULL, 0 }
};

static const struct sp_word distributions[] = {
	{ "block", SP_BLOCK }, { "cyclic", SP_CYCLIC },
	{ NULL, 0 }
};

static const struct sp_word binds[] = {
	{ "spread", SP_SPREAD }, { "close", SP_CLOSE }, { "none", SP_NO_BIND },
	{ "spread:core", SP_BOTH(SP_SPREAD, SP_GRANULARITY_CORE) }, { "spread:thread", SP_BOTH(SP_SPREAD, SP_GRANULARITY_THREAD) },
	{ "close:core", SP_BOTH(SP_CLOSE, SP_GRANULARITY_CORE) }, { "close:thread", SP_BOTH(SP_CLOSE, SP_GRANULARITY_THREAD) },
	{ NULL, 0 }
};

static const struct sp_word pins[] = {
	{ "auto", SP_PIN_AUTO }, { "ompt", SP_PIN_OMPT }, { "native", SP_PIN_NATIVE },
	{ NULL, 0 }
};

static const struct sp_word kinds[] = {
	{ "auto", SP_KINDS_AUTO }, { "performance", SP_KINDS_PERFORMANCE },
	{ "efficiency", SP_KINDS_EFFICIENCY }, { "all", SP_KINDS_ALL },
	{ NULL, 0 }
};

static const struct sp_word devices[] = {
	{ "off", SP_DEVICES_OFF }, { "auto", SP_DEVICES_AUTO }, { "gpu", SP_DEVICES_GPU },
	{ "nic", SP_DEVICES_NIC }, { "both", SP_DEVICES_GPU_NIC }, { "gpu:own", SP_BOTH(SP_DEVICES_AUTO, SP_VISIBLE_SET) },
	{ NULL, 0 }
};

static const struct sp_word answers[] = {
	{ "share", SP_ANSWER_SHARE }, { "pin", SP_ANSWER_PIN },
	{ NULL, 0 }
};

static const struct sp_word guards[] = {
	{ "auto", SP_GUARD_AUTO }, { "off", SP_GUARD_OFF }, { "warn", SP_GUARD_WARN },
	{ "keep", SP_GUARD_KEEP },
	{ NULL, 0 }
};

#define POLICY(text, memory) { text, memory }, { text ":move", SP_BOTH(memory, true) }
static const struct sp_word memories[] = {
	{ "default", SP_MEMORY_DEFAULT },
	POLICY("local", SP_MEMORY_LOCAL), POLICY("interleave", SP_MEMORY_INTERLEAVE),
	POLICY("interleave:all", SP_MEMORY_INTERLEAVE_ALL), POLICY("bind", SP_MEMORY_BIND),
	POLICY("preferred", SP_MEMORY_PREFERRED), POLICY("hbm", SP_MEMORY_HBM), POLICY("hbm:bind", SP_MEMORY_HBM_BIND),
	{ NULL, 0 }
};
#undef POLICY

static const struct row {
	struct sp_setting setting;
	sp_parser *parse;		/* NULL: read elsewhere; here so that the name is no fault */
	const struct sp_word *words;
	size_t field;
} rows[] = {
	/* What users set. */
	{ { "SPLITPIN", "on, off or observe", "on",
	    "turns splitpin on or off; observe: change nothing and print nothing, for the site's record" },
	  sp_parse_switch, switches, 0 },
	{ { "SPLITPIN_REPORT", "0, 1 or memory", "0",
	    "print one table per node: which rank has which cores; with memory also where each rank's memory is when it ends" },
	  sp_parse_report, reports, 0 },
	{ { "SPLITPIN_DEBUG", "0 or 1", "0",
	    "log each decision and each pinned thread to standard error" },
	  sp_parse_flag, truths, offsetof(struct sp_config, debug) },
	{ { "SPLITPIN_INHERITED", "auto, keep or ignore", "auto",
	    "whether to keep the launcher's binding; auto: keep it if you asked for it, or if it leaves each rank enough cores" },
	  sp_parse_word, inherited, offsetof(struct sp_config, inherited) },
	{ { "SPLITPIN_DOMAIN", "auto, node, package, numa, l3, core, or one CPU list per rank, such as 0-3:4-7 (0-0: CPU 0 alone)", "auto",
	    "CPUs of each rank: chosen by splitpin (auto), a whole node, package, NUMA node, L3 group or core, or one CPU list per rank" },
	  sp_parse_domain, domains, offsetof(struct sp_config, policy) },
	{ { "SPLITPIN_CORES", "equal, all, or a number from 1", "equal",
	    "cores per rank; equal: the same number each, leftover ones stay free; all: leftover ones are given out, too; a number: that many each" },
	  sp_parse_cores, shares, offsetof(struct sp_config, policy) },
	{ { "SPLITPIN_SMT", "all, or a number from 1", "all",
	    "hardware threads per core that a rank may use" },
	  sp_parse_count, NULL, offsetof(struct sp_config, policy.smt) },
	{ { "SPLITPIN_RESERVE", "a number of cores, or a CPU list such as 0-1 or 0,68", "0",
	    "cores kept free: N per NUMA node, or a CPU list (0-1, or 5-5 for CPU 5 alone)" },
	  sp_parse_reserve, NULL, offsetof(struct sp_config, policy) },
	{ { "SPLITPIN_BIND", "spread, close, none, spread:core, spread:thread, close:core or close:thread", "spread",
	    "how OpenMP threads are placed on the cores of their rank; with :core each may use all hardware threads of its core, with :thread only one" },
	  sp_parse_bind, binds, 0 },
	{ { "SPLITPIN_MEMORY", "default, local, interleave, interleave:all, bind, preferred, hbm or hbm:bind, each but default also with :move", "default",
	    "NUMA policy for the memory of a rank; with :move memory in use is moved, too" },
	  sp_parse_memory, memories, 0 },
	/* For experts: splitpin(7) has the case of each. */
	{ { "SPLITPIN_DEVICES", "off, auto, gpu, gpu:own, nic or both", "auto",
	    "place each rank near its GPUs (gpu), near network cards (nic) or both; with gpu:own it also sees only its own GPUs" },
	  sp_parse_devices, devices, 0 },
	{ { "SPLITPIN_KINDS", "auto, performance, efficiency or all", "auto",
	    "which cores to use where some are faster than others" },
	  sp_parse_word, kinds, offsetof(struct sp_config, policy.kinds) },
	{ { "SPLITPIN_DISTRIBUTION", "block or cyclic", "block",
	    "place ranks in order, or round-robin over the NUMA nodes" },
	  sp_parse_word, distributions, offsetof(struct sp_config, policy.distribution) },
	{ { "SPLITPIN_NEIGHBOURS", "avoid or ignore", "avoid",
	    "whether to avoid cores in use by another of your jobs while others are free" },
	  sp_parse_word, neighbours, offsetof(struct sp_config, neighbours) },
	{ { "SPLITPIN_LOCAL_RANK", "alone, or a number from 0", "set by the launcher",
	    "number of this rank on its node, from 0; needs SPLITPIN_LOCAL_SIZE; alone: a job of one rank, without a launcher" },
	  NULL, NULL, 0 },
	{ { "SPLITPIN_LOCAL_SIZE", "a number from 1", "set by the launcher",
	    "number of the job's ranks on this node; needs SPLITPIN_LOCAL_RANK" },
	  NULL, NULL, 0 },
	{ { "SPLITPIN_PIN", "auto, ompt or native", "auto",
	    "how threads of libomp and libiomp5 are pinned: by splitpin through OMPT, OpenMP's interface for tools, or by the runtime itself (native)" },
	  sp_parse_word, pins, offsetof(struct sp_config, pin) },
	{ { "SPLITPIN_ANSWER", "share or pin", "share",
	    "what sched_getaffinity() reports to a pinned thread outside parallel regions: its rank's cores, or its own pin" },
	  sp_parse_word, answers, offsetof(struct sp_config, answer) },
	{ { "SPLITPIN_GUARD", "auto, off, warn or keep", "auto",
	    "what to do if something else changes the mask of a pinned thread: warn when the rank ends, or restore it (keep)" },
	  sp_parse_word, guards, offsetof(struct sp_config, guard) },
	{ { "SPLITPIN_WAIT", "seconds from 0 to 60, such as 2 or 0.5", "2",
	    "longest wait for a rank of the same node that has not started" },
	  sp_parse_seconds, NULL, offsetof(struct sp_config, wait_ms) },
	{ { "SPLITPIN_DRYRUN", "0, 1, or a machine in hwloc's XML or synthetic syntax", "0",
	    "only report what would be done, on this machine or another, and change nothing" },
	  sp_parse_dry_run, truths, 0 },
	{ { "SPLITPIN_LOG", "a path, in which %h stands for the host, %j the job, %r the local rank, %p the process and %u the user ID", "standard error",
	    "file for the output of SPLITPIN_DEBUG and SPLITPIN_REPORT, in JSON if it ends in .json or .jsonl" },
	  sp_parse_pattern, NULL, offsetof(struct sp_config, log) },
};

#define NROWS (sizeof(rows) / sizeof(rows[0]))

_Static_assert(NROWS <= SP_SETTINGS_MAX, "SP_SETTINGS_MAX");

const struct sp_setting *
sp_config_setting(unsigned i)
{
	return i < NROWS ? &rows[i].setting : NULL;
}

const struct sp_setting *
sp_config_nearest(const char *name, size_t length)
{
	const struct sp_setting *best = NULL;
	unsigned least = UINT_MAX, far;

	for (size_t i = 0; i < NROWS; i++) {
		if (sp_config_is_near(name, length, rows[i].setting.name, &far) && far < least) {
			least = far;
			best = &rows[i].setting;
		}
	}
	return best;
}

bool
sp_config_avoids_others(const struct sp_config *config)
{
	return config->neighbours == SP_NEIGHBOURS_AVOID && !config->topology;
}

const char *
sp_config_memory_name(enum sp_memory memory)
{
	const struct sp_word *word = memories;

	while (word->text && word->value != memory)
		word++;
	return word->text;
}

bool
sp_config_memory_is_as_asked(const struct sp_config *config, const char *name)
{
	return config->memory == SP_MEMORY_DEFAULT ||
	       (strcmp(name, "default") != 0 && strncmp(name, "kept:", 5) != 0);
}

static int
parse(const struct row *row, const char *text, struct sp_config *config)
{
	return row->parse ? row->parse(text, (char *)config + row->field, row->words) : 0;
}

static const char *
value_of(const char *entry)
{
	return entry + strcspn(entry, "=") + 1;
}

/* Behind "use", by what the parser has returned. */
static const char *
expected(const struct sp_setting *setting, int error)
{
	return error == -ERANGE ? "CPU numbers from 0 to 8191" : setting->values;
}

/* held: the entry that holds instead; NULL: the initial value does. */
static void
complain_of_value(const struct sp_setting *setting, const char *value, int error, const char *held,
		  sp_complain *complain, void *data)
{
	char sentence[SENTENCE], quoted[SP_QUOTED], instead[SP_QUOTED];

	if (!complain)
		return;
	held = held ? value_of(held) : setting->initial;
	snprintf(sentence, sizeof(sentence), "%s=%s is wrong: use %s; %s is used instead",
		 setting->name, sp_config_quote(value, strlen(value), quoted), expected(setting, error),
		 sp_config_quote(held, strlen(held), instead));
	complain(data, sentence);
}

static void
complain_of_name(const char *name, size_t length, sp_complain *complain, void *data)
{
	const struct sp_setting *meant = sp_config_nearest(name, length);
	char sentence[SENTENCE], quoted[SP_QUOTED];

	if (!complain)
		return;
	sp_config_quote(name, length, quoted);
	if (meant)
		snprintf(sentence, sizeof(sentence), "%s is not a setting of splitpin: did you mean %s?",
			 quoted, meant->name);
	else
		snprintf(sentence, sizeof(sentence), "%s is not a setting of splitpin: see splitpin(7)",
			 quoted);
	complain(data, sentence);
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

const struct sp_setting *
sp_config_find(const char *variable)
{
	const struct row *row = find_row(variable, strlen(variable));

	return row ? &row->setting : NULL;
}

const char *
sp_config_expects(const struct sp_setting *setting, const char *value)
{
	struct sp_config config;

	if (*sp_ascii_skip_blanks(value) == '\0')
		return setting->values;
	const struct row *row = find_row(setting->name, strlen(setting->name));
	int error = row ? parse(row, value, &config) : -EINVAL;

	return error ? expected(setting, error) : NULL;
}

/*
 * Variables of others may have a similar beginning: without "_", or with the
 * prefix spelt differently, only a name close to a setting
 * counts.  "splitpin=/opt/splitpin" is the user's own, and SP_RUN is splitpin's.
 */
static bool
is_ours(const char *entry)
{
	const char *rest;

	if (sp_ascii_lower(*entry) != 's')
		return false;
	size_t length = strcspn(entry, "=");
	if (strncmp(entry, SP_RUN "=", sizeof(SP_RUN)) == 0)
		return false;
	if (strncmp(entry, PREFIX, PREFIX_LENGTH) == 0 && (entry[PREFIX_LENGTH] == '=' || entry[PREFIX_LENGTH] == '_'))
		return true;
	if (!sp_ascii_begins(entry, "splitpin", &rest) && !sp_ascii_begins(entry, "split_pin", &rest))
		return false;
	const struct sp_setting *meant = sp_config_nearest(entry, length);
	return meant && entry[length] && (meant->name[PREFIX_LENGTH] || !sp_config_expects(meant, entry + length + 1));
}

static void
read_one(struct sp_config *config, const char *entry, bool seen[], const char *held[],
	 sp_complain *complain, void *data)
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
	if (!row) {
		complain_of_name(entry, length, complain, data);
		return;
	}
	int error = parse(row, value, config);

	if (error)
		complain_of_value(&row->setting, value, error, held[row - rows], complain, data);
	else
		held[row - rows] = entry;
}

static void
read_all(struct sp_config *config, char *const entries[], const char *held[],
	 sp_complain *complain, void *data)
{
	bool seen[NROWS] = { false };	/* of a variable that is there twice the first counts */

	for (; entries && *entries; entries++) {
		if (is_ours(*entries))
			read_one(config, *entries, seen, held, complain, data);
	}
}

static bool
is_held(const char *const held[], const char *name)
{
	return held[find_row(name, strlen(name)) - rows];
}

void
sp_config_read_over(struct sp_config *config, char *const site[], char *const environment[],
		    sp_complain *complain, void *data, const char *origin[SP_SETTINGS_MAX])
{
	const char *held[NROWS] = { NULL };

	*config = (struct sp_config){ 0 };
	for (size_t i = 0; i < NROWS; i++)
		parse(&rows[i], rows[i].setting.initial, config);
	config->log = NULL;
	read_all(config, site, held, complain, data);
	read_all(config, environment, held, complain, data);
	if (config->observe) {
		config->dry_run = true;
		config->topology = NULL;
	}
	/* A file that is named must get some output. */
	if (config->log && !is_held(held, "SPLITPIN_DEBUG") && !is_held(held, "SPLITPIN_REPORT"))
		config->report = true;
	if (origin)
		memcpy(origin, held, sizeof(held));
}

bool
sp_config_is_truth(const char *text, bool *is_on)
{
	return sp_parse_flag(text, is_on, truths) == 0;
}

bool
sp_config_is_on(char *const environment[])
{
	const char *value = sp_environment_value(environment, PREFIX);
	bool on = true;

	return !value || !sp_config_is_truth(value, &on) || on;
}

void
sp_config_read(struct sp_config *config, char *const environment[],
	       sp_complain *complain, void *data)
{
	sp_config_read_over(config, NULL, environment, complain, data, NULL);
}
