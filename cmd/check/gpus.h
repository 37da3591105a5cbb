#ifndef CHECK_GPUS_H
#define CHECK_GPUS_H

#include "cmd/check/findings.h"

/*
 * What is known of the program's GPUs and those of this node (in a dry run that
 * of SPLITPIN_DRYRUN), and whether ranks will be beside them: a sentence, the
 * caller's.  NULL: there are none, and the program is of no GPU runtime.
 */
char *check_gpus(const struct check *check);

#endif
