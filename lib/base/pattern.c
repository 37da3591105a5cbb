#include "base/pattern.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/ascii.h"

#define PARTS "hjrpu%"

bool
sp_pattern_is_valid(const char *pattern)
{
	pattern = sp_ascii_skip_blanks(pattern);
	if (*pattern == '\0')
		return false;
	for (; (pattern = strchr(pattern, '%')); pattern += 2)
		if (pattern[1] == '\0' || !strchr(PARTS, pattern[1]))
			return false;
	return true;
}

static bool
is_harmless(char c)
{
	return sp_ascii_is_digit(c) || (sp_ascii_lower(c) >= 'a' && sp_ascii_lower(c) <= 'z') || (c != '\0' && strchr("._@+-", c));
}

/* The value of a placeholder. */
static const char *
value_of(char part, const struct sp_pattern_values *values, char number[16])
{
	number[0] = '\0';
	switch (part) {
	case 'h':
		return values->host;
	case 'j':
		return values->job;
	case 'r':
		snprintf(number, 16, "%u", values->local_rank);
		return number;
	case 'u':
		snprintf(number, 16, "%u", values->user);
		return number;
	case 'p':
		snprintf(number, 16, "%d", values->pid);
		return number;
	default:
		return "";
	}
}

int
sp_pattern_fill(const char *pattern, const struct sp_pattern_values *values, char *name, size_t size)
{
	char number[16];
	size_t n = 0;

	for (const char *c = pattern; *c != '\0' && n < size; c++) {
		if (*c != '%' || c[1] == '%') {
			name[n++] = *c;
			c += *c == '%';
			continue;
		}
		if (*++c == '\0')
			break;
		for (const char *v = value_of(*c, values, number); *v != '\0' && n < size; v++)
			name[n++] = is_harmless(*v) ? *v : '-';
	}
	if (n >= size)
		return -ENAMETOOLONG;
	name[n] = '\0';
	return 0;
}
