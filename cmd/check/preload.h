#ifndef CHECK_PRELOAD_H
#define CHECK_PRELOAD_H

#include "cmd/check/findings.h"

/*
 * The libsplitpin.so that LD_PRELOAD names, else the one that "splitpin run"
 * would preload; the caller's, to free().  NULL: there is none.
 */
char *check_find_library(void);

/* Why the library that is loaded cannot act: a part of it is not there, or cannot be loaded; the caller's.  NULL: it can. */
char *check_broken(const struct check *check);

/* The library that the loader's own file names for every process of the node, the caller's, or NULL; *is_there: such a file is there. */
char *check_preload_file(bool *is_there);

#endif
