/*
 * The variable, and its value, that make a rank see only its own GPUs
 * (SPLITPIN_DEVICES=gpu:own).
 *
 * Pure: no runtime is asked, and nothing is set.
 */
#ifndef SP_VISIBLE_H
#define SP_VISIBLE_H

#include <stddef.h>

#include "gpus.h"

enum sp_visible_entry {
	SP_VISIBLE_ENTRY,	/* there is an entry to set */
	SP_VISIBLE_NO_GPU,	/* the rank sees no GPU */
	SP_VISIBLE_OWN,		/* the rank already sees only its own GPUs */
	SP_VISIBLE_UNKNOWN,	/* how its runtime numbers GPUs is not known */
};

/* Room for "CUDA_VISIBLE_DEVICES=" and 64 UUIDs. */
#define SP_VISIBLE_TEXT 3072

/*
 * Find the entry.
 *
 *   environment  of the rank
 *   seen         what each of nranks ranks sees (gpus/whose.h)
 *   entry        "ROCR_VISIBLE_DEVICES=3"; defined only with SP_VISIBLE_ENTRY
 *
 * A list that the rank has already is shortened, its entries as they are
 * written.  Without one, NVIDIA's GPUs are named by their UUIDs if these are
 * known, since their numbers depend on CUDA_DEVICE_ORDER.  Tiles that Level Zero
 * numbers as devices are dealt like GPUs.
 */
enum sp_visible_entry sp_visible_entry(char *const environment[], const struct sp_gpus *gpus,
				       const struct sp_gpu_list seen[], uint32_t nranks, uint32_t rank,
				       char entry[SP_VISIBLE_TEXT]);

#endif
