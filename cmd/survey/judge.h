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

/*
 * What a run with splitpin would do, by the code of splitpin plan for the ranks
 * and threads that were seen: "mend", "none", "user" (somebody asked for what
 * is wrong), or NULL: nothing is wrong.
 */
const char *judge_would(const struct survey_job *job);

/*
 * What to put in front of the line that starts the job, such as "splitpin run --";
 * the caller's.  NULL: no line helps, since the node is full or the program pins itself.
 */
char *judge_remedy(const struct survey_job *job);

/* The whole line, if the survey has it; the caller's. */
char *judge_line(const struct survey_job *job);

#endif
