/* Programs that start others: shells, and those that do little else. */
#ifndef SP_STARTERS_H
#define SP_STARTERS_H

#include <stddef.h>

enum sp_starts {
	SP_STARTS_LINE = 1,	/* a shell that reads "-c LINE" as sh does */
	SP_STARTS_SCRIPT = 2,	/* its next word may be the script that it executes */
	SP_STARTS_WITH_SETTINGS = 4,	/* it may set variables for what it starts */
	SP_STARTS_ONE = 8,	/* all it does is to start another program, which may have another mask or environment then */
};

/* What a program does, by its name without folder, of this length: several of enum sp_starts, or 0. */
unsigned sp_starts(const char *name, size_t length);

#endif
