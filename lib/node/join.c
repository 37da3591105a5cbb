#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/order.h"
#include "base/pin.h"
#include "gpus/whose.h"
#include "hardware.h"
#include "launcher/ancestors.h"
#include "launcher/job.h"
#include "node/beside_gpus.h"
#include "node/guess_needs.h"
#include "node/join.h"
#include "node/others.h"
#include "process/process.h"
#include "terms/terms.h"

/*
 * The rank that makes the board reads the topology, which takes a while on some
 * machines.  The others wait: if all read it at once, that would take minutes.
 */
#define MAKING_MS 5000
#define TRIES 8			/* for a board that is removed just when it was found */

static int
discover(const struct sp_joining *j, struct sp_joined *joined)
{
	const struct sp_config *config = j->config;
	enum sp_devices devices = config->policy.devices;
	const struct sp_hardware *hardware = sp_hardware_open(&joined->problem);

	if (!hardware)
		return -ELIBACC;
	int error = hardware->topology_read(config->topology, NULL, &joined->machine);
	joined->discovered = !error;
	/* Without its devices the machine is cut as if it had none. */
	if (!error && sp_gpus_are_wanted(config, j->environment))
		hardware->topology_gpus(config->topology, joined->machine);
	if (!error && (devices == SP_DEVICES_NIC || devices == SP_DEVICES_GPU_NIC))
		hardware->topology_devices(config->topology, SP_DEVICES_NIC, joined->machine, NULL);
	return error;
}

/* Other jobs must not take a dry run for a running job. */
static int
name_job(const struct sp_joining *j, char name[SP_JOB_NAME])
{
	char job[SP_JOB_NAME];
	int error = sp_job_name(j->rank, j->environment, job);

	if (!error)
		snprintf(name, SP_JOB_NAME, "%s%.300s", j->config->dry_run ? "dry run of " : "", job);
	return error;
}

/* The launcher's own mask, and what the ranks need, both from one look at the launchers.  Its number, or 0. */
static pid_t
look_at_launcher(const struct sp_joining *j, struct sp_joined *joined)
{
	size_t n;
	struct sp_ancestor *ancestor = sp_ancestors_of(getpid(), &n);
	const struct sp_ancestor *launcher = sp_ancestors_launcher(ancestor, n);

	pid_t pid = launcher ? launcher->pid : 0;

	/* The launcher's CPUs mean nothing in a dry run for another machine. */
	if (launcher && j->inherited)
		joined->launcher = launcher->mask;
	sp_needs_guess(j->rank, j->environment, j->threads, ancestor, n, joined->job, joined->need);
	sp_ancestors_free(ancestor, n);
	return pid;
}

/*
 * Asking the kernel widens the mask for a moment.  A rank that decides for all
 * meanwhile must not take the wide mask for this rank's own: no rank decides before
 * there is a board, and none reads the mask of a rank that has arrived but has not
 * written its record.
 */
static void
ask_allowed(const struct sp_joining *j, struct sp_joined *joined)
{
	if (!sp_cpus_empty(&joined->allowed))
		return;
	if (!j->inherited)
		sp_machine_cpus(joined->machine, &joined->allowed);
	else if (sp_pin_allowed(&joined->allowed) != 0)
		joined->allowed = *j->inherited;
}

/* On which terms this job uses the node beside others. */
static void
see_neighbours(const struct sp_joining *j, pid_t launcher, struct sp_joined *joined)
{
	struct sp_other_jobs others;
	struct sp_gpu_list own;

	joined->overlooks = sp_others_find(&(struct sp_asker){
		.job = joined->job, .config = j->config, .machine = joined->machine, .allowed = &joined->allowed,
		.launcher = launcher }, &others) == -E2BIG;
	sp_gpus_visible(j->environment, &joined->machine->gpus, &own);
	struct sp_near *near = sp_gpus_guess(joined->machine, &own, j->rank->local_size);
	sp_terms_find(&(struct sp_sharing){
		.machine = joined->machine, .policy = &j->config->policy, .bind = j->config->bind, .has_places = j->has_places, .near = near,
		.cpus = &joined->allowed, .nranks = j->rank->local_size, .need = joined->need }, &others, &joined->terms);
	free(near);
}

/* Of others nothing is known. */
static void
set_own_terms(const struct sp_joining *j, struct sp_joined *joined)
{
	joined->terms = (struct sp_terms){ .how = SP_TERMS_ALONE };
	for (uint32_t rank = 0; rank < j->rank->local_size; rank++)
		joined->need[rank] = j->threads;
}

static int
no_board(struct sp_joined *joined, int error, const char *problem)
{
	sp_board_release(joined->board);
	joined->board = NULL;
	joined->problem = problem ? problem : error == -E2BIG ? "more than 8192 ranks on a node (SPLITPIN_LOCAL_SIZE)" : strerror(-error);
	return error;
}

/* Narrower than allowed: what the job takes is decided later. */
static bool
is_bound(const struct sp_joining *j, const struct sp_joined *joined)
{
	return j->inherited && !sp_cpus_equal(j->inherited, &joined->allowed);
}

/* Under the creation lock. */
static int
make_board(const struct sp_joining *j, struct sp_joined *joined)
{
	static struct sp_common common;	/* used by the one thread that settles; its stack may be small */
	int error = discover(j, joined);

	if (error)
		return error;
	memset(&common, 0, sizeof(common));
	common.dry_run = j->config->dry_run;
	ask_allowed(j, joined);
	see_neighbours(j, look_at_launcher(j, joined), joined);
	if (is_bound(j, joined) && j->config->inherited != SP_INHERITED_IGNORE)
		joined->terms.claim = (struct sp_cpus){ 0 };
	joined->terms.generation = 1;
	common.terms = &joined->terms;
	common.need = joined->need;
	common.launcher = joined->launcher;
	common.machine = joined->machine;
	error = sp_board_create(joined->job, j->rank->local_size, &common, &joined->board);
	/* What is in the way may end while the others start. */
	if (!error && joined->terms.how == SP_TERMS_SHARED)
		sp_board_note_unlike(joined->board);
	return error ? no_board(joined, error, NULL) : 0;
}

static int
read_board(struct sp_joined *joined)
{
	struct sp_common common;
	int error = sp_board_common(joined->board, &common, &joined->machine);

	if (!error)
		error = sp_board_terms(joined->board, &joined->terms, joined->need);
	if (!error)
		joined->launcher = common.launcher;
	return error;
}

/* The board open, and the machine known from it; or made. */
static int
find_board(const struct sp_joining *j, struct sp_joined *joined)
{
	uint32_t wait_ms = (uint32_t)sp_larger(j->config->wait_ms, MAKING_MS);
	int error = sp_board_begin(joined->job, j->rank->local_size, wait_ms, &joined->board, &joined->problem);

	if (error)
		return no_board(joined, error, error == -ETIME ? "another process did not create it in time" : joined->problem);
	if (!joined->board) {
		error = make_board(j, joined);
		sp_board_end();
		return error;
	}
	error = read_board(joined);
	return error ? no_board(joined, error, error == -EPROTO ? "the machine in it is damaged" : NULL) : 0;
}

/* -ESTALE: the others have all left since it was found. */
static int
arrive(const struct sp_joining *j, struct sp_joined *joined)
{
	int error = sp_board_arrive(joined->board, j->rank->local_rank, j->is_rank);

	/* Another process of this rank has the seat: its share will be found there. */
	if (error == 0 || error == -EBUSY)
		return 0;
	return no_board(joined, error, error == -EAGAIN ? "another process has locked it" : NULL);
}

static int
find_and_arrive(const struct sp_joining *j, struct sp_joined *joined)
{
	int error = -ESTALE;

	for (int i = 0; i < TRIES && error == -ESTALE; i++) {
		free(joined->machine);
		joined->machine = NULL;
		joined->problem = NULL;
		error = find_board(j, joined);
		if (!error && joined->board)
			error = arrive(j, joined);
	}
	return error;
}

/* What is the same for all ranks of the node is reported by the first. */
static bool
is_reporter(const struct sp_rank *rank, int error)
{
	switch (-error) {
	case ESTALE:	/* the board has vanished: the others have ended, nothing is wrong */
		return false;
	case EMFILE:
	case ENFILE:
	case ENOMEM:
	case EFBIG:
		return true;
	default:
		return rank->local_rank == 0;
	}
}

/* Where /proc shows a user none of other users' processes (hidepid), a launcher that is a daemon of root's is there nevertheless. */
static bool
is_launcher_hidden(void)
{
	struct sp_process process = { .parent = getpid() };
	int error = 0;

	for (int i = 0; i < SP_GENERATIONS_MAX && !error && process.parent > 0; i++)
		error = sp_process_read(process.parent, &process);
	return error == -ESRCH && (kill(process.parent, 0) == 0 || errno == EPERM);
}

static int
meet(const struct sp_joining *j, struct sp_joined *joined)
{
	/* Spawned ranks are counted from 0, under the same name in some libraries. */
	if (sp_job_is_spawned(j->environment))
		return discover(j, joined);
	int error = name_job(j, joined->job);
	/* A launcher that has just been killed leaves a rank that will not live long: no warning. */
	if (error == -ESRCH) {
		joined->note = is_launcher_hidden() ? "/proc hides the launcher, which is another user's (hidepid); ranks cannot see each other" :
			       "the launcher has ended or is in another PID namespace; ranks cannot see each other";
		return discover(j, joined);
	}
	if (error)
		joined->problem = "/proc does not show which job this rank belongs to";
	else
		error = find_and_arrive(j, joined);
	if (error && !is_reporter(j->rank, error))
		joined->problem = NULL;
	return joined->machine ? 0 : discover(j, joined);
}

int
sp_join(const struct sp_joining *j, struct sp_joined *joined)
{
	*joined = (struct sp_joined){ .need = calloc(j->rank->local_size, sizeof(*joined->need)) };
	int error = joined->need ? meet(j, joined) : -ENOMEM;
	if (!error && !joined->board)
		set_own_terms(j, joined);
	if (!error) {
		ask_allowed(j, joined);
		return 0;
	}
	free(joined->need);
	joined->need = NULL;
	return error;
}
