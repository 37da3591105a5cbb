/* The jobs of this node, from their boards and /proc. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/text.h"
#include "cmd/cmd.h"
#include "cmd/show/holders.h"
#include "cmd/show/jobs_without.h"
#include "cmd/show/running.h"
#include "process/process.h"

#define BETWEEN_LOOKS_US 50000
#define RANKS_MAX (2 * SP_CPUS_MAX)	/* of one user, who can write boards of any number of ranks */

/*
 * Users can write anything to their boards: a process has at most one seat of a
 * job, and belongs to the owner of the job.
 */
static bool
may_have_seat(const struct show_job *job, uint32_t number)
{
	pid_t pid = job->rank[number].seat.process.pid;
	uid_t owner;

	for (uint32_t i = 0; i < number; i++)
		if (jobs_has_process(&job->rank[i]) && job->rank[i].seat.process.pid == pid)
			return false;
	return threads_owner(pid, &owner) && owner == job->owner;
}

static void
read_rank(struct sp_board *board, uint32_t number, struct show_job *job)
{
	struct show_rank *rank = &job->rank[number];
	struct sp_process self;

	if (sp_board_read(board, number, &rank->seat) != 0) {
		rank->seat = (struct sp_seat){ .state = SP_SEAT_EMPTY };
		return;
	}
	cmd_make_plain(rank->seat.memory);
	cmd_make_plain(rank->seat.why);
	rank->is_hidden = sp_process_self(&self) == 0 && rank->seat.process.space &&
			  self.space && rank->seat.process.space != self.space;
	snprintf(rank->program, sizeof(rank->program), "?");
	if (jobs_has_process(rank) && !may_have_seat(job, number))
		rank->seat.state = SP_SEAT_LEFT;
	if (!jobs_has_process(rank))
		return;
	threads_program(rank->seat.process.pid, rank->program);
	rank->nthreads = threads_read(rank->seat.process.pid, &rank->thread);
}

static void
read_claim(struct sp_board *board, struct show_job *job)
{
	struct sp_terms terms;

	job->need = cmd_allocate(job->nranks, sizeof(*job->need));
	if (sp_board_terms(board, &terms, job->need) == 0) {
		job->has_terms = terms.how == SP_TERMS_SHARED || !sp_cpus_empty(&terms.claim);
		job->how = terms.how;
	} else {
		free(job->need);
		job->need = NULL;
	}
	if (job->has_terms)
		job->claim = terms.claim;
	for (uint32_t i = 0; !job->has_terms && i < job->nranks; i++)
		if (jobs_has_share(&job->rank[i]))
			sp_cpus_or(&job->claim, &job->rank[i].seat.share);
}

/* Named after a rank with a visible process, otherwise as on the board; the caller's. */
static char *
name_of(const struct show_job *job)
{
	const struct show_rank *rank = jobs_first_seen(job);

	if (!rank)
		return cmd_format("%s", job->id);
	char *launch = jobs_without_job_name(rank->seat.process.pid, rank->program);
	char *name = cmd_format("%s, %u rank%s", launch, job->nranks, sp_plural(job->nranks));

	free(launch);
	return name;
}

static void
read_job(const struct sp_board_found *found, struct sp_board *board, struct show_job *job)
{
	struct sp_common common;
	int error = sp_board_common(board, &common, &job->machine);

	if (error == -ESTALE)
		return;		/* it has ended meanwhile */
	if (error) {
		cmd_complain("warning: /dev/shm/%s is not shown: %s", found->name,
			     error == -EPROTO ? "its description of the machine is damaged" : strerror(-error));
		return;
	}
	/* Its ranks run as without splitpin, and are judged as such by their real masks. */
	if (common.observe) {
		free(job->machine);
		return;
	}
	job->id = cmd_format("%s", found->job);
	cmd_make_plain(job->id);
	job->owner = found->owner;
	job->dry_run = common.dry_run;
	job->nranks = found->local_size;
	job->rank = cmd_allocate(job->nranks, sizeof(*job->rank));
	for (uint32_t i = 0; i < job->nranks; i++)
		read_rank(board, i, job);
	job->name = name_of(job);
	read_claim(board, job);
}

static uint32_t
ranks_of(const struct show *show, uid_t owner)
{
	uint32_t n = 0;

	for (size_t i = 0; i < show->njobs; i++)
		n += show->job[i].owner == owner ? show->job[i].nranks : 0;
	return n;
}

static void
add_left(struct show *show, const struct sp_board_found *found)
{
	show->left = cmd_enlarge(show->left, show->nleft + 1, sizeof(*show->left));
	show->left[show->nleft] = (struct show_left){ .file = cmd_format("%s", found->name), .owner = found->owner };
	cmd_make_plain(show->left[show->nleft++].file);
}

static void
visit(const struct sp_board_found *found, struct sp_board *board, void *data)
{
	struct show *show = data;

	if (found->error == -ESTALE)
		return;
	if (!found->error && !sp_board_is_alive(board)) {
		add_left(show, found);
		return;
	}
	if (found->error) {
		cmd_complain("warning: /dev/shm/%s is not shown: %s", found->name,
			     found->problem ? found->problem : strerror(-found->error));
		return;
	}
	if (found->local_size > RANKS_MAX - ranks_of(show, found->owner)) {
		cmd_complain("warning: /dev/shm/%s is not shown: the jobs of user %u have more than %d ranks", found->name,
			     (unsigned)found->owner, RANKS_MAX);
		return;
	}
	struct show_job job = { .is_wanted = true };

	read_job(found, board, &job);
	if (!job.name)
		return;
	show->job = cmd_enlarge(show->job, show->njobs + 1, sizeof(*show->job));
	show->job[show->njobs++] = job;
}

static void
look_again(struct show_rank *rank)
{
	if (!jobs_has_process(rank))
		return;
	rank->nthreads = threads_read_again(rank->seat.process.pid, rank->thread, rank->nthreads);
	if (rank->nthreads == 0 || !sp_process_lives(&rank->seat.process))
		rank->seat.state = SP_SEAT_LEFT;
}

static int
by_name(const void *a, const void *b)
{
	const struct show_job *one = a, *other = b;

	return one->owner != other->owner ? (one->owner < other->owner ? -1 : 1) : strverscmp(one->name, other->name);
}

int
jobs_read(const uid_t *owner, struct show *show)
{
	*show = (struct show){ 0 };
	int error = sp_board_each(owner, visit, show);

	jobs_without_read(owner, show);
	if (show->njobs + show->nothers == 0)
		return error;
	usleep(BETWEEN_LOOKS_US);
	for (size_t i = 0; i < show->njobs; i++)
		for (uint32_t rank = 0; rank < show->job[i].nranks; rank++)
			look_again(&show->job[i].rank[rank]);
	jobs_without_read_again(show);
	if (show->njobs)
		qsort(show->job, show->njobs, sizeof(*show->job), by_name);
	return error;
}

static void
release_rank(struct show_rank *rank)
{
	for (size_t i = 0; i < rank->nthreads; i++)
		free(rank->thread[i].mark);
	free(rank->thread);
}

void
jobs_release(struct show *show)
{
	for (size_t i = 0; i < show->njobs; i++) {
		struct show_job *job = &show->job[i];

		for (uint32_t rank = 0; rank < job->nranks; rank++)
			release_rank(&job->rank[rank]);
		holders_release(job);
		free(job->rank);
		free(job->need);
		free(job->machine);
		free(job->name);
		free(job->id);
	}
	for (size_t i = 0; i < show->nfaults; i++)
		free(show->fault[i].text);
	for (size_t i = 0; i < show->nleft; i++)
		free(show->left[i].file);
	jobs_without_release(show);
	free(show->left);
	free(show->fault);
	free(show->job);
	*show = (struct show){ 0 };
}
