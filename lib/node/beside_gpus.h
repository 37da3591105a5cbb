/*
 * The GPUs of the ranks of a node: whether GPUs decide where ranks are placed,
 * and the part of the machine for each rank.
 */
#ifndef SP_BESIDE_GPUS_H
#define SP_BESIDE_GPUS_H

#include "node/situation.h"

/*
 * Whether ranks are to be placed beside GPUs, by the settings: with
 * SPLITPIN_DEVICES=auto, if the job was given GPUs or the program has loaded a
 * GPU runtime; also with SPLITPIN_DEVICES=gpu:own.
 */
bool sp_gpus_are_wanted(const struct sp_config *config, char *const environment[]);

/*
 * For each rank the part of the machine beside its GPUs: local_size parts, the
 * caller's to free().  NULL: no rank is to be placed beside a GPU.
 *
 * The ranks' lists of GPUs may differ, so all lists are waited for: as long as
 * further lists arrive, config->wait_ms at most after the last.  All ranks get
 * the same answer.  *gave_up: NULL was returned because not all lists arrived,
 * and this rank was the first to give up.
 */
struct sp_near *sp_gpus_of_ranks(const struct sp_situation *situation, bool *gave_up);

/*
 * The lists of GPUs that each rank sees, from which sp_gpus_of_ranks finds the
 * parts: waits in the same way; the caller's to free().
 */
struct sp_gpu_list *sp_gpus_lists(const struct sp_situation *situation, bool *gave_up);

/*
 * For the rank that creates the board, and knows only its own list: the parts
 * of all ranks, if the other ranks have the same list.
 */
struct sp_near *sp_gpus_guess(const struct sp_machine *machine, const struct sp_gpu_list *own, uint32_t nranks);

#endif
