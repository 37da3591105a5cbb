/*
 * A picture of the node as SVG: packages, NUMA nodes, L3 groups and cores as
 * boxes, memory and devices beside them, ranks in colours, and threads by
 * number where they are.
 */
#ifndef PICTURE_H
#define PICTURE_H

#include "machine.h"
#include "topology.h"

/* The machine with what is only drawn; what cannot be read is left out. */
struct picture_parts {
	struct sp_machine *machine;	/* a copy, with its GPUs */
	struct sp_parts *parts;		/* or NULL */
	struct sp_device *cards;	/* network cards */
	size_t ncards;
};

/* The threads on a CPU, or, at the first CPU of a core, those that have all of it; by their numbers in the rank. */
struct picture_threads {
	struct sp_cpus on_core, on_cpu;
	char *drifted;		/* misplaced threads, in words; NULL: none */
};

struct picture {
	struct picture_parts from;
	uint32_t nranks;
	const uint32_t *owner;	/* of each of machine->pu, or SP_NOBODY */
	struct picture_threads *threads;	/* of each of machine->pu */
	uint32_t gpu_rank[SP_GPUS_MAX];	/* which rank uses each GPU, or SP_NOBODY */
	const char *title, *sentence, *hint;
	const char *nobodys;	/* what CPUs without an owner are; "free" unless it is set */
	const struct sp_cpus *others;	/* CPUs of other jobs, of those that nobody has; or NULL */
	char **legend;		/* of each rank; NULL: there are too many */
};

#define PICTURE_OTHERS "claimed by other jobs"

/* What numbers mean; what the bold ones are is to follow. */
#define PICTURE_HINT "Above a core are its logical number and its rank (r); small numbers are CPUs as the OS numbers them, bold ones "

/*
 * Begin the picture of a machine: reads what there is besides it (source as
 * for sp_topology_read); threads, legend and gpu_rank are without entries.
 * Owner and texts are to be set and stay the caller's; picture_end releases
 * the rest, with the texts in threads and legend.
 */
void picture_begin(struct picture *picture, const char *source, const struct sp_machine *machine, uint32_t nranks);
void picture_end(struct picture *picture);

#endif
