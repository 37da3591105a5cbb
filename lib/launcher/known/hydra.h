/* What other launchers have of Hydra: Intel MPI's is built on it. */
#ifndef SP_HYDRA_H
#define SP_HYDRA_H

#include <stdbool.h>

#include "launcher/search.h"

/* Whether an option of mpiexec asks for a binding; if so, the answer is filled in. */
bool sp_hydra_launchers_ask(const struct sp_search *search);

#endif
