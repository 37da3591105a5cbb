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

#endif
