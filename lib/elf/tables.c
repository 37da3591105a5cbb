#include "elf/tables.h"

static uintptr_t
distance(uintptr_t a, uintptr_t b)
{
	return (intptr_t)(a - b) < 0 ? b - a : a - b;
}

/*
 * The loader relocates these pointers on most processors, but not in the vDSO.
 * Usually a value below the base has not been relocated.  An object that is
 * loaded below the address for which it was linked has a negative base, larger
 * than any address as an unsigned number: of the value as it is and the
 * relocated one, the one nearer to the dynamic section is right then.  This does
 * not hold for other objects, which may be larger than a low base is (valgrind).
 */
const void *
sp_tables_pointer(const struct sp_object *object, const ElfW(Dyn) *entry)
{
	uintptr_t value = entry->d_un.d_ptr, moved = object->base + value, near = (uintptr_t)object->dynamic;
	bool is_relocated = object->base > near ? distance(value, near) <= distance(moved, near) :
		value >= object->base;

	return (const void *)(is_relocated ? value : moved);
}

struct sp_tables
sp_tables_of(const struct sp_object *object)
{
	struct sp_tables t = { 0 };

	for (const ElfW(Dyn) *d = object->dynamic; d && d->d_tag != DT_NULL; d++) {
		switch (d->d_tag) {
		case DT_SYMTAB:
			t.symbols = sp_tables_pointer(object, d);
			break;
		case DT_STRTAB:
			t.strings = sp_tables_pointer(object, d);
			break;
		case DT_GNU_HASH:
			t.gnu = sp_gnu_table_of(sp_tables_pointer(object, d));
			break;
		case DT_HASH:
			t.sysv_hash = sp_tables_pointer(object, d);
			break;
		case DT_VERSYM:
			t.versions = sp_tables_pointer(object, d);
			break;
		case DT_VERDEF:
			t.defined = sp_tables_pointer(object, d);
			break;
		case DT_VERNEED:
			t.needed = sp_tables_pointer(object, d);
			break;
		}
	}
	return t;
}
