/* What is known: of the ranks of a job on the node, and of each of them.  Values only. */
#ifndef SP_VIEW_H
#define SP_VIEW_H

#include <stdbool.h>
#include <stdint.h>

#include "cpus.h"
#include "cut/cut.h"
#include "machine.h"
#include "places.h"
#include "slots/slots.h"

/* What is known of one rank. */
struct sp_rank_facts {
	bool known;		/* the mask is known, and the rest as far as it can be */
	uint32_t threads;	/* threads that it announces; 0: it announces none */
	struct sp_cpus mask;	/* inherited mask; empty: the rank has ended, and is ignored */
	struct sp_cpus listed;	/* CPUs that the user's OpenMP settings list in it; empty: none */
	uint64_t list;		/* and their text (struct sp_seat) */
};

/* A rank with more threads than it has claimed cores for.  Nothing is owned. */
struct sp_larger_team {
	const struct sp_cpus *open;	/* CPUs that it may have in addition where their core is unclaimed */
	const struct sp_cpus *bounds;	/* CPUs that it cannot leave; NULL: it may use all that are allowed */
	uint32_t claims;		/* threads for which it has claimed cores so far; 0: all of its share */
	uint32_t threads;		/* that want a core each */
	struct sp_cpus *share;		/* of the rank; replaced by what it has then */
};

/* What is the same for all ranks of the job on the node.  Nothing is owned. */
struct sp_view {
	const struct sp_machine *machine;	/* the whole node */
	const struct sp_policy *policy;
	enum sp_bind bind;		/* how the ranks' threads lie in their shares */
	enum sp_places places;		/* to which their runtimes bind them */
	bool is_bound;			/* the user's settings decide where the runtimes' threads run */
	bool on_hardware_threads;	/* on the share's hardware threads in their order, so that two may be bound to one core */
	uint32_t nranks;
	const struct sp_near *near;	/* of each rank, the part beside its GPUs; NULL: none is to be placed beside GPUs */
	const struct sp_cpus *allowed;	/* CPUs that the job may use */
	const struct sp_cpus *domain;	/* those of them that bound ranks may divide anew: empty: masks are kept */
	const struct sp_cpus *keeps;	/* shares that stay, of ranks with SP_NEED_FIXED; NULL: none */
	bool is_asked;			/* somebody asked for the binding of a rank */
	const struct sp_larger_team *grown;	/* NULL: no rank has grown */
	const struct sp_cpus *left;	/* CPUs that are left to others->starter, for good; NULL: none */
};

#endif
