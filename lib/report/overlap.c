#include "report/overlap.h"

#include <stdio.h>

#include "base/order.h"
#include "process/process.h"
#include "process/program.h"

static bool
has_come(const struct sp_node *node, uint32_t rank, struct sp_seat *seat)
{
	return sp_board_read(node->board, rank, seat) == 0 && seat->state != SP_SEAT_EMPTY && seat->state != SP_SEAT_COMING;
}

/* The threads of this job's ranks, and where these may run that are not pinned.  The last rank looks when the others have ended, which were as slow. */
static uint64_t
own_threads(const struct sp_node *node, struct sp_cpus *usable)
{
	struct sp_seat seat;
	uint64_t threads = 0;

	*usable = (struct sp_cpus){ 0 };
	for (uint32_t rank = 0; rank < node->who->local_size; rank++) {
		if (!has_come(node, rank, &seat))
			continue;
		sp_cpus_or(usable, sp_seat_usable(&seat));
		threads += sp_seat_threads(&seat);
	}
	return threads;
}

/* Threads that cannot leave CPUs that all claim, and the CPUs on which these threads are. */
struct confined {
	const struct sp_machine *machine;
	struct sp_cpus claim;	/* what the job claims */
	struct sp_cpus claimed;	/* what all claim; only ranks that are on some of it count */
	struct sp_cpus cpus;
	uint64_t threads;	/* of each rank no more than its cores */
};

/*
 * A rank is confined where its threads cannot leave its share, or can go only to
 * CPUs that all claim.  A team that is bound is on what the job claims; other
 * threads, such as the only one of a rank, may be on the rest of the share.
 */
static enum sp_visit
add_confined(const struct sp_seat *seat, void *data)
{
	struct confined *confined = data;
	struct sp_cpus cpus = *sp_seat_usable(seat);

	if (!sp_cpus_equal(&cpus, &seat->share) && !sp_cpus_within(&cpus, &confined->claimed))
		return SP_VISIT_ON;
	if (seat->is_bound && seat->threads > 1)
		sp_cpus_and(&cpus, &confined->claim);
	if (!sp_cpus_intersect(&cpus, &confined->claimed))
		return SP_VISIT_ON;
	sp_cpus_or(&confined->cpus, &cpus);
	confined->threads += sp_smaller(sp_seat_threads(seat), sp_machine_cores(confined->machine, &cpus));
	return SP_VISIT_ON;
}

/*
 * The claimed CPUs on which confined threads of this job and of others are, where
 * all these have fewer cores than there are such threads; of each job no more
 * threads count than it has cores, or it would slow itself down.
 */
static struct sp_cpus
find_confined(const struct sp_node *node, const struct sp_cpus *claim, const struct sp_cpus *taken)
{
	struct confined own = { .machine = node->machine, .claim = *claim, .claimed = *claim }, its;
	struct sp_cpus all;
	struct sp_seat seat;

	sp_cpus_and(&own.claimed, taken);
	for (uint32_t rank = 0; rank < node->who->local_size; rank++)
		if (has_come(node, rank, &seat))
			add_confined(&seat, &own);
	its = (struct confined){ .machine = node->machine, .claim = *taken, .claimed = own.claimed };
	sp_board_other_ranks(node->job, add_confined, &its);
	all = own.cpus;
	sp_cpus_or(&all, &its.cpus);
	sp_cpus_and(&own.claimed, &own.cpus);
	sp_cpus_and(&own.claimed, &its.cpus);
	uint64_t threads = sp_smaller(own.threads, sp_machine_cores(node->machine, &own.cpus)) +
			   sp_smaller(its.threads, sp_machine_cores(node->machine, &its.cpus));
	return threads > sp_machine_cores(node->machine, &all) ? own.claimed : (struct sp_cpus){ 0 };
}

/* Of threads that may run on these CPUs those that can make two for each core; there may be more, which crowd each other and nobody elsewhere. */
static uint64_t
two_a_core(const struct sp_node *node, uint64_t threads, const struct sp_cpus *usable)
{
	return sp_smaller(threads, 2 * (uint64_t)sp_machine_cores(node->machine, usable));
}

struct sp_cpus
sp_overlap_find(const struct sp_node *node, const struct sp_other_jobs *others, bool *are_claimed)
{
	struct sp_cpus claimed = { 0 }, usable, all;
	struct sp_terms terms;

	*are_claimed = false;
	if (sp_board_terms(node->board, &terms, NULL) != 0)
		return claimed;
	uint64_t threads = own_threads(node, &usable);
	threads = two_a_core(node, threads, &usable) + two_a_core(node, others->threads, &others->usable);
	all = usable;
	sp_cpus_or(&all, &others->usable);
	bool is_enough = threads < 2 * (uint64_t)sp_machine_cores(node->machine, &all);

	claimed = terms.claim;
	sp_cpus_and(&claimed, &others->taken);
	if (is_enough && !sp_cpus_empty(&claimed))
		claimed = find_confined(node, &terms.claim, &others->taken);
	*are_claimed = !sp_cpus_empty(&claimed);
	if (*are_claimed || is_enough)
		return claimed;
	sp_cpus_and(&usable, &others->usable);
	return usable;
}

#define PROGRAM 64

struct search {
	const struct sp_cpus *cpus;
	pid_t found;
};

static enum sp_visit
look_at_rank(const struct sp_seat *seat, void *data)
{
	struct search *search = data;

	if (sp_cpus_intersect(&seat->share, search->cpus) || sp_cpus_intersect(sp_seat_usable(seat), search->cpus))
		search->found = sp_process_here(&seat->process);
	return search->found ? SP_VISIT_END : SP_VISIT_ON;
}

char *
sp_holder_find(const struct sp_node *node, const struct sp_cpus *cpus, char text[SP_HOLDER])
{
	struct search search = { .cpus = cpus };
	char program[PROGRAM];

	*text = '\0';
	sp_board_other_ranks(node->job, look_at_rank, &search);
	if (!search.found)
		return text;
	sp_process_program(search.found, program, sizeof(program));
	snprintf(text, SP_HOLDER, " (PID %d, %s)", (int)search.found, program);
	return text;
}
