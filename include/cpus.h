/*
 * A set of CPUs as a value: copied by assignment, needs no release.
 *
 * A CPU is a hardware thread by its OS number.  Texts are CPU lists as the
 * kernel writes them ("0-3,8"), the empty set is "".
 */
#ifndef SP_CPUS_H
#define SP_CPUS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Highest number of CPUs: Linux on x86-64 is built for 8192 at most. */
#define SP_CPUS_MAX 8192

/* Room for the text of most sets; a longer text ends in "...". */
#define SP_CPUS_TEXT 512

struct sp_cpus {
	uint64_t word[SP_CPUS_MAX / 64];
};

/* Sentinel: no CPU. */
#define SP_NO_CPU UINT32_MAX

/* Numbers of SP_CPUS_MAX and above are ignored by add, and never contained. */
static inline void
sp_cpus_add(struct sp_cpus *set, uint32_t cpu)
{
	if (cpu < SP_CPUS_MAX)
		set->word[cpu / 64] |= UINT64_C(1) << cpu % 64;
}

void sp_cpus_remove(struct sp_cpus *set, uint32_t cpu);

static inline bool
sp_cpus_has(const struct sp_cpus *set, uint32_t cpu)
{
	return cpu < SP_CPUS_MAX && set->word[cpu / 64] >> cpu % 64 & 1;
}

uint32_t sp_cpus_count(const struct sp_cpus *set);
bool sp_cpus_empty(const struct sp_cpus *set);
bool sp_cpus_equal(const struct sp_cpus *a, const struct sp_cpus *b);
/* Whether a and b have a CPU in common. */
bool sp_cpus_intersect(const struct sp_cpus *a, const struct sp_cpus *b);
/* Whether every CPU of a is in b. */
bool sp_cpus_within(const struct sp_cpus *a, const struct sp_cpus *b);

/*
 * The same of a mask in memory, as the kernel and libc have it: size bytes, of any
 * alignment.  It has no CPU beyond them; CPUs of SP_CPUS_MAX and above are ignored.
 */
bool sp_cpus_equal_mask(const struct sp_cpus *set, const void *mask, size_t size);
/* Whether every CPU of the mask is in the set. */
bool sp_cpus_hold_mask(const struct sp_cpus *set, const void *mask, size_t size);

/* Lowest CPU of the set from cpu upwards, or SP_NO_CPU. */
uint32_t sp_cpus_next(const struct sp_cpus *set, uint32_t cpu);

/* In place: set |= other, set &= other, set &= ~other. */
void sp_cpus_or(struct sp_cpus *set, const struct sp_cpus *other);
void sp_cpus_and(struct sp_cpus *set, const struct sp_cpus *other);
void sp_cpus_sub(struct sp_cpus *set, const struct sp_cpus *other);

/*
 * Write the set as a list into text, NUL-terminated; a list that size does not
 * suffice for is cut after a whole entry and ends in "...".  Returns text, for
 * use as an argument.
 */
char *sp_cpus_format(const struct sp_cpus *set, char *text, size_t size);

/*
 * Read a list ("0-3,8"; blanks around entries are allowed).
 * Returns 0, or -EINVAL (no list) or -ERANGE (a number of SP_CPUS_MAX or
 * more); set is untouched on error.
 */
int sp_cpus_parse(const char *text, struct sp_cpus *set);

/*
 * Read, as sp_cpus_parse does, the first of several lists separated by colons;
 * *text is advanced past that list, to a ':' or the end.
 */
int sp_cpus_parse_part(const char **text, struct sp_cpus *set);

#endif
