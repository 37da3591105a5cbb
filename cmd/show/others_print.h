#ifndef SHOW_OTHERS_PRINT_H
#define SHOW_OTHERS_PRINT_H

#include "cmd/show/running.h"

/* The jobs that run without splitpin. */
void others_print_text(const struct show *show);
void others_print_table(const struct show *show);
/* The members of an array. */
void others_print_json(const struct show *show);

#endif
