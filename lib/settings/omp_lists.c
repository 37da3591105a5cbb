/* The lists of CPU numbers of OpenMP runtimes' settings, each in a grammar of its own. */
#include "settings/omp_lists.h"

#include <string.h>

#include "base/ascii.h"
#include "base/order.h"

static bool
take(const char **text, char c)
{
	*text = sp_ascii_skip_blanks(*text);
	if (**text != c)
		return false;
	++*text;
	return true;
}

/* Numbers beyond any CPU are cut to FAR, so that sums of them stay small. */
#define FAR (1 << 24)

static bool
number(const char **text, int64_t *n)
{
	bool negative = take(text, '-');
	uint64_t digits;
	const char *end = sp_ascii_digits(*text, &digits);

	if (!end)
		return false;
	*text = end;
	*n = (int64_t)sp_smaller(digits, FAR);
	if (negative)
		*n = -*n;
	return true;
}

static void
add(struct sp_cpus *set, int64_t cpu)
{
	if (cpu >= 0 && cpu < SP_CPUS_MAX)
		sp_cpus_add(set, (uint32_t)cpu);
}

/* "4", "0-3", "0-8:2", as GOMP_CPU_AFFINITY and proclist write them. */
static bool
range(const char **text, struct sp_cpus *set)
{
	int64_t first, last, stride = 1;

	if (!number(text, &first) || first < 0)
		return false;
	last = first;
	if (take(text, '-')) {
		if (!number(text, &last) || last < first)
			return false;
		if (take(text, ':') && (!number(text, &stride) || stride <= 0))
			return false;
	}
	for (; first <= last && first < SP_CPUS_MAX; first += stride)
		add(set, first);
	return true;
}

/* Ranges parted by commas or blanks; the braces of proclist group, no more. */
static bool
ranges(const char *text, char end, struct sp_cpus *set)
{
	for (;;) {
		while (sp_ascii_is_blank(*text) || (*text != '\0' && strchr(",{}", *text)))
			text++;
		if (*text == end)
			return true;
		if (!range(&text, set))
			return false;
	}
}

/* ":length:stride", either or both left out. */
static bool
repeat(const char **text, int64_t *length, int64_t *stride)
{
	*length = 1;
	*stride = 1;
	if (take(text, ':') && (!number(text, length) || *length <= 0))
		return false;
	if (take(text, ':') && !number(text, stride))
		return false;
	*length = (int64_t)sp_smaller((uint64_t)*length, SP_CPUS_MAX);
	return true;
}

static bool
place(const char **text, struct sp_cpus *set)
{
	bool braces = take(text, '{');

	do {
		int64_t cpu, length = 1, stride = 1;

		if (!number(text, &cpu) || cpu < 0)
			return false;
		if (braces && !repeat(text, &length, &stride))
			return false;
		for (; length > 0; length--, cpu += stride)
			add(set, cpu);
	} while (braces && take(text, ','));
	return !braces || take(text, '}');
}

/* Places may overlap, but no machine has more than this. */
#define CPUS_IN_PLACES_MAX (8 * SP_CPUS_MAX)

/*
 * OMP_PLACES as a list: "{0:4},{4}", "{0,1}:2:2".  Its names (cores, threads)
 * and exclusion ('!') are not numbers that could leave a share.
 */
bool
sp_omp_list_of_places(const char *text, struct sp_cpus *set)
{
	do {
		struct sp_cpus one = { 0 };
		int64_t length, stride;

		if (!place(&text, &one) || !repeat(&text, &length, &stride) ||
		    length * sp_cpus_count(&one) > CPUS_IN_PLACES_MAX)
			return false;
		for (int64_t i = 0; i < length; i++) {
			uint32_t cpu = sp_cpus_next(&one, 0);

			for (; cpu != SP_NO_CPU; cpu = sp_cpus_next(&one, cpu + 1))
				add(set, (int64_t)cpu + i * stride);
		}
	} while (take(&text, ','));
	return *sp_ascii_skip_blanks(text) == '\0';
}

bool
sp_omp_list_of_gomp(const char *value, struct sp_cpus *set)
{
	return ranges(value, '\0', set);
}

bool
sp_omp_list_of_kmp(const char *value, struct sp_cpus *set)
{
	const char *list;

	while (*value != '\0' && !sp_ascii_begins(value, "proclist=[", &list))
		value++;
	return *value != '\0' && ranges(list, ']', set);
}
