#ifndef PLAN_PRINT_H
#define PLAN_PRINT_H

#include "cmd/plan/make/planned.h"

/* The formats, each to standard output. */
typedef void plan_printer(const struct plan *plan);
plan_printer plan_print_text, plan_print_json, plan_print_masks, plan_print_lists, plan_print_svg;

#endif
