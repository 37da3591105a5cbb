#ifndef CHECK_ANSWER_H
#define CHECK_ANSWER_H

#include "cmd/check/findings.h"

/* The answer: first whether the library is loaded, then, with all findings, whether it acts. */
void check_find_loaded(struct check *check);
void check_conclude(struct check *check);

/* The answer and all findings, to standard output. */
void check_print_text(const struct check_result *result);
void check_print_json(const struct check_result *result);

#endif
