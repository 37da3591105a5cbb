/* What goes wrong in one program. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "elf/runtimes.h"
#include "cmd/check/rows.h"
#include "cmd/cmd.h"

static bool
begins(const char *text, const char *start)
{
	return strncmp(text, start, strlen(start)) == 0;
}

/* Of the first rows, in the order of enum target_obstacle. */
static void
look_for_obstacle(struct check *check)
{
	char *sentence = target_obstacle(&check->target, (enum target_obstacle)(check->row - check_program_rows));

	if (sentence)
		check_found(check, "%s", sentence);
	free(sentence);
}

static void
look_for_missing(struct check *check)
{
	for (size_t i = 0; i < check->target.nobjects; i++)
		if (!check->target.object[i].path)
			check_found(check, "%s needs %s, which cannot be found", check->target.path, check->target.object[i].name);
}

/* Several files with OpenMP runtimes, under whatever names. */
static void
look_for_openmp(struct check *check)
{
	char *list = cmd_format("%s", ""), *first = NULL;
	size_t n = 0;

	for (size_t i = 0; i < check->target.nobjects; i++) {
		const struct loader_object *object = &check->target.object[i];
		char *real = object->path && target_is_openmp(object->name) ? realpath(object->path, NULL) : NULL;

		if (real && (!first || strcmp(first, real) != 0)) {
			list = cmd_append(list, ", ", "%s", object->path);
			n++;
			if (!first) {
				first = real;
				real = NULL;
			}
		}
		free(real);
	}
	if (n > 1)
		check_found(check, "%s loads %zu OpenMP runtimes: %s", check->target.path, n, list);
	free(list);
	free(first);
}

static bool
is_openmpi_part(const char *name)
{
	return begins(name, "libopen-pal.so") || begins(name, "libopen-rte.so") || begins(name, "libmpi.so.20") ||
	       begins(name, "libmpi.so.40");
}

static bool
is_mpich(const char *name)
{
	return begins(name, "libmpi.so.12") || begins(name, "libmpich.so");
}

/* Open MPI's ranks do not understand Hydra, nor MPICH's and Intel's Open MPI's mpirun, unless built for PMIx: each is alone, or ends. */
static void
look_for_launcher(struct check *check)
{
	const struct target *target = &check->target;
	const char *library = target_needs(target, target_is_mpi);
	bool is_openmpi = target_needs(target, is_openmpi_part);

	if (!library || (!is_openmpi && !is_mpich(library)))
		return;
	if ((target->launcher == TARGET_HYDRA && is_openmpi) || (target->launcher == TARGET_OPENMPI && !is_openmpi))
		check_found(check, "%s needs %s of %s, but %s starts it: its ranks may not find each other",
			    target->path, library, is_openmpi ? "Open MPI" : "MPICH or Intel MPI", target->launcher_name);
}

static void
look_for_hook(struct check *check)
{
	for (size_t i = 0; i < check->target.nobjects; i++) {
		const struct loader_object *object = &check->target.object[i];
		enum sp_runtime runtime = sp_runtime_of_file(object->name);
		struct elf_file file;

		if (!object->path || runtime == SP_RUNTIMES || elf_file_open(object->path, &file) != 0)
			continue;
		const char *hook = sp_runtime_hook(runtime);
		if (file.is_native && !elf_file_has_name(&file, hook))
			check_found(check, "%s does not call %s: its threads stay in the share and are not pinned", object->path, hook);
		elf_file_release(&file);
	}
}

static void
look_for_sanitizer(struct check *check)
{
	const char *settings = check_variable("ASAN_OPTIONS");

	for (size_t i = 0; i < check->target.nobjects; i++)
		if (begins(check->target.object[i].name, "libasan.so") && !(settings && strstr(settings, "verify_asan_link_order=0")))
			check_found(check, "%s is built with -fsanitize=address, and refuses to start with a preloaded library", check->target.path);
}

const struct check_row check_program_rows[] = {
	{ "program-static", "it is linked statically",
	  "link it and its MPI library dynamically, or bind its ranks with the options that \"splitpin plan --for\" prints",
	  look_for_obstacle },
	{ "program-rights", "it runs with privileges that the user lacks",
	  "remove the privileges, or bind its ranks with the options that \"splitpin plan --for\" prints",
	  look_for_obstacle },
	{ "program-foreign", "it is for another processor or word size",
	  "build splitpin for that processor as well", look_for_obstacle },
	{ "program-musl", "it is linked with musl, another C library",
	  "build it with glibc, or bind its ranks with the options that \"splitpin plan --for\" prints", look_for_obstacle },
	{ "program-missing", "it needs a library that cannot be found",
	  "load the module that has it, or set LD_LIBRARY_PATH", look_for_missing },
	{ "program-openmp", "it loads several OpenMP runtimes",
	  "build the whole program with one compiler, or link one runtime under all names: each runtime starts as many threads as the share has CPUs",
	  look_for_openmp },
	{ "program-launcher", "its MPI library is not the launcher's",
	  "start it with the mpirun of the MPI library that it was built with", look_for_launcher },
	{ "program-hook", "its OpenMP runtime cannot be seen by splitpin",
	  "use one that can be seen: libgomp of GCC 5 or newer, libomp, libiomp5 of 2019 or newer", look_for_hook },
	{ "program-sanitizer", "it refuses preloaded libraries",
	  "set ASAN_OPTIONS=verify_asan_link_order=0", look_for_sanitizer },
	{ .id = NULL }
};
