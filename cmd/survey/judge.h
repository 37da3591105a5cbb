/* What an interval shows: which threads had too few CPUs, what that cost, and why. */
#ifndef SURVEY_JUDGE_H
#define SURVEY_JUDGE_H

#include "cmd/survey/watch.h"

/* Add the last interval to the sums of each job; after watch_sample. */
void judge_interval(struct survey *survey);

/* The cause that lasted longest, or CAUSES: its threads never had too few CPUs. */
enum survey_cause judge_cause(const struct survey_job *job);

/* In how many ns of the job its threads had too few CPUs. */
uint64_t judge_piled(const struct survey_job *job);

struct judged {
	const char *would;	/* "mend", "none" or "user": somebody asked for what is wrong */
	char *remedy;		/* what to put in front of the line that starts the job, such as "splitpin run --"; NULL: the node is full, or the program pins itself */
	char *line;		/* the whole line; NULL: there is no remedy, or the survey does not have it */
};

/*
 * What a run with splitpin would do, by the code of splitpin plan for the ranks
 * and threads that were seen, of a job that has a cause; judged_release frees it.
 */
void judge_job(const struct survey_job *job, struct judged *judged);
void judged_release(struct judged *judged);

#endif
