#include "elf/references.h"

#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "elf/tables.h"

/* So that the shim loads with any C library: lib/shim/late.S. */
#pragma weak dl_iterate_phdr

#if __ELF_NATIVE_CLASS == 64
#define SYMBOL_OF(info) ELF64_R_SYM(info)
#else
#define SYMBOL_OF(info) ELF32_R_SYM(info)
#endif

/* Relocations with addends (RELA): the processors for which this is built have no others. */
struct references {
	const ElfW(Rela) *entry;
	size_t n;
};

/* The tables of relocations, of data and of calls: the tags of their address, and of their size in bytes. */
static const struct {
	ElfW(Sxword) entry, bytes;
} tags[] = {
	{ DT_RELA, DT_RELASZ }, { DT_JMPREL, DT_PLTRELSZ },
};

#define TABLES (sizeof(tags) / sizeof(tags[0]))

static struct references
references_of(const struct sp_object *object, size_t table)
{
	struct references found = { NULL, 0 };

	for (const ElfW(Dyn) *d = object->dynamic; d && d->d_tag != DT_NULL; d++) {
		if (d->d_tag == tags[table].entry)
			found.entry = sp_tables_pointer(object, d);
		else if (d->d_tag == tags[table].bytes)
			found.n = d->d_un.d_val / sizeof(*found.entry);
	}
	return found.entry ? found : (struct references){ NULL, 0 };
}

/* The name to which a relocation refers, if another object defines it; else "". */
static const char *
reference(const struct sp_tables *t, const ElfW(Rela) *entry)
{
	uint32_t symbol = SYMBOL_OF(entry->r_info);

	return symbol && t->symbols[symbol].st_shndx == SHN_UNDEF ? t->strings + t->symbols[symbol].st_name : "";
}

/*
 * The symbols before the first one in the hash table are those that other
 * objects define.  If the object exports nothing, the linker writes 1 there, and
 * the names are collected from the relocations.
 */
unsigned
sp_object_kinds(const struct sp_object *object, sp_name_kind *kind)
{
	const struct sp_tables t = sp_tables_of(object);
	uint32_t first = t.gnu.first;
	unsigned kinds = 0;

	if (!t.symbols || !t.strings)
		return 0;
	for (uint32_t i = 1; i < first; i++)
		if (t.symbols[i].st_shndx == SHN_UNDEF)
			kinds |= kind(t.strings + t.symbols[i].st_name);
	if (first > 1)
		return kinds;
	for (size_t i = 0; i < TABLES; i++) {
		const struct references all = references_of(object, i);

		for (size_t k = 0; all.entry && k < all.n; k++)
			kinds |= kind(reference(&t, &all.entry[k]));
	}
	return kinds;
}

/* The object at base, and what the loader has made read-only of it. */
struct sealed {
	uintptr_t base, start, end;
};

static int
step_sealed(struct dl_phdr_info *info, size_t size, void *data)
{
	struct sealed *sealed = data;

	(void)size;
	for (int i = 0; info->dlpi_addr == sealed->base && i < info->dlpi_phnum; i++) {
		if (info->dlpi_phdr[i].p_type != PT_GNU_RELRO)
			continue;
		sealed->start = info->dlpi_addr + info->dlpi_phdr[i].p_vaddr;
		sealed->end = sealed->start + info->dlpi_phdr[i].p_memsz;
	}
	return info->dlpi_addr == sealed->base;
}

/* Write a pointer, in memory that is made writable for that time if the loader sealed it. */
static bool
write_pointer(const struct sealed *sealed, void **where, void *value)
{
	uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE), start = (uintptr_t)where & ~(page - 1);
	bool is_sealed = (sealed->start & ~(page - 1)) <= (uintptr_t)where && (uintptr_t)where < (sealed->end & ~(page - 1));

	if (is_sealed && mprotect((void *)start, page, PROT_READ | PROT_WRITE) != 0)
		return false;
	__atomic_store_n(where, value, __ATOMIC_RELEASE);
	if (is_sealed)
		mprotect((void *)start, page, PROT_READ);
	return true;
}

bool
sp_object_redirect(const struct sp_object *object, const char *name, void *function)
{
	const struct sp_tables t = sp_tables_of(object);
	struct sealed sealed = { .base = object->base };
	bool is_done = false;

	if (!t.symbols || !t.strings || !dl_iterate_phdr)
		return false;
	dl_iterate_phdr(step_sealed, &sealed);
	for (size_t i = 0; i < TABLES; i++) {
		const struct references all = references_of(object, i);

		for (size_t k = 0; all.entry && k < all.n; k++)
			if (strcmp(reference(&t, &all.entry[k]), name) == 0)
				is_done |= write_pointer(&sealed, (void **)(object->base + all.entry[k].r_offset), function);
	}
	return is_done;
}
