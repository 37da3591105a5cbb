#include <stddef.h>
#include <string.h>

#include "made.h"

const char *const made_versions[MADE_VERSIONS] = { "libmade.so.1", "GLIBC_2.2", "MADE_1.0", "GLIBC" };

static const struct made *loaded;
static unsigned nloaded;

int __real_dl_iterate_phdr(int (*step)(struct dl_phdr_info *, size_t, void *), void *data);
int __wrap_dl_iterate_phdr(int (*step)(struct dl_phdr_info *, size_t, void *), void *data);

static ElfW(Word)
string(struct made *made, size_t *length, const char *text)
{
	size_t at = *length;

	strcpy(made->strings + at, text);
	*length = at + strlen(text) + 1;
	return (ElfW(Word))at;
}

static void
define_versions(struct made *made, size_t *length)
{
	for (unsigned i = 0; i < MADE_VERSIONS; i++) {
		made->defined[i].version = (ElfW(Verdef)){
			.vd_ndx = (ElfW(Half))(i + 1), .vd_aux = sizeof(made->defined[i].version),
			.vd_next = i + 1 < MADE_VERSIONS ? sizeof(made->defined[i]) : 0 };
		made->defined[i].name.vda_name = string(made, length, made_versions[i]);
	}
}

static uint32_t
gnu_hash(const char *name)
{
	uint32_t hash = 5381;

	while (*name)
		hash = (hash << 5) + hash + (unsigned char)*name++;
	return hash;
}

/* All in one bucket, whose end the lowest bit marks; every name passes the filter. */
static void
hash_symbols(struct made *made, unsigned n)
{
	made->sysv_hash[0] = 1;
	made->sysv_hash[1] = n + 1;
	made->gnu_hash.nbuckets = made->gnu_hash.first = 1;
	made->gnu_hash.bloom_size = 2;
	memset(made->gnu_hash.bloom, 0xff, sizeof(made->gnu_hash.bloom));
	made->gnu_hash.bucket[0] = 1;
	for (unsigned i = 0; i < n; i++)
		made->gnu_hash.chain[i] = (gnu_hash(made->strings + made->symbols[i + 1].st_name) & ~1u) | (i + 1 == n);
}

static ElfW(Dyn)
entry(ElfW(Sxword) tag, const void *at)
{
	return (ElfW(Dyn)){ .d_tag = tag, .d_un.d_ptr = (uintptr_t)at };
}

void
made_object(struct made *made, enum made_hash hash, const struct made_symbol symbols[MADE_SYMBOLS])
{
	size_t length = 1;
	unsigned n = 0;

	memset(made, 0, sizeof(*made));
	define_versions(made, &length);
	for (; n < MADE_SYMBOLS && symbols[n].name; n++) {
		made->symbols[n + 1] = (ElfW(Sym)){
			.st_name = string(made, &length, symbols[n].name), .st_shndx = 1,
			.st_value = (uintptr_t)(symbols[n].address ? symbols[n].address : made) };
		made->versions[n + 1] = (ElfW(Half))symbols[n].version;
	}
	hash_symbols(made, n);
	made->dynamic[0] = entry(DT_SYMTAB, made->symbols);
	made->dynamic[1] = entry(DT_STRTAB, made->strings);
	made->dynamic[2] = entry(DT_VERSYM, made->versions);
	made->dynamic[3] = entry(DT_VERDEF, made->defined);
	made->dynamic[4] = hash == MADE_GNU ? entry(DT_GNU_HASH, &made->gnu_hash) : entry(DT_HASH, made->sysv_hash);
	/* In the middle, before all else and at the end, and with a part that is not loaded. */
	made->segments[0] = (ElfW(Phdr)){ .p_type = PT_LOAD, .p_vaddr = (uintptr_t)made->dynamic,
					  .p_memsz = offsetof(struct made, strings) - offsetof(struct made, dynamic) };
	made->segments[1] = (ElfW(Phdr)){ .p_type = PT_LOAD, .p_vaddr = (uintptr_t)made, .p_memsz = sizeof(made->symbols) };
	made->segments[2] = (ElfW(Phdr)){ .p_type = PT_DYNAMIC, .p_vaddr = (uintptr_t)made->dynamic };
	made->segments[3] = (ElfW(Phdr)){ .p_type = PT_LOAD, .p_vaddr = (uintptr_t)made->strings,
					  .p_memsz = sizeof(*made) - offsetof(struct made, strings) };
	made->segments[4] = (ElfW(Phdr)){ .p_type = PT_LOAD, .p_memsz = UINTPTR_MAX };
}

void
made_exporting(struct made *made, const char *const names[])
{
	struct made_symbol symbols[MADE_SYMBOLS] = { { .name = NULL } };

	for (unsigned i = 0; i < MADE_SYMBOLS && names[i]; i++)
		symbols[i] = (struct made_symbol){ .name = names[i], .version = 1 };
	made_object(made, MADE_SYSV, symbols);
}

struct sp_object
made_as_object(const struct made *made)
{
	return (struct sp_object){ .start = (uintptr_t)made, .end = (uintptr_t)(made + 1),
				   .dynamic = made->dynamic, .path = "/made" };
}

void
made_are_loaded(const struct made made[], unsigned n)
{
	loaded = made;
	nloaded = n;
}

int
__wrap_dl_iterate_phdr(int (*step)(struct dl_phdr_info *, size_t, void *), void *data)
{
	int end = 0;

	if (!loaded)
		return __real_dl_iterate_phdr(step, data);
	for (unsigned i = 0; i < nloaded && !end; i++) {
		struct dl_phdr_info info = { .dlpi_name = "/made", .dlpi_phdr = loaded[i].segments, .dlpi_phnum = 4 };

		end = step(&info, sizeof(info), data);
	}
	return end;
}
