/* A running job as a picture: the shares of its ranks, and where each thread last ran. */
#include <stdlib.h>

#include "base/text.h"
#include "cmd/cmd.h"
#include "cmd/picture/page.h"
#include "cmd/show/faults.h"
#include "cmd/show/print.h"
#include "cut/cut.h"

/* The rank of each CPU; where shares overlap, the first one. */
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
threads_on(const struct show_job *job, uint32_t cpu, const struct picture *picture)
{
	for (uint32_t i = 0; i < job->machine->ncpus; i++)
		if (job->machine->pu[i].cpu == cpu)
			return &picture->threads[i];
	return NULL;
}

/*
 * A marked thread is red where it last ran.  A thread that has slept since
 * before its rank had a share may have run elsewhere and is left out.
 */
static void
add_thread(const struct show_job *job, uint32_t rank, uint32_t number, const struct picture *picture)
{
	const struct show_thread *thread = &job->rank[rank].thread[number];
	bool is_wrong = thread->mark != NULL;
	struct picture_threads *on = threads_on(job, thread->last, picture);

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

/* "; thread 3 may run on CPU 8, outside the share", or of several "; 2 threads are wrong, such as 3: ..."; the caller's. */
static char *
marks_of(const struct show_rank *rank)
{
	size_t n = 0, first = 0;

	for (size_t i = rank->nthreads; i-- > 0; ) {
		n += rank->thread[i].mark != NULL;
		first = rank->thread[i].mark ? i : first;
	}
	return n == 0 ? cmd_format("%s", "") : n == 1 ? cmd_format("; thread %zu %s", first, rank->thread[first].mark) :
	       cmd_format("; %zu threads have problems, such as thread %zu, which %s", n, first, rank->thread[first].mark);
}

static char *
legend_of(uint32_t number, const struct show_rank *rank)
{
	if (!jobs_has_share(rank))
		return cmd_format("rank %u: %s", number, rank->seat.state == SP_SEAT_EMPTY ? "has not started" :
				  rank->seat.state == SP_SEAT_LEFT ? "has ended" : "has no share");
	char *list = cmd_list(&rank->seat.share);
	char *marks = marks_of(rank);
	char *text = cmd_format("rank %u: %s, pid %d, CPU%s %s, %zu thread%s%s", number, rank->program,
				(int)rank->seat.process.pid, sp_plural(sp_cpus_count(&rank->seat.share)), list,
				rank->nthreads, sp_plural(rank->nthreads), marks);

	free(marks);
	free(list);
	return text;
}

static void
add_rank(const struct show_job *job, uint32_t number, struct picture *picture)
{
	const struct show_rank *rank = &job->rank[number];

	if (picture->legend)
		picture->legend[number] = legend_of(number, rank);
	for (uint32_t i = 0; i < rank->nthreads && jobs_has_share(rank); i++)
		add_thread(job, number, i, picture);
	for (uint32_t i = 0; i < rank->gpus.own.n; i++)
		picture->gpu_rank[rank->gpus.own.gpu[i]] = number;
}

static void
print_job(const struct show *show, const struct show_job *job)
{
	uint32_t *owner = owners_of(job);
	char *title = cmd_format("job %s", job->name), *summary = faults_summary(show);
	struct picture picture;

	picture_begin(&picture, NULL, job->machine, job->nranks);
	picture.owner = owner;
	picture.title = title;
	picture.sentence = summary;
	picture.nobodys = "not in this job's shares";
	picture.hint = PICTURE_HINT "the threads of its rank, in the order of their ids, where they last ran; those that sleep and last ran "
		       "outside the share, before they had it, are left out. Red: r1.3 is thread 3 of rank 1, which has a problem.";
	for (uint32_t rank = 0; rank < job->nranks; rank++)
		add_rank(job, rank, &picture);
	picture_print(&picture);
	picture_end(&picture);
	free(owner);
	free(title);
	free(summary);
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
