#ifndef CHECK_GPUS_H
#define CHECK_GPUS_H

#include "cmd/check/findings.h"

/*
 * The GPUs of the program and of this node (in a dry run, of the machine in
 * SPLITPIN_DRYRUN), and whether ranks will be beside them: a sentence, which
 * the caller frees.  NULL: there are no GPUs, and the program uses no GPU
 * runtime.
 */
char *check_gpus(const struct check *check);

#endif
