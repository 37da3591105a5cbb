#include "cmd/json.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/json_line.h"

#define DEPTH 16

/* What has begun and not ended; there is one standard output. */
static struct {
	unsigned depth;
	unsigned row;			/* the depth of the outermost row; 0: none has begun */
	struct {
		bool is_array, has_members;
	} level[DEPTH];
} now;

static void
put_text(const char *text)
{
	char escaped[SP_JSON_CHARACTER];

	putchar('"');
	while (*text) {
		text += sp_json_character(text, escaped);
		fputs(escaped, stdout);
	}
	putchar('"');
}

static void
put_break(void)
{
	if (now.row)
		putchar(' ');
	else
		printf("\n%*s", (int)(2 * now.depth), "");
}

/* What stands in front of a value. */
static void
begin_member(const char *key)
{
	if (now.depth) {
		bool is_first = !now.level[now.depth].has_members;

		now.level[now.depth].has_members = true;
		if (!is_first)
			putchar(',');
		if (!is_first || !now.row || !now.level[now.depth].is_array)
			put_break();
	}
	if (key) {
		put_text(key);
		fputs(": ", stdout);
	}
}

/* Nobody nests deeper than DEPTH: what would is left out of the levels, not of the output. */
static void
begin(const char *key, bool is_array)
{
	begin_member(key);
	putchar(is_array ? '[' : '{');
	now.depth += now.depth + 1 < DEPTH;
	now.level[now.depth].is_array = is_array;
	now.level[now.depth].has_members = false;
}

void
json_object(const char *key)
{
	begin(key, false);
}

void
json_array(const char *key)
{
	begin(key, true);
}

void
json_row(const char *key)
{
	begin(key, false);
	now.row = now.row ? now.row : now.depth;
}

void
json_end(void)
{
	bool is_array = now.level[now.depth].is_array, has_members = now.level[now.depth].has_members, is_in_row = now.row;

	if (now.row == now.depth)
		now.row = 0;
	now.depth -= now.depth > 0;
	if (has_members && is_in_row && !is_array)
		putchar(' ');
	else if (has_members && !is_in_row)
		put_break();
	putchar(is_array ? ']' : '}');
	if (!now.depth)
		putchar('\n');
}

void
json_text(const char *key, const char *text)
{
	begin_member(key);
	if (text)
		put_text(text);
	else
		fputs("null", stdout);
}

void
json_null(const char *key)
{
	json_text(key, NULL);
}

void
json_number(const char *key, int64_t number)
{
	begin_member(key);
	printf("%" PRId64, number);
}

void
json_real(const char *key, double number, int digits)
{
	begin_member(key);
	printf("%.*f", digits, number);
}

void
json_bool(const char *key, bool value)
{
	begin_member(key);
	fputs(value ? "true" : "false", stdout);
}

void
json_cpus(const char *key, const struct sp_cpus *set)
{
	begin_member(key);
	putchar('[');
	for (uint32_t i = sp_cpus_next(set, 0), first = i; i != SP_NO_CPU; i = sp_cpus_next(set, i + 1))
		printf("%s%u", i == first ? "" : ", ", i);
	putchar(']');
}

void
json_gpus(const char *key, const struct sp_gpus *gpus, const struct sp_gpu_list *list)
{
	json_array(key);
	for (uint32_t i = 0; i < list->n; i++) {
		json_row(NULL);
		json_text("address", gpus->gpu[list->gpu[i]].address);
		json_number("gpu", list->gpu[i]);
		json_end();
	}
	json_end();
}
