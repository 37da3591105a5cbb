/*
 * The checks: tables of things that go wrong on a node or in an environment, one
 * function each.
 */
#ifndef CHECK_ROWS_H
#define CHECK_ROWS_H

#include "cmd/check/findings.h"

/* Each ends with an id of NULL. */
extern const struct check_row check_preload_rows[], check_node_rows[], check_settings_rows[], check_openmp_rows[],
	 check_shm_rows[], check_program_rows[], check_gpus_rows[],
	check_run_rows[];

/*
 * The GPUs of the program and of this node (in a dry run, of the machine in
 * SPLITPIN_DRYRUN), and whether ranks will be beside them: a sentence, which
 * the caller frees.  NULL: there are no GPUs, and the program uses no GPU
 * runtime.
 */
char *check_gpus(const struct check *check);

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
