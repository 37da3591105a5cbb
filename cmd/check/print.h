#ifndef CHECK_PRINT_H
#define CHECK_PRINT_H

#include "cmd/check/findings.h"

/* The answer and all findings, to standard output. */
void check_print_text(const struct check_result *result);
void check_print_json(const struct check_result *result);

#endif
