#ifndef CHECK_NODE_H
#define CHECK_NODE_H

#include "cmd/check/findings.h"

/* Whether the launcher of this rank has bound it; else it was taskset, numactl or a batch script, as outside of ranks. */
bool check_is_bound_by_launcher(const struct check *check);

/* Of the CPUs that the job has, those that it may use: a mask narrows them, unless it is this rank's alone or is ignored. */
const struct sp_cpus *check_cpus(const struct check *check);

#endif
