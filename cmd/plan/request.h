/*
 * The options of splitpin plan, as they are read from its command line; and what
 * they name: a launcher's line, and a machine.
 */
#ifndef PLAN_REQUEST_H
#define PLAN_REQUEST_H

#include "cmd/plan/make/planned.h"
#include "cmd/plan/print/print.h"
#include "cmd/options.h"
#include "cmd/setting_options.h"

/* What the user asked for. */
struct request {
	char *const *argv;
	struct plan plan;
	struct cmd_settings settings;
	const char **beside;	/* options --beside */
	size_t nbeside;
	const char *source_from;	/* what names the topology, for messages: "--topology " */
	struct plan_part part;	/* whose options are being read */
	bool restricted;
	struct sp_cpus allowed;
	bool advise;
	uint32_t nodes;		/* option --nodes; 0: not given */
	const char *format, *launcher, *picture;	/* options --format, --for and --picture, or NULL */
	plan_printer *print;	/* NULL: a picture is drawn */
	struct target target;	/* of a launcher's line */
	struct target_job job;
};

/* Read the command line.  Returns what cmd_options_read does. */
int request_read(int argc, char *argv[], struct request *request);

/*
 * Take ranks, threads and variables from a launcher's line unless options give
 * them; later readers of the environment see the ranks' one.  "splitpin run" with
 * its settings may stand in front.  Fills in target and job.  Returns 0, or CMD_USAGE after a message.
 */
int plan_read_line(struct plan *plan, char *const command[], struct target *target, struct target_job *job);

/* Whether a launcher is in the line, also behind "splitpin run", that splitpin check starts inside an allocation. */
bool plan_may_start(char *const command[]);

/*
 * What sp_topology_read takes for the machine that the user named: a
 * file here, and for the option's "-" a copy of standard input, which becomes
 * the plan's name.  The caller's, to free(); NULL after a message.
 */
char *plan_source(struct plan *plan, bool is_option);

/* Complain of a source for which sp_topology_read returned -EINVAL, -ENODATA, -E2BIG, -ENXIO or -EPROTO; from: what named it, for the message. */
void plan_tell_source(const struct plan *plan, const char *from, int error);

#endif
