/* Reads the output of a launcher under which probes run; see probe/probe.h for their lines. */
#ifndef CHECK_COLLECT_H
#define CHECK_COLLECT_H

#include <stddef.h>

#include "cmd/check/launch.h"

struct collector {
	struct measured *measured;	/* is filled in */
	char *line;		/* begun, without its end */
	size_t length;
};

/* Take output as it comes, in pieces of any size. */
void collect(struct collector *collector, const char *text, size_t length);

/* To be called at its end: puts the ranks in order. */
void collect_end(struct collector *collector);

#endif
