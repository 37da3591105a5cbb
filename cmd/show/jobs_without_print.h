#ifndef SHOW_JOBS_WITHOUT_PRINT_H
#define SHOW_JOBS_WITHOUT_PRINT_H

#include "cmd/show/running.h"

/* The jobs that run without splitpin. */
void jobs_without_print_text(const struct show *show);
void jobs_without_print_table(const struct show *show);
/* The members of an array. */
void jobs_without_print_json(const struct show *show);

#endif
