/* What a rank knows when it joins the others, and when it looks for its share; nothing is owned. */
#ifndef SP_SITUATION_H
#define SP_SITUATION_H

#include <stdlib.h>

#include "board/board.h"
#include "cpus.h"
#include "decide/decide.h"
#include "launcher/launcher.h"
#include "machine.h"
#include "places.h"
#include "settings/config.h"

struct sp_situation {
	const struct sp_config *config;
	const struct sp_rank *rank;
	const struct sp_machine *machine;	/* the whole node */
	const struct sp_cpus *inherited, *allowed;
	const struct sp_cpus *launcher;	/* the launcher's own mask; empty: it cannot be seen */
	struct sp_terms *terms;		/* terms on which the job uses the node; agreeing renews them, and need */
	uint32_t *need;			/* of each rank (decide/terms.h) */
	struct sp_board *board;		/* NULL: no other rank can be seen */
	const char *job;		/* the job's name on the board */
	char *const *environment;
	const struct sp_gpu_list *gpus;	/* the GPUs that this rank sees; NULL: as if the machine had none */
	const struct sp_cpus *listed;	/* CPUs that the user's OpenMP settings list for this rank; NULL or empty: none */
	const char *listed_by;		/* that setting, if there is one */
	uint64_t list;			/* and its text (struct sp_seat) */
	const bool *is_absent;		/* which OpenMP runtimes the program does not have (struct sp_omp_env); NULL: it may have all */
	bool is_unbound;		/* nobody bound the ranks, so that they agree only on whose lists count */
	uint32_t threads;		/* threads that this rank announces; 0: it announces none */
	bool is_bound;			/* the user's settings decide where the runtime's threads run */
	enum sp_places places;		/* to which the user's settings bind these threads */
	bool is_close;			/* side by side */
	bool on_hardware_threads;	/* to the share's hardware threads in their order, so that two may be bound to one core */
	enum sp_comer comer;		/* whether it calls MPI_Init, so it is not a helper that the rank has started */
	bool spawned;			/* the rank was spawned, beside ranks that are on the board of another job */
};

/* What of it is the same for all ranks. */
static inline struct sp_view
sp_situation_view(const struct sp_situation *s)
{
	return (struct sp_view){
		.machine = s->machine, .policy = &s->config->policy, .places = s->places,
		.bind = s->is_close && s->config->bind == SP_SPREAD ? SP_CLOSE : s->config->bind,
		.is_bound = s->is_bound, .on_hardware_threads = s->on_hardware_threads,
		.nranks = s->rank->local_size, .allowed = s->allowed };
}

/*
 * Room for the owner of each CPU by one cut for all ranks, the caller's to free().
 * NULL: each cuts by itself, since the cut depends on the GPUs that each sees, or
 * on lists; or there is nobody to read it, or no memory.
 */
static inline uint32_t *
sp_situation_owners(const struct sp_situation *s)
{
	bool is_common = s->rank->local_size > 1 && !s->machine->gpus.n && s->config->policy.domain == SP_DOMAIN_AUTO;

	return is_common ? calloc(s->machine->ncpus, sizeof(uint32_t)) : NULL;
}

#endif
