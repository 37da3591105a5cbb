#include <elf.h>
#include <link.h>
#include <stdatomic.h>
#include <string.h>

#include "elf/objects.h"
#include "elf/tables.h"

/* So that the shim loads with any C library: lib/shim/late.S. */
#pragma weak _r_debug
#pragma weak dl_iterate_phdr

/* Set in the version of a symbol that is hidden: only programs linked against an older library refer to it. */
#define HIDDEN_VERSION 0x8000

static void
object_fill(struct sp_object *object, const struct dl_phdr_info *info)
{
	*object = (struct sp_object){ .base = info->dlpi_addr, .start = UINTPTR_MAX,
				      .path = info->dlpi_name ? info->dlpi_name : "" };
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *segment = &info->dlpi_phdr[i];
		uintptr_t start = info->dlpi_addr + segment->p_vaddr;

		if (segment->p_type == PT_DYNAMIC)
			object->dynamic = (const void *)start;
		if (segment->p_type != PT_LOAD)
			continue;
		if (start < object->start)
			object->start = start;
		if (start + segment->p_memsz > object->end)
			object->end = start + segment->p_memsz;
	}
}

/* Not strcmp: each process of a site would have its loader select a variant of it, which costs more than all comparisons here. */
static bool
is_same(const char *a, const char *b)
{
	for (size_t i = 0; a[i] == b[i]; i++)
		if (a[i] == '\0')
			return true;
	return false;
}

/* Whether the loader would bind a reference to a symbol of glibc to this definition: it is unversioned, or has a version of glibc's. */
static bool
is_glibc_version(const struct sp_tables *t, uint32_t i)
{
	static const char prefix[] = "GLIBC_";
	const ElfW(Verdef) *v = t->defined;
	unsigned number = t->versions ? t->versions[i] : 1;

	if (number <= 1 || !v)
		return true;
	while (v->vd_ndx != number && v->vd_next)
		v = (const void *)((const char *)v + v->vd_next);
	const char *name = t->strings + ((const ElfW(Verdaux) *)((const char *)v + v->vd_aux))->vda_name;
	for (unsigned k = 0; prefix[k]; k++)
		if (name[k] != prefix[k])
			return false;
	return true;
}

static bool
is_export(const struct sp_tables *t, uint32_t i, const char *name)
{
	const ElfW(Sym) *symbol = &t->symbols[i];

	return symbol->st_shndx != SHN_UNDEF && symbol->st_value &&
	       !(t->versions && t->versions[i] & HIDDEN_VERSION) &&
	       is_same(t->strings + symbol->st_name, name);
}

/* Whether an object may have a name, by its Bloom filter alone: quicker than reading all its tables. */
static bool
may_export(const struct sp_object *object, uint32_t hash)
{
	const ElfW(Dyn) *d = object->dynamic;

	while (d && d->d_tag != DT_NULL && d->d_tag != DT_GNU_HASH)
		d++;
	if (!d || d->d_tag == DT_NULL)
		return true;
	struct sp_gnu_table gnu = sp_gnu_table_of(sp_tables_pointer(object, d));
	return sp_gnu_passes(&gnu, hash);
}

static const ElfW(Sym) *
find_gnu(const struct sp_tables *t, const char *name, uint32_t hash)
{
	const struct sp_gnu_table *gnu = &t->gnu;

	if (!gnu->nbuckets)
		return NULL;
	for (uint32_t i = gnu->bucket[hash % gnu->nbuckets]; i >= gnu->first; i++) {
		uint32_t h = gnu->chain[i - gnu->first];

		if ((h | 1) == (hash | 1) && is_export(t, i, name))
			return &t->symbols[i];
		if (h & 1)
			break;
	}
	return NULL;
}

/* The second word of the table is the number of symbols: compare with all of them. */
static const ElfW(Sym) *
find_sysv(const struct sp_tables *t, const char *name)
{
	for (uint32_t i = 1; i < t->sysv_hash[1]; i++)
		if (is_export(t, i, name))
			return &t->symbols[i];
	return NULL;
}

static const ElfW(Sym) *
find_symbol(const struct sp_tables *t, const char *name, uint32_t hash)
{
	if (!t->symbols || !t->strings)
		return NULL;
	return t->gnu.bloom ? find_gnu(t, name, hash) : t->sysv_hash ? find_sysv(t, name) : NULL;
}

/* An indirect function is a resolver that returns the real one. */
static void *
address_of(const struct sp_object *object, const ElfW(Sym) *symbol)
{
	void *address = (void *)(object->base + symbol->st_value);

	if ((symbol->st_info & 0xf) != STT_GNU_IFUNC)
		return address;
	return ((void *(*)(void))address)();
}

const char *
sp_object_needs(const struct sp_object *object, unsigned i)
{
	const ElfW(Dyn) *entry = object->dynamic;

	while (entry && entry->d_tag != DT_NULL && !(entry->d_tag == DT_NEEDED && i-- == 0))
		entry++;
	return entry && entry->d_tag != DT_NULL ? sp_tables_of(object).strings + entry->d_un.d_val : NULL;
}

void *
sp_object_export(const struct sp_object *object, const char *name)
{
	uint32_t hash = sp_gnu_hash(name);

	if (!may_export(object, hash))
		return NULL;
	struct sp_tables t = sp_tables_of(object);
	const ElfW(Sym) *symbol = find_symbol(&t, name, hash);

	return symbol ? address_of(object, symbol) : NULL;
}

/* Whether this version number stands for that version of another object's symbol. */
static bool
is_needed_version(const struct sp_tables *t, unsigned number, const char *version)
{
	const ElfW(Verneed) *file = t->needed;

	for (; file; file = file->vn_next ? (const void *)((const char *)file + file->vn_next) : NULL) {
		const ElfW(Vernaux) *one = (const void *)((const char *)file + file->vn_aux);

		for (unsigned i = 0; i < file->vn_cnt; i++, one = (const void *)((const char *)one + one->vna_next))
			if (one->vna_other == number)
				return is_same(t->strings + one->vna_name, version);
	}
	return false;
}

bool
sp_object_refers(const struct sp_object *object, const char *name, const char *version)
{
	struct sp_tables t = sp_tables_of(object);
	/* All symbols; or those before the hashed ones, since the hashed ones are the object's own. */
	uint32_t n = t.sysv_hash ? t.sysv_hash[1] : t.gnu.first;

	if (!t.symbols || !t.strings || !t.versions)
		return false;
	for (uint32_t i = 1; i < n; i++)
		if (t.symbols[i].st_shndx == SHN_UNDEF && is_same(t.strings + t.symbols[i].st_name, name) &&
		    is_needed_version(&t, t.versions[i], version))
			return true;
	return false;
}

struct search {
	const void *address;
	const char *name;
	bool passed;		/* the object that holds the address has been visited */
	void *found;
	struct sp_object *object;
	sp_object_test *accept;
	const void *data;	/* for accept */
};

bool
sp_objects_are_reached(void)
{
	return dl_iterate_phdr != NULL;
}

/* dl_iterate_phdr, if there is one: 0, as after a search in vain, if not. */
static int
for_each(int (*step)(struct dl_phdr_info *, size_t, void *), struct search *search)
{
	return dl_iterate_phdr ? dl_iterate_phdr(step, search) : 0;
}

static int
step_of(struct dl_phdr_info *info, size_t size, void *data)
{
	struct search *search = data;

	(void)size;
	object_fill(search->object, info);
	return sp_object_holds(search->object, search->address);
}

/* struct dl_find_object of glibc 2.35, with room for members that later versions and other machines append. */
struct found {
	unsigned long long flags;
	void *start, *end;
	struct link_map *map;
	void *more[24];
};

typedef int find_fn(void *address, struct found *found);

#define NOT_THERE 1

/* glibc's lock-free look-up, or NULL.  Searched for by name, since older versions lack it. */
static find_fn *
lock_free_find(void)
{
	static _Atomic uintptr_t known;	/* 0: not searched for; the same whichever thread writes it */
	uintptr_t find = known;

	if (!find) {
		find = (uintptr_t)sp_objects_export_after(NULL, "_dl_find_object");
		known = find = find ? find : NOT_THERE;
	}
	return find != NOT_THERE ? (find_fn *)find : NULL;
}

/*
 * Preferably without dl_iterate_phdr, which takes a lock of the loader: a child
 * that another thread forks meanwhile inherits it locked, and its next dlopen
 * would wait for ever.
 */
bool
sp_object_of(const void *address, struct sp_object *object)
{
	struct search search = { .address = address, .object = object };
	find_fn *find = lock_free_find();
	struct found found;

	if (!find)
		return for_each(step_of, &search) == 1;
	if (find((void *)(uintptr_t)address, &found) != 0)
		return false;
	*object = (struct sp_object){ .base = found.map->l_addr, .start = (uintptr_t)found.start,
				      .end = (uintptr_t)found.end, .dynamic = found.map->l_ld, .path = found.map->l_name };
	return true;
}

static int
step_after(struct dl_phdr_info *info, size_t size, void *data)
{
	struct search *search = data;
	struct sp_object object;

	(void)size;
	object_fill(&object, info);
	if (search->passed)
		search->found = sp_object_export(&object, search->name);
	else
		search->passed = sp_object_holds(&object, search->address);
	return search->found != NULL;
}

void *
sp_objects_export_after(const void *after, const char *name)
{
	struct search search = { .address = after, .name = name, .passed = !after };

	for_each(step_after, &search);
	return search.found;
}

static int
step_find(struct dl_phdr_info *info, size_t size, void *data)
{
	struct search *search = data;

	(void)size;
	object_fill(search->object, info);
	return search->accept(search->object, search->data);
}

bool
sp_objects_find(sp_object_test *accept, const void *data, struct sp_object *object)
{
	struct search search = { .accept = accept, .data = data, .object = object };

	return for_each(step_find, &search) == 1;
}

/* glibc's struct r_debug_extended, which older headers lack. */
struct name_space {
	struct r_debug base;
	const struct name_space *next;
};

#define LISTS_NAME_SPACES 2	/* r_version from which on it is that */

bool
sp_objects_are_apart(sp_object_test *accept, const void *data)
{
	const struct name_space *first = (const void *)&_r_debug;

	/* Hidden from the compiler, which would warn that the header's struct is smaller. */
	__asm__("" : "+r" (first));
	if (!first || first->base.r_version < LISTS_NAME_SPACES)
		return false;
	for (const struct name_space *space = first->next; space; space = space->next) {
		for (const struct link_map *map = space->base.r_map; map; map = map->l_next) {
			struct sp_object object = { .base = map->l_addr, .dynamic = map->l_ld, .path = map->l_name };

			if (accept(&object, data))
				return true;
		}
	}
	return false;
}

static bool
is_own(const struct link_map *map)
{
	return map->l_ld == _DYNAMIC;
}

/* The first definition in a list of objects, except this object's. */
static void *
find_from(const struct link_map *map, const char *name, uint32_t hash)
{
	for (; map; map = map->l_next) {
		struct sp_object object = { .base = map->l_addr, .dynamic = map->l_ld };

		if (is_own(map) || !may_export(&object, hash))
			continue;
		struct sp_tables t = sp_tables_of(&object);
		const ElfW(Sym) *symbol = find_symbol(&t, name, hash);

		if (symbol && is_glibc_version(&t, (uint32_t)(symbol - t.symbols)))
			return address_of(&object, symbol);
	}
	return NULL;
}

/*
 * This object in the loader's list, or NULL.  musl exports no list of this name
 * and ends programs that refer to it other than weakly.  Under an emulator the
 * list may be the emulator's, with other objects than this program's.
 */
static const struct link_map *
own_map(void)
{
	const struct link_map *map = &_r_debug ? _r_debug.r_map : NULL;

	while (map && !is_own(map))
		map = map->l_next;
	return map;
}

void *
sp_objects_next_export(const char *name)
{
	return find_from(own_map(), name, sp_gnu_hash(name));
}

/*
 * The first object in the loader's list, or NULL, as own_map.  From there to libc
 * no object is ever unloaded.  Between libc and this object may be those that
 * another thread unloads: they are passed once, when it is opened.
 */
static const struct link_map *
first_map(void)
{
	static _Atomic bool is_listed;

	if (!is_listed)
		is_listed = own_map() != NULL;
	return is_listed ? _r_debug.r_map : NULL;
}

static void *
bound_export(const char *name, uint32_t hash)
{
	const struct link_map *first = first_map();

	return first ? find_from(first, name, hash) : sp_objects_export_after(NULL, name);
}

void *
sp_objects_bound_export(const char *name)
{
	return bound_export(name, sp_gnu_hash(name));
}

static const char *
late_name(const struct sp_late *late)
{
	return (const char *)&late->name + late->name;
}

static void *_Atomic *
late_found(const struct sp_late *late)
{
	return (void *)((uintptr_t)&late->found + (uintptr_t)(intptr_t)late->found);
}

void *
sp_objects_bind_one(const struct sp_late *late, void *absent)
{
	void *function = bound_export(late_name(late), late->hash);

	if (!function)
		function = absent;
	*late_found(late) = function;
	return function;
}

/* Returns how many it defines. */
static unsigned
bind_to(const struct link_map *map, const struct sp_late *first, const struct sp_late *end)
{
	const struct sp_object object = { .base = map->l_addr, .dynamic = map->l_ld };
	const struct sp_tables t = sp_tables_of(&object);
	const struct sp_gnu_table gnu = t.gnu;	/* of its own, so that it stays in registers */
	unsigned n = 0, good = 0;	/* good: a version of glibc's, which most symbols of an object have in common */

	for (const struct sp_late *late = first; late < end; late++) {
		void *_Atomic *found = late_found(late);
		bool is_left = !*found && (!gnu.bloom || sp_gnu_passes(&gnu, late->hash));
		const ElfW(Sym) *symbol = is_left ? find_symbol(&t, late_name(late), late->hash) : NULL;

		if (!symbol)
			continue;
		uint32_t i = (uint32_t)(symbol - t.symbols);
		if ((t.versions && good && t.versions[i] == good) || is_glibc_version(&t, i)) {
			good = t.versions ? t.versions[i] : 0;
			atomic_store_explicit(found, address_of(&object, symbol), memory_order_release);
			n++;
		}
	}
	return n;
}

void
sp_objects_bind(const struct sp_late *first, const struct sp_late *end)
{
	unsigned left = 0;

	for (const struct sp_late *late = first; late < end; late++)
		left += !*late_found(late);
	for (const struct link_map *map = first_map(); map && left; map = map->l_next)
		if (!is_own(map))
			left -= bind_to(map, first, end);
}
