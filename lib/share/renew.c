#include "share/renew.h"

#include <errno.h>
#include <stdlib.h>

#include "node/beside_gpus.h"
#include "node/division.h"
#include "node/neighbours.h"
#include "share/share.h"
#include "terms/terms.h"

/* The need of a rank as its seat has it.  For a rank that has not come, or has no share, the need known so far. */
static uint32_t
need_at(const struct sp_situation *s, uint32_t rank, struct sp_cpus *fixed)
{
	struct sp_seat seat;

	if (sp_board_read(s->board, rank, &seat) != 0 || sp_cpus_empty(&seat.share))
		return s->need[rank];
	if (seat.fixed) {
		sp_cpus_or(fixed, &seat.share);
		return SP_NEED_FIXED;
	}
	return seat.threads ? seat.threads : seat.counted;
}

/* Find the cores of other jobs, and of ranks whose shares stay. */
static void
see_others(const struct sp_situation *s, const struct sp_cpus *fixed, struct sp_other_jobs *others)
{
	sp_others_find(&(struct sp_asker){
		.job = s->job, .rank = s->rank, .config = s->config, .machine = s->machine, .allowed = s->allowed }, others);
	sp_cpus_or(&others->taken, fixed);
}

static void
find_anew(const struct sp_situation *s, const struct sp_part part[], uint32_t need[], struct sp_terms *terms)
{
	struct sp_cpus fixed = { 0 };
	struct sp_other_jobs others;
	struct sp_near *near = sp_gpus_guess(s->machine, s->gpus, s->rank->local_size);

	for (uint32_t rank = 0; rank < s->rank->local_size; rank++)
		need[rank] = need_at(s, rank, &fixed);
	see_others(s, &fixed, &others);
	sp_terms_find_of_groups(&(struct sp_sharing){
		.machine = s->machine, .policy = &s->config->policy, .bind = s->config->bind, .places = s->places, .near = near,
		.nranks = s->rank->local_size, .need = need }, s->allowed, part, &others, terms);
	free(near);
	sp_cpus_or(&terms->claim, &fixed);
	terms->is_last = 1;
}

/* Find what each rank divides.  Returns 1: not known, since not all ranks came in time. */
static int
read_parts(const struct sp_situation *s, struct sp_part part[])
{
	const uint32_t nranks = s->rank->local_size;
	struct sp_decision decision = { .what = SP_DIVISION_GIVEN_UP };
	struct sp_cpus all;
	int error = 0;

	if (sp_share_domain(s, &all)) {
		for (uint32_t rank = 0; rank < nranks; rank++)
			part[rank] = (struct sp_part){ .cpus = all, .index = rank, .count = nranks };
		return 0;
	}
	for (uint32_t rank = 0; !error && rank < nranks; rank++)
		error = sp_board_decision(s->board, rank, &decision, &part[rank]);
	return error == -ENOENT || (!error && decision.what == SP_DIVISION_GIVEN_UP) ? 1 : error;
}

/* Find the terms again; the caller holds the creation lock. */
static int
renew(const struct sp_situation *s)
{
	uint32_t *need = calloc(s->rank->local_size, sizeof(*need));
	struct sp_part *part = calloc(s->rank->local_size, sizeof(*part));
	int error = need && part ? sp_board_terms(s->board, s->terms, s->need) : -ENOMEM;
	struct sp_terms terms = *s->terms;

	if (!error && !terms.is_last)
		error = read_parts(s, part);
	if (!error && !terms.is_last) {
		find_anew(s, part, need, &terms);
		error = sp_board_revise(s->board, &terms, need);
	}
	free(need);
	free(part);
	return error ? error : sp_board_terms(s->board, s->terms, s->need);
}

/* Whether another rank has found the terms meanwhile: all ranks come here at about the same time. */
static bool
is_renewed(void *data)
{
	const struct sp_situation *s = data;

	return sp_board_terms(s->board, s->terms, s->need) == 0 && s->terms->is_last;
}

/* The caller holds the creation lock. */
static int
share(const struct sp_situation *s, const struct sp_cpus *cpus, pid_t starter)
{
	int error = sp_board_terms(s->board, s->terms, s->need);

	if (error || s->terms->is_last)
		return error;
	struct sp_terms terms = { .generation = s->terms->generation, .how = SP_TERMS_SHARED, .undivided = *cpus,
				  .threads = s->terms->threads, .is_last = 1, .starter = starter };
	if (!sp_cpus_equal(cpus, s->allowed))
		terms.claim = *cpus;
	return sp_board_revise(s->board, &terms, s->need);
}

int
sp_terms_leave(const struct sp_situation *s, const struct sp_cpus *divided, pid_t starter)
{
	int error = s->board ? sp_board_lock_jobs(s->config->wait_ms) : 1;

	if (error)
		return error;
	error = share(s, divided, starter);
	sp_board_end();
	if (!error)
		sp_board_note_unlike(s->board);
	return error;
}

int
sp_terms_renew(const struct sp_situation *s)
{
	if (!s->board || !sp_board_is_unlike(s->board))
		return 1;
	int error = sp_board_terms(s->board, s->terms, s->need);
	/* All ranks but the first find the new terms on the board. */
	if (error || s->terms->is_last)
		return error;
	struct sp_situation situation = *s;
	error = sp_board_lock_jobs_unless(s->config->wait_ms, is_renewed, &situation);
	if (error)
		return error == -EALREADY || is_renewed(&situation) ? 0 : error;
	error = renew(s);
	sp_board_end();
	return error;
}
