/* Whether the CPUs are those that the job should have, and are seen as they are. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/text.h"
#include "base/words.h"
#include "cmd/check/rows.h"
#include "cmd/cmd.h"
#include "launcher/ancestors.h"

static void
look_for_narrow_cgroup(struct check *check)
{
	const char *text = check_variable("SLURM_CPUS_ON_NODE");
	uint32_t allowed = sp_cpus_count(&check->allowed);
	unsigned long n = text ? strtoul(text, NULL, 10) : 0;

	if (n <= allowed)
		return;
	char *list = cmd_list(&check->allowed);
	check_found(check, "according to Slurm the job has %lu CPUs on this node (SLURM_CPUS_ON_NODE), but it may use only %u: %s",
		    n, allowed, list);
	free(list);
}

/* The launcher's own mask in a rank: what that has is a binding, which is kept or replaced when it runs. */
static struct sp_cpus
mask_of_job(const struct check *check)
{
	struct sp_cpus mask = check->mask;
	size_t n = 0;
	struct sp_ancestor *ancestor = check->rank_error ? NULL : sp_ancestors_of(getpid(), &n);
	const struct sp_ancestor *launcher = sp_ancestors_launcher(ancestor, n);

	if (launcher && !sp_cpus_empty(&launcher->mask))
		mask = launcher->mask;
	sp_ancestors_free(ancestor, n);
	return mask;
}

/* A mask that SPLITPIN_INHERITED=ignore disregards does not count. */
static void
look_for_narrow_mask(struct check *check)
{
	struct sp_cpus mask = mask_of_job(check);

	if (check->settings.config.inherited == SP_INHERITED_IGNORE || sp_cpus_equal(&mask, &check->allowed))
		return;
	char *list = cmd_list(&mask), *allowed = cmd_list(&check->allowed);

	check_noted(check, "processes that are started from here may use CPU%s %s; the job has %s", sp_plural(sp_cpus_count(&mask)), list,
		    allowed);
	free(list);
	free(allowed);
}

/*
 * The launcher's line with "splitpin run --check" in front of it instead of the program; the
 * caller's.  NULL where the line has no splitpin, as if a script started it, or several.
 */
static char *
line_of_check(const struct check *check, const struct sp_ancestor *launcher)
{
	size_t length;
	const char *arguments = sp_ancestors_line(launcher, &length);
	struct sp_words words = { arguments, arguments + length };
	char *own = cmd_format("%s", ""), *rest = cmd_format("%s", "--");
	bool is_own = false;
	int found = 0;

	for (const char *word; (word = sp_words_next(&words)); ) {
		char *quoted = cmd_quote(word);
		bool is_splitpin = strcmp(sp_last_part(word), "splitpin") == 0;

		found += is_splitpin;
		is_own = is_own ? strcmp(word, check->command[0]) != 0 : is_splitpin;
		if (!is_own)
			rest = cmd_append(rest, " ", "%s", quoted);
		else if (strcmp(word, "--") != 0)
			own = cmd_append(own, " ", "%s", quoted);
		free(quoted);
	}
	char *line = found == 1 ? cmd_format("%s %s", own, rest) : NULL;
	if (line)
		cmd_make_plain(line);
	free(own);
	free(rest);
	return line;
}

/* Of such ranks the first says it. */
static void
look_for_launcher_in_front(struct check *check)
{
	size_t n = 0;

	if (check->rank_error || check->rank.local_size < 2 || check->rank.local_rank || !check->command || check->target.launcher != TARGET_NO_LAUNCHER)
		return;
	struct sp_ancestor *ancestor = sp_ancestors_of(getpid(), &n);
	const struct sp_ancestor *launcher = sp_ancestors_command(ancestor, n);
	if (launcher) {
		char *line = line_of_check(check, launcher);

		if (line)
			check_noted(check, "each rank checks itself alone; to check the job, type: %s", line);
		free(line);
	}
	sp_ancestors_free(ancestor, n);
}

const struct check_row check_node_rows[] = {
	{ "cgroup-narrow", "the job may use fewer CPUs than Slurm has given it",
	  "find out why the cgroup is narrower: another step may hold the CPUs (srun --overlap), or a container or taskset confines this one",
	  look_for_narrow_cgroup },
	{ "mask-narrow", "processes may use fewer CPUs than the job has",
	  "if this is not on purpose, start without what confines them (taskset, numactl, a batch script, sbatch --cpus-per-task)",
	  look_for_narrow_mask },
	{ "in-rank", "the check is behind the launcher, not in front of it", NULL, look_for_launcher_in_front },
	{ .id = NULL }
};
