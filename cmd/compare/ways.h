/*
 * What a job without splitpin and one with it are started with.
 */
#ifndef WAYS_H
#define WAYS_H

#include <stdbool.h>

#include "cmd/compare/result.h"
#include "cmd/compare/one_run.h"
#include "cmd/run.h"

struct ways {
	char **command[COMPARE_WAYS];	/* with: a launcher is told to pass the library on */
	char **environment[COMPARE_WAYS];
	struct sp_cpus mask;		/* with */
	bool has_mask;
	bool is_lone;			/* the command has no launcher */
	bool is_to_report;		/* with: each node prints a report, unless there is no rank */
	const char *cpu_unknown;	/* see struct compare */
};

/*
 * Changes the environment of the calling process.  Returns 0, or a status
 * after a message: no such program, or both ways would be the same.
 * To be released in any case.
 */
int ways_find(struct ways *ways, const struct run_request *request, char *const command[]);
void ways_release(struct ways *ways);

/* Fill in command, environment and mask of a job. */
void ways_set(const struct ways *ways, enum compare_way way, struct job *job);

#endif
