/* A running job as a picture: the shares of its ranks, and where each thread last ran. */
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "cmd/cmd.h"
#include "cmd/picture/picture.h"
#include "cmd/show/show.h"
#include "cut/cut.h"

/* Of a CPU that shares have in common: the first rank. */
static uint32_t *
owners_of(const struct show_job *job)
{
	uint32_t *owner = cmd_allocate(job->machine->ncpus, sizeof(*owner));

	for (uint32_t i = 0; i < job->machine->ncpus; i++) {
		owner[i] = SP_NOBODY;
		for (uint32_t rank = 0; rank < job->nranks && owner[i] == SP_NOBODY; rank++)
			if (jobs_has_share(&job->rank[rank]) && sp_cpus_has(&job->rank[rank].seat.share, job->machine->pu[i].cpu))
				owner[i] = rank;
	}
	return owner;
}

static struct picture_threads *
threads_on(const struct show_job *job, uint32_t cpu, struct picture_threads threads[])
{
	for (uint32_t i = 0; i < job->machine->ncpus; i++)
		if (job->machine->pu[i].cpu == cpu)
			return &threads[i];
	return NULL;
}

/*
 * A thread that is marked is red where it last ran.  One that slept since
 * before its rank had a share may have run elsewhere: that is not shown.
 */
static void
add_thread(const struct show_job *job, uint32_t rank, uint32_t number, struct picture_threads threads[])
{
	const struct show_thread *thread = &job->rank[rank].thread[number];
	bool is_wrong = thread->mark != NULL;
	struct picture_threads *on = threads_on(job, thread->last, threads);

	if (!on || (!is_wrong && !sp_cpus_has(&job->rank[rank].seat.share, thread->last)))
		return;
	if (!is_wrong) {
		sp_cpus_add(&on->on_cpu, number);
		return;
	}
	char *before = on->drifted;
	on->drifted = cmd_format("%s%sr%u.%u", before ? before : "", before ? "," : "", rank, number);
	free(before);
}

static const char *
first_mark(const struct show_rank *rank)
{
	for (size_t i = 0; i < rank->nthreads; i++)
		if (rank->thread[i].mark)
			return rank->thread[i].mark;
	return NULL;
}

static char *
legend_of(uint32_t number, const struct show_rank *rank)
{
	if (!jobs_has_share(rank))
		return cmd_format("rank %u: %s", number, rank->seat.state == SP_SEAT_EMPTY ? "has not started" :
				  rank->seat.state == SP_SEAT_LEFT ? "has ended" : "has no share");
	char *list = cmd_list(&rank->seat.share);
	const char *mark = first_mark(rank);
	char *text = cmd_format("rank %u: %s, pid %d, CPU%s %s, %zu thread%s%s%s", number, rank->program,
				(int)rank->seat.process.pid, sp_plural(sp_cpus_count(&rank->seat.share)), list,
				rank->nthreads, sp_plural(rank->nthreads), mark ? ": one " : "", mark ? mark : "");

	free(list);
	return text;
}

static void
add_rank(const struct show_job *job, uint32_t number, struct picture *picture, struct picture_threads threads[], char **legend)
{
	const struct show_rank *rank = &job->rank[number];

	if (legend)
		legend[number] = legend_of(number, rank);
	for (uint32_t i = 0; i < rank->nthreads && jobs_has_share(rank); i++)
		add_thread(job, number, i, threads);
	for (uint32_t i = 0; i < rank->gpus.own.n; i++)
		picture->gpu_rank[rank->gpus.own.gpu[i]] = number;
}

static void
print_job(const struct show *show, const struct show_job *job)
{
	struct picture_threads *threads = cmd_allocate(job->machine->ncpus, sizeof(*threads));
	char **legend = job->nranks <= PICTURE_LEGENDS ? cmd_allocate(job->nranks, sizeof(*legend)) : NULL;
	uint32_t *owner = owners_of(job);
	char *title = cmd_format("job %s", job->name), *summary = faults_summary(show);
	struct picture_parts parts;

	picture_read(NULL, job->machine, &parts);
	struct picture picture = { .from = &parts, .nranks = job->nranks, .owner = owner, .threads = threads, .title = title,
				   .sentence = summary, .legend = legend,
				   .hint = PICTURE_HINT "the threads of its rank, in the order of their ids, where they last ran. "
					   "Red: r1.3 is thread 3 of rank 1, with which something is wrong." };
	memset(picture.gpu_rank, 0xff, sizeof(picture.gpu_rank));
	for (uint32_t rank = 0; rank < job->nranks; rank++)
		add_rank(job, rank, &picture, threads, legend);
	picture_print(&picture);
	for (uint32_t rank = 0; legend && rank < job->nranks; rank++)
		free(legend[rank]);
	for (uint32_t i = 0; i < job->machine->ncpus; i++)
		free(threads[i].drifted);
	free(legend);
	free(threads);
	free(owner);
	free(title);
	free(summary);
	picture_release(&parts);
}

void
show_print_svg(const struct show *show)
{
	for (size_t i = 0; i < show->njobs; i++)
		if (show->job[i].is_wanted) {
			print_job(show, &show->job[i]);
			return;
		}
}
