/* PyTorch's torchrun, which starts Python, and with --no-python any program. */
#ifndef CHECK_TORCHRUN_H
#define CHECK_TORCHRUN_H

#include <stdbool.h>

#include "cmd/target/target.h"

/* Whether the command, behind what stands in front of it, is torchrun. */
bool check_is_torchrun(const struct target *target);

/*
 * Its line with a probe, by the path of this splitpin, in front of what each worker
 * would execute; target_release_list frees it.
 */
char **check_torchrun_with_probe(const struct target *target, char *const command[], const char *self);

#endif
