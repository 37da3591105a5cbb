/* Whether the CPUs are those that the job should have, and are seen as they are. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/text.h"
#include "cmd/check/node.h"
#include "cmd/check/rows.h"
#include "cmd/cmd.h"
#include "launcher/ancestors.h"
#include "launcher/binding.h"

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

static void
tell_mask(struct check *check)
{
	char *mask = cmd_list(&check->mask), *allowed = cmd_list(&check->allowed);
	uint32_t n = sp_cpus_count(&check->mask);

	check_found(check, "this process may use only CPU%s %s; the job has %s", sp_plural(n),
		    mask, allowed);
	free(mask);
	free(allowed);
}

/* A mask that SPLITPIN_INHERITED=ignore disregards is no problem. */
static bool
is_narrowed(const struct check *check)
{
	return check->settings.config.inherited != SP_INHERITED_IGNORE && !sp_cpus_equal(&check->mask, &check->allowed);
}

bool
check_is_bound_by_launcher(const struct check *check)
{
	struct sp_binding binding = { .is_below = true };
	size_t n;

	if (!check->is_rank)
		return false;
	struct sp_ancestor *ancestor = sp_ancestors_of(getpid(), &n);
	const struct sp_ancestor *launcher = sp_ancestors_launcher(ancestor, n);
	bool is_confined = launcher && !sp_cpus_empty(&launcher->mask) && sp_cpus_equal(&launcher->mask, &check->mask);
	sp_binding_find(&check->rank, environ, ancestor, n, &binding);
	sp_ancestors_free(ancestor, n);
	enum sp_launcher of = sp_launcher_of_rank(&check->rank, environ);
	return !is_confined && !binding.is_below && of != SP_LAUNCHER_USER && of != SP_LAUNCHER_ALONE;
}

/* Tasks of srun do not have the mask of what starts it. */
const struct sp_cpus *
check_cpus(const struct check *check)
{
	bool is_passed_on = check->target.launcher != TARGET_SRUN && !check->is_bound_by_launcher;

	return is_passed_on && is_narrowed(check) ? &check->mask : &check->allowed;
}

/* What the user has put into the command is wanted. */
static void
note_mask(struct check *check)
{
	char *mask = cmd_list(&check->mask), *allowed = cmd_list(&check->allowed);

	if (check_cpus(check) == &check->mask)
		check_noted(check, "the command confines itself to CPU%s %s; the job has %s", sp_plural(sp_cpus_count(&check->mask)), mask, allowed);
	free(mask);
	free(allowed);
}

static void
look_for_narrow_mask(struct check *check)
{
	if (check->is_mask_of_command)
		note_mask(check);
	else if (is_narrowed(check) && !check->is_bound_by_launcher)
		tell_mask(check);
}

static void
look_for_launchers_mask(struct check *check)
{
	if (is_narrowed(check) && check->is_bound_by_launcher)
		tell_mask(check);
}

static void
look_for_hwloc(struct check *check)
{
	static const char *const names[] = {
		"HWLOC_XMLFILE", "HWLOC_SYNTHETIC", "HWLOC_FSROOT", "HWLOC_CPUID_PATH", "HWLOC_COMPONENTS",
		"HWLOC_THISSYSTEM", "HWLOC_THISSYSTEM_ALLOWED_RESOURCES", "HWLOC_ALLOW",
		"HWLOC_DUMPED_HWDATA_DIR", "HWLOC_CPUKINDS_RANKING", "HWLOC_KNL_MSCACHE_L3",
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (check_variable(names[i]))
			check_found(check, "%s=%s changes what hwloc reports of this machine", names[i], check_variable(names[i]));
}

const struct check_row check_node_rows[] = {
	{ "cgroup-narrow", "the job may use fewer CPUs than Slurm has given it",
	  "find out why the cgroup is narrower: another step may hold the CPUs (srun --overlap), or a container or taskset confines this one",
	  look_for_narrow_cgroup },
	{ "mask-narrow", "processes may use only one CPU, or fewer than the job has",
	  "unless you want this, start without what confines this process (taskset, numactl, a batch script, sbatch --cpus-per-task), or set SPLITPIN_INHERITED=ignore",
	  look_for_narrow_mask },
	{ "mask-launcher", "the launcher binds this rank to fewer CPUs than the job has",
	  "unless you want this, turn the launcher's binding off: --bind-to none (Open MPI), --cpu-bind=none (srun), I_MPI_PIN=0 (Intel MPI); or set SPLITPIN_INHERITED=ignore",
	  look_for_launchers_mask },
	{ "hwloc-variable", "a variable changes what hwloc reports of the machine",
	  "unset it: shares are based on the machine that hwloc reports", look_for_hwloc },
	{ .id = NULL }
};
