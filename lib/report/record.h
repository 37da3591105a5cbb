/*
 * The record of a job on a node, for the staff of a site: one line of JSON, to
 * a file or to the system's log (splitpin.conf(5), record).
 *
 * It is never in the way of the job: the socket of the log is written to
 * without waiting, and a file as base/log_file.h has it, which must be the
 * user's own.  A user is a number: a name would come from the environment, or
 * from a server for which a rank does not wait.
 */
#ifndef SP_RECORD_H
#define SP_RECORD_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/log_file.h"
#include "base/who.h"
#include "report/verdict.h"

enum sp_record_to { SP_RECORD_OFF, SP_RECORD_SYSLOG, SP_RECORD_FILE };

/* Where to, and what holds for all of the job.  All zero is off. */
struct sp_record {
	enum sp_record_to to;
	char path[PATH_MAX];
	char job[SP_LOG_JOB];
	char program[PATH_MAX];	/* "": not known */
};

/* Fill in where to.  setting: "syslog" or a path (base/pattern.h).  Returns 0, or -ENAMETOOLONG and it is off. */
int sp_record_init(struct sp_record *record, const char *setting, const struct sp_pattern_values *values);

/* What is known on this node. */
struct sp_record_line {
	const char *event;	/* "job": once for each job and node; "crowded": what its end has shown */
	const char *from;	/* launcher (struct sp_rank) */
	const struct sp_verdict *verdict;	/* NULL: not part of this line */
	uint32_t threads;	/* most that a rank announced; 0: not known */
	uint32_t crowded;	/* ranks with more busy threads than CPUs, or bound to the CPUs of another */
	bool shares_node;	/* another job of the user is on the same CPUs */
};

/* Write it.  Returns 0, or a negative errno, about which the user can do nothing. */
int sp_record_write(const struct sp_record *record, const struct sp_who *who, const struct sp_record_line *line);

/* The verdict in one word: "disjoint", "overlap", "refused", "shared" or "incomplete". */
const char *sp_record_verdict(const struct sp_verdict *verdict);

#endif
