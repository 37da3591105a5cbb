/* What prints a plan, and advice. */
#ifndef PLAN_PRINT_H
#define PLAN_PRINT_H

#include "cmd/plan/make/advise.h"
#include "cmd/plan/make/planned.h"

/* The formats, each to standard output. */
typedef void plan_printer(const struct plan *plan);
plan_printer plan_print_text, plan_print_json, plan_print_masks, plan_print_lists;

/* As a picture, by lstopo to a file; path NULL: in hwloc's XML to standard output.  Returns a status. */
int plan_draw(const struct plan *plan, const char *path);

/* The set as a number, "0x1f"; the caller's, to free(). */
char *plan_mask(const struct sp_cpus *cpus);

/* The masks of all ranks with commas between them, to standard output without a line feed. */
void plan_put_masks(const struct plan *plan);

/* Advice, to standard output; nodes: how many the job has, 0 or 1: nothing is said of them. */
void advise_print_text(const struct plan *plan, const struct advice *advice, uint32_t nodes);
void advise_print_json(const struct plan *plan, const struct advice *advice, uint32_t nodes);

/* Lines of the text: the ranks from this one on, those that are alike folded into one line, so that thousands are a page; */
void plan_print_folded(const struct plan *plan, uint32_t rank);
/* and the threads of a rank, in ranges, and grouped by why they are where they are. */
void plan_print_threads(const struct plan *plan, const struct plan_rank *rank);

#endif
