/*
 * The options of splitpin plan, as they are read from its command line.
 */
#ifndef PLAN_REQUEST_H
#define PLAN_REQUEST_H

#include <getopt.h>

#include "cmd/plan/print/print.h"
#include "cmd/setting_options.h"

/* What the user asked for. */
struct request {
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

/*
 * Read the command line; options have room for CMD_OPTIONS, and are filled in.
 * Returns 0, a status, or -1: help was asked for.
 */
int request_read(int argc, char *argv[], struct option options[], struct request *request);

/* The text of --help.  Returns a status. */
int request_print_help(void);

#endif
