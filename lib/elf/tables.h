/*
 * The dynamic section of a loaded object.  For the files of this folder alone.
 */
#ifndef SP_TABLES_H
#define SP_TABLES_H

#include <elf.h>
#include <link.h>

#include "elf/gnu_hash.h"
#include "elf/objects.h"

/* The parts of the dynamic section that a look-up needs; NULL: the object lacks that part. */
struct sp_tables {
	const ElfW(Sym) *symbols;
	const char *strings;
	struct sp_gnu_table gnu;
	const uint32_t *sysv_hash;
	const ElfW(Half) *versions;	/* of each symbol; NULL: there are none */
	const ElfW(Verdef) *defined;	/* the names of versions by their numbers, for the object's own symbols */
	const ElfW(Verneed) *needed;	/* the same for symbols of other objects */
};

struct sp_tables sp_tables_of(const struct sp_object *object);

/* The address to which an entry points, whether or not the loader has relocated it. */
const void *sp_tables_pointer(const struct sp_object *object, const ElfW(Dyn) *entry);

#endif
