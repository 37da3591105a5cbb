#include "cmd/show/table_row.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/show/labels.h"
#include "cmd/show/which.h"
#include "cmd/terminal.h"

#define USUAL 80		/* the columns below, without the GPU and the note */
#define JOB 14
#define JOB_MOST 40

/* The column of jobs' names is as wide as the terminal allows; in a pipe names are never cut. */
static int
job_width(void)
{
	size_t width = terminal_width_or_usual();
	size_t more = width > USUAL + 16 ? width - USUAL - 16 : 0;

	return (int)(more > JOB_MOST - JOB ? JOB_MOST : JOB + more);
}

void
table_row_heading(size_t host)
{
	printf("%-*s %-8s %-*s RANK     PID PROGRAM    CPUS          BUSY  NEED\n", (int)(host < TABLE_HOST ? TABLE_HOST : host), "HOST", "USER", job_width(), "JOB");
}

void
table_row_print(const struct table_row *row)
{
	char *word = jobs_word(row->job);
	int width = job_width(), length = (int)strlen(word);
	bool is_whole = terminal_width() == 0 || length < width;
	char need[12] = "-";

	if (row->need)
		snprintf(need, sizeof(need), "%u", row->need);
	printf("%-*s %-8.8s %-*.*s %4s %7d %-10.10s %-12s %2zu/%-2zu %4s", TABLE_HOST, show_host(), row->user, width,
	       is_whole ? length : width, word, row->rank, (int)row->pid, row->program, row->cpus, row->busy, row->threads, need);
	free(word);
}
