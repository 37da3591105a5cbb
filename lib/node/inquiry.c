#include "node/inquiry.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/pin.h"
#include "launcher/job.h"
#include "node/asked.h"
#include "settings/omp_env.h"

static void
add_binding(struct sp_inquiry *q, char *const environment[])
{
	struct sp_binding binding;

	sp_binding_find(q->s->rank, environment, q->ancestor, q->nancestors, &binding);
	if ((binding.asked == SP_ASKED_YES && !q->binding.is_below) || !*q->binding.evidence)
		q->binding = binding;
}

static void __attribute__((format(printf, 2, 3)))
is_asked(struct sp_inquiry *q, const char *format, ...)
{
	va_list arguments;

	q->binding.asked = SP_ASKED_YES;
	va_start(arguments, format);
	vsnprintf(q->binding.evidence, sizeof(q->binding.evidence), format, arguments);
	va_end(arguments);
}

/*
 * Look for a program between launcher and rank: it binds after the launcher.
 * If the line starts several programs (mpirun ./a : taskset ./b), it may be
 * that of another rank.
 */
static void
look_at_wrappers(struct sp_inquiry *q)
{
	bool is_for_all;
	bool has_other_nodes = sp_job_has_other_nodes(q->s->rank, q->s->environment);
	const char *wrapper = sp_asked_of_wrapper(has_other_nodes, q->s->environment, q->ancestor, q->nancestors, &is_for_all);

	if (q->binding.asked == SP_ASKED_YES && !(wrapper && is_for_all))
		return;
	q->binding.is_below = true;
	if (wrapper)
		is_asked(q, "by %s", wrapper);
	else if (sp_asked_below_launcher(q->launcher, q->s->inherited))
		is_asked(q, "between launcher and rank");
	else
		q->binding.is_below = false;
}

static int
make_room(struct sp_inquiry *q, uint32_t nranks)
{
	q->rank = calloc(nranks, sizeof(*q->rank));
	q->part = calloc(nranks, sizeof(*q->part));
	q->need = calloc(nranks, sizeof(*q->need));
	q->state = calloc(nranks, sizeof(*q->state));
	q->loading = calloc(nranks, sizeof(*q->loading));
	q->seen.sibling = calloc(nranks, sizeof(*q->seen.sibling));
	return q->rank && q->part && q->need && q->state && q->loading && q->seen.sibling ? 0 : -ENOMEM;
}

static void
add_facts(struct sp_inquiry *q, uint32_t rank, const struct sp_rank_facts *facts)
{
	q->rank[rank] = *facts;
	q->rank[rank].known = true;
	sp_cpus_and(&q->rank[rank].mask, &q->cpus);
	sp_cpus_and(&q->rank[rank].listed, &q->cpus);
}

int
sp_inquiry_begin(const struct sp_situation *s, struct sp_inquiry *q)
{
	*q = (struct sp_inquiry){ .s = s };
	sp_machine_cpus(s->machine, &q->cpus);
	q->ancestor = sp_ancestors_of(getpid(), &q->nancestors);
	if (make_room(q, s->rank->local_size) || !q->ancestor)
		return -ENOMEM;
	const struct sp_ancestor *launcher = sp_ancestors_launcher(q->ancestor, q->nancestors);
	q->launcher = launcher ? launcher->pid : 0;
	add_binding(q, s->environment);
	/* Such as taskset in front of it: then it is not what it started that has bound the rank. */
	if (q->binding.is_below && launcher && sp_cpus_equal(&launcher->mask, s->inherited))
		is_asked(q, "the launcher itself may use only these CPUs");
	look_at_wrappers(q);
	struct sp_rank_facts own = { .threads = s->threads, .mask = *s->inherited, .list = s->list };
	if (s->listed)
		own.listed = *s->listed;
	add_facts(q, s->rank->local_rank, &own);
	return 0;
}

void
sp_inquiry_end(struct sp_inquiry *q)
{
	sp_ancestors_free(q->ancestor, q->nancestors);
	free(q->rank);
	free(q->part);
	free(q->need);
	free(q->state);
	free(q->loading);
	free(q->seen.sibling);
}

/* On the board. */

/*
 * Where this rank has a list of CPUs, whether another, which has none (0) yet, is
 * still a script or env: a list is often set there, from the rank's number.
 */
static bool
may_set_list(const struct sp_inquiry *q, pid_t pid, uint64_t list)
{
	return q->s->list && !list && pid > 0 && sp_asked_is_starter(pid);
}

/* As a rank announces it by its environment. */
static void
read_announced(const struct sp_inquiry *q, char *const environment[], struct sp_omp_env *omp_env)
{
	sp_omp_env_read(omp_env, environment);
	for (enum sp_runtime runtime = 0; runtime < SP_RUNTIMES; runtime++)
		if (q->s->is_absent && q->s->is_absent[runtime])
			sp_omp_env_without(omp_env, runtime);
}

/* The list of a rank whose seat is of the script that has executed this program. */
static void
read_list(const struct sp_inquiry *q, pid_t pid, struct sp_seat *seat)
{
	char **environment = pid > 0 ? sp_process_environment(pid) : NULL;
	struct sp_omp_env omp_env;

	if (!environment)
		return;
	read_announced(q, environment, &omp_env);
	seat->listed = omp_env.numbers;
	seat->list = omp_env.numbers_sum;
	free(environment);
}

/* Read the facts of a rank from its seat, where the mask of a rank that has ended still is. */
static void
read_seat(struct sp_inquiry *q, uint32_t rank)
{
	struct sp_seat seat;

	if (sp_board_read(q->s->board, rank, &seat) != 0) {
		q->state[rank] = SP_SEAT_EMPTY;	/* the seat is being written: read it again */
		return;
	}
	pid_t pid = sp_process_here(&seat.process);
	if (seat.state > SP_SEAT_LEFT && may_set_list(q, pid, seat.list)) {
		q->state[rank] = SP_SEAT_EMPTY;
		q->coming = pid;
		return;
	}
	if (seat.state > SP_SEAT_LEFT && q->s->list && !seat.list)
		read_list(q, pid, &seat);
	if (!sp_cpus_empty(&seat.inherited))
		add_facts(q, rank, &(struct sp_rank_facts){
			.threads = seat.threads, .mask = seat.inherited, .listed = seat.listed, .list = seat.list });
	else if (seat.state == SP_SEAT_COMING)
		q->coming = sp_process_here(&seat.process);
}

/* Read the seats, and note one rank that is about to write its record, to wait for; the others may have ended meanwhile. */
static void
read_seats(struct sp_inquiry *q)
{
	uint32_t nranks = q->s->rank->local_size;
	uint32_t *before = malloc(nranks * sizeof(*before));

	if (!before)
		return;
	for (uint32_t rank = 0; rank < nranks; rank++) {
		if (q->rank[rank].known)
			q->state[rank] = SP_SEAT_HERE;
		before[rank] = q->state[rank];
	}
	if (sp_board_states(q->s->board, q->state) == 0)
		for (uint32_t rank = 0; rank < nranks; rank++)
			if (!q->rank[rank].known && (q->state[rank] != before[rank] || (q->state[rank] == SP_SEAT_COMING && !q->coming)))
				read_seat(q, rank);
	free(before);
}

/* In /proc. */

/* Whether a rank has arrived at the board: it may be changing its mask. */
static bool
is_on_board(const struct sp_inquiry *q, uint32_t rank)
{
	struct sp_seat seat;

	return q->s->board && sp_board_read(q->s->board, rank, &seat) == 0;
}

/*
 * While they are loaded, some libraries keep the process on one CPU for a
 * moment: PSM2's, for Omni-Path, on the first CPU of its mask.  A process that
 * stays on one CPU for longer was bound.
 */
#define LOADING_MS 1000

static bool
is_as_loading(const struct sp_inquiry *q, const struct sp_cpus *mask)
{
	return sp_cpus_count(mask) == 1 && !sp_cpus_within(q->s->launcher, mask);
}

static bool
may_be_loading(const struct sp_inquiry *q, const struct sp_process *process, const struct sp_cpus *mask)
{
	return is_as_loading(q, mask) && sp_process_age_ns(process) < LOADING_MS * 1000000ull;
}

/* The mask was read before the board: a rank that is not on the board now was not there when its mask was read. */
static void
take_facts(struct sp_inquiry *q, uint32_t rank, const struct sp_rank_facts *facts)
{
	if (!is_on_board(q, rank))
		add_facts(q, rank, facts);
}

static bool
add_sibling(const struct sp_sibling *sibling, void *data)
{
	struct sp_inquiry *q = data;
	uint32_t rank = sibling->local_rank;
	struct sp_process process;
	struct sp_omp_env omp_env;

	add_binding(q, sibling->environment);
	if (sp_asked_to_stay(q->s->environment, sibling->pid, sibling->environment))
		is_asked(q, "rank %u stays as it is", rank);
	if (q->rank[rank].known)
		return true;
	read_announced(q, sibling->environment, &omp_env);
	if (may_set_list(q, sibling->pid, omp_env.numbers_sum)) {
		q->coming = sibling->pid;
		return false;
	}
	const struct sp_rank_facts facts = {
		.threads = omp_env.threads, .mask = *sibling->mask, .listed = omp_env.numbers, .list = omp_env.numbers_sum };
	if (q->s->config->wait_ms > LOADING_MS && is_as_loading(q, sibling->mask) && sp_process_read(sibling->pid, &process) == 0 && may_be_loading(q, &process, sibling->mask))
		q->loading[rank] = (struct sp_loading){ process, facts };
	else
		take_facts(q, rank, &facts);
	return true;
}

/* Read the facts of a rank from /proc; only its mask, if its environment has been read before. */
static void
look_at_loading(struct sp_inquiry *q)
{
	for (uint32_t rank = 0; rank < q->s->rank->local_size; rank++) {
		struct sp_loading *loading = &q->loading[rank];

		if (q->rank[rank].known || !loading->process.pid)
			continue;
		if (sp_pin_get(loading->process.pid, &loading->facts.mask) != 0) {
			loading->process.pid = 0;
		} else if (may_be_loading(q, &loading->process, &loading->facts.mask)) {
			q->coming = loading->process.pid;
		} else {
			take_facts(q, rank, &loading->facts);
			loading->process.pid = 0;
		}
	}
}

/*
 * In the middle of exec a process has neither arguments nor an environment; it
 * may stay there, while a page of its program is read or others have its CPU.
 * A process that is ending has none either: the state is read last.
 */
static bool
is_in_exec(pid_t pid)
{
	struct sp_activity activity;
	size_t length;
	char *arguments = sp_process_arguments(pid, &length);
	bool has_arguments = arguments;

	free(arguments);
	return !has_arguments && sp_process_activity(pid, &activity) == 0 && !activity.is_ending;
}

/* A child of the launcher that is still a copy of the launcher, or in exec: it is about to be a rank, perhaps from a slow disk. */
static pid_t
forked_by_launcher(const struct sp_inquiry *q)
{
	pid_t *children = NULL, found = 0;
	ssize_t n = q->launcher ? sp_process_children(q->launcher, &children) : 0;

	for (; n > 0 && !found; n--)
		if (!sp_siblings_has(&q->seen, children[n - 1]) &&
		    (sp_ancestor_is_like(&q->ancestor[0], children[n - 1]) || is_in_exec(children[n - 1])))
			found = children[n - 1];
	free(children);
	return found;
}

static bool
is_old_rank(const struct sp_inquiry *q, pid_t pid, uint32_t age_ms)
{
	struct sp_process process;

	return sp_siblings_has(&q->seen, pid) && sp_process_read(pid, &process) == 0 &&
	       sp_process_age_ns(&process) >= age_ms * UINT64_C(1000000);
}

/* The youngest child is the last. */
bool
sp_inquiry_has_all_started(const struct sp_inquiry *q, uint32_t age_ms)
{
	struct sp_activity launcher;
	pid_t *children = NULL;

	if (!q->launcher || sp_process_activity(q->launcher, &launcher) != 0 || !launcher.has_waited)
		return false;
	ssize_t n = sp_process_children(q->launcher, &children);
	bool all = n > 0;

	for (; n > 0 && all; n--)
		all = is_old_rank(q, children[n - 1], age_ms);
	free(children);
	return all;
}

static uint32_t
count_known(const struct sp_inquiry *q)
{
	uint32_t known = 0;

	for (uint32_t i = 0; i < q->s->rank->local_size; i++)
		known += q->rank[i].known;
	return known;
}

uint32_t
sp_inquiry_look(struct sp_inquiry *q)
{
	uint32_t nranks = q->s->rank->local_size;

	q->coming = 0;
	if (q->s->board)
		read_seats(q);
	if (q->launcher)
		q->all_seen = sp_siblings_visit(q->launcher, q->s->job, nranks, &q->seen, add_sibling, q) > 0;
	look_at_loading(q);
	if (!q->coming && count_known(q) != nranks)
		q->coming = forked_by_launcher(q);
	return count_known(q);
}
