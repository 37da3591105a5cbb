/* A rank meets the others of its node. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "hardware.h"
#include "engine/join.h"
#include "engine/share.h"

/*
 * Whoever makes boards reads the topology of the machine, which takes a while
 * on some: if the others did not wait for that they would all do it at once,
 * which takes minutes.
 */
#define MAKING_MS 5000
#define TRIES 8			/* for a board that is removed just when it was found */

static int
discover(const struct sp_config *config, struct sp_meeting *meeting)
{
	const struct sp_hardware *hardware = sp_hardware_open(&meeting->problem);

	if (!hardware)
		return -ELIBACC;
	int error = hardware->topology_read(config->topology, NULL, &meeting->machine);
	meeting->discovered = !error;
	/* Without its devices the machine is cut as if it had none. */
	if (!error && config->policy.devices != SP_DEVICES_OFF)
		hardware->topology_devices(config->topology, config->policy.devices, meeting->machine, NULL);
	return error;
}

/* A dry run is not to be taken for a job that is there. */
static int
job_name(const struct sp_rank *rank, const struct sp_config *config, char *const environment[],
	 char name[SP_JOB_NAME])
{
	char job[SP_JOB_NAME];
	int error = sp_job_name(rank, environment, job);

	if (!error)
		snprintf(name, SP_JOB_NAME, "%s%.300s", config->dry_run ? "dry run of " : "", job);
	return error;
}

static void
see_neighbours(const struct sp_rank *rank, const struct sp_config *config, const char *job,
	       const struct sp_cpus *allowed, struct sp_meeting *meeting, struct sp_cpus *claim)
{
	struct sp_cpus taken = { 0 }, all;

	if (!allowed) {
		sp_machine_cpus(meeting->machine, &all);
		allowed = &all;
	}
	if (config->neighbours == SP_NEIGHBOURS_AVOID && !config->dry_run)
		sp_board_taken(job, &taken);
	else
		sp_board_taken(job, &meeting->taken);	/* for the sake of dead boards */
	meeting->taken = taken;
	sp_cpus_and(&taken, allowed);
	if (sp_share_claim(meeting->machine, &config->policy, rank->local_size, allowed, &meeting->taken, claim) != 0)
		*claim = meeting->taken = (struct sp_cpus){ 0 };
	meeting->node_is_shared = !sp_cpus_empty(&taken) && sp_cpus_empty(&meeting->taken);
}

static int
no_board(struct sp_meeting *meeting, int error, const char *problem)
{
	sp_board_release(meeting->board);
	meeting->board = NULL;
	meeting->problem = problem ? problem : strerror(-error);
	return error;
}

/* Under the right to make boards. */
static int
make_board(const struct sp_rank *rank, const struct sp_config *config, const char *job,
	   const struct sp_cpus *allowed, bool bound, struct sp_meeting *meeting)
{
	struct sp_common common = { .dry_run = config->dry_run };
	int error = discover(config, meeting);

	if (error)
		return error;
	see_neighbours(rank, config, job, allowed, meeting, &common.claim);
	if (bound && config->inherited == SP_INHERITED_KEEP)
		common.claim = (struct sp_cpus){ 0 };
	common.taken = meeting->taken;
	common.machine = meeting->machine;
	error = sp_board_create(job, rank->local_size, &common, &meeting->board);
	return error ? no_board(meeting, error, NULL) : 0;
}

static int
read_board(struct sp_meeting *meeting)
{
	struct sp_common common;
	int error = sp_board_common(meeting->board, &common, &meeting->machine);

	if (!error)
		meeting->taken = common.taken;
	return error;
}

/* The board open, and the machine known from it; or made. */
static int
find_board(const struct sp_rank *rank, const struct sp_config *config, const char *job,
	   const struct sp_cpus *allowed, bool bound, struct sp_meeting *meeting)
{
	uint32_t wait_ms = config->wait_ms > MAKING_MS ? config->wait_ms : MAKING_MS;
	int error = sp_board_begin(job, rank->local_size, wait_ms, &meeting->board, &meeting->problem);

	if (error)
		return no_board(meeting, error, error == -ETIME ? "another process has not made it in time" : meeting->problem);
	if (!meeting->board) {
		error = make_board(rank, config, job, allowed, bound, meeting);
		sp_board_end();
		return error;
	}
	error = read_board(meeting);
	return error ? no_board(meeting, error, error == -EPROTO ? "the machine in it is damaged" : NULL) : 0;
}

/* -ESTALE: the others have all left since it was found. */
static int
arrive(const struct sp_rank *rank, struct sp_meeting *meeting)
{
	int error = sp_board_arrive(meeting->board, rank->local_rank);

	/* Another process of this rank has the seat: its share will be found there. */
	if (error == 0 || error == -EBUSY)
		return 0;
	return no_board(meeting, error, error == -EAGAIN ? "somebody has locked it" : NULL);
}

static int
join(const struct sp_rank *rank, const struct sp_config *config, const char *job,
     const struct sp_cpus *allowed, bool bound, struct sp_meeting *meeting)
{
	int error = -ESTALE;

	for (int i = 0; i < TRIES && error == -ESTALE; i++) {
		free(meeting->machine);
		*meeting = (struct sp_meeting){ 0 };
		error = find_board(rank, config, job, allowed, bound, meeting);
		if (!error && meeting->board)
			error = arrive(rank, meeting);
	}
	return error;
}

/* What all ranks of the node find alike is told to the first. */
static void
choose_who_tells(const struct sp_rank *rank, int error, struct sp_meeting *meeting)
{
	bool own = error == -EMFILE || error == -ENFILE || error == -ENOMEM || error == -EFBIG;

	/* That the board has vanished means that the others have ended: nothing is wrong. */
	if ((!own && rank->local_rank != 0) || error == -ESTALE)
		meeting->problem = NULL;
}

int
sp_meet(const struct sp_rank *rank, const struct sp_config *config, char *const environment[],
	const struct sp_cpus *allowed, bool bound, struct sp_meeting *meeting)
{
	char job[SP_JOB_NAME];

	*meeting = (struct sp_meeting){ 0 };
	/* Spawned ranks are counted anew, under the same name in some libraries. */
	if (sp_job_is_spawned(environment))
		return discover(config, meeting);
	int error = job_name(rank, config, environment, job);
	/* A launcher that has just been killed leaves a rank that will not live long: no warning. */
	if (error == -ESRCH) {
		meeting->note = "the launcher cannot be seen: it is in another PID name space, or has ended; ranks cannot see each other";
		return discover(config, meeting);
	}
	if (error)
		meeting->problem = "/proc does not tell which job this rank belongs to";
	else
		error = join(rank, config, job, allowed, bound, meeting);
	if (error)
		choose_who_tells(rank, error, meeting);
	return meeting->machine ? 0 : discover(config, meeting);
}
