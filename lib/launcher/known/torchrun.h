/*
 * The rank of a worker of PyTorch's torchrun, or of DeepSpeed's launcher, which
 * has another variable for the size.  In every process of a site, as
 * launcher.h: pure, and allocates nothing.
 */
#ifndef SP_TORCHRUN_H
#define SP_TORCHRUN_H

#include <stdbool.h>
#include <stddef.h>

#include "rank.h"

/*
 * local_rank, local_size: values of LOCAL_RANK and of LOCAL_WORLD_SIZE or LOCAL_SIZE, or NULL.
 * Other programs use these names, too, so a variable that only torchrun or
 * DeepSpeed sets has to be there: sign.
 *
 * Returns 0, and local_rank and local_size of rank are filled in; -ENOENT; or
 * -EBADMSG: the values are nonsense.
 */
int sp_torchrun_rank(char *const environment[], const char *local_rank, const char *local_size, const char *sign,
		     struct sp_rank *rank);

/*
 * Whether these arguments (/proc/PID/cmdline) are those of torchrun, accelerate
 * or DeepSpeed's launcher: a process that starts ranks, and under srun or mpirun
 * looks like one itself.
 */
bool sp_torchrun_is_started(const char *arguments, size_t length);

#endif
