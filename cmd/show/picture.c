/* A running job as a picture: the shares of its ranks, and where each thread last ran. */
#include <stdlib.h>

#include "cmd/cmd.h"
#include "cmd/picture.h"
#include "cmd/show/print.h"
#include "cmd/show/running.h"

/* A thread that has slept since before its rank had a share may have run elsewhere, and is left out. */
static void
add_threads(const struct show_rank *rank, uint32_t number, struct picture *picture)
{
	for (uint32_t i = 0; i < rank->nthreads; i++) {
		const struct show_thread *thread = &rank->thread[i];
		struct sp_cpus last = { 0 };

		sp_cpus_add(&last, thread->last);
		if (thread->mark || sp_cpus_has(&rank->seat.share, thread->last))
			picture_add_thread(picture, number, i, &last, thread->mark != NULL);
	}
}

static int
draw_job(const struct show *show, const struct show_job *job, const char *path)
{
	char *title = cmd_format("splitpin: %s; red: a thread that has a problem", job->name), *summary = faults_summary(show);
	struct picture picture = { .machine = job->machine };

	for (uint32_t rank = 0; rank < job->nranks; rank++) {
		if (!jobs_has_share(&job->rank[rank]))
			continue;
		picture_add_share(&picture, rank, &job->rank[rank].seat.share);
		add_threads(&job->rank[rank], rank, &picture);
		picture_add_gpus(&picture, rank, &job->rank[rank].gpus.own);
	}
	int status = picture_draw(&picture, NULL, title, summary, path);

	picture_release(&picture);
	free(title);
	free(summary);
	return status;
}

int
show_draw(const struct show *show, const char *path)
{
	const struct show_job *one = NULL;
	size_t n = 0;

	for (size_t i = 0; i < show->njobs; i++) {
		n += show->job[i].is_wanted;
		one = show->job[i].is_wanted ? &show->job[i] : one;
	}
	if (n == 1 && one)
		return draw_job(show, one, path);
	if (n)
		cmd_complain("--picture: %zu jobs run here, and a picture shows one: choose it by a name that splitpin show prints", n);
	else
		cmd_complain("--picture: no job runs with splitpin on this node");
	return CMD_USAGE;
}
