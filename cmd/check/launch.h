/*
 * Starts a command with "splitpin probe" in front of each program that it would
 * start, and collects what the probes say.
 */
#ifndef CHECK_LAUNCH_H
#define CHECK_LAUNCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cmd/probe/probe.h"
#include "cmd/target/target.h"

/* A rank, or a process without a number, in which a probe was. */
struct probed {
	char *host;
	uint32_t rank, size;	/* local rank and local size; size 0: no rank */
	char *launcher;		/* by whose variables; NULL: no rank */
	char *library, *version;	/* the libsplitpin.so that was loaded; NULL: none */
	char *settings;		/* SPLITPIN_* of its environment; NULL: none */
	char *openmp[PROBE_OPENMP + 1];	/* what its environment has of these variables; ends with NULL */
	char *program, *active;	/* "yes", "no" or "perhaps" */
	char *why;		/* why not, or perhaps not; of an active rank why it has these CPUs; NULL: not known */
	char *cpus, *cores, *numa, *threads, *start_cpus;	/* lists; NULL: it has no share */
	char **place;		/* the CPUs of each OpenMP thread, by its number; NULL: not known */
	size_t nplaces;
};

/* All zero: nothing was started.  Owns its texts. */
struct measured {
	struct probed *rank;	/* by host, then by local rank */
	size_t nranks;
	char **warning;		/* what the run would warn of, without "splitpin: warning:" and each once */
	size_t nwarnings;
	char **report;		/* lines of the nodes' reports, each without its prefix but with "host=NAME " */
	size_t nreport;
	char *said;		/* the first lines that the launcher wrote itself; NULL: it was not started */
	int status;		/* as a shell has it */
	bool is_late;		/* it was ended after CHECK_SECONDS */
};

#define CHECK_SECONDS 60

/*
 * Why a command is not started: it would queue, or cannot be read; the caller's,
 * the end of a sentence.  NULL: it may be started.
 */
char *check_why_not_started(const struct target *target, char *const command[]);

/*
 * Start the command and wait for its end.  Nothing of it but the launcher, and
 * what stands in front of its programs, is run.
 */
void check_launch(const struct target *target, char *const command[], struct measured *measured);

/* How many nodes the ranks are on. */
size_t check_measured_nodes(const struct measured *measured);

void check_release_measured(struct measured *measured);

#endif
