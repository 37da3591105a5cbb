/* What the loaded objects export, against what the loader itself says. */
#include <check.h>
#include <dlfcn.h>
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
	tcase_add_test(facts, an_object_is_found_by_a_test);
	tcase_add_test(facts, no_pending_error_of_the_program_is_touched);
	suite_add_tcase(suite, facts);
	return suite;
}
