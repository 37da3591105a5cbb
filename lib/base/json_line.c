#include "base/json_line.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/order.h"

/* What ends the last member, the object, the line and the C string. */
#define END (sizeof("\"}\n"))

size_t
sp_utf8_length(const char *text)
{
	const unsigned char *c = (const unsigned char *)text;
	size_t n = c[0] < 0x80 ? 1 : c[0] < 0xc2 ? 0 : c[0] < 0xe0 ? 2 : c[0] < 0xf0 ? 3 : c[0] < 0xf5 ? 4 : 0;

	for (size_t i = 1; i < n; i++)
		if ((c[i] & 0xc0) != 0x80)
			return 0;
	/* Overlong, a surrogate, or beyond U+10FFFF. */
	if ((c[0] == 0xe0 && c[1] < 0xa0) || (c[0] == 0xed && c[1] >= 0xa0) ||
	    (c[0] == 0xf0 && c[1] < 0x90) || (c[0] == 0xf4 && c[1] >= 0x90))
		return 0;
	return n;
}

size_t
sp_json_character(const char *text, char escaped[SP_JSON_CHARACTER])
{
	size_t n = sp_utf8_length(text);
	unsigned char c = (unsigned char)*text;

	if (n == 0)
		strcpy(escaped, "\\ufffd");
	else if (c == '"' || c == '\\')
		snprintf(escaped, SP_JSON_CHARACTER, "\\%c", c);
	else if (c < ' ' || c == 0x7f)
		snprintf(escaped, SP_JSON_CHARACTER, "\\u%04x", c);
	else
		snprintf(escaped, SP_JSON_CHARACTER, "%.*s", (int)n, text);
	return n ? n : 1;
}

static size_t
room_of(const struct sp_text *json)
{
	return sp_excess(json->size, json->length + END);
}

struct sp_text
sp_json_begin(char *line, size_t size)
{
	struct sp_text json = sp_text_begin(line, size);

	sp_text_add(&json, "{");
	return json;
}

/* begin: what of its value it needs at least.  Returns whether it fits. */
static int
add_key(struct sp_text *json, const char *key, size_t begin)
{
	if (strlen(key) + sizeof(", \"\": ") + begin > room_of(json))
		return 0;
	sp_text_add(json, "%s\"%s\": ", json->length > 1 ? ", " : "", key);
	return 1;
}

void
sp_json_add_text(struct sp_text *json, const char *key, const char *text)
{
	char escaped[SP_JSON_CHARACTER];

	if (!add_key(json, key, sizeof("\"\"")))
		return;
	sp_text_add(json, "\"");
	while (*text) {
		text += sp_json_character(text, escaped);
		if (strlen(escaped) + 1 > room_of(json))
			break;
		sp_text_add(json, "%s", escaped);
	}
	sp_text_add(json, "\"");
}

static void
add_as_is(struct sp_text *json, const char *key, const char *value)
{
	if (add_key(json, key, strlen(value)))
		sp_text_add(json, "%s", value);
}

void
sp_json_add_number(struct sp_text *json, const char *key, int64_t number)
{
	char digits[24];

	snprintf(digits, sizeof(digits), "%" PRId64, number);
	add_as_is(json, key, digits);
}

void
sp_json_add_flag(struct sp_text *json, const char *key, int flag)
{
	add_as_is(json, key, flag ? "true" : "false");
}

void
sp_json_add_thousandths(struct sp_text *json, const char *key, int64_t thousandths)
{
	char text[32];

	snprintf(text, sizeof(text), "%" PRId64 ".%03" PRId64, thousandths / 1000, thousandths % 1000);
	add_as_is(json, key, text);
}

void
sp_json_add_time(struct sp_text *json)
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	sp_json_add_thousandths(json, "time", (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000);
}

size_t
sp_json_end(struct sp_text *json)
{
	sp_text_add(json, "}\n");
	return json->length;
}
