#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/pin.h"
#include "launcher/job.h"
#include "launcher/nearest.h"
#include "launcher/siblings.h"
#include "process/process.h"

#define GENERATIONS 3

struct search {
	const char *job;
	uint32_t local_size;
	bool *seen;		/* by local rank */
	struct sp_siblings_seen *known;
	sp_sibling_visitor *visit;
	void *data;
	int found;
	pid_t parent;		/* whose ranks of this launcher are of the job: it is named by an ancestor */
	const char *from;
};

/* The index of a pid, or where it would be inserted. */
static uint32_t
place_of(const struct sp_siblings_seen *known, pid_t pid)
{
	uint32_t from = 0, to = known->n;

	while (from < to) {
		uint32_t middle = from + (to - from) / 2;

		if (known->sibling[middle].pid < pid)
			from = middle + 1;
		else
			to = middle;
	}
	return from;
}

bool
sp_siblings_has(const struct sp_siblings_seen *known, pid_t pid)
{
	uint32_t at = place_of(known, pid);

	return at < known->n && known->sibling[at].pid == pid;
}

static void
remember(struct search *search, pid_t pid, uint32_t local_rank)
{
	struct sp_siblings_seen *known = search->known;
	uint32_t at = place_of(known, pid);

	if (known->n == search->local_size)
		return;
	memmove(&known->sibling[at + 1], &known->sibling[at], (known->n - at) * sizeof(known->sibling[0]));
	known->sibling[at] = (struct sp_sibling_seen){ pid, local_rank };
	known->n++;
}

/* A rank that has been visited before still counts as found. */
static bool
is_known(pid_t pid, struct search *search)
{
	if (!search->known || !sp_siblings_has(search->known, pid))
		return false;
	search->seen[search->known->sibling[place_of(search->known, pid)].local_rank] = true;
	search->found++;
	return true;
}

/* Finding a job's name by its ancestor is the costliest step here, and gives the same result for all children of one process. */
static bool
is_of_the_job(pid_t pid, pid_t parent, const struct sp_rank *rank, char *const environment[], struct search *search)
{
	char job[SP_JOB_NAME];

	if (rank->local_size != search->local_size)
		return false;
	if (parent == search->parent && rank->from == search->from)
		return true;
	if (sp_job_name_of(pid, rank, environment, job) != 0 || strcmp(job, search->job) != 0)
		return false;
	if (sp_job_is_named_by_ancestor(job) && rank->local_size > 1) {
		search->parent = parent;
		search->from = rank->from;
	}
	return true;
}

static void
visit_rank(pid_t pid, const struct sp_rank *rank, char *const environment[], struct search *search)
{
	struct sp_cpus mask;

	if (rank->local_rank >= search->local_size)
		return;
	bool *seen = &search->seen[rank->local_rank];
	/* It may have ended. */
	if (*seen || sp_pin_get(pid, &mask))
		return;
	*seen = true;
	search->found++;
	bool is_enough = search->visit(&(struct sp_sibling){
		.pid = pid,
		.local_rank = rank->local_rank,
		.mask = &mask,
		.environment = environment,
	}, search->data);
	if (is_enough && search->known)
		remember(search, pid, rank->local_rank);
}

/* Whether the process is a rank of the job; its descendants are then not visited. */
static bool
is_rank(pid_t pid, pid_t parent, struct search *search)
{
	char **environment = sp_process_environment(pid);
	struct sp_rank rank;
	bool found = environment && sp_nearest_find(pid, environment, &rank) == 0 &&
		     is_of_the_job(pid, parent, &rank, environment, search);

	if (found)
		visit_rank(pid, &rank, environment, search);
	free(environment);
	return found;
}

static int
look_at_children(pid_t parent, int generation, struct search *search)
{
	pid_t *children;
	ssize_t n = sp_process_children(parent, &children);

	if (n < 0)
		return (int)n;
	for (ssize_t i = 0; i < n; i++)
		if (!is_known(children[i], search) && !is_rank(children[i], parent, search) && generation < GENERATIONS)
			look_at_children(children[i], generation + 1, search);
	free(children);
	return 0;
}

int
sp_siblings_visit(pid_t launcher, const char *job, uint32_t local_size, struct sp_siblings_seen *known,
		  sp_sibling_visitor *visit, void *data)
{
	int keep = errno;
	struct search search = {
		.job = job,
		.local_size = local_size,
		.seen = calloc(local_size, sizeof(bool)),
		.known = known,
		.visit = visit,
		.data = data,
	};
	int error = search.seen ? look_at_children(launcher, 1, &search) : -ENOMEM;

	free(search.seen);
	errno = keep;
	return error ? error : search.found;
}
