#include "node/numbered.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/text.h"
#include "board/board.h"
#include "launcher/launcher.h"
#include "launcher/launchers.h"
#include "process/process.h"

enum fit { FITS_NOT, HAS_FREE_SEAT, HAS_OWN_SEAT };

struct search {
	const struct sp_rank *rank;
	const char *own;
	enum fit best;
	char *job;
};

/* Whether a process of this session is a rank that the user has numbered, among as many as this one. */
static bool
is_alike(pid_t pid, const struct sp_rank *rank, uint32_t *number)
{
	char **environment = pid && getsid(pid) == getsid(0) ? sp_process_environment(pid) : NULL;
	struct sp_rank its;
	bool is = environment && sp_launcher_rank(environment, &its) == 0 && sp_launcher_find(its.from) == SP_LAUNCHER_USER &&
		  its.local_size == rank->local_size;

	free(environment);
	*number = is ? its.local_rank : 0;
	return is;
}

/* Whether the seat is that of an earlier program of this rank, or of one beside this one: the same process has started both. */
static bool
is_of_this_rank(const struct sp_seat *seat, const struct search *search)
{
	pid_t pid = sp_process_here(&seat->process);
	char **environment = pid ? sp_process_environment(pid) : NULL;
	char job[SP_JOB_NAME];
	bool is = environment && sp_job_name_of(pid, search->rank, environment, job) == 0 && strcmp(job, search->own) == 0;

	free(environment);
	return is;
}

/* The ranks that have come tell by their session; the maker may not have come to its seat yet. */
static bool
is_of_session(const struct sp_board_found *found, struct sp_board *board, const struct sp_rank *rank)
{
	struct sp_seat seat;
	uint32_t number;

	if (is_alike(found->maker, rank, &number))
		return number != rank->local_rank;
	for (uint32_t i = 0; i < found->local_size; i++)
		if (sp_board_read(board, i, &seat) == 0 && seat.state > SP_SEAT_LEFT)
			return is_alike(sp_process_here(&seat.process), rank, &number);
	return false;
}

static enum fit
fit_of(const struct sp_board_found *found, struct sp_board *board, const struct search *search)
{
	struct sp_seat seat;

	if (found->error || found->local_size != search->rank->local_size || !sp_board_is_alive(board) || !sp_job_is_named_by_ancestor(found->job))
		return FITS_NOT;
	if (sp_board_read(board, search->rank->local_rank, &seat) == 0 && seat.state > SP_SEAT_LEFT)
		return is_of_this_rank(&seat, search) ? HAS_OWN_SEAT : FITS_NOT;
	return is_of_session(found, board, search->rank) ? HAS_FREE_SEAT : FITS_NOT;
}

static void
visit(const struct sp_board_found *found, struct sp_board *board, void *data)
{
	struct search *search = data;
	enum fit fit = search->best == HAS_OWN_SEAT ? FITS_NOT : fit_of(found, board, search);

	if (fit <= search->best)
		return;
	search->best = fit;
	sp_text_copy(search->job, SP_JOB_NAME, found->job);
}

bool
sp_numbered_find(const struct sp_rank *rank, const char *own, char job[SP_JOB_NAME], bool *is_own)
{
	uid_t user = geteuid();
	struct search search = { .rank = rank, .own = own, .job = job };

	if (rank->local_size == 1 || sp_launcher_find(rank->from) != SP_LAUNCHER_USER)
		return false;
	sp_board_each(&user, visit, &search);
	*is_own = search.best == HAS_OWN_SEAT;
	return search.best != FITS_NOT;
}
