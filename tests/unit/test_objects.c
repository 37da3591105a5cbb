/* What the loaded objects export, against what the loader itself says. */
#include <check.h>
#include <dlfcn.h>
#include <link.h>
#include <string.h>
#include <stdlib.h>

#include "base/objects.h"
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

/* It has versions of its own. */
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
	const uintptr_t here = (uintptr_t)&made, linked[] = { 0, 4096, here + 4096, here + ((uintptr_t)1 << 30), here - 4096, here };

	for (size_t i = 0; i < sizeof(linked) / sizeof(linked[0]); i++) {
		/* With a base of 0, and a low one, all pointers are as the loader has made them. */
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

Suite *
suite_objects(void)
{
	Suite *suite = suite_create("objects");
	TCase *facts = tcase_create("facts");

	tcase_add_test(facts, an_address_is_found_in_its_object);
	tcase_add_test(facts, an_export_is_what_dlsym_finds);
	tcase_add_test(facts, what_is_only_needed_is_no_export);
	tcase_add_test(facts, the_search_starts_behind_the_given_object);
	tcase_add_test(facts, a_bound_export_is_what_the_loader_binds);
	tcase_add_test(facts, a_bound_export_has_no_version_but_glibcs);
	tcase_add_test(facts, an_object_linked_to_an_address);
	tcase_add_test(facts, an_object_is_found_by_a_test);
	tcase_add_test(facts, no_pending_error_of_the_program_is_touched);
	suite_add_tcase(suite, facts);
	return suite;
}
