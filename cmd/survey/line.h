/* The survey's record of a job on a node: one line of JSON in the file of the day (splitpin-survey(1)). */
#ifndef SURVEY_LINE_H
#define SURVEY_LINE_H

#include <stdbool.h>

#include "cmd/survey/watch.h"

struct survey_file {
	const char *folder;
	const char *cluster;	/* the site's name for it, or NULL */
	bool with_lines;	/* lines of commands are recorded */
};

/*
 * Append the line of a job; goes_on: the job has not ended.  Returns 0, or a
 * negative errno as sp_log_file_append_own, after a message.
 */
int line_write(const struct survey_file *file, const struct survey_job *job, bool goes_on);

/* The day of a time, in UTC: "2026-07-01". */
#define LINE_DAY 16
void line_day(int64_t time, char day[LINE_DAY]);

#endif
