/*
 * The name of a file with parts that differ by host, job and rank: %h host, %j
 * job, %r local rank, %p process, %u number of the user, %% a percent sign.
 * Pure.
 */
#ifndef SP_PATTERN_H
#define SP_PATTERN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct sp_pattern_values {
	const char *host, *job;
	uint32_t local_rank;
	uint32_t user;
	int pid;
};

/* Whether each % begins one of these, and the name is not empty. */
bool sp_pattern_is_valid(const char *pattern);

/*
 * Write the name.  What no file name should have (blanks, slashes, control
 * bytes) becomes '-' in host and job.  Returns 0, or -ENAMETOOLONG.
 */
int sp_pattern_fill(const char *pattern, const struct sp_pattern_values *values, char *name, size_t size);

#endif
