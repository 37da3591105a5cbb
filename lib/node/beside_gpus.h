/*
 * The GPUs of the ranks of a node: whether they decide where ranks are placed,
 * and where that is.
 */
#ifndef SP_BESIDE_GPUS_H
#define SP_BESIDE_GPUS_H

#include "node/situation.h"

/*
 * Whether ranks are to be beside GPUs, by the settings; with SPLITPIN_DEVICES=auto
 * where the job was given some, the program has loaded a GPU's runtime, or
 * SPLITPIN_DEVICES=gpu:own.
 */
bool sp_gpus_are_wanted(const struct sp_config *config, char *const environment[]);

/*
 * The part of the machine beside the GPUs of each rank, local_size of them, the
 * caller's to free().  NULL: no rank is to be beside any.
 *
 * The ranks' lists may differ, so all are waited for: as long as one of them
 * comes after the other, config->wait_ms at most after the last.  All ranks
 * have the same answer.  *gave_up: NULL, since not all came, and this rank was
 * the first to give up.
 */
struct sp_near *sp_gpus_of_ranks(const struct sp_situation *situation, bool *gave_up);

/* What each of them sees, which that rests on: the same waiting, and the caller's to free(). */
struct sp_gpu_list *sp_gpus_lists(const struct sp_situation *situation, bool *gave_up);

/* For who makes the board, and knows its own list alone: the same, as long as no other rank has another. */
struct sp_near *sp_gpus_guess(const struct sp_machine *machine, const struct sp_gpu_list *own, uint32_t nranks);

#endif
