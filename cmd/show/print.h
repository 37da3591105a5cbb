#ifndef SHOW_PRINT_H
#define SHOW_PRINT_H

#include "cmd/show/running.h"

/* The formats, each to standard output. */
void show_print_text(const struct show *show);
void show_print_json(const struct show *show);
/* One line a rank, what is wrong, and what is left over, each behind the node's name. */
void show_print_table(const struct show *show);
/* A picture of the only job that is wanted, by lstopo to a file.  Returns a status. */
int show_draw(const struct show *show, const char *path);

/* The jobs that run without splitpin. */
void jobs_without_print_text(const struct show *show);
void jobs_without_print_table(const struct show *show);
/* The members of an array. */
void jobs_without_print_json(const struct show *show);

#endif
