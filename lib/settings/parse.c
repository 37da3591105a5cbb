/* How the value of a setting is read. */
#include "settings/parse.h"

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "base/ascii.h"
#include "base/pattern.h"
#include "cut/domains.h"
#include "settings/config.h"

/* No rank waits longer for others. */
#define SECONDS_MAX 60

static int
find_word(const char *text, const struct sp_word *words, unsigned *value)
{
	for (; words->text; words++) {
		if (sp_ascii_is(text, words->text)) {
			*value = words->value;
			return 0;
		}
	}
	return -EINVAL;
}

int
sp_parse_flag(const char *text, void *field, const struct sp_word *words)
{
	unsigned value;

	if (find_word(text, words, &value) < 0)
		return -EINVAL;
	*(bool *)field = value;
	return 0;
}

/* All enums of the settings have the size of unsigned. */
_Static_assert(sizeof(enum sp_inherited) == sizeof(unsigned), "enum");

int
sp_parse_word(const char *text, void *field, const struct sp_word *words)
{
	unsigned value;

	if (find_word(text, words, &value) < 0)
		return -EINVAL;
	memcpy(field, &value, sizeof(value));
	return 0;
}

/* Two flags that one word sets, by SP_BOTH. */
static int
parse_flags(const char *text, const struct sp_word *words, bool *first, bool *second)
{
	unsigned value;

	if (find_word(text, words, &value) < 0)
		return -EINVAL;
	*first = SP_FIRST(value);
	*second = SP_SECOND(value);
	return 0;
}

int
sp_parse_switch(const char *text, void *field, const struct sp_word *words)
{
	struct sp_config *config = field;

	return parse_flags(text, words, &config->on, &config->observe);
}

int
sp_parse_report(const char *text, void *field, const struct sp_word *words)
{
	struct sp_config *config = field;

	return parse_flags(text, words, &config->report, &config->memory_check);
}

/* A file or a description, distinguished as in sp_topology_read; any other word is a misspelling. */
static bool
is_machine(const char *text)
{
	const char *end = strrchr(text, '.');

	return strpbrk(text, ":/") || (end && strcmp(end, ".xml") == 0);
}

int
sp_parse_dry_run(const char *text, void *field, const struct sp_word *words)
{
	struct sp_config *config = field;
	unsigned value = true;

	text = sp_ascii_skip_blanks(text);
	bool is_word = find_word(text, words, &value) == 0;

	if (!is_word && !is_machine(text))
		return -EINVAL;
	config->dry_run = value;
	config->topology = is_word ? NULL : text;
	return 0;
}

int
sp_parse_bind(const char *text, void *field, const struct sp_word *words)
{
	struct sp_config *config = field;
	unsigned value;

	if (find_word(text, words, &value) < 0)
		return -EINVAL;
	config->bind = (enum sp_bind)SP_FIRST(value);
	config->granularity = (enum sp_granularity)SP_SECOND(value);
	return 0;
}

int
sp_parse_devices(const char *text, void *field, const struct sp_word *words)
{
	struct sp_config *config = field;
	unsigned value;

	if (find_word(text, words, &value) < 0)
		return -EINVAL;
	config->policy.devices = (enum sp_devices)SP_FIRST(value);
	config->visible = (enum sp_visible)SP_SECOND(value);
	return 0;
}

int
sp_parse_memory(const char *text, void *field, const struct sp_word *words)
{
	struct sp_config *config = field;
	unsigned value;

	if (find_word(text, words, &value) < 0)
		return -EINVAL;
	config->memory = (enum sp_memory)SP_FIRST(value);
	config->memory_move = SP_SECOND(value);
	return 0;
}

int
sp_parse_count(const char *text, void *field, const struct sp_word *words)
{
	uint32_t number = 0;

	(void)words;
	if (!sp_ascii_is(text, "all") && (!sp_ascii_number(text, &number) || number == 0))
		return -EINVAL;
	*(uint32_t *)field = number;
	return 0;
}

int
sp_parse_cores(const char *text, void *field, const struct sp_word *words)
{
	struct sp_policy *policy = field;
	unsigned share = SP_SHARE_EQUAL;
	uint32_t cores = 0;

	if (find_word(text, words, &share) < 0 && (!sp_ascii_number(text, &cores) || cores == 0))
		return -EINVAL;
	policy->share = (enum sp_share)share;
	policy->cores = cores;
	return 0;
}

int
sp_parse_domain(const char *text, void *field, const struct sp_word *words)
{
	struct sp_policy *policy = field;
	unsigned value = SP_DOMAIN_LISTS;

	int error = find_word(text, words, &value) < 0 ? sp_domain_check_lists(text) : 0;

	if (error)
		return error;
	policy->domain = (enum sp_domain)value;
	policy->lists = value == SP_DOMAIN_LISTS ? text : NULL;
	return 0;
}

/* A single number counts cores; a list has a ',' or a '-': CPU 5 alone is "5-5". */
int
sp_parse_reserve(const char *text, void *field, const struct sp_word *words)
{
	struct sp_policy *policy = field;
	struct sp_cpus reserved = { 0 };
	uint32_t cores = 0;
	int error = 0;

	(void)words;
	if (strpbrk(text, ",-"))
		error = sp_cpus_parse(text, &reserved);
	else if (!sp_ascii_number(text, &cores))
		error = -EINVAL;
	if (error)
		return error;
	policy->reserve = cores;
	policy->reserved = reserved;
	return 0;
}

/* Seconds with up to three digits behind the point, as milliseconds. */
int
sp_parse_seconds(const char *text, void *field, const struct sp_word *words)
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
		if (behind)
			scale /= 10;
		ms = behind ? ms + (uint32_t)(*p - '0') * scale : ms * 10 + (uint32_t)(*p - '0') * 1000;
		if (ms > SECONDS_MAX * 1000)
			return -EINVAL;
	}
	if (p == text + behind || *sp_ascii_skip_blanks(p) != '\0')
		return -EINVAL;
	*(uint32_t *)field = ms;
	return 0;
}

int
sp_parse_pattern(const char *text, void *field, const struct sp_word *words)
{
	(void)words;
	if (!sp_pattern_is_valid(text))
		return -EINVAL;
	*(const char **)field = sp_ascii_skip_blanks(text);
	return 0;
}
