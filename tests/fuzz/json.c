/*
 * "splitpin show --format json": whatever names and sentences jobs have, it is
 * one JSON text in UTF-8.  The lines of an input are the names.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/cmd.h"
#include "cmd/show/print.h"
#include "cmd/show/running.h"
#include "fuzz.h"
#include "tests/unit/machines.h"

/* A reader of JSON as RFC 8259 has it; each returns what follows, or NULL. */
static const char *value_of(const char *at, unsigned depth);

static const char *
space_of(const char *at)
{
	return at + strspn(at, " \t\r\n");
}

/* One character of UTF-8 (RFC 3629). */
static const char *
character_of(const char *at)
{
	const unsigned char *c = (const unsigned char *)at;
	unsigned n = c[0] < 0x80 ? 1 : c[0] >= 0xc2 && c[0] < 0xe0 ? 2 : (c[0] & 0xf0) == 0xe0 ? 3 :
		c[0] >= 0xf0 && c[0] < 0xf5 ? 4 : 0;

	if (c[0] < ' ' || !n)
		return NULL;
	for (unsigned i = 1; i < n; i++)
		if ((c[i] & 0xc0) != 0x80)
			return NULL;
	if ((c[0] == 0xe0 && c[1] < 0xa0) || (c[0] == 0xed && c[1] > 0x9f) || (c[0] == 0xf0 && c[1] < 0x90) ||
	    (c[0] == 0xf4 && c[1] > 0x8f))
		return NULL;
	return at + n;
}

static const char *
string_of(const char *at)
{
	if (*at++ != '"')
		return NULL;
	while (at && *at != '"') {
		if (*at == '\\' && at[1] == 'u') {
			if (strspn(at + 2, "0123456789abcdefABCDEF") < 4)
				return NULL;
			at += 6;
		} else if (*at == '\\') {
			at = at[1] && strchr("\"\\/bfnrt", at[1]) ? at + 2 : NULL;
		} else {
			at = character_of(at);
		}
	}
	return at ? at + 1 : NULL;
}

/* What stands between brackets; pairs: of an object. */
static const char *
members_of(const char *at, char end, bool pairs, unsigned depth)
{
	at = space_of(at + 1);
	if (*at == end)
		return at + 1;
	for (;;) {
		if (pairs) {
			at = string_of(at);
			at = at ? space_of(at) : NULL;
			if (!at || *at++ != ':')
				return NULL;
		}
		at = value_of(at, depth + 1);
		if (!at)
			return NULL;
		at = space_of(at);
		if (*at == end)
			return at + 1;
		if (*at++ != ',')
			return NULL;
		at = space_of(at);
	}
}

static const char *
number_of(const char *at)
{
	char *end;

	if (*at != '-' && (*at < '0' || *at > '9'))
		return NULL;
	strtod(at, &end);
	return end == at ? NULL : end;
}

static const char *
value_of(const char *at, unsigned depth)
{
	static const char *const words[] = { "true", "false", "null" };

	at = space_of(at);
	if (depth > 32)
		return NULL;
	if (*at == '{')
		return members_of(at, '}', true, depth);
	if (*at == '[')
		return members_of(at, ']', false, depth);
	if (*at == '"')
		return string_of(at);
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (strncmp(at, words[i], strlen(words[i])) == 0)
			return at + strlen(words[i]);
	return number_of(at);
}

static const char *
line_of(const struct fuzz_lines *lines, size_t i)
{
	return lines->n ? lines->line[i % lines->n] : "";
}

static void
fill_rank(struct show_rank *rank, const struct fuzz_lines *lines, uint32_t i)
{
	rank->seat.state = (uint32_t)(i * 2 + lines->n) % (SP_SEAT_READY + 1);
	rank->is_hidden = i == 3;
	sp_cpus_add(&rank->seat.share, i);
	snprintf(rank->seat.why, sizeof(rank->seat.why), "%s", line_of(lines, i));
	snprintf(rank->seat.memory, sizeof(rank->seat.memory), "%s", line_of(lines, i + 1));
	snprintf(rank->program, sizeof(rank->program), "%s", line_of(lines, i + 2));
	rank->nthreads = i;
	rank->thread = cmd_allocate(i + 1, sizeof(*rank->thread));
	for (uint32_t t = 0; t < i; t++) {
		struct show_thread *thread = &rank->thread[t];

		snprintf(thread->name, sizeof(thread->name), "%s", line_of(lines, i + t));
		thread->state = line_of(lines, t)[0] ? line_of(lines, t)[0] : 'R';
		thread->is_busy = t % 2;
		sp_cpus_add(&thread->cpus, i + t);
	}
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct fuzz_lines lines = fuzz_lines_read(data, size);
	struct show show = { .job = cmd_allocate(1, sizeof(*show.job)), .njobs = 1 };
	struct show_job *job = &show.job[0];
	FILE *real = stdout;
	char *text = NULL;
	size_t length;
	const char *end;

	job->name = cmd_format("%s", line_of(&lines, 0));
	job->is_wanted = true;
	job->machine = machine_uniform(8, 2);
	job->nranks = 4;
	job->rank = cmd_allocate(4, sizeof(*job->rank));
	for (uint32_t i = 0; i < 4; i++)
		fill_rank(&job->rank[i], &lines, i);
	faults_find(&show);
	stdout = open_memstream(&text, &length);
	if (!stdout)
		abort();
	show_print_json(&show);
	fclose(stdout);
	stdout = real;
	end = value_of(text, 0);
	must(end && !*space_of(end));
	free(text);
	jobs_release(&show);
	fuzz_lines_release(&lines);
	return 0;
}
