/*
 * A picture of the node as lstopo, hwloc's renderer, draws it: ranks in colours,
 * and threads by their names, such as r0.3 for thread 3 of rank 0.
 */
#ifndef CMD_PICTURE_H
#define CMD_PICTURE_H

#include <stdbool.h>
#include <stddef.h>

#include "cmd/options.h"
#include "machine.h"
#include "topology.h"

struct picture {
	const struct sp_machine *machine;
	struct sp_mark *mark;
	size_t n;
};

/* Colour the CPUs of a rank, and those cores that are all its own. */
void picture_add_share(struct picture *picture, uint32_t rank, const struct sp_cpus *share);

/* Name each core of a rank that has no thread to name. */
void picture_add_rank(struct picture *picture, uint32_t rank, const struct sp_cpus *share);

/* A thread on one CPU, or on several: on the core of the first; is_wrong: in red. */
void picture_add_thread(struct picture *picture, uint32_t rank, uint32_t thread, const struct sp_cpus *cpus, bool is_wrong);

/* Colour the GPUs of a rank. */
void picture_add_gpus(struct picture *picture, uint32_t rank, const struct sp_gpu_list *gpus);

void picture_release(struct picture *picture);

/* Takes the name of a file that ends in .svg, .png or .pdf into a const char *. */
cmd_take picture_take;

/*
 * Have lstopo draw it to a file; path NULL: write it in hwloc's XML to standard
 * output.  The source is as for sp_topology_read; title and sentence stand below
 * the machine.  Returns a status, after a message if it is not 0.
 */
int picture_draw(const struct picture *picture, const char *source, const char *title, const char *sentence, const char *path);

#endif
