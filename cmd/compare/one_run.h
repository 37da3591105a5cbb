/*
 * One run of a job: started, waited for and measured.
 */
#ifndef COMPARE_ONE_RUN_H
#define COMPARE_ONE_RUN_H

#include <stdbool.h>
#include <sys/types.h>

#include "cpus.h"

struct job {
	char *const *command;		/* NULL-terminated; PATH is searched */
	char *const *environment;	/* as environ */
	const struct sp_cpus *mask;	/* that it starts with; NULL: the caller's */
	int input, output;		/* files for its standard input, and for both outputs */
};

struct job_end {
	double wall;		/* seconds from its start to its end */
	double cpu;		/* seconds of CPU time: its own, and that of all descendants that have ended */
	int status;		/* as shells have it: 128 and the signal's number for one that a signal ended */
	int signal;		/* that was sent to end this comparison meanwhile; 0: none */
	bool is_survived;	/* a descendant of it runs on */
};

/*
 * Run a job to its end.  Ctrl-C, which the terminal sends to the job as well,
 * SIGTERM and SIGHUP let it end first; such a signal from elsewhere is handed on
 * to it, and if they are repeated, SIGTERM and then SIGKILL.
 *
 * Descendants that the job's first process has left behind become children of
 * the calling process, which must have no others.
 *
 * Returns 0, or a negative errno: it could not be started.
 */
int job_run(const struct job *job, struct job_end *end);

#endif
