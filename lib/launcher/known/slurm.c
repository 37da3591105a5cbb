/* Slurm: srun, and slurmstepd on the nodes. */
#include <string.h>

#include "base/environment.h"
#include "launcher/binding_search.h"
#include "launcher/known/known.h"
#include "launcher/known/truth.h"
#include "launcher/syntax.h"

/* Options of srun without a value, or with one only behind '=', and those that say something; all others take a value. */
static const struct sp_takes takes[] = {
	{ "async", 0, 0 }, { "bcast", 0, 0 }, { "bell", 0, 0 }, { "compress", 0, 0 }, { "contiguous", 0, 0 },
	{ "debugger-test", 0, 0 }, { "disable-status", 0, 0 }, { "exact", 0, 0 }, { "exclusive", 0, 0 },
	{ "external", 0, 0 }, { "external-launcher", 0, 0 }, { "get-user-env", 0, 0 }, { "help", 0, 0 }, { "hold", 0, 0 },
	{ "ignore-pbs", 0, 0 }, { "immediate", 0, 0 }, { "interactive", 0, 0 }, { "kill-on-bad-exit", 0, 0 },
	{ "label", 0, 0 }, { "multi-prog", 0, SP_SAYS_PROGRAMS }, { "nice", 0, 0 }, { "no-allocate", 0, 0 },
	{ "no-bell", 0, 0 }, { "no-kill", 0, 0 }, { "oom-kill-step", 0, 0 }, { "overcommit", 0, 0 }, { "overlap", 0, 0 },
	{ "oversubscribe", 0, 0 }, { "preserve-env", 0, 0 }, { "propagate", 0, 0 }, { "pty", 0, 0 }, { "quiet", 0, 0 },
	{ "quit-on-interrupt", 0, 0 }, { "reboot", 0, 0 }, { "resv-ports", 0, 0 }, { "send-libs", 0, 0 }, { "share", 0, 0 },
	{ "spread-job", 0, 0 }, { "stepmgr", 0, 0 }, { "test-only", 0, 0 }, { "unbuffered", 0, 0 }, { "usage", 0, 0 },
	{ "use-min-nodes", 0, 0 }, { "verbose", 0, 0 }, { "version", 0, 0 }, { "wait-for-children", 0, 0 },
	{ "whole", 0, 0 }, { "x11", 0, 0 }, { "n", 1, SP_SAYS_RANKS }, { "ntasks", 1, SP_SAYS_RANKS },
	{ "N", 1, SP_SAYS_NODES }, { "nodes", 1, SP_SAYS_NODES }, { "ntasks-per-node", 1, SP_SAYS_A_NODE },
	{ "export", 1, SP_SAYS_VARIABLES }, { "D", 1, SP_SAYS_FOLDER }, { "chdir", 1, SP_SAYS_FOLDER },
	{ "", 0, 0 },
};

/* One-letter options of srun: without a value, and with one only in the same word. */
static const char letters[] = "EHOQVXZhlsuv", attached[] = "IKk";

const struct sp_syntax sp_syntax_srun = {
	.command = "srun", .takes = takes, .others_take_one = true, .letters = letters, .attached = attached };

/* quiet and verbose, alone or before a type, concern messages; none means no binding, so it does not explain a narrow mask. */
static bool
type_asks(const char *value)
{
	const char *type = value;

	for (; *type != '\0'; type += strcspn(type, ","), type += strspn(type, ",")) {
		size_t length = strcspn(type, ",");

		if (!(length == 5 && strncmp(type, "quiet", 5) == 0) && !(length == 7 && strncmp(type, "verbose", 7) == 0) &&
		    !(length == 1 && strchr("qvn", *type)) && !(length == 4 && strncmp(type, "none", 4) == 0) &&
		    !(length == 2 && strncmp(type, "no", 2) == 0))
			return true;
	}
	return false;
}

/* An option may be abbreviated. */
static bool
option_asks(const struct sp_option *option)
{
	bool is_cpu_bind = option->length > 4 &&
			   (strncmp(option->name, "cpu-bind", option->length) == 0 ||
			    strncmp(option->name, "cpu_bind", option->length) == 0);

	return is_cpu_bind && option->value && type_asks(option->value);
}

/*
 * slurmstepd hands masks to tasks whether it was asked for cores or took its
 * default.  It writes those with 0x, and the user's own list of masks without.
 * Where it handed out none, it has not bound the task.
 */
static bool
variable_asks(const struct sp_search *search)
{
	const char *type = sp_environment_value(search->environment, "SLURM_CPU_BIND_TYPE");
	const char *list = sp_environment_value(search->environment, "SLURM_CPU_BIND_LIST");

	if (!type || *type == '\0')
		return false;
	if (strcmp(type, "none") == 0) {
		sp_binding_answer_below(search, "srun");
		return true;
	}
	if (strcmp(type, "mask_cpu:") == 0 && (!list || *list == '\0' || strncmp(list, "0x", 2) == 0))
		return false;
	sp_binding_answer(search, SP_ASKED_YES, "SLURM_CPU_BIND_TYPE=%s%s", type, list ? list : "");
	return true;
}

/* SLURM_CPU_BIND that an outer srun has set does not count; SLURM_CPU_BIND_TYPE comes with it. */
static bool
srun_asks(const struct sp_search *search, size_t i)
{
	const char *value = sp_environment_value(search->ancestor[i].environment, "SLURM_CPU_BIND");
	bool is_whole;

	if (sp_binding_look_at_options(search, i, &sp_syntax_srun, option_asks, &is_whole))
		return true;
	if (!value || !type_asks(value) || sp_environment_value(search->ancestor[i].environment, "SLURM_CPU_BIND_TYPE"))
		return false;
	sp_binding_answer(search, SP_ASKED_YES, "SLURM_CPU_BIND=%s, for srun", value);
	return true;
}

/*
 * If there are several sruns it is not known which one started the rank, so they
 * have to agree.  srun runs on at most one node of the step.
 */
static void
find_binding(const struct sp_search *search)
{
	size_t sruns = 0, asking = 0;

	if (variable_asks(search))
		return;
	for (size_t i = 0; i < search->n && !search->has_other_nodes; i++) {
		if (strcmp(search->title[i], "srun") != 0)
			continue;
		sruns++;
		asking += srun_asks(search, i);
	}
	if (sruns == 0)
		sp_binding_answer(search, SP_ASKED_UNKNOWN, "Slurm does not say, and srun is not visible on all nodes");
	else if (search->n >= SP_ANCESTORS_MAX || (asking != 0 && asking != sruns))
		sp_binding_answer(search, SP_ASKED_UNKNOWN, "several srun commands with different options");
	else if (asking == 0)
		sp_binding_answer(search, SP_ASKED_NO, "Slurm's default");
}

/* --overcommit is handed on as a variable. */
static const char *
find_overcommit(const struct sp_search *search)
{
	const char *value = sp_environment_value(search->environment, "SLURM_OVERCOMMIT");

	return value && sp_is_true(value) ? "SLURM_OVERCOMMIT" : NULL;
}

static const struct sp_launcher_process processes[] = {
	{ "srun", SP_IS_COMMAND }, { "slurmstepd", SP_IS_DAEMON },
	{ NULL, SP_IS_NEITHER },
};

/* SLURM_CPU_BIND_LIST may contain "none", so there is no binder. */
const struct sp_launcher_details sp_known_slurm = {
	.title = "Slurm",
	.has_local_rank = true,
	.job = { "SLURM_JOB_ID", "SLURM_STEP_ID" },
	.world = "SLURM_PROCID",
	.ranks = "SLURM_STEP_NUM_TASKS",
	.node = "SLURMD_NODENAME",
	.cpus = "SLURM_CPUS_ON_NODE",
	.processes = processes,
	.syntax = &sp_syntax_srun,
	.find_binding = find_binding,
	.remedy = "use srun -c %u --hint=nomultithread and no --cpu-bind",
	.remedy_for_all = "use srun --cpu-bind=none",
	.find_overcommit = find_overcommit,
};
