/* How OpenMP runtimes are recognised, with the machine's own libgomp and libomp. */
#include <check.h>
#include <dlfcn.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "elf/runtimes.h"
#include "made.h"
#include "suites.h"

/* Whether there is LLVM's runtime: looked at in a child, since it is never unloaded. */
static bool
has_libomp(void)
{
	int status = 1;
	pid_t child = fork();

	if (child == 0)
		_exit(dlopen("libomp.so.5", RTLD_NOW | RTLD_LOCAL) == NULL);
	return child > 0 && waitpid(child, &status, 0) == child && status == 0;
}

/* The object that defines this symbol, of a library that is opened for it. */
static struct sp_object
opened(const char *library, const char *symbol)
{
	void *handle = dlopen(library, RTLD_NOW | RTLD_LOCAL);
	struct sp_object object;

	ck_assert_msg(handle != NULL, "%s", dlerror());
	ck_assert(sp_object_of(dlsym(handle, symbol), &object));
	return object;
}

START_TEST(a_program_without_openmp_has_no_runtime)
{
	struct sp_object object;

	ck_assert(!sp_runtimes_are_loaded());
	ck_assert(!sp_runtimes_have_silent());
	ck_assert(!sp_runtimes_find(SP_LIBGOMP, &object));
	ck_assert(!sp_runtimes_find(SP_LIBOMP, &object));
	ck_assert(sp_object_of((void *)suite_runtimes, &object));
	ck_assert(!sp_runtime_is_any(&object));
}
END_TEST

START_TEST(libgomp_is_recognised_by_its_exports)
{
	struct sp_object libgomp = opened("libgomp.so.1", "GOMP_parallel"), found;

	ck_assert(sp_runtime_is(SP_LIBGOMP, &libgomp));
	ck_assert(!sp_runtime_is(SP_LIBOMP, &libgomp));
	ck_assert(sp_runtime_is_any(&libgomp));
	ck_assert(!sp_runtime_is_pool(&libgomp));
	ck_assert(sp_runtimes_are_loaded());
	ck_assert(sp_runtimes_find(SP_LIBGOMP, &found));
	ck_assert_uint_eq(found.base, libgomp.base);
	ck_assert(!sp_runtimes_find_nth(SP_LIBGOMP, 1, &found));
	ck_assert(!sp_runtimes_find(SP_LIBOMP, &found));
	ck_assert(!sp_runtimes_have_silent());
}
END_TEST

START_TEST(libomp_is_neither_libgomp_nor_silent)
{
	struct sp_object libomp = opened("libomp.so.5", "__kmpc_fork_call");

	ck_assert_ptr_nonnull(sp_object_export(&libomp, "GOMP_parallel"));
	ck_assert(!sp_runtime_is(SP_LIBGOMP, &libomp));
	ck_assert(sp_runtime_is(SP_LIBOMP, &libomp));
	ck_assert(sp_runtime_is_any(&libomp));
	ck_assert(sp_runtimes_are_loaded());
	ck_assert(!sp_runtimes_have_silent());
}
END_TEST

START_TEST(each_runtime_has_its_own_default_team)
{
	struct sp_object libgomp = opened("libgomp.so.1", "GOMP_parallel");
	struct sp_object libomp = opened("libomp.so.5", "__kmpc_fork_call");
	int (*of_libgomp)(void) = (int (*)(void))sp_object_export(&libgomp, "omp_get_max_threads");
	int (*of_libomp)(void) = (int (*)(void))sp_object_export(&libomp, "omp_get_max_threads");

	sp_runtime_set_team(&libgomp, 5);
	sp_runtime_set_team(&libomp, 7);
	ck_assert_int_eq(of_libgomp(), 5);
	ck_assert_int_eq(of_libomp(), 7);
}
END_TEST

START_TEST(a_library_without_teams_is_left_alone)
{
	struct sp_object libc;

	ck_assert(sp_object_of(dlsym(RTLD_DEFAULT, "getenv"), &libc));
	sp_runtime_set_team(&libc, 5);
}
END_TEST

/* Invented libraries, by what they export. */
static const struct {
	const char *exports[6];
	enum sp_runtime runtime;	/* SP_RUNTIMES: it is none of these */
	bool is_silent, is_pool;
} libraries[] = {
	{ { "GOMP_parallel", "omp_get_num_threads", "omp_get_thread_num" }, SP_LIBGOMP, false, false },
	{ { "__kmpc_fork_call", "omp_get_num_threads", "omp_get_thread_num", "ompt_start_tool" }, SP_LIBOMP, false, false },
	{ { "__kmpc_fork_call", "GOMP_parallel", "omp_get_num_threads", "omp_get_thread_num", "ompt_start_tool" }, SP_LIBOMP, false, false },
	/* libiomp5 of 2018, and vendors' runtimes: one without and one with the tools' interface. */
	{ { "__kmpc_fork_call", "GOMP_parallel", "omp_get_num_threads", "omp_get_thread_num" }, SP_LIBOMP, true, false },
	{ { "omp_get_num_threads", "omp_get_thread_num" }, SP_RUNTIMES, true, false },
	{ { "omp_get_num_threads", "omp_get_thread_num", "ompt_start_tool" }, SP_RUNTIMES, false, false },
	/* Tracers. */
	{ { "GOMP_parallel" }, SP_RUNTIMES, false, false },
	{ { "__kmpc_fork_call" }, SP_RUNTIMES, false, false },
	{ { "ompt_start_tool" }, SP_RUNTIMES, false, false },
	{ { "openblas_get_num_threads" }, SP_RUNTIMES, false, true },
	{ { "openblas_get_num_threads64_" }, SP_RUNTIMES, false, true },
	{ { "scipy_openblas_get_num_threads" }, SP_RUNTIMES, false, true },
	{ { "scipy_openblas_get_num_threads64_" }, SP_RUNTIMES, false, true },
	{ { "TBB_runtime_interface_version" }, SP_RUNTIMES, false, true },
	{ { "jl_effective_threads" }, SP_RUNTIMES, false, true },
	{ { "bli_thread_get_num_threads" }, SP_RUNTIMES, false, false },
	{ { NULL }, SP_RUNTIMES, false, false },
};

START_TEST(a_library_is_what_it_exports)
{
	static struct made made;
	struct sp_object object = made_as_object(&made), found;
	enum sp_runtime runtime = libraries[_i].runtime;

	made_exporting(&made, libraries[_i].exports);
	made_are_loaded(&made, 1);
	for (enum sp_runtime i = 0; i < SP_RUNTIMES; i++) {
		ck_assert_int_eq(sp_runtime_is(i, &object), i == runtime);
		ck_assert_int_eq(sp_runtimes_find(i, &found), i == runtime);
	}
	ck_assert_int_eq(sp_runtime_is_any(&object), runtime != SP_RUNTIMES);
	ck_assert_int_eq(sp_runtimes_are_loaded(), runtime != SP_RUNTIMES);
	ck_assert_int_eq(sp_runtimes_have_silent(), libraries[_i].is_silent);
	ck_assert_int_eq(sp_runtime_is_pool(&object), libraries[_i].is_pool);
	made_are_loaded(NULL, 0);
}
END_TEST

/* A Python wheel brings its own. */
START_TEST(there_may_be_several_of_a_family)
{
	static const unsigned loaded[] = { 0, 6, 1, 0 };
	static struct made made[4];
	struct sp_object found;

	for (int i = 0; i < 4; i++)
		made_exporting(&made[i], libraries[loaded[i]].exports);
	made_are_loaded(made, 4);
	ck_assert(sp_runtimes_find_nth(SP_LIBGOMP, 0, &found));
	ck_assert_uint_eq(found.start, (uintptr_t)&made[0]);
	ck_assert(sp_runtimes_find_nth(SP_LIBGOMP, 1, &found));
	ck_assert_uint_eq(found.start, (uintptr_t)&made[3]);
	ck_assert(!sp_runtimes_find_nth(SP_LIBGOMP, 2, &found));
	ck_assert(sp_runtimes_find_nth(SP_LIBOMP, 0, &found));
	ck_assert_uint_eq(found.start, (uintptr_t)&made[2]);
	ck_assert(!sp_runtimes_find_nth(SP_LIBOMP, 1, &found));
	made_are_loaded(NULL, 0);
}
END_TEST

static const struct {
	const char *name;
	enum sp_runtime runtime;
} files[] = {
	{ "libgomp.so.1", SP_LIBGOMP },
	{ "libgomp-a34b3233.so.1.0.0", SP_LIBGOMP },	/* of a Python wheel */
	{ "libgomp", SP_RUNTIMES },
	{ "xlibgomp.so.1", SP_RUNTIMES },
	{ "libomp.so.5", SP_LIBOMP },
	{ "libiomp5.so", SP_LIBOMP },
	{ "libomp5.so", SP_LIBOMP },
	{ "libnvomp.so", SP_LIBOMP },
	{ "libomptarget.so.14", SP_RUNTIMES },
	{ "libompi.so", SP_RUNTIMES },
	{ "libc.so.6", SP_RUNTIMES },
	{ "", SP_RUNTIMES },
};

START_TEST(files_are_recognised_by_their_names)
{
	ck_assert_int_eq(sp_runtime_of_file(files[_i].name), files[_i].runtime);
}
END_TEST

START_TEST(a_family_is_seen_by_its_hook)
{
	ck_assert_str_eq(sp_runtime_hook(SP_LIBGOMP), "pthread_getaffinity_np");
	ck_assert_str_eq(sp_runtime_hook(SP_LIBOMP), "ompt_start_tool");
	ck_assert_str_eq(sp_runtime_seen_by(SP_LIBGOMP), "pthread");
	ck_assert_str_eq(sp_runtime_seen_by(SP_LIBOMP), "ompt");
}
END_TEST

Suite *
suite_runtimes(void)
{
	Suite *suite = suite_create("runtimes");
	TCase *facts = tcase_create("facts");

	tcase_add_test(facts, a_program_without_openmp_has_no_runtime);
	tcase_add_test(facts, libgomp_is_recognised_by_its_exports);
	if (has_libomp()) {
		tcase_add_test(facts, libomp_is_neither_libgomp_nor_silent);
		tcase_add_test(facts, each_runtime_has_its_own_default_team);
	}
	tcase_add_test(facts, a_library_without_teams_is_left_alone);
	tcase_add_loop_test(facts, a_library_is_what_it_exports, 0, sizeof(libraries) / sizeof(libraries[0]));
	tcase_add_test(facts, there_may_be_several_of_a_family);
	tcase_add_loop_test(facts, files_are_recognised_by_their_names, 0, sizeof(files) / sizeof(files[0]));
	tcase_add_test(facts, a_family_is_seen_by_its_hook);
	suite_add_tcase(suite, facts);
	return suite;
}
