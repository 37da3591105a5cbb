/* What the probes in a launcher's ranks have found. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "cmd/check/rows.h"
#include "cmd/cmd.h"
#include "cmd/probe/probe.h"

/* "host=NAME rank=0/2 " in front says where it was found: of one node nothing has to be said of that. */
static void
look_for_warnings(struct check *check)
{
	const struct measured *measured = &check->result.measured;

	for (size_t i = 0; i < measured->nwarnings; i++) {
		const char *warning = measured->warning[i], *sentence = warning;
		char *host = probe_field(warning, "host");

		for (size_t words = 0; words < 2 && (strncmp(sentence, "host=", 5) == 0 || strncmp(sentence, "rank=", 5) == 0); words++)
			sentence += strcspn(sentence, " ") + 1;
		if (host && check_measured_nodes(measured) > 1)
			check_found(check, "node %s: %s", host, sentence);
		else
			check_found(check, "%s", sentence);
		free(host);
	}
}

/* A launcher that reports an error would do so in the run as well. */
static void
look_for_failure(struct check *check)
{
	const struct measured *measured = &check->result.measured;

	if (measured->nranks)
		return;
	const char *launcher = check->target.launcher_name ? check->target.launcher_name : "the command";
	if (measured->is_late)
		check_found(check, "%s was ended after %d seconds, and no rank had begun", launcher, CHECK_SECONDS);
	else
		check_found(check, "%s ended with status %d before any rank began", launcher, measured->status);
}

/* is_loaded: here, so that what the launcher does not pass on is missing there. */
static void
look_for_without(struct check *check, bool is_loaded)
{
	const struct measured *measured = &check->result.measured;
	size_t n = 0;

	const struct probed *first = NULL;

	for (size_t i = 0; i < measured->nranks && check->result.answer.is_loaded == is_loaded; i++) {
		bool is_without = measured->rank[i].active && !measured->rank[i].library;

		n += is_without;
		first = first || !is_without ? first : &measured->rank[i];
	}
	if (first)
		check_found(check, "%zu of %zu rank%s run%s without the library: rank %u of node %s: %s", n, measured->nranks,
			    sp_plural(measured->nranks), n == 1 ? "s" : "", first->rank, first->host, first->why);
}

static void
look_for_not_loaded(struct check *check)
{
	look_for_without(check, false);
}

static void
look_for_withheld(struct check *check)
{
	look_for_without(check, true);
}

/* More cores than any rank can have is a mistake, or a site's setting for larger nodes. */
static void
look_for_cores(struct check *check)
{
	const struct measured *measured = &check->result.measured;
	uint32_t asked = check->settings.config.policy.cores, most = 0;

	for (size_t i = 0; i < measured->nranks; i++) {
		struct sp_cpus cores;

		if (measured->rank[i].cores && sp_cpus_parse(measured->rank[i].cores, &cores) == 0 && sp_cpus_count(&cores) > most)
			most = sp_cpus_count(&cores);
	}
	if (most && most < asked)
		check_noted(check, "SPLITPIN_CORES=%u: no rank has more than %u core%s", asked, most, sp_plural(most));
}

/* Some of a node's ranks have said nothing; a check in a rank is of that alone. */
static void
look_for_silent(struct check *check)
{
	const struct measured *measured = &check->result.measured;
	bool is_own = !check->rank_error && check->target.launcher == TARGET_NO_LAUNCHER;
	size_t next, n;

	for (size_t i = 0; i < measured->nranks && !is_own; i = next) {
		const struct probed *first = &measured->rank[i];

		for (next = i, n = 0; next < measured->nranks && strcmp(first->host, measured->rank[next].host) == 0; next++)
			n += measured->rank[next].active != NULL;
		if (first->size && n < first->size)
			check_found(check, "only %zu of %u ranks on node %s were measured", n, first->size, first->host);
	}
}

/* What the launcher does not pass on to other nodes. */
static void
look_for_other_settings(struct check *check)
{
	const struct measured *measured = &check->result.measured;

	for (size_t i = 1; i < measured->nranks; i++) {
		const struct probed *first = &measured->rank[0], *rank = &measured->rank[i];
		const char *here = first->settings ? first->settings : "", *there = rank->settings ? rank->settings : "";

		if (strcmp(first->host, rank->host) == 0 || strcmp(here, there) == 0)
			continue;
		check_found(check, "ranks on node %s have %s, and on node %s %s", first->host, *here ? here : "no settings", rank->host,
			    *there ? there : "none");
		return;
	}
}

const struct check_row check_run_rows[] = {
	{ "launcher-failed", "the launcher does not start the program", NULL, look_for_failure },
	{ "ranks-without", "the library is not loaded in all ranks",
	  "put \"splitpin run --\" in front of the launcher, or of each of its programs", look_for_not_loaded },
	{ "ranks-withheld", "the library does not reach all ranks",
	  "put \"splitpin run --\" in front of the launcher, which passes LD_PRELOAD on, or of each of its programs; -x LD_PRELOAD (Open MPI), -genv LD_PRELOAD PATH (MPICH, Intel MPI) and --export=ALL (srun) pass it on as well",
	  look_for_withheld },
	{ "cores-few", "ranks have fewer cores than SPLITPIN_CORES says", "ask for that many only where ranks can have them", look_for_cores },
	{ "ranks-settings", "settings do not reach all nodes",
	  "put \"splitpin run --\" in front of the launcher, or pass each on (-x NAME with Open MPI)", look_for_other_settings },
	{ "ranks-silent", "a probe did not report in each rank", "run splitpin check again; a rank that ends at once, or cannot be started, is a fault of the node", look_for_silent },
	{ "run-warning", "what a run would warn of", NULL, look_for_warnings },
	{ .id = NULL }
};
