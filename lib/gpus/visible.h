/*
 * The list by which a rank sees its own GPUs alone (SPLITPIN_DEVICES=gpu:own): in
 * which variable, and what is in it.
 *
 * Pure: no runtime is asked, and nothing is set.
 */
#ifndef SP_VISIBLE_H
#define SP_VISIBLE_H

#include <stddef.h>

#include "gpus.h"

enum sp_visible_entry {
	SP_VISIBLE_ENTRY,	/* to be set */
	SP_VISIBLE_NO_GPU,	/* the rank sees none */
	SP_VISIBLE_OWN,		/* it sees only its own GPUs already */
	SP_VISIBLE_UNKNOWN,	/* it is not known how its runtime numbers GPUs */
};

/* Room for "CUDA_VISIBLE_DEVICES=" and 64 UUIDs. */
#define SP_VISIBLE_TEXT 3072

/*
 *   environment  of the rank
 *   seen         what each of nranks ranks sees (gpus/whose.h)
 *   entry        "ROCR_VISIBLE_DEVICES=3"; only with SP_VISIBLE_ENTRY
 *
 * Find the entry.  A list that is the same for all ranks is narrowed, with its
 * entries as written.  NVIDIA's GPUs are named by their UUIDs where these are
 * known: their numbers depend on CUDA_DEVICE_ORDER.  Tiles that Level Zero
 * numbers are dealt like GPUs.
 */
enum sp_visible_entry sp_visible_entry(char *const environment[], const struct sp_gpus *gpus,
				       const struct sp_gpu_list seen[], uint32_t nranks, uint32_t rank,
				       char entry[SP_VISIBLE_TEXT]);

#endif
