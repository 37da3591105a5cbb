#include "node/neighbours.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/order.h"
#include "launcher/ancestors.h"
#include "launcher/job.h"
#include "process/pinned.h"

/* Ranks of this user whose boards say what they have, and that have not returned from MPI_Init, if they call it at all. */
struct starting {
	uint64_t *pid;		/* in ascending order, once they are read */
	size_t n;
	bool are_read;
};

static void
add_starting(const struct sp_board_found *found, struct sp_board *board, void *data)
{
	struct starting *starting = data;
	struct sp_seat seat;
	uint64_t *more = found->error ? NULL : realloc(starting->pid, (starting->n + found->local_size) * sizeof(*more));

	if (!more)
		return;
	starting->pid = more;
	for (uint32_t rank = 0; rank < found->local_size; rank++)
		if (sp_board_read(board, rank, &seat) == 0 && (seat.state == SP_SEAT_HERE || seat.state == SP_SEAT_SETTLED))
			more[starting->n++] = (uint64_t)sp_process_here(&seat.process);
}

/*
 * Whether a process only visits CPUs.  A launcher computes nothing.  A rank whose
 * first thread is not on what its job has will move there in a moment, or is
 * inside MPI_Init.
 */
static bool
is_passing(pid_t pid, void *data)
{
	struct starting *starting = data;
	const uint64_t key = (uint64_t)pid;
	const uid_t self = geteuid();

	if (sp_ancestors_is_launcher(pid))
		return true;
	if (!starting->are_read) {
		starting->are_read = true;
		sp_board_each(&self, add_starting, starting);
		if (starting->n)
			qsort(starting->pid, starting->n, sizeof(key), sp_order_keys);
	}
	return starting->n && bsearch(&key, starting->pid, starting->n, sizeof(key), sp_order_keys);
}

/* Add the cores of pinned threads, except cores that the user's other jobs claim: threads there are those jobs' own. */
static void
add_pinned(const struct sp_situation *s, pid_t launcher, struct sp_other_jobs *others)
{
	struct starting starting = { .n = 0 };
	struct sp_pinned pinned;

	if (launcher <= 0)
		launcher = launcher == SP_NO_LAUNCHER ? 0 : sp_ancestors_own_launcher();
	int cores = sp_pinned_by_others(&(struct sp_pinned_search){
		.machine = s->machine, .allowed = s->allowed, .known = &others->taken,
		.own_launcher = launcher ? launcher : sp_job_starter(s->rank), .is_launcher = sp_ancestors_is_launcher,
		.is_passing = is_passing, .data = &starting }, &pinned);

	free(starting.pid);
	if (cores < 0)
		return;
	others->starting = pinned.starting;
	others->starter = pinned.starter;
	others->has_more = pinned.is_part;
	sp_cpus_sub(&pinned.cores, &others->taken);
	if (!sp_machine_cores(s->machine, &pinned.cores))
		return;
	sp_cpus_or(&others->taken, &pinned.cores);
	others->jobs++;
}

int
sp_others_find(const struct sp_situation *s, pid_t launcher, struct sp_other_jobs *others)
{
	int error = sp_board_other_jobs(s->job, others);

	if (sp_config_avoids_others(s->config))
		add_pinned(s, launcher, others);
	else
		*others = (struct sp_other_jobs){ .jobs = 0 };
	/* On a core that several jobs claim the threads of all but one were released, and want another core. */
	for (int i = 0; i < SP_AGAIN_MAX; i++)
		others->loose += sp_machine_cores(s->machine, &others->again[i]);
	return error == -E2BIG ? error : 0;
}
