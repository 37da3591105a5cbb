/* Slurm's rank, in every process of a site: as launcher.h, from the values of variables.h. */
#ifndef SP_SLURM_H
#define SP_SLURM_H

#include <stdbool.h>
#include <stdint.h>

/* Whether srun itself started this process, as a task of an ordinary step. */
bool sp_slurm_is_here(const char *const value[]);

/* How many tasks the step has on this node; 0: it is not known. */
uint32_t sp_slurm_size(const char *const value[]);

#endif
