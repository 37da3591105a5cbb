/* What the loaded objects export, against what the loader itself says. */
#include <check.h>
#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <string.h>
#include <stdlib.h>

#include "elf/late.h"
#include "elf/objects.h"
#include "elf/references.h"
#include "elf/runtimes.h"
#include "elf/teams.h"
#include "made.h"
#include "suites.h"

/* A library with a name that has no version; NULL where it is linked in (HWLOC=static). */
static void *
hwloc_init(void)
{
	return dlsym(RTLD_DEFAULT, "hwloc_topology_init");
}

START_TEST(an_address_is_found_in_its_object)
{
	struct sp_object own, libc;
	int on_the_stack;

	ck_assert(sp_object_of((void *)suite_objects, &own));
	ck_assert_str_eq(own.path, "");
	ck_assert(sp_object_of(dlsym(RTLD_DEFAULT, "malloc"), &libc));
	ck_assert_uint_ne(own.base, libc.base);
	ck_assert(!sp_object_of(&on_the_stack, &own));
}
END_TEST

START_TEST(an_export_is_what_dlsym_finds)
{
	static const char *const names[] = { "dl_iterate_phdr", "getenv", "write", "pthread_self" };
	void *handle = dlopen("libc.so.6", RTLD_NOW | RTLD_NOLOAD);
	struct sp_object libc;

	ck_assert(sp_object_of(dlsym(handle, "getenv"), &libc));
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		ck_assert_ptr_eq(sp_object_export(&libc, names[i]), dlsym(handle, names[i]));
}
END_TEST

START_TEST(what_is_only_needed_is_no_export)
{
	struct sp_object hwloc;

	if (!hwloc_init())
		return;
	ck_assert(sp_object_of(hwloc_init(), &hwloc));
	ck_assert_ptr_nonnull(sp_object_export(&hwloc, "hwloc_topology_init"));
	ck_assert_ptr_null(sp_object_export(&hwloc, "malloc"));
	ck_assert_ptr_null(sp_object_export(&hwloc, "no_such_name"));
	ck_assert_ptr_null(sp_object_export(&hwloc, ""));
}
END_TEST

START_TEST(what_is_needed_has_a_version)
{
	/* The first version of glibc for this processor. */
#if defined(__x86_64__)
	const char *version = "GLIBC_2.2.5";
#elif defined(__aarch64__)
	const char *version = "GLIBC_2.17";
#else
	const char *version = NULL;
#endif
	struct sp_object hwloc;

	if (!hwloc_init() || !version)
		return;
	ck_assert(sp_object_of(hwloc_init(), &hwloc));
	ck_assert(sp_object_refers(&hwloc, "getenv", version));
	ck_assert(!sp_object_refers(&hwloc, "getenv", "GLIBC_2.3.3"));
	ck_assert(!sp_object_refers(&hwloc, "hwloc_topology_init", version));
	ck_assert(!sp_object_refers(&hwloc, "", version));
	hwloc.dynamic = NULL;
	ck_assert(!sp_object_refers(&hwloc, "getenv", version));
}
END_TEST

/* What the loader took for the executable, by its own list. */
START_TEST(dependencies_are_named)
{
	bool has_libc = false;
	struct sp_object program;
	const char *name;
	unsigned n = 0;

	ck_assert(sp_object_of((const void *)(uintptr_t)suite_objects, &program));
	for (; (name = sp_object_needs(&program, n)); n++) {
		ck_assert(strncmp(name, "lib", 3) == 0 || strncmp(name, "ld-", 3) == 0);
		has_libc |= strncmp(name, "libc.", 5) == 0;
	}
	ck_assert(has_libc);
	ck_assert_ptr_null(sp_object_needs(&program, n + 1));
	ck_assert_ptr_null(sp_object_needs(&(struct sp_object){ .dynamic = NULL }, 0));
	ck_assert(!sp_runtimes_are_needed());
}
END_TEST

/* The second is the program's own. */
static unsigned
kind(const char *name)
{
	return strcmp(name, "dlsym") == 0 ? 1 : strcmp(name, "suite_objects") == 0 ? 2 : strcmp(name, "dlopen") == 0 ? 4 : 0;
}

START_TEST(references_to_others_are_named)
{
	struct sp_object program, libc;

	ck_assert(sp_object_of((const void *)(uintptr_t)suite_objects, &program));
	ck_assert_uint_eq(sp_object_kinds(&program, kind), 5);
	ck_assert(sp_object_of(dlsym(RTLD_DEFAULT, "gnu_get_libc_version"), &libc));	/* not malloc: that is the checkers' own */
	ck_assert_uint_eq(sp_object_kinds(&libc, kind), 0);
	ck_assert_uint_eq(sp_object_kinds(&(struct sp_object){ .dynamic = NULL }, kind), 0);
}
END_TEST

static int calls;

static char *
no_variable(const char *name)
{
	(void)name;
	calls++;
	return NULL;
}

/* Of this object alone; what refers to nothing of that name stays as it is. */
START_TEST(calls_of_an_object_are_redirected)
{
	int (*init)(void **) = (int (*)(void **))hwloc_init();
	struct sp_object hwloc, libc;
	void *topology;

	if (!init)
		return;
	ck_assert(sp_object_of((void *)init, &hwloc));
	ck_assert(!sp_object_redirect(&hwloc, "no_such_name", (void *)no_variable));
	void (*destroy)(void *) = (void (*)(void *))sp_object_export(&hwloc, "hwloc_topology_destroy");
	ck_assert_ptr_nonnull(destroy);
	ck_assert(sp_object_redirect(&hwloc, "getenv", (void *)no_variable));
	ck_assert_int_eq(init(&topology), 0);
	ck_assert_int_gt(calls, 0);
	destroy(topology);
	ck_assert(sp_object_redirect(&hwloc, "getenv", (void *)getenv));
	calls = 0;
	getenv("PATH");
	ck_assert_int_eq(calls, 0);
	ck_assert(sp_object_of(dlsym(RTLD_DEFAULT, "gnu_get_libc_version"), &libc));
	ck_assert(!sp_object_redirect(&libc, "hwloc_topology_init", (void *)no_variable));
}
END_TEST

/* The tests load libraries. */
START_TEST(a_program_that_loads_code_may_have_any_teams)
{
	ck_assert(!sp_teams_are_even());
}
END_TEST

START_TEST(the_search_starts_behind_the_given_object)
{
	void *here = hwloc_init();

	ck_assert_ptr_eq(sp_objects_export_after((void *)suite_objects, "hwloc_topology_init"), here);
	ck_assert_ptr_null(sp_objects_export_after(here, "hwloc_topology_init"));
	ck_assert_ptr_null(sp_objects_export_after((void *)suite_objects, "MPI_Init"));
}
END_TEST

START_TEST(a_bound_export_is_what_the_loader_binds)
{
	static const char *const names[] = { "dlopen", "snprintf", "memset", "pthread_create", "hwloc_topology_init" };
	size_t n = sizeof(names) / sizeof(names[0]) - !hwloc_init();

	for (size_t i = 0; i < n; i++) {
		void *bound = dlsym(RTLD_DEFAULT, names[i]);
		void *found = sp_objects_bound_export(names[i]);

		ck_assert_ptr_nonnull(found);
		ck_assert_msg(found == bound, "%s: %p, not %p", names[i], found, bound);
	}
	ck_assert_ptr_null(sp_objects_bound_export("a_name_that_nobody_has"));
}
END_TEST

/* As DT_GNU_HASH defines it. */
static uint32_t
hash_of(const char *name)
{
	uint32_t hash = 5381;

	while (*name)
		hash = hash * 33 + (unsigned char)*name++;
	return hash;
}

/* numa_available has a version of libnuma's; what is noted already stays. */
START_TEST(many_are_bound_at_once)
{
	static const char names[][24] = { "open", "memcpy", "pthread_getaffinity_np", "a_name_that_nobody_has", "numa_available", "getenv" };
	enum { N = sizeof(names) / sizeof(names[0]) };
	static void *_Atomic found[N];
	static struct sp_late late[N];

	for (unsigned i = 0; i < N; i++) {
		late[i].name = (int32_t)((intptr_t)names[i] - (intptr_t)&late[i].name);
		late[i].found = (int32_t)((intptr_t)&found[i] - (intptr_t)&late[i].found);
		late[i].hash = hash_of(names[i]);
	}
	found[N - 1] = (void *)found;
	sp_objects_bind(late, late + N - 1);
	for (unsigned i = 0; i + 1 < N; i++)
		ck_assert_ptr_eq(found[i], sp_objects_bound_export(names[i]));
	ck_assert_ptr_null(found[3]);
	ck_assert_ptr_null(found[4]);
	sp_objects_bind(late, late + N);
	ck_assert_ptr_eq(found[N - 1], (void *)found);
}
END_TEST

#ifdef SP_HAS_LATE
int nothing_has_a_9_like_this(void);

/* Those of late.S. */
extern const struct sp_late __start_sp_late[] __attribute__((visibility("hidden")));
extern const struct sp_late __stop_sp_late[] __attribute__((visibility("hidden")));

START_TEST(the_assembler_hashes_names)
{
	const struct sp_late *late = __start_sp_late;

	for (; late != __stop_sp_late; late++)
		ck_assert_uint_eq(late->hash, hash_of((const char *)&late->name + late->name));
	ck_assert_uint_eq((unsigned)(late - __start_sp_late), 3);
}
END_TEST

START_TEST(a_function_is_bound_when_it_is_called)
{
	ck_assert_str_eq(l64a(64), "./");
	ck_assert_str_eq(l64a(65), "//");
	ck_assert_int_eq(nothing_has_a_9_like_this(), ENOSYS);
}
END_TEST
#endif

/* libnuma has versions of its own. */
START_TEST(a_bound_export_has_no_version_but_glibcs)
{
	void *handle = dlopen("libnuma.so.1", RTLD_NOW | RTLD_GLOBAL);

	if (!handle)
		return;
	ck_assert_ptr_nonnull(dlsym(handle, "numa_available"));
	ck_assert_ptr_null(sp_objects_bound_export("numa_available"));
}
END_TEST

static bool
is_libc(const struct sp_object *object, const void *name)
{
	return strstr(object->path, name) != NULL;
}

/* One that was linked to an address, with its tables before and behind the dynamic section. */
static struct {
	ElfW(Sym) symbols[3];
	uint32_t hash[2];
	ElfW(Dyn) dynamic[4];
	char strings[32];
	int target;
} made = { .hash = { 1, 3 }, .strings = "\0missing\0there" };

static void *
find_in_made(uintptr_t linked, bool is_relocated, const char *name)
{
	const uintptr_t base = (uintptr_t)&made - linked, tables = is_relocated ? 0 : base;
	const struct sp_object object = { .base = base, .dynamic = made.dynamic, .path = "" };

	made.symbols[1] = (ElfW(Sym)){ .st_name = 1, .st_shndx = SHN_UNDEF, .st_value = (uintptr_t)&made.target - base };
	made.symbols[2] = (ElfW(Sym)){ .st_name = 9, .st_shndx = 1, .st_value = (uintptr_t)&made.target - base };
	made.dynamic[0] = (ElfW(Dyn)){ .d_tag = DT_SYMTAB, .d_un.d_ptr = (uintptr_t)made.symbols - tables };
	made.dynamic[1] = (ElfW(Dyn)){ .d_tag = DT_HASH, .d_un.d_ptr = (uintptr_t)made.hash - tables };
	made.dynamic[2] = (ElfW(Dyn)){ .d_tag = DT_STRTAB, .d_un.d_ptr = (uintptr_t)made.strings - tables };
	made.dynamic[3].d_tag = DT_NULL;
	return sp_object_export(&object, name);
}

START_TEST(an_object_linked_to_an_address)
{
	const uintptr_t here = (uintptr_t)&made, behind = (uintptr_t)made.strings - (uintptr_t)made.dynamic;
	const uintptr_t linked[] = { 0, 4096, here + 4096, here + ((uintptr_t)1 << 30), here - 4096, here, here + 2 * behind };

	for (size_t i = 0; i < sizeof(linked) / sizeof(linked[0]); i++) {
		/* With a base of 0, and a low one, all pointers are as the loader has made them; so is one in doubt. */
		for (int is_relocated = i > 3; is_relocated < 2; is_relocated++) {
			ck_assert_ptr_eq(find_in_made(linked[i], is_relocated, "there"), &made.target);
			ck_assert_ptr_null(find_in_made(linked[i], is_relocated, "missing"));
			ck_assert_ptr_null(find_in_made(linked[i], is_relocated, "ther"));
		}
	}
	made.hash[1] = 2;	/* its symbols end before it */
	ck_assert_ptr_null(find_in_made(0, true, "there"));
}
END_TEST

START_TEST(an_object_is_found_by_a_test)
{
	struct sp_object libc, object;

	ck_assert(sp_objects_find(is_libc, "/libc.so", &object));
	ck_assert(sp_object_of(dlsym(RTLD_DEFAULT, "getenv"), &libc));
	ck_assert_uint_eq(object.base, libc.base);
	ck_assert(!sp_objects_find(is_libc, "/no_such_library", &object));
}
END_TEST

START_TEST(no_pending_error_of_the_program_is_touched)
{
	ck_assert_ptr_null(dlsym(RTLD_DEFAULT, "a_name_that_the_program_looks_for"));
	sp_objects_export_after((void *)suite_objects, "MPI_Init");
	const char *error = dlerror();
	ck_assert_ptr_nonnull(error);
	ck_assert_ptr_nonnull(strstr(error, "a_name_that_the_program_looks_for"));
	sp_objects_export_after((void *)suite_objects, "MPI_Init");
	ck_assert_ptr_null(dlerror());
}
END_TEST

/* Invented objects, whose tables are found by either kind of hash. */

static const struct {
	const char *name;
	unsigned version;
	bool is_glibcs;
} definitions[MADE_SYMBOLS] = {
	{ "sp_local", 0, true }, { "sp_plain", 1, true }, { "sp_glibcs", 2, true }, { "sp_makers", 3, false },
	{ "sp_nearly", 4, false }, { "sp_hidden", 0x8002, false }, { "sp_also", 2, true }, { "sp_last", 1, true },
};

static void
make_definitions(struct made *object, int hash)
{
	struct made_symbol symbols[MADE_SYMBOLS];

	for (int i = 0; i < MADE_SYMBOLS; i++)
		symbols[i] = (struct made_symbol){ definitions[i].name, &definitions[i], definitions[i].version };
	made_object(object, (enum made_hash)hash, symbols);
}

START_TEST(every_export_is_found)
{
	static struct made object;
	struct sp_object as_object = made_as_object(&object);

	make_definitions(&object, _i);
	for (int i = 0; i < MADE_SYMBOLS; i++)
		ck_assert_ptr_eq(sp_object_export(&as_object, definitions[i].name),
				 definitions[i].version & 0x8000 ? NULL : &definitions[i]);
	ck_assert_ptr_null(sp_object_export(&as_object, "sp_las"));
	ck_assert_ptr_null(sp_object_export(&as_object, "sp_last1"));
}
END_TEST

START_TEST(an_object_without_tables_exports_nothing)
{
	static struct made object;
	struct sp_object as_object = made_as_object(&object);

	for (int missing = 0; missing < 7; missing++) {
		make_definitions(&object, _i);
		/* Without versions a name is one nevertheless. */
		bool is_needed = object.dynamic[missing].d_tag != DT_VERSYM && object.dynamic[missing].d_tag != DT_VERDEF && missing < 5;

		object.dynamic[missing].d_tag = missing < 5 ? DT_DEBUG : DT_NULL;
		ck_assert_ptr_eq(sp_object_export(&as_object, "sp_plain"), is_needed ? NULL : &definitions[1]);
	}
	object.gnu_hash.nbuckets = 0;
	ck_assert(_i == MADE_SYSV || !sp_object_export(&as_object, "sp_plain"));
	as_object.dynamic = NULL;
	ck_assert_ptr_null(sp_object_export(&as_object, "sp_plain"));
}
END_TEST

/* One behind all others in the loader's list, and then one in front of this program. */
START_TEST(a_definition_is_bound_by_its_version)
{
	static struct made object;
	static const char plain[] = "sp_plain";
	static void *_Atomic found;
	static struct sp_late late;
	struct link_map *own = _r_debug.r_map, *last = own, map = { .l_name = (char *)"", .l_ld = object.dynamic };

	make_definitions(&object, _i);
	late.name = (int32_t)((intptr_t)plain - (intptr_t)&late.name);
	late.found = (int32_t)((intptr_t)&found - (intptr_t)&late.found);
	late.hash = hash_of(plain);
	while (last->l_next)
		last = last->l_next;
	last->l_next = &map;
	for (int i = 0; i < MADE_SYMBOLS; i++) {
		const void *wanted = definitions[i].is_glibcs ? &definitions[i] : NULL;

		ck_assert_ptr_eq(sp_objects_bound_export(definitions[i].name), wanted);
		ck_assert_ptr_eq(sp_objects_next_export(definitions[i].name), wanted);
	}
	last->l_next = NULL;
	map.l_next = own;
	own->l_prev = &map;
	_r_debug.r_map = &map;
	ck_assert_ptr_eq(sp_objects_bound_export("sp_plain"), &definitions[1]);
	ck_assert_ptr_null(sp_objects_next_export("sp_plain"));
	sp_objects_bind(&late, &late + 1);
	ck_assert_ptr_eq(found, &definitions[1]);
	_r_debug.r_map = own;
	own->l_prev = NULL;
}
END_TEST

START_TEST(an_object_without_versions_has_glibcs)
{
	static struct made object;
	struct link_map *last = _r_debug.r_map, map = { .l_name = (char *)"", .l_ld = object.dynamic };

	while (last->l_next)
		last = last->l_next;
	last->l_next = &map;
	for (int missing = 2; missing < 4; missing++) {
		make_definitions(&object, _i);
		object.dynamic[missing].d_tag = DT_DEBUG;
		ck_assert_ptr_eq(sp_objects_bound_export("sp_makers"), &definitions[3]);
	}
	last->l_next = NULL;
}
END_TEST

/* What follows this program in the list has its own definitions first. */
START_TEST(the_next_export_is_what_dlsym_finds)
{
	ck_assert_ptr_eq(sp_objects_next_export("getenv"), dlsym(RTLD_NEXT, "getenv"));
	ck_assert_ptr_null(sp_objects_next_export("a_name_that_nobody_has"));
}
END_TEST

START_TEST(objects_are_searched_in_order)
{
	static const char *const names[][4] = { { "sp_one", NULL }, { "sp_one", "sp_other", NULL }, { "sp_other", "sp_one", NULL } };
	static struct made objects[3];

	for (int i = 0; i < 3; i++)
		made_exporting(&objects[i], names[i]);
	made_are_loaded(objects, 3);
	ck_assert_ptr_eq(sp_objects_export_after(NULL, "sp_one"), &objects[0]);
	ck_assert_ptr_eq(sp_objects_export_after(NULL, "sp_other"), &objects[1]);
	ck_assert_ptr_eq(sp_objects_export_after(&objects[0], "sp_one"), &objects[1]);
	ck_assert_ptr_eq(sp_objects_export_after(&objects[1].strings[100], "sp_one"), &objects[2]);
	ck_assert_ptr_null(sp_objects_export_after(&objects[2], "sp_one"));
	made_are_loaded(NULL, 0);
}
END_TEST

/* As with glibc before 2.35, which cannot be asked without the loader's lock. */
START_TEST(an_address_is_found_by_a_walk)
{
	static const char *const none[] = { NULL };
	static struct made objects[4];	/* between two that are not loaded */
	struct sp_object found;

	for (int i = 0; i < 4; i++)
		made_exporting(&objects[i], none);
	made_are_loaded(&objects[1], 2);
	ck_assert(sp_object_of(&objects[2], &found));
	ck_assert_uint_eq(found.start, (uintptr_t)&objects[2]);
	ck_assert_uint_eq(found.end, (uintptr_t)&objects[3]);
	ck_assert_ptr_eq(found.dynamic, objects[2].dynamic);
	ck_assert_uint_eq(found.base, 0);
	ck_assert_str_eq(found.path, "/made");
	ck_assert(sp_object_of((char *)&objects[2] - 1, &found));
	ck_assert_uint_eq(found.start, (uintptr_t)&objects[1]);
	ck_assert(!sp_object_of((char *)&objects[1] - 1, &found));
	ck_assert(!sp_object_of(&objects[3], &found));
	made_are_loaded(NULL, 0);
	/* That it cannot be asked is known from then on. */
	ck_assert(sp_object_of((void *)suite_objects, &found));
	ck_assert_str_eq(found.path, "");
}
END_TEST

/* A walk takes the lock: where it need not be, nothing is visited. */
START_TEST(an_address_is_found_without_a_lock)
{
	static struct made nothing;
	struct sp_object own;

	if (!dlsym(RTLD_DEFAULT, "_dl_find_object"))
		return;
	ck_assert(sp_object_of((void *)suite_objects, &own));
	made_are_loaded(&nothing, 0);
	ck_assert(sp_object_of((void *)suite_objects, &own));
	ck_assert_str_eq(own.path, "");
	made_are_loaded(NULL, 0);
}
END_TEST

Suite *
suite_objects(void)
{
	Suite *suite = suite_create("objects");
	TCase *facts = tcase_create("facts");

	tcase_add_test(facts, an_address_is_found_in_its_object);
	tcase_add_test(facts, an_export_is_what_dlsym_finds);
	tcase_add_test(facts, dependencies_are_named);
	tcase_add_test(facts, what_is_only_needed_is_no_export);
	tcase_add_test(facts, what_is_needed_has_a_version);
	tcase_add_test(facts, references_to_others_are_named);
	tcase_add_test(facts, calls_of_an_object_are_redirected);
	tcase_add_test(facts, a_program_that_loads_code_may_have_any_teams);
	tcase_add_test(facts, the_search_starts_behind_the_given_object);
	tcase_add_test(facts, a_bound_export_is_what_the_loader_binds);
	tcase_add_test(facts, many_are_bound_at_once);
#ifdef SP_HAS_LATE
	tcase_add_test(facts, the_assembler_hashes_names);
	tcase_add_test(facts, a_function_is_bound_when_it_is_called);
#endif
	tcase_add_test(facts, a_bound_export_has_no_version_but_glibcs);
	tcase_add_test(facts, an_object_linked_to_an_address);
	tcase_add_test(facts, an_object_is_found_by_a_test);
	tcase_add_test(facts, no_pending_error_of_the_program_is_touched);
	tcase_add_loop_test(facts, every_export_is_found, MADE_SYSV, MADE_GNU + 1);
	tcase_add_loop_test(facts, an_object_without_tables_exports_nothing, MADE_SYSV, MADE_GNU + 1);
	tcase_add_loop_test(facts, a_definition_is_bound_by_its_version, MADE_SYSV, MADE_GNU + 1);
	tcase_add_loop_test(facts, an_object_without_versions_has_glibcs, MADE_SYSV, MADE_GNU + 1);
	tcase_add_test(facts, the_next_export_is_what_dlsym_finds);
	tcase_add_test(facts, objects_are_searched_in_order);
	tcase_add_test(facts, an_address_is_found_by_a_walk);
	tcase_add_test(facts, an_address_is_found_without_a_lock);
	suite_add_tcase(suite, facts);
	return suite;
}
