/*
 * What the nodes of a job say of it with splitpin, read from the reports
 * (SPLITPIN_REPORT) in the job's output.
 */
#ifndef REPORTS_H
#define REPORTS_H

#include <stddef.h>
#include <stdio.h>

#define REPORTS_MAX 4096	/* nodes; more are not read */

struct report {
	char *host;		/* as its lines name it */
	char *result;		/* the last line of its table; NULL: it has printed warnings alone */
	unsigned warnings;
};

struct reports {
	struct report *report;	/* in the order of their hosts' names */
	size_t n;
};

/* Read a job's output, ignoring anything in front of each line; the result replaces the previous one. */
void reports_read(FILE *output, struct reports *reports);
void reports_release(struct reports *reports);

#endif
