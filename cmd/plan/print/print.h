#ifndef PLAN_PRINT_H
#define PLAN_PRINT_H

#include "cmd/plan/make/planned.h"

/* The formats, each to standard output. */
typedef void plan_printer(const struct plan *plan);
plan_printer plan_print_text, plan_print_json, plan_print_masks, plan_print_lists;

/* As a picture, by lstopo to a file; path NULL: in hwloc's XML to standard output.  Returns a status. */
int plan_draw(const struct plan *plan, const char *path);

#endif
