/* Processes that start ranks and look like ranks themselves. */
#ifndef SP_STARTER_H
#define SP_STARTER_H

#include <stdbool.h>

/* Whether this process is torchrun or its like, started by srun or mpirun once a node.  Allocates nothing. */
bool sp_starts_ranks(void);

#endif
