/*
 * The record of a job, for the staff of a site: one line of JSON, to a file, a
 * socket of root's or the system's log (splitpin.conf(5), record).  The node with
 * the job's first rank writes it, where that can be known, and nodes that have
 * something else to say; otherwise each node does.
 *
 * It is never in the way of the job: sockets are written to without waiting, and
 * a file as base/log_file.h has it, which must be the user's own.  A user is a number: a name would come from the environment, or
 * from a server for which a rank does not wait.
 */
#ifndef SP_RECORD_H
#define SP_RECORD_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/log_file.h"
#include "base/who.h"
#include "report/outcome.h"
#include "report/verdict.h"

enum sp_record_to { SP_RECORD_OFF, SP_RECORD_SYSLOG, SP_RECORD_FILE };

/* Where to, and what holds for all of the job.  All zero is off. */
struct sp_record {
	enum sp_record_to to;
	char path[PATH_MAX];
	char job[SP_LOG_JOB];
	char program[PATH_MAX];	/* "": not known */
	uint32_t job_ranks;	/* on all nodes; 0: not known */
	bool is_first_alike;	/* the first rank is on another node, with as many ranks (sp_job_first_node_is_alike) */
	bool has_first_as_many_cpus;	/* and as many CPUs */
};

/* Fill in where to.  setting: "syslog" or a path (base/pattern.h).  Returns 0, or -ENAMETOOLONG and it is off. */
int sp_record_init(struct sp_record *record, const char *setting, const struct sp_pattern_values *values);

enum sp_record_event {
	SP_RECORD_JOB,		/* once for each job or node of it */
	SP_RECORD_CROWDED,	/* what its end has shown */
	SP_RECORD_END,		/* of the first rank */
};

/* What is known on this node. */
struct sp_record_line {
	enum sp_record_event event;
	const char *from;	/* launcher (struct sp_rank) */
	const struct sp_verdict *verdict;	/* NULL: not part of this line */
	uint32_t threads;	/* most that a rank announced; 0: not known */
	uint32_t crowded;	/* ranks with more busy threads than CPUs, or bound to the CPUs of another */
	bool shares_node;	/* another job of the user is on the same CPUs */
	const struct sp_outcome *outcome;	/* NULL: not part of this line */
	bool is_observed;	/* nothing was changed (SPLITPIN=observe) */
	uint32_t warnings;	/* of the process that writes the line, said or, where it was observed, not said */
	uint32_t duration_s;	/* of SP_RECORD_END: since the start of that process */
	uint32_t waited;	/* of SP_RECORD_END: percent of the time in which its threads wanted to run */
};

/* Whether this node has to write it: the first one does not say the same. */
bool sp_record_is_needed(const struct sp_record *record, const struct sp_record_line *line);

/* Write it.  Returns 0, or a negative errno, about which the user can do nothing. */
int sp_record_write(const struct sp_record *record, const struct sp_who *who, const struct sp_record_line *line);

/* The verdict in one word: "disjoint", "overlap", "refused", "shared" or "incomplete". */
const char *sp_record_verdict(const struct sp_verdict *verdict);

#endif
