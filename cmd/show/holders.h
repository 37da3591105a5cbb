#ifndef SHOW_HOLDERS_H
#define SHOW_HOLDERS_H

#include "cmd/show/running.h"

/*
 * Find who holds cores beside each wanted job that shares the node since too few
 * are free: the user's other jobs, by their claims, and processes whose busy threads
 * are pinned.  Reads /proc.
 */
void holders_find(struct show *show);

void holders_print_text(const struct show_job *job);
void holders_print_json(const struct show_job *job);

void holders_release(struct show_job *job);

#endif
