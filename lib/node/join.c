#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/order.h"
#include "base/pin.h"
#include "base/sysfs_file.h"
#include "base/text.h"
#include "gpus/whose.h"
#include "hardware.h"
#include "launcher/ancestors.h"
#include "launcher/job.h"
#include "node/beside_gpus.h"
#include "node/guess_needs.h"
#include "node/join.h"
#include "node/neighbours.h"
#include "node/numbered.h"
#include "process/process.h"

/*
 * The rank that creates the board reads the topology, which takes a while on
 * some machines.  The other ranks wait: if all read the topology at once, it
 * would take minutes.  So do the user's other jobs, but no longer than this.
 */
#define MAKING_MS 5000
#define TRIES 8			/* for a board that is removed just when it was found */

static bool
is_with_network(const struct sp_config *config)
{
	return config->policy.devices == SP_DEVICES_NIC || config->policy.devices == SP_DEVICES_GPU_NIC;
}

#define CPUS "/sys/devices/system/cpu"

/* Where this node's CPUs are described, if nothing else is to be known of the machine. */
static struct sp_machine_source
source_of(const struct sp_situation *s)
{
	struct sp_machine_source source = { .inode = 0 };
	struct stat folder;

	if (s->config->topology || sp_gpus_are_wanted(s->config, s->environment) || is_with_network(s->config) || stat(CPUS, &folder) != 0 ||
	    !sp_sysfs_text(CPUS, "/online", source.online, sizeof(source.online)))
		return (struct sp_machine_source){ .inode = 0 };
	source.device = folder.st_dev;
	source.inode = folder.st_ino;
	return source;
}

static uint32_t
wait_of(const struct sp_situation *s)
{
	return (uint32_t)sp_larger(s->config->wait_ms, MAKING_MS);
}

static int
read_hardware(const struct sp_situation *s, struct sp_joined *joined)
{
	const struct sp_config *config = s->config;
	const struct sp_hardware *hardware = sp_hardware_open(&joined->problem);
	if (!hardware)
		return -ELIBACC;
	int error = hardware->topology_read(config->topology, NULL, &joined->machine);
	/* If devices cannot be read, the machine is cut as if it had none. */
	if (!error && sp_gpus_are_wanted(config, s->environment))
		hardware->topology_gpus(config->topology, joined->machine);
	if (!error && is_with_network(config))
		hardware->topology_devices(config->topology, SP_DEVICES_NIC, joined->machine, NULL);
	return error;
}

static int
discover(const struct sp_situation *s, struct sp_joined *joined)
{
	joined->source = source_of(s);

	bool is_shared = joined->source.inode != 0;
	int error = is_shared && sp_board_machine(&joined->source, MAKING_MS, &joined->machine) == 0 ? 0 : -ENOENT;
	if (error) {
		error = read_hardware(s, joined);
		if (is_shared)
			sp_board_tell_machine(&joined->source, error ? NULL : joined->machine);
	}
	joined->discovered = !error;
	return error;
}

/* Find the name of the job.  A dry run has a name of its own, so that other jobs do not take it for a running job. */
static int
name_job(const struct sp_situation *s, char name[SP_JOB_NAME])
{
	char job[SP_JOB_NAME];
	int error = sp_job_name(s->rank, s->environment, job);

	if (!error)
		snprintf(name, SP_JOB_NAME, "%s%.300s", s->config->dry_run ? SP_DRY_RUN : "", job);
	return error;
}

/*
 * Find the launcher's own mask and the ranks' needs, both from one look at the
 * ancestors.  Returns the launcher's pid, or 0.
 */
static pid_t
look_at_launcher(const struct sp_situation *s, struct sp_joined *joined)
{
	size_t n;
	struct sp_ancestor *ancestor = sp_ancestors_of(getpid(), &n);
	const struct sp_ancestor *launcher = sp_ancestors_launcher(ancestor, n);

	pid_t pid = launcher ? launcher->pid : 0;

	/* In a dry run for another machine the launcher's CPUs are meaningless. */
	if (launcher && s->inherited)
		joined->launcher = launcher->mask;
	sp_needs_guess(s->rank, s->environment, s->threads, ancestor, n, joined->job, joined->need);
	sp_ancestors_free(ancestor, n);
	return pid;
}

/*
 * Ask the kernel which CPUs are allowed, which widens the mask for a moment.  A
 * rank that decides for all meanwhile must not take the wide mask for this
 * rank's own: no rank decides before there is a board, and no rank reads the
 * mask of a rank that has arrived but has not written its record.
 */
static void
ask_allowed(const struct sp_situation *s, struct sp_joined *joined)
{
	if (!sp_cpus_empty(&joined->allowed))
		return;
	if (!s->inherited)
		sp_machine_cpus(joined->machine, &joined->allowed);
	else if (sp_pin_allowed(&joined->allowed) != 0)
		joined->allowed = *s->inherited;
}

/* Whether the mask is narrower than allowed, and counts: what the job takes is then decided later. */
static bool
divides_masks(const struct sp_situation *s, const struct sp_joined *joined)
{
	return s->inherited && !sp_cpus_equal(s->inherited, &joined->allowed) && s->config->inherited != SP_INHERITED_IGNORE;
}

/*
 * Find the terms on which this job uses the node beside other jobs, and cut for
 * all ranks, where nobody has bound them, as each would by itself.  plan->owner
 * is the caller's to free().
 */
static void
see_neighbours(const struct sp_situation *s, pid_t launcher, struct sp_joined *joined, struct sp_plan *plan)
{
	struct sp_situation situation = *s;
	struct sp_other_jobs others;
	struct sp_gpu_list own;

	situation.machine = joined->machine;
	situation.allowed = &joined->allowed;
	situation.job = joined->job;
	plan->division = SP_DIVISION_UNBOUND;
	plan->need = joined->need;
	plan->owner = divides_masks(s, joined) ? NULL : sp_situation_owners(&situation);
	struct sp_view view = sp_situation_view(&situation);
	joined->overlooks = sp_others_find(&situation, launcher ? launcher : SP_NO_LAUNCHER, &others) == -E2BIG;
	if (others.has_more)
		joined->note = "other users have more processes or threads than are examined: some pinned threads of theirs may not be known";
	sp_gpus_visible(s->environment, &joined->machine->gpus, &own);
	struct sp_near *near = sp_gpus_guess(joined->machine, &own, s->rank->local_size);
	view.near = near;
	sp_decide(&view, NULL, &others, plan);
	free(near);
	joined->terms = plan->terms;
}

/* Find the terms where nothing is known of other jobs. */
static void
set_own_terms(const struct sp_situation *s, struct sp_joined *joined)
{
	joined->terms = (struct sp_terms){ .how = SP_TERMS_ALONE };
	for (uint32_t rank = 0; rank < s->rank->local_size; rank++)
		joined->need[rank] = s->threads;
}

static int
no_board(struct sp_joined *joined, int error, const char *problem)
{
	sp_board_release(joined->board);
	joined->board = NULL;
	joined->problem = problem ? problem : error == -E2BIG ? "more than 8192 ranks on a node (SPLITPIN_LOCAL_SIZE)" : strerror(-error);
	return error;
}

static const char *
problem_of_lock(int error)
{
	switch (error) {
	case -ETIME:
		return "another process did not create it in time";
	case -EPROTO:
		return "its lock file cannot be trusted";
	default:
		return NULL;
	}
}

/*
 * Decide what the job takes beside the user's other jobs, and create the board;
 * the caller holds the lock of all jobs.
 */
static int
decide_and_create(const struct sp_situation *s, pid_t launcher, struct sp_joined *joined)
{
	static struct sp_common common;	/* used by the one thread that settles; its stack may be small */
	static struct sp_plan plan;	/* likewise */

	memset(&common, 0, sizeof(common));
	memset(&plan, 0, sizeof(plan));
	common.dry_run = s->config->dry_run;
	common.observe = s->config->observe;
	see_neighbours(s, launcher, joined, &plan);
	if (divides_masks(s, joined))
		joined->terms.claim = (struct sp_cpus){ 0 };
	joined->terms.generation = 1;
	common.terms = &joined->terms;
	common.need = joined->need;
	common.launcher = joined->launcher;
	common.machine = joined->machine;
	common.source = joined->source;
	common.plan = &plan;
	common.policy = &s->config->policy;
	int error = sp_board_create(joined->job, s->rank->local_size, &common, &joined->board);
	free(plan.owner);
	/* The jobs in the way may end while the other ranks start. */
	if (!error && joined->terms.how == SP_TERMS_SHARED)
		sp_board_mark_stale(joined->board);
	/* Another process of the only rank has made it meanwhile. */
	if (error == -EEXIST)
		error = -ESTALE;
	return error ? no_board(joined, error, NULL) : 0;
}

static int
read_board(struct sp_joined *joined)
{
	struct sp_common common;
	int error = sp_board_common_terms(joined->board, &common, &joined->machine, &joined->terms, joined->need);

	if (!error)
		joined->launcher = common.launcher;
	return error;
}

/*
 * Take the seat on a board of other ranks that the user has numbered.  False:
 * there is none, or another process has taken the seat meanwhile.
 */
static bool
join_others(const struct sp_situation *s, struct sp_joined *joined)
{
	const char *problem;
	char job[SP_JOB_NAME];
	bool is_own;

	if (s->config->dry_run || !sp_numbered_find(s->rank, joined->job, job, &is_own) ||
	    sp_board_open(job, s->rank->local_size, &joined->board, &problem) != 0 || !joined->board)
		return false;
	int error = sp_board_arrive(joined->board, s->rank->local_rank, s->comer);
	if (error && !(is_own && error == -EBUSY)) {
		sp_board_release(joined->board);
		joined->board = NULL;
		return false;
	}
	sp_text_copy(joined->job, sizeof(joined->job), job);
	return true;
}

/*
 * Make the board; the caller holds the job's lock.  What takes long, where hwloc
 * does, comes before the lock of all jobs, for whose holder others wait as long as
 * it goes on; for the one who reads the machine they wait MAKING_MS.
 */
static int
make_board(const struct sp_situation *s, struct sp_joined *joined)
{
	int error = discover(s, joined);

	if (error)
		return error;
	ask_allowed(s, joined);
	pid_t launcher = look_at_launcher(s, joined);
	error = sp_board_lock_jobs(wait_of(s));
	if (error)
		return no_board(joined, error, problem_of_lock(error));
	if (!join_others(s, joined))
		return decide_and_create(s, launcher, joined);
	free(joined->machine);
	joined->machine = NULL;
	joined->discovered = false;
	return read_board(joined);
}

/* Open the job's board and read the machine from it; or create the board. */
static int
find_board(const struct sp_situation *s, struct sp_joined *joined)
{
	int error = sp_board_begin(joined->job, s->rank->local_size, wait_of(s), &joined->board, &joined->problem);

	if (error)
		return no_board(joined, error, joined->problem ? joined->problem : problem_of_lock(error));
	if (!joined->board && join_others(s, joined)) {
		sp_board_end();
	} else if (!joined->board) {
		error = make_board(s, joined);
		sp_board_end();
		return error;
	}
	error = read_board(joined);
	return error ? no_board(joined, error, error == -EPROTO ? "the machine in it is damaged" : NULL) : 0;
}

/* -ESTALE: all other ranks have left since the board was found. */
static int
arrive(const struct sp_situation *s, struct sp_joined *joined)
{
	int error = sp_board_arrive(joined->board, s->rank->local_rank, s->comer);

	/* On -EBUSY another process of this rank has the seat: its share will be found there. */
	if (error == 0 || error == -EBUSY)
		return 0;
	return no_board(joined, error, error == -EAGAIN ? "another process has locked it" : NULL);
}

static int
find_and_arrive(const struct sp_situation *s, struct sp_joined *joined)
{
	int error = -ESTALE;

	for (int i = 0; i < TRIES && error == -ESTALE; i++) {
		free(joined->machine);
		joined->machine = NULL;
		joined->problem = NULL;
		error = find_board(s, joined);
		if (!error && joined->board)
			error = arrive(s, joined);
	}
	return error;
}

/* Whether to report a problem that is the same for all ranks of the node: the first rank does. */
static bool
is_reporter(const struct sp_rank *rank, int error)
{
	switch (-error) {
	case ESTALE:	/* the board was removed since all other ranks have ended: not an error */
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

/*
 * Whether /proc hides other users' processes (hidepid): a launcher that is a
 * daemon of root's then exists although it cannot be seen.
 */
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
meet(const struct sp_situation *s, struct sp_joined *joined)
{
	/* Spawned ranks are numbered from 0 again, with the same job name in some libraries. */
	if (s->spawned)
		return discover(s, joined);
	int error = name_job(s, joined->job);
	/* No warning where the launcher has just been killed: the rank will not live long either. */
	if (error == -ESRCH) {
		joined->note = is_launcher_hidden() ? "/proc hides the launcher, which is another user's (hidepid); ranks cannot see each other" :
			       "the launcher has ended or is in another PID namespace; ranks cannot see each other";
		return discover(s, joined);
	}
	if (error)
		joined->problem = "/proc does not show which job this rank belongs to";
	else
		error = find_and_arrive(s, joined);
	if (error && !is_reporter(s->rank, error))
		joined->problem = NULL;
	return joined->machine ? 0 : discover(s, joined);
}

int
sp_join(const struct sp_situation *s, struct sp_joined *joined)
{
	*joined = (struct sp_joined){ .need = calloc(s->rank->local_size, sizeof(*joined->need)) };
	int error = joined->need ? meet(s, joined) : -ENOMEM;
	sp_board_end();
	if (!error && !joined->board)
		set_own_terms(s, joined);
	if (!error) {
		ask_allowed(s, joined);
		return 0;
	}
	free(joined->need);
	joined->need = NULL;
	return error;
}
