/*
 * Whose GPU: which GPUs of the node a rank was given, and which of them it
 * will use.
 *
 * Which GPUs it was given is read from the variables of the runtimes (CUDA,
 * ROCm, Level Zero) and of Slurm and PBS (pbs.h).  Which it will use follows
 * from what programs do: where several ranks see the same N GPUs, rank r of N
 * takes GPU r.
 *
 * Pure: no runtime is asked, and no file is read.
 */
#ifndef SP_GPUS_WHOSE_H
#define SP_GPUS_WHOSE_H

#include <stdbool.h>
#include <stddef.h>

#include "gpus.h"

enum sp_gpus_given {
	SP_GPUS_NO_WORD,	/* no variable about GPUs is set */
	SP_GPUS_GIVEN,		/* one names a GPU */
	SP_GPUS_WITHHELD,	/* variables are set, but name no GPU */
};

/* Whether the job was given GPUs, as far as its variables show.  Variables of all vendors count. */
enum sp_gpus_given sp_gpus_given(char *const environment[]);

/* Whether this is the file name of a GPU runtime's library: of CUDA or its driver, ROCm, Level Zero. */
bool sp_gpus_is_runtime(const char *name);

/*
 * The GPUs that a process with this environment sees, in the order of its
 * runtime.  They are of one vendor: of those whose variables are set, or of all
 * if none is, the vendor with the most GPUs.  As in the runtimes, an entry that
 * is no GPU of the node ends a list; a list without any GPU is empty, and is
 * SP_GPUS_LISTED.
 */
void sp_gpus_visible(char *const environment[], const struct sp_gpus *gpus, struct sp_gpu_list *list);

/*
 * The GPUs that a rank uses, given what all ranks see.  k ranks that see the
 * same N GPUs divide them in order: the ith of them, from 0, gets those from
 * i * N / k up to, but not including, (i + 1) * N / k, and at least one.
 */
void sp_gpus_deal(const struct sp_gpu_list seen[], uint32_t nranks, uint32_t rank, struct sp_gpu_list *own);

/*
 * The same where the GPUs that this rank sees count as n devices, for example
 * tiles: its own devices are those in [*from, *to).
 */
void sp_gpus_slice(const struct sp_gpu_list seen[], uint32_t nranks, uint32_t rank, uint32_t n, uint32_t *from, uint32_t *to);

/* Whether Level Zero counts each tile of a GPU as a device: its default since 2023. */
bool sp_gpus_are_flat(char *const environment[]);

/* The smallest part of the machine that is known to be near all of these GPUs. */
struct sp_near sp_gpus_near(const struct sp_gpus *gpus, const struct sp_gpu_list *list);

/* Room for the text of most lists; a longer one ends in "...". */
#define SP_GPUS_TEXT 64

/* "3 (d6:00.0)", "2,3 (c9:00.0,ce:00.0)", "?": numbers of the node's GPUs, and where they are.  Returns text. */
char *sp_gpus_format(const struct sp_gpus *gpus, const struct sp_gpu_list *list, char *text, size_t size);

/* Fill in near[rank], for all ranks: the part of the machine near the GPUs that the rank uses. */
void sp_gpus_place(const struct sp_gpus *gpus, const struct sp_gpu_list seen[], uint32_t nranks, struct sp_near near[]);

#endif
