/* The machine of a plan, as --topology or SPLITPIN_DRYRUN names it. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd/cmd.h"
#include "cmd/plan/request.h"

/* XML of the largest machines has a few MiB. */
#define INPUT_MAX (64u << 20)

static const char standard_input[] = "standard input";

/* Returns what was wrong, or NULL. */
static const char *
copy_input(FILE *file)
{
	char part[1 << 16];
	size_t all = 0, n;

	while ((n = fread(part, 1, sizeof(part), stdin)) > 0) {
		all += n;
		if (all > INPUT_MAX)
			return "more than 64 MiB on standard input";
		if (fwrite(part, 1, n, file) != n)
			return strerror(errno);
	}
	if (ferror(stdin) || fflush(file) != 0)
		return strerror(errno);
	return all ? NULL : "standard input is empty; use a machine in hwloc's XML, as \"lstopo --of xml\" writes it, or the text of lstopo or lscpu -p";
}

/* hwloc reads a machine several times, so it gets an unnamed file that lasts as long as the process. */
static char *
keep_input(void)
{
	static FILE *file;
	const char *fault;

	if (isatty(STDIN_FILENO)) {
		cmd_complain("--topology -: standard input is a terminal; use a machine in hwloc's XML: lstopo --of xml | splitpin plan --topology - ...");
		return NULL;
	}
	file = tmpfile();
	fault = file ? copy_input(file) : strerror(errno);
	if (!fault)
		return cmd_format("/proc/self/fd/%d", fileno(file));
	cmd_complain("--topology -: %s", fault);
	if (file)
		fclose(file);
	return NULL;
}

char *
plan_source(struct plan *plan, bool is_option)
{
	const char *name = plan->name;

	if (is_option && strcmp(name, "-") == 0) {
		plan->name = standard_input;
		return keep_input();
	}
	/* A file in the working directory needs no "./". */
	if (!strchr(name, '/') && access(name, F_OK) == 0)
		return cmd_format("./%s", name);
	return cmd_format("%s", name);
}

static void
tell_too_large(const struct plan *plan, const char *from)
{
	uint64_t cpus = sp_topology_described(plan->source);

	if (cpus > UINT32_MAX)
		cmd_complain("%s%s: describes more than %u CPUs; splitpin handles machines of up to %u",
			     from, plan->name, UINT32_MAX, SP_CPUS_MAX);
	else if (cpus > SP_CPUS_MAX)
		cmd_complain("%s%s: describes %u CPUs; splitpin handles machines of up to %u", from, plan->name,
			     (uint32_t)cpus, SP_CPUS_MAX);
	else
		cmd_complain("%s%s: has CPU numbers above %u, the highest that splitpin handles; --allowed 0-%u plans for the other CPUs",
			     from, plan->name, SP_CPUS_MAX - 1, SP_CPUS_MAX - 1);
}

static void
tell_order(const struct plan *plan, const char *from)
{
	const char *name = sp_topology_strange_order(plan->source);

	cmd_complain("%s%s: indexes= takes numbers, such as 0,2,1,3 or 2*2:1*2, or the names of levels above its own as they are written there; \"%.*s\" is neither",
		     from, plan->name, (int)strcspn(name, ": )]"), name);
}

/* hwloc's reason, except for what it calls a component that found nothing. */
static void
tell_unknown(const struct plan *plan, const char *from)
{
	const char *said = sp_topology_said();
	char *reason = cmd_format("%s%s%s", *said ? " (hwloc: " : "", said, *said ? ")" : "");

	cmd_make_plain(reason);
	if (strstr(said, "cannot import XML version"))
		cmd_complain("%s%s: written by a newer hwloc than splitpin uses%s; what \"lscpu -p\" prints on that machine is read, too",
			     from, plan->name, reason);
	else if (plan->name == standard_input)
		cmd_complain("%sstandard input: neither hwloc's XML, as \"lstopo --of xml\" writes it, nor the text of lstopo or lscpu -p%s",
			     from, reason);
	else
		cmd_complain("%s%s: neither a file in hwloc's XML (lstopo NAME.xml writes one), nor the text of lstopo or lscpu -p, nor a description such as \"pack:2 core:8 pu:2\"%s",
			     from, plan->name, reason);
	free(reason);
}

void
plan_tell_source(const struct plan *plan, const char *from, int error)
{
	if (error == -E2BIG)
		tell_too_large(plan, from);
	else if (error == -ENXIO)
		tell_order(plan, from);
	else if (error == -EPROTO)
		cmd_complain("%s%s: a CPU, a core or a NUMA node in it has no number (os_index), one above %u, or one that another has too",
			     from, plan->name, SP_CPUS_MAX - 1);
	else if (error == -ENODATA)
		cmd_complain("%s%s: does not say which CPUs share a core, or has no OS numbers of CPUs; on that machine, \"lscpu -p\" prints these, and \"lstopo --of xml\" all that is known of it",
			     from, plan->name);
	else
		tell_unknown(plan, from);
}
