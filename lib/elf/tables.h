/*
 * The dynamic section of a loaded object.  For the files of this folder alone.
 */
#ifndef SP_TABLES_H
#define SP_TABLES_H

#include <elf.h>
#include <link.h>

#include "elf/objects.h"

/* The parts of the dynamic section that a look-up needs; NULL: the object lacks that part. */
struct sp_tables {
	const ElfW(Sym) *symbols;
	const char *strings;
	const uint32_t *gnu_hash;
	const uint32_t *sysv_hash;
	const ElfW(Half) *versions;	/* of each symbol; NULL: there are none */
	const ElfW(Verdef) *defined;	/* what the numbers of versions mean */
	const ElfW(Verneed) *needed;	/* the same of other objects' symbols */
};

struct sp_tables sp_tables_of(const struct sp_object *object);

/* What an entry that is a pointer points to. */
const void *sp_tables_pointer(const struct sp_object *object, const ElfW(Dyn) *entry);

#endif
