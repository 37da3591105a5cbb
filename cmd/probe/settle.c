#include "cmd/probe/settle.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "board/board.h"
#include "cmd/cmd.h"
#include "cmd/library.h"
#include "engine.h"
#include "launcher/job.h"
#include "settings/omp_env.h"

#define PATIENCE_S 20		/* for ranks of this node that have not come yet; the check ends the launcher after three times as long */
#define NAP_NS 5000000

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
await_others(const struct sp_rank *rank)
{
	char job[SP_JOB_NAME], *name;
	struct sp_board *board = NULL;
	const struct timespec nap = { .tv_nsec = NAP_NS };
	const char *problem;

	if (rank->local_size < 2 || sp_job_name(rank, environ, job) != 0)
		return;
	name = cmd_format(SP_DRY_RUN "%.300s", job);
	if (sp_board_open(name, rank->local_size, &board, &problem) == 0) {
		for (long i = 0; i < PATIENCE_S * (1000000000L / NAP_NS) && !are_settled(board, rank); i++)
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
		char *entry = line ? cmd_format("%s", line->entry) : NULL, *equals = entry ? strchr(entry, '=') : NULL;

		if (equals) {
			*equals = '\0';
			setenv(entry, equals + 1, 1);
		}
		free(entry);
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
	await_others(rank);
	engine->ready();
	place_threads(engine, runtime);
	return 0;
}
