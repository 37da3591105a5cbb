/* PyTorch's torchrun, which starts Python, and with --no-python any program. */
#ifndef CHECK_TORCHRUN_H
#define CHECK_TORCHRUN_H

#include <stdbool.h>
#include <stddef.h>

#include "cmd/target/target.h"

/*
 * The words of the command in front of torchrun's options, what stands in front of it
 * among them: "torchrun" or "python -m torch.distributed.run".  0: it is another command.
 */
size_t check_torchrun_words(const struct target *target, char *const command[]);

/* Whether it would wait for other nodes; first: its words, as above. */
bool check_torchrun_waits(char *const command[], size_t first);

/*
 * Its line with a probe, by the path of this splitpin, in front of what each worker
 * would execute; target_release_list frees it.
 */
char **check_torchrun_with_probe(const struct target *target, char *const command[], size_t first, const char *self);

#endif
