#include "cmd/probe/settle.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/order.h"
#include "board/board.h"
#include "cmd/cmd.h"
#include "cmd/library.h"
#include "engine.h"
#include "launcher/job.h"
#include "settings/config.h"
#include "settings/omp_env.h"

/* For ranks that have not come yet, times SPLITPIN_WAIT: 20 s by default.  The check ends the launcher after a minute. */
#define PATIENCE 10
#define LEAST_WAIT_MS 200	/* those that have come may still look at each other */
#define NAP_MS 5

/* Whether all ranks of the dry run on this node know their shares, or that they have none. */
static bool
are_settled(struct sp_board *board, const struct sp_rank *rank)
{
	uint32_t *state = cmd_allocate(rank->local_size, sizeof(*state)), n = 0;

	if (sp_board_states(board, state) == 0)
		for (uint32_t i = 0; i < rank->local_size; i++)
			n += state[i] >= SP_SEAT_REFUSED || state[i] == SP_SEAT_LEFT;
	free(state);
	return n == rank->local_size;
}

/* A rank calls the engine again when MPI_Init has returned: then all have settled. */
static void
await_others(const struct sp_rank *rank, const struct sp_config *config)
{
	char job[SP_JOB_NAME], *name;
	struct sp_board *board = NULL;
	const struct timespec nap = { .tv_nsec = NAP_MS * 1000000 };
	const char *problem;

	if (rank->local_size < 2 || sp_job_name(rank, environ, job) != 0)
		return;
	uint64_t naps = PATIENCE * sp_larger(config->wait_ms, LEAST_WAIT_MS) / NAP_MS;
	name = cmd_format(SP_DRY_RUN "%.300s", job);
	if (sp_board_open(name, rank->local_size, &board, &problem) == 0) {
		for (uint64_t i = 0; i < naps && !are_settled(board, rank); i++)
			nanosleep(&nap, NULL);
		sp_board_release(board);
	}
	free(name);
}

/* Where its runtime's threads would be, which is known where the user has set their number and nothing else binds them. */
static void
place_threads(const struct sp_engine *engine, enum sp_runtime runtime)
{
	struct sp_omp_env omp_env;

	sp_omp_env_read(&omp_env, environ);
	if (runtime == SP_RUNTIMES || !omp_env.team_announced || omp_env.has_uneven_teams || omp_env.team < 2 || omp_env.team > SP_CPUS_MAX ||
	    engine->pinning(runtime) != SP_PIN)
		return;
	struct sp_worker worker = { .team = omp_env.team, .near = -1, .runtime = runtime };
	for (; worker.thread < (int)worker.team; worker.thread++) {
		int slot = engine->take(&worker, NULL);

		if (slot >= 0)
			engine->pin(slot, &worker);
	}
}

/* The settings of the site's file are those for the program, not for this command: so they go into the environment. */
static void
prepare(const struct sp_settings *settings)
{
	for (unsigned i = 0; i < SP_SETTINGS_MAX; i++) {
		const struct sp_site_setting *line = sp_settings_line(settings, i);

		if (line)
			cmd_export(line->entry);
	}
	setenv("SPLITPIN_DRYRUN", "1", 1);
	setenv("SPLITPIN_DEBUG", "1", 1);
	setenv("SPLITPIN_REPORT", "1", 1);
	unsetenv("SPLITPIN_LOG");
}

int
probe_settle(const char *library, const struct sp_rank *rank, enum sp_runtime runtime, const struct sp_settings *settings, char **problem)
{
	const struct sp_engine *engine = cmd_open_engine(library, problem);

	if (!engine)
		return -ELIBACC;
	prepare(settings);
	int error = engine->settle(rank, SP_BY_MPI_INIT, environ);
	if (error)
		return error;
	await_others(rank, &settings->config);
	engine->ready();
	place_threads(engine, runtime);
	return 0;
}
