/*
 * The table of DT_GNU_HASH, by which a name is found among an object's symbols.
 * For the files of this folder alone.
 */
#ifndef SP_GNU_HASH_H
#define SP_GNU_HASH_H

#include <link.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* bloom NULL: there is no such table. */
struct sp_gnu_table {
	uint32_t nbuckets, first;	/* first: the first hashed symbol */
	uint32_t nwords, shift;		/* of the Bloom filter; its size is a power of two, or 0: all names pass */
	const ElfW(Addr) *bloom;
	const uint32_t *bucket, *chain;
};

/* Of the words with which the table begins, or of NULL. */
static inline struct sp_gnu_table
sp_gnu_table_of(const uint32_t *head)
{
	if (!head)
		return (struct sp_gnu_table){ .bloom = NULL };

	const ElfW(Addr) *bloom = (const void *)(head + 4);
	const uint32_t *bucket = (const void *)(bloom + head[2]);

	return (struct sp_gnu_table){ head[0], head[1], head[2], head[3], bloom, bucket, bucket + head[0] };
}

static inline uint32_t
sp_gnu_hash(const char *name)
{
	uint32_t hash = 5381;

	for (; *name; name++)
		hash = hash * 33 + (unsigned char)*name;
	return hash;
}

/* Whether a name of this hash passes the Bloom filter: most names that are not in the table do not. */
static inline bool
sp_gnu_passes(const struct sp_gnu_table *t, uint32_t hash)
{
	const uint32_t bits = 8 * sizeof(ElfW(Addr));

	if (!t->nwords)
		return true;
	ElfW(Addr) word = t->bloom[hash / bits & (t->nwords - 1)];
	return word >> hash % bits & word >> (hash >> t->shift) % bits & 1;
}

#endif
