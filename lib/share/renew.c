#include "share/renew.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "node/beside_gpus.h"
#include "node/neighbours.h"
#include "share/share.h"

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

/* Find what each rank divides, as decided.  Returns 1: not known, since not all ranks came in time. */
static int
read_division(const struct sp_situation *s, struct sp_plan *plan)
{
	const uint32_t nranks = s->rank->local_size;
	struct sp_decision decision = { .what = SP_DIVISION_GIVEN_UP };
	struct sp_cpus all;

	plan->division = SP_DIVISION_ALIKE;
	if (sp_share_domain(s, &all)) {
		for (uint32_t rank = 0; rank < nranks; rank++)
			plan->part[rank] = (struct sp_part){ .cpus = all, .index = rank, .count = nranks };
		return 0;
	}
	int error = sp_board_parts(s->board, &decision, plan->part);
	plan->division = (enum sp_division)decision.what;
	return error == -ENOENT || (!error && decision.what == SP_DIVISION_GIVEN_UP) ? 1 : error;
}

/* Find the terms again, and write them.  plan: with room for needs and parts, and the generation. */
static int
find_anew(const struct sp_situation *s, struct sp_plan *plan)
{
	struct sp_view view = sp_situation_view(s);
	struct sp_cpus fixed = { 0 };
	struct sp_other_jobs others;
	int error = read_division(s, plan);

	if (error)
		return error;
	struct sp_near *near = sp_gpus_guess(s->machine, s->gpus, s->rank->local_size);
	for (uint32_t rank = 0; rank < s->rank->local_size; rank++)
		plan->need[rank] = need_at(s, rank, &fixed);
	sp_others_find(s, 0, &others);
	view.near = near;
	view.keeps = &fixed;
	sp_decide(&view, NULL, &others, plan);
	free(near);
	plan->terms.is_last = 1;
	error = sp_board_revise_all(s->board, plan, &s->config->policy, NULL);
	if (error)
		return error;
	*s->terms = plan->terms;
	memcpy(s->need, plan->need, s->rank->local_size * sizeof(s->need[0]));
	return 0;
}

/* The caller holds the lock of all jobs. */
static int
terms_renew(const struct sp_situation *s)
{
	struct sp_plan plan = {
		.need = calloc(s->rank->local_size, sizeof(*plan.need)), .part = calloc(s->rank->local_size, sizeof(*plan.part)),
		.owner = sp_situation_owners(s) };
	int error = plan.need && plan.part ? sp_board_terms(s->board, s->terms, s->need) : -ENOMEM;

	plan.terms.generation = s->terms->generation;
	if (!error && !s->terms->is_last)
		error = find_anew(s, &plan);
	free(plan.need);
	free(plan.part);
	free(plan.owner);
	return error;
}

/* Whether another rank has found the terms meanwhile: all ranks come here at about the same time. */
static bool
is_renewed(void *data)
{
	const struct sp_situation *s = data;

	return sp_board_terms(s->board, s->terms, s->need) == 0 && s->terms->is_last;
}

/* The caller holds the lock of all jobs. */
static int
terms_leave(const struct sp_situation *s, const struct sp_cpus *cpus, pid_t starter)
{
	int error = sp_board_terms(s->board, s->terms, s->need);

	if (error || s->terms->is_last)
		return error;
	struct sp_plan plan = { .terms = *s->terms, .need = s->need };
	struct sp_view view = sp_situation_view(s);
	struct sp_other_jobs others = { .starter = starter };

	view.left = cpus;
	sp_decide(&view, NULL, &others, &plan);
	return sp_board_revise(s->board, &plan.terms, s->need, NULL, NULL);
}

int
sp_terms_leave(const struct sp_situation *s, const struct sp_cpus *divided, pid_t starter)
{
	int error = s->board ? sp_board_lock_jobs(s->config->wait_ms) : 1;

	if (error)
		return error;
	error = terms_leave(s, divided, starter);
	sp_board_end();
	if (!error)
		sp_board_mark_stale(s->board);
	return error;
}

int
sp_terms_renew(const struct sp_situation *s)
{
	if (!s->board || !sp_board_is_stale(s->board))
		return 1;
	int error = sp_board_terms(s->board, s->terms, s->need);
	/* All ranks but the first find the new terms on the board. */
	if (error || s->terms->is_last)
		return error;
	struct sp_situation situation = *s;
	error = sp_board_lock_unless(NULL, s->rank->local_size, s->config->wait_ms, is_renewed, &situation);
	if (error)
		return error == -EALREADY || is_renewed(&situation) ? 0 : error;
	error = terms_renew(s);
	sp_board_end();
	return error;
}
