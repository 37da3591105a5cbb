/*
 * Some per cent of a site's jobs, by the job's number alone, so that all its
 * nodes and all its ranks agree.  Also for the plugin for Slurm.
 */
#ifndef SP_CHOSEN_H
#define SP_CHOSEN_H

#include <stdbool.h>
#include <stdint.h>

#include "base/text.h"

/* The digits at the beginning of a name, else all of it. */
static inline uint64_t
sp_chosen_number(const char *job)
{
	uint64_t number = 0;

	if (*job < '0' || *job > '9') {
		for (number = SP_FNV_BEGIN; *job; job++)
			number = (number ^ (unsigned char)*job) * SP_FNV_PRIME;
		return number;
	}
	for (; *job >= '0' && *job <= '9'; job++)
		number = number * 10 + (uint64_t)(*job - '0');
	return number;
}

/*
 * Steps of the golden section spread evenly over a circle: of each 1,000 jobs in
 * a row the share is right within a few.  Who is chosen at 5 % is at 20 %, too.
 *
 *   job      "4711", "4711.server"; not empty
 *   percent  from 0 to 100
 */
static inline bool
sp_is_chosen(const char *job, uint32_t percent)
{
	uint64_t place = sp_chosen_number(job) * 0x9e3779b97f4a7c15;

	return percent >= 100 || place < UINT64_MAX / 100 * percent;
}

#endif
