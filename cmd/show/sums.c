#include "cmd/show/sums.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/order.h"
#include "base/text.h"
#include "cmd/cmd.h"

#define MARK "=\t"		/* not the beginning of any node's name */
#define NAMED 4			/* nodes in a clause, at most */

void
sum_range_add(struct sum_range *range, uint32_t value)
{
	range->least = range->most ? (uint32_t)sp_smaller(range->least, value) : value;
	range->most = (uint32_t)sp_larger(range->most, value);
}

void
sum_range_format(const struct sum_range *range, char text[SUM_TEXT])
{
	if (!range->most)
		snprintf(text, SUM_TEXT, "-");
	else if (range->least == range->most)
		snprintf(text, SUM_TEXT, "%u", range->most);
	else
		snprintf(text, SUM_TEXT, "%u-%u", range->least, range->most);
}

static void
add_threads(const struct show_rank *rank, struct sum *sum, struct sp_cpus *cpus)
{
	for (size_t i = 0; i < rank->nthreads; i++) {
		if (!rank->thread[i].is_busy)
			continue;
		sum->busy++;
		sp_cpus_or(cpus, &rank->thread[i].cpus);
	}
}

void
sums_of(const struct show *show, struct sum *sum)
{
	struct sum_range cores = { 0 }, threads = { 0 };
	struct sp_cpus cpus = { 0 };

	*sum = (struct sum){ .faults = (uint32_t)(show->nfaults + show->ncrowded) };
	for (size_t i = 0; i < show->njobs; i++) {
		const struct show_job *job = &show->job[i];

		for (uint32_t k = 0; job->is_wanted && k < job->nranks; k++) {
			const struct show_rank *rank = &job->rank[k];

			if (!jobs_has_share(rank))
				continue;
			sum->ranks++;
			sum_range_add(&cores, sp_machine_cores(job->machine, &rank->seat.share));
			if (rank->seat.threads)
				sum_range_add(&threads, rank->seat.threads);
			add_threads(rank, sum, &cpus);
		}
	}
	sum->cpus = sp_cpus_count(&cpus);
	sum_range_format(&cores, sum->cores);
	sum_range_format(&threads, sum->threads);
}

void
sums_print(const struct sum *sum)
{
	printf(MARK "%u\t%s\t%s\t%u\t%u\t%u\n", sum->ranks, sum->cores, sum->threads, sum->busy, sum->cpus, sum->faults);
}

bool
sums_take(char *output, const char *node, struct sum *sum)
{
	char *behind = strstr(output, "\n" MARK), *line = behind ? behind + 1 : output;
	struct sum its = { .node = node };

	if (sscanf(line, MARK "%u\t%31[0-9-]\t%31[0-9-]\t%u\t%u\t%u", &its.ranks, its.cores, its.threads, &its.busy, &its.cpus,
		   &its.faults) != 6)
		return false;
	*line = '\0';
	*sum = its;
	return true;
}

/* A column of the figures, as text. */
static const char *
ranks_of(const struct sum *sum, char text[SUM_TEXT])
{
	snprintf(text, SUM_TEXT, "%u", sum->ranks);
	return text;
}

static const char *
cores_of(const struct sum *sum, char text[SUM_TEXT])
{
	(void)text;
	return sum->cores;
}

static const char *
threads_of(const struct sum *sum, char text[SUM_TEXT])
{
	(void)text;
	return sum->threads;
}

typedef const char *column(const struct sum *sum, char text[SUM_TEXT]);

static bool
are_equal(column *value, const struct sum *a, const struct sum *b)
{
	char one[SUM_TEXT], other[SUM_TEXT];

	return strcmp(value(a, one), value(b, other)) == 0;
}

/* The first node with the most frequent value. */
static const struct sum *
usual(column *value, const struct sum sum[], size_t n)
{
	const struct sum *best = sum;
	size_t most = 0;

	for (size_t i = 0; i < n && 2 * most < n; i++) {
		size_t alike = 0;

		for (size_t k = 0; k < n; k++)
			alike += are_equal(value, &sum[i], &sum[k]);
		if (alike > most) {
			most = alike;
			best = &sum[i];
		}
	}
	return best;
}

/* "text, more"; both are released. */
static char *
append(char *text, const char *between, char *more)
{
	text = cmd_append(text, between, "%s", more);
	free(more);
	return text;
}

/* "cores of a rank: 1 on b, 2 on the others"; "": all nodes have the same. */
static char *
differences(const char *name, column *value, const struct sum sum[], size_t n)
{
	const struct sum *others = usual(value, sum, n);
	char *text = cmd_format("%s", ""), room[SUM_TEXT];
	size_t named = 0;

	for (size_t i = 0; i < n; i++) {
		if (are_equal(value, &sum[i], others))
			continue;
		if (named++ < NAMED)
			text = append(text, ", ", cmd_format("%s on %s", value(&sum[i], room), sum[i].node));
	}
	if (!named)
		return text;
	if (named > NAMED)
		text = append(text, ", ", cmd_format("other numbers on %zu more", named - NAMED));
	char *clause = cmd_format("%s: %s, %s on %s", name, text, value(others, room), n - named == 1 ? others->node : "the others");
	free(text);
	return clause;
}

/* Whether a has more busy threads for each CPU than b. */
static bool
is_fuller(const struct sum *a, const struct sum *b)
{
	return (uint64_t)a->busy * (b->cpus ? b->cpus : 1) > (uint64_t)b->busy * (a->cpus ? a->cpus : 1);
}

/* A job waits for its slowest node; NULL if all are alike. */
static char *
slowest(const struct sum sum[], size_t n, const char *thread)
{
	const struct sum *fullest = sum, *emptiest = sum;

	for (size_t i = 1; i < n; i++) {
		fullest = is_fuller(&sum[i], fullest) ? &sum[i] : fullest;
		emptiest = is_fuller(emptiest, &sum[i]) ? &sum[i] : emptiest;
	}
	if (fullest->busy <= fullest->cpus || !is_fuller(fullest, emptiest))
		return cmd_format("%s", "");
	return cmd_format("slowest: %s, with %u %ss on %u CPU%s", fullest->node, fullest->busy, thread, fullest->cpus,
			  sp_plural(fullest->cpus));
}

static char *
faulty(const struct sum sum[], size_t n)
{
	char *text = cmd_format("%s", "");
	size_t nodes = 0;

	for (size_t i = 0; i < n; i++)
		if (sum[i].faults && nodes++ < NAMED)
			text = append(text, ", ", cmd_format("%s", sum[i].node));
	if (!nodes)
		return append(text, "", cmd_format("no problems"));
	if (nodes > NAMED)
		text = append(text, " and ", cmd_format("%zu more", nodes - NAMED));
	return append(cmd_format("problems on "), "", text);
}

static char *
heading(const struct sum sum[], size_t n)
{
	uint64_t ranks = 0;

	for (size_t i = 0; i < n; i++)
		ranks += sum[i].ranks;
	return cmd_format("%zu node%s, %llu rank%s", n, sp_plural(n), (unsigned long long)ranks, sp_plural(ranks));
}

char *
sums_sentence(const struct sum sum[], size_t n, const char *thread)
{
	char *ranks = differences("ranks", ranks_of, sum, n), *cores = differences("cores of a rank", cores_of, sum, n);
	char *threads = differences("threads of a rank", threads_of, sum, n), *text = heading(sum, n);

	if (!*ranks && !*cores && !*threads)
		text = append(text, ", ", cmd_format("all nodes alike"));
	text = append(text, "; ", ranks);
	text = append(text, "; ", cores);
	text = append(text, "; ", threads);
	text = append(text, "; ", slowest(sum, n, thread));
	return append(text, "; ", faulty(sum, n));
}
