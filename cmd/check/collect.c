#include "cmd/check/collect.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/ascii.h"
#include "cmd/cmd.h"
#include "cmd/probe/probe.h"

#define LOG "splitpin: dry run: "
#define WARNING "splitpin: warning: dry run: "
#define WARNING_BEFORE "splitpin: warning: "	/* the settings are not known yet */
#define LINE_MAX_BYTES 65536
#define SAID 10			/* of the launcher's own lines this many are kept */

static void
add(char ***list, size_t *n, char *text)
{
	*list = cmd_enlarge(*list, *n + 1, sizeof(**list));
	(*list)[(*n)++] = text;
}

/* "2/4".  False: it is not one. */
static bool
read_rank(const char *text, uint32_t *rank, uint32_t *size)
{
	uint64_t r, n;
	const char *slash = text ? sp_ascii_digits(text, &r) : NULL;
	const char *end = slash && *slash == '/' ? sp_ascii_digits(slash + 1, &n) : NULL;

	if (!end || *end != '\0' || r >= n || n > UINT32_MAX)
		return false;
	*rank = (uint32_t)r;
	*size = (uint32_t)n;
	return true;
}

/* The one that a line is about, which is made if it was not seen before. */
static struct probed *
rank_of(struct measured *measured, const char *line)
{
	char *host = probe_field(line, "host"), *number = probe_field(line, "rank");
	uint32_t rank = 0, size = 0;
	struct probed *found = NULL;

	if (number && !read_rank(number, &rank, &size))
		size = 0;
	for (size_t i = 0; i < measured->nranks && size && !found; i++) {
		struct probed *known = &measured->rank[i];

		if (known->size == size && known->rank == rank && strcmp(known->host, host ? host : "") == 0)
			found = known;
	}
	if (!found) {
		measured->rank = cmd_enlarge(measured->rank, measured->nranks + 1, sizeof(*measured->rank));
		found = &measured->rank[measured->nranks++];
		*found = (struct probed){ .host = cmd_format("%s", host ? host : ""), .rank = rank, .size = size };
	}
	free(host);
	free(number);
	return found;
}

static void
take(char **field, const char *line, const char *key)
{
	char *value = probe_field(line, key);

	if (value) {
		free(*field);
		*field = value;
	}
}

/* A launcher may mix the lines of ranks: one without its last word, or without the end of its last sentence, is not believed. */
static bool
is_whole(const char *line)
{
	char *openmp = probe_field(line, "openmp"), *why = probe_field(line, "why");
	bool is = openmp && (strcmp(openmp, "yes") == 0 || strcmp(openmp, "no") == 0) && (!why || line[strlen(line) - 1] == '"');

	free(openmp);
	free(why);
	return is;
}

static void
take_probe(struct measured *measured, const char *line)
{
	if (!is_whole(line))
		return;
	struct probed *rank = rank_of(measured, line);

	take(&rank->launcher, line, "launcher");
	take(&rank->library, line, "library");
	take(&rank->version, line, "version");
	take(&rank->settings, line, "settings");
	take(&rank->program, line, "program");
	take(&rank->active, line, "active");
	take(&rank->why, line, "why");
	for (size_t i = 0, n = 0; i < PROBE_OPENMP; i++) {
		char *value = probe_field(line, probe_openmp[i]);

		if (value && !rank->openmp[n])
			rank->openmp[n++] = cmd_format("%s=%s", probe_openmp[i], value);
		free(value);
	}
}

/* Threads come in their order. */
static void
take_place(struct measured *measured, const char *line)
{
	char *thread = probe_field(line, "thread"), *cpus = probe_field(line, "cpu_list");
	uint64_t number;
	const char *end = thread ? sp_ascii_digits(thread, &number) : NULL;
	struct probed *rank = rank_of(measured, line);

	if (end && *end == '\0' && cpus && number == rank->nplaces) {
		add(&rank->place, &rank->nplaces, cpus);
		cpus = NULL;
	}
	free(thread);
	free(cpus);
}

/* A rank's own line, a thread's place, where it starts, or a line of the node's report. */
static void
take_log(struct measured *measured, const char *line)
{
	char *share = probe_field(line, "start_cpus");

	if (share) {
		struct probed *rank = rank_of(measured, line);

		take(&rank->cpus, line, "cpu_list");
		take(&rank->cores, line, "core_list");
		take(&rank->numa, line, "numa_list");
		take(&rank->threads, line, "thread_count");
		take(&rank->start_cpus, line, "start_cpus");
		if (!rank->why)
			take(&rank->why, line, "why");
	} else if (strstr(line, " thread=") && strstr(line, " trigger=")) {
		take_place(measured, line);
	} else if (!strstr(line, " rank=")) {
		add(&measured->report, &measured->nreport, cmd_format("%s", line));
	}
	free(share);
}

/* "host=NAME rank=0/2 " in front says only who has said it. */
static void
take_warning(struct measured *measured, const char *line)
{
	for (size_t i = 0; i < measured->nwarnings; i++)
		if (strcmp(measured->warning[i], line) == 0)
			return;
	add(&measured->warning, &measured->nwarnings, cmd_format("%s", line));
}

/* The first ones: they name the cause. */
static void
take_said(struct measured *measured, const char *line)
{
	size_t lines = 0;

	for (const char *at = measured->said; at && *at; at++)
		lines += *at == '\n';
	if (lines < SAID && *line)
		measured->said = cmd_append(measured->said, "\n", "%s", line);
}

static const char *
behind(const char *line, const char *start)
{
	const char *found = strstr(line, start);

	return found ? found + strlen(start) : NULL;
}

/* A launcher may put a prefix in front ("[1,0]<stdout>:"). */
static void
take_line(struct measured *measured, const char *line)
{
	const char *rest;

	if ((rest = behind(line, PROBE_MARK)))
		take_probe(measured, rest);
	else if ((rest = behind(line, WARNING)) || (rest = behind(line, WARNING_BEFORE)))
		take_warning(measured, rest);
	else if ((rest = behind(line, LOG)))
		take_log(measured, rest);
	else
		take_said(measured, line);
}

void
collect(struct collector *collector, const char *text, size_t length)
{
	collector->line = cmd_enlarge(collector->line, collector->length + length + 1, 1);
	memcpy(collector->line + collector->length, text, length);
	collector->length += length;
	collector->line[collector->length] = '\0';

	char *line = collector->line, *end;
	while ((end = memchr(line, '\n', collector->length - (size_t)(line - collector->line)))) {
		*end = '\0';
		take_line(collector->measured, line);
		line = end + 1;
	}
	collector->length -= (size_t)(line - collector->line);
	memmove(collector->line, line, collector->length + 1);
	if (collector->length > LINE_MAX_BYTES)
		collector->length = 0;
}

static int
compare(const void *a, const void *b)
{
	const struct probed *one = a, *other = b;
	int hosts = strcmp(one->host, other->host);

	return hosts ? hosts : (one->rank > other->rank) - (one->rank < other->rank);
}

void
collect_end(struct collector *collector)
{
	struct measured *measured = collector->measured;

	if (collector->length)
		take_line(measured, collector->line);
	free(collector->line);
	if (!measured->said)
		measured->said = cmd_format("%s", "");
	if (measured->nranks)
		qsort(measured->rank, measured->nranks, sizeof(*measured->rank), compare);
}

size_t
check_measured_nodes(const struct measured *measured)
{
	size_t n = 0;

	for (size_t i = 0; i < measured->nranks; i++)
		n += i == 0 || strcmp(measured->rank[i].host, measured->rank[i - 1].host) != 0;
	return n;
}

static void
release_texts(char *list[], size_t n)
{
	for (size_t i = 0; i < n; i++)
		free(list[i]);
}

static void
release_list(char **list, size_t n)
{
	release_texts(list, n);
	free(list);
}

void
check_release_measured(struct measured *measured)
{
	for (size_t i = 0; i < measured->nranks; i++) {
		struct probed *rank = &measured->rank[i];
		char *texts[] = { rank->host, rank->launcher, rank->library, rank->version, rank->settings, rank->program, rank->active, rank->why,
				  rank->cpus, rank->cores, rank->numa, rank->threads, rank->start_cpus };

		for (size_t k = 0; k < sizeof(texts) / sizeof(texts[0]); k++)
			free(texts[k]);
		release_list(rank->place, rank->nplaces);
		release_texts(rank->openmp, PROBE_OPENMP);
	}
	free(measured->rank);
	release_list(measured->warning, measured->nwarnings);
	release_list(measured->report, measured->nreport);
	free(measured->said);
	*measured = (struct measured){ .nranks = 0 };
}
