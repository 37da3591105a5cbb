/*
 * The options of splitpin plan, as they are read from its command line.
 */
#ifndef PLAN_REQUEST_H
#define PLAN_REQUEST_H

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

#endif
