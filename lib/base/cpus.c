#include "cpus.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/ascii.h"

#define WORDS (SP_CPUS_MAX / 64)

void
sp_cpus_remove(struct sp_cpus *set, uint32_t cpu)
{
	if (cpu < SP_CPUS_MAX)
		set->word[cpu / 64] &= ~(UINT64_C(1) << cpu % 64);
}

uint32_t
sp_cpus_count(const struct sp_cpus *set)
{
	uint32_t count = 0;

	/* Most words are empty, and a count is a call where it may be no instruction. */
	for (int i = 0; i < WORDS; i++)
		if (set->word[i])
			count += (uint32_t)__builtin_popcountll(set->word[i]);
	return count;
}

bool
sp_cpus_empty(const struct sp_cpus *set)
{
	for (int i = 0; i < WORDS; i += 4)
		if (set->word[i] | set->word[i + 1] | set->word[i + 2] | set->word[i + 3])
			return false;
	return true;
}

bool
sp_cpus_equal(const struct sp_cpus *a, const struct sp_cpus *b)
{
	return memcmp(a->word, b->word, sizeof(a->word)) == 0;
}

bool
sp_cpus_intersect(const struct sp_cpus *a, const struct sp_cpus *b)
{
	for (int i = 0; i < WORDS; i++)
		if (a->word[i] & b->word[i])
			return true;
	return false;
}

bool
sp_cpus_within(const struct sp_cpus *a, const struct sp_cpus *b)
{
	for (int i = 0; i < WORDS; i++)
		if (a->word[i] & ~b->word[i])
			return false;
	return true;
}

/* A word of a mask in memory; what lies beyond it is 0. */
static uint64_t
word_of(const void *mask, size_t size, size_t i)
{
	size_t at = i * sizeof(uint64_t);
	uint64_t word = 0;

	if (at < size)
		memcpy(&word, (const char *)mask + at, size - at < sizeof(word) ? size - at : sizeof(word));
	return word;
}

bool
sp_cpus_equal_mask(const struct sp_cpus *set, const void *mask, size_t size)
{
	for (size_t i = 0; i < WORDS; i++)
		if (word_of(mask, size, i) != set->word[i])
			return false;
	return true;
}

bool
sp_cpus_hold_mask(const struct sp_cpus *set, const void *mask, size_t size)
{
	for (size_t i = 0; i < WORDS; i++)
		if (word_of(mask, size, i) & ~set->word[i])
			return false;
	return true;
}

uint32_t
sp_cpus_next(const struct sp_cpus *set, uint32_t cpu)
{
	if (cpu >= SP_CPUS_MAX)
		return SP_NO_CPU;

	uint32_t i = cpu / 64;
	uint64_t word = set->word[i] & ~UINT64_C(0) << cpu % 64;

	while (!word)
		if (++i == WORDS)
			return SP_NO_CPU;
		else
			word = set->word[i];
	return i * 64 + (uint32_t)__builtin_ctzll(word);
}

void
sp_cpus_or(struct sp_cpus *set, const struct sp_cpus *other)
{
	for (int i = 0; i < WORDS; i++)
		set->word[i] |= other->word[i];
}

void
sp_cpus_and(struct sp_cpus *set, const struct sp_cpus *other)
{
	for (int i = 0; i < WORDS; i++)
		set->word[i] &= other->word[i];
}

void
sp_cpus_sub(struct sp_cpus *set, const struct sp_cpus *other)
{
	for (int i = 0; i < WORDS; i++)
		set->word[i] &= ~other->word[i];
}

/* First CPU from cpu upwards that is not in the set. */
static uint32_t
end_of_run(const struct sp_cpus *set, uint32_t cpu)
{
	while (sp_cpus_has(set, cpu))
		cpu++;
	return cpu;
}

char *
sp_cpus_format(const struct sp_cpus *set, char *text, size_t size)
{
	size_t length = 0;
	size_t safe = 0;	/* the text may be cut here and ",..." still fits */

	if (size)
		text[0] = '\0';
	for (uint32_t cpu = sp_cpus_next(set, 0), end; cpu != SP_NO_CPU; cpu = sp_cpus_next(set, end)) {
		char entry[32];

		end = end_of_run(set, cpu);
		int n = end - cpu == 1 ?
			snprintf(entry, sizeof(entry), "%s%u", length ? "," : "", cpu) :
			snprintf(entry, sizeof(entry), "%s%u-%u", length ? "," : "", cpu, end - 1);

		if (length + (size_t)n >= size) {
			snprintf(text + safe, size - safe, safe ? ",..." : "...");
			return text;
		}
		memcpy(text + length, entry, (size_t)n + 1);
		length += (size_t)n;
		if (length + sizeof(",...") <= size)
			safe = length;
	}
	return text;
}

static const char *
skip_blanks(const char *text)
{
	return text + strspn(text, " \t\n");
}

/* Read a number; returns 0, -EINVAL or -ERANGE. */
static int
parse_cpu(const char **text, uint32_t *cpu)
{
	uint64_t value;
	const char *end = sp_ascii_digits(*text, &value);

	if (!end)
		return -EINVAL;
	if (value >= SP_CPUS_MAX)
		return -ERANGE;
	*text = end;
	*cpu = (uint32_t)value;
	return 0;
}

static int
parse_entry(const char **text, struct sp_cpus *set)
{
	uint32_t first, last;
	int rc = parse_cpu(text, &first);

	last = first;
	if (rc == 0 && **text == '-') {
		++*text;
		rc = parse_cpu(text, &last);
	}
	if (rc)
		return rc;
	if (last < first)
		return -EINVAL;
	for (; first <= last; first++)
		sp_cpus_add(set, first);
	return 0;
}

int
sp_cpus_parse_part(const char **text, struct sp_cpus *set)
{
	struct sp_cpus read = { 0 };
	const char *at = skip_blanks(*text);

	while (*at && *at != ':') {
		int rc = parse_entry(&at, &read);

		if (rc)
			return rc;
		at = skip_blanks(at);
		if (!*at || *at == ':')
			break;
		if (*at != ',')
			return -EINVAL;
		at = skip_blanks(at + 1);
		if (!*at || *at == ':')
			return -EINVAL;
	}
	*text = at;
	*set = read;
	return 0;
}

int
sp_cpus_parse(const char *text, struct sp_cpus *set)
{
	struct sp_cpus read;
	int rc = sp_cpus_parse_part(&text, &read);

	if (rc == 0 && *text)
		return -EINVAL;
	if (rc == 0)
		*set = read;
	return rc;
}
