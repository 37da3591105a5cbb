/* splitpin plan: makes the plan that was asked for, and prints it. */
#include "cmd/commands.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/pin.h"
#include "base/text.h"
#include "cmd/cmd.h"
#include "cmd/plan/make/advise.h"
#include "cmd/plan/make/make.h"
#include "cmd/plan/make/parts.h"
#include "cmd/plan/print/print.h"
#include "cmd/plan/request.h"
#include "cmd/plan/warn.h"
#include "gpus/whose.h"
#include "settings/omp_env.h"

/* No list is needed if all parts have the same number of threads. */
static void
find_needs(struct plan *plan)
{
	bool alike = true;

	plan->need = plan_parts_need(&plan->parts, plan->nranks, plan->threads);
	for (uint32_t rank = 1; rank < plan->nranks; rank++)
		alike &= plan->need[rank] == plan->need[0];
	plan->threads = alike ? plan->need[0] : 0;
	if (!alike)
		return;
	free(plan->need);
	plan->need = NULL;
}

/* The user's settings of the OpenMP runtime have the same effect as in a run. */
static void
read_environment(struct plan *plan, bool is_for_launcher)
{
	struct sp_omp_env omp_env;

	sp_omp_env_read(&omp_env, environ);
	cmd_settings_tell_team(&omp_env);
	plan->bound_by = omp_env.libomp ? omp_env.libomp : omp_env.libgomp;
	plan->places = sp_omp_env_places(&omp_env);
	plan->on_hardware_threads = omp_env.on_hardware_threads;
	if (omp_env.is_close && plan->config.bind == SP_SPREAD)
		plan->config.bind = SP_CLOSE;
	uint32_t threads = omp_env.threads;

	/* What is printed for a launcher has OMP_NUM_THREADS, and places for the outer team. */
	if (is_for_launcher)
		threads = omp_env.team;
	if (plan->threads == 0 && threads <= THREADS_MAX) {
		plan->threads = threads;
		plan->is_sum = threads > omp_env.team;
	}
	if (plan->parts.n)
		find_needs(plan);
}

static void
tell_gpus(const struct plan *plan)
{
	struct sp_gpu_list all;

	sp_gpus_visible(NULL, &plan->machine->gpus, &all);
	if (all.n)
		cmd_complain("--gpus %s: use all, or numbers from 0 to %u, such as 0-3; or one list for each of %u rank%s, separated by colons",
			     plan->gpus, all.n - 1, plan->nranks, sp_plural(plan->nranks));
	else
		cmd_complain("--gpus %s: %s has no GPU", plan->gpus, plan->name);
}

static int
tell_error(const struct request *request, int error)
{
	const struct plan *plan = &request->plan;
	const char *source = plan->name;

	switch (error) {
	case -ENOSPC:
		plan_tell_ranks(plan);
		break;
	case -ENOENT:
		cmd_complain("%s%s: cannot be read: %s", request->source_from, source, strerror(errno));
		break;
	case -EINVAL:
	case -ENODATA:
	case -E2BIG:
	case -ENXIO:
	case -EPROTO:
		plan_tell_source(plan, request->source_from, error);
		break;
	case -EDOM:
		tell_gpus(plan);
		break;
	case -ENODEV:
		cmd_complain("--allowed: %s has none of these CPUs", source);
		break;
	default:
		cmd_complain("%s: %s", source, strerror(-error));
		return EXIT_FAILURE;
	}
	return CMD_USAGE;
}

static int
advise_and_print(struct request *request, const struct sp_cpus *allowed)
{
	struct advice advice;
	int error = advise(&request->plan, allowed, &advice);

	if (error)
		return tell_error(request, error);
	if (request->print == plan_print_json)
		advise_print_json(&request->plan, &advice, request->nodes);
	else
		advise_print_text(&request->plan, &advice, request->nodes);
	advise_release(&advice);
	return cmd_close_output();
}

/*
 * To the CPUs of option --allowed or of this process's mask, which a job started from here has
 * too.  Tasks of srun do not have it, and settings may ignore masks.
 */
static void
restrict_cpus(struct request *request)
{
	const struct plan *plan = &request->plan;
	bool is_ignored = plan->config.inherited == SP_INHERITED_IGNORE || request->target.launcher == TARGET_SRUN;

	if (!plan->source && !request->restricted)
		request->restricted = (is_ignored ? sp_pin_allowed(&request->allowed) : sp_pin_get(0, &request->allowed)) == 0;
}

static int
make_and_print(struct request *request)
{
	struct plan *plan = &request->plan;

	restrict_cpus(request);
	const struct sp_cpus *allowed = request->restricted ? &request->allowed : NULL;
	if (request->advise)
		return advise_and_print(request, allowed);
	int error = plan_make(plan, allowed);
	if (error)
		return tell_error(request, error);
	if (request->launcher && plan->terms.how == SP_TERMS_SHARED) {
		cmd_complain("--for %s: too few cores are free for all threads: no rank has its own, so there is nothing to place",
			     request->launcher);
		return CMD_USAGE;
	}
	plan_warn(plan);
	if (!request->print)
		return plan_draw(plan, request->picture);
	request->print(plan);
	return cmd_close_output();
}

static int
run(struct request *request)
{
	struct plan *plan = &request->plan;
	char *path = NULL;

	sp_topology_listen();
	cmd_settings_read(&request->settings, &plan->config);
	if (!plan->config.on) {
		cmd_complain("SPLITPIN=off: a run would change nothing; leave it unset to see a plan");
		return CMD_USAGE;
	}
	read_environment(plan, request->launcher);
	request->source_from = plan->source ? "--topology " : plan->config.topology ? "SPLITPIN_DRYRUN=" : "";
	if (!plan->source)
		plan->source = plan->config.topology;
	plan->name = plan->source ? plan->source : "this machine";
	if (plan->source) {
		plan->source = path = plan_source(plan, plan->source != plan->config.topology);
		if (!path)
			return CMD_USAGE;
	}
	int status = make_and_print(request);
	free(path);
	return status;
}

static void
release_line(struct request *request)
{
	static char *none[] = { NULL };

	if (request->plan.job)
		environ = none;
	target_release_job(&request->job);
	target_release(&request->target);
}

int
cmd_plan(int argc, char *argv[])
{
	struct request request = { .print = plan_print_text };
	int status = request_read(argc, argv, &request);

	if (status < 0)
		status = cmd_print_help(&plan_usage);
	else if (status == 0)
		status = run(&request);
	cmd_settings_release(&request.settings);
	plan_release(&request.plan);
	free(request.beside);
	release_line(&request);
	return status;
}
