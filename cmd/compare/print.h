#ifndef COMPARE_PRINT_H
#define COMPARE_PRINT_H

#include "cmd/compare/conclude.h"

/* The formats, each to standard output. */
void compare_print_text(const struct compare *compare);
void compare_print_json(const struct compare *compare);

#endif
