/* What goes wrong in one program. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "elf/runtimes.h"
#include "cmd/check/rows.h"
#include "cmd/cmd.h"

static bool
begins(const char *text, const char *start)
{
	return strncmp(text, start, strlen(start)) == 0;
}

static void
look_for_obstacle(struct check *check, enum target_obstacle obstacle)
{
	char *sentence = target_obstacle(&check->target, obstacle);

	if (sentence)
		check_found(check, "%s", sentence);
	free(sentence);
}

static void
look_for_static(struct check *check)
{
	look_for_obstacle(check, TARGET_STATIC);
}

static void
look_for_other_rights(struct check *check)
{
	look_for_obstacle(check, TARGET_RIGHTS);
}

static void
look_for_architecture(struct check *check)
{
	look_for_obstacle(check, TARGET_FOREIGN);
}

static void
look_for_musl(struct check *check)
{
	look_for_obstacle(check, TARGET_MUSL);
}

static void
look_for_missing(struct check *check)
{
	for (size_t i = 0; i < check->target.nobjects; i++)
		if (!check->target.object[i].path)
			check_found(check, "%s needs %s, which cannot be found", check->target.path, check->target.object[i].name);
}

/* Reports libraries of one kind that come from several files. */
static void
look_for_several(struct check *check, bool (*is_kind)(const char *name), const char *kind)
{
	char *list = cmd_format("%s", ""), *first = NULL;
	size_t n = 0;

	for (size_t i = 0; i < check->target.nobjects; i++) {
		const struct loader_object *object = &check->target.object[i];
		char *real = object->path && is_kind(object->name) ? realpath(object->path, NULL) : NULL;

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
		check_found(check, "%s loads %zu %s: %s", check->target.path, n, kind, list);
	free(list);
	free(first);
}

static void
look_for_openmp(struct check *check)
{
	look_for_several(check, target_is_openmp, "OpenMP runtimes");
}

static void
look_for_mpi(struct check *check)
{
	look_for_several(check, target_is_mpi, "MPI libraries");
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
look_for_pmix(struct check *check)
{
	look_for_several(check, target_is_pmix, "PMIx libraries");
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

/* One directory of an RPATH, with the program's for "$ORIGIN", as the path of a libpmix there; the caller's. */
static char *
expand(const char *folder, size_t length, const char *program)
{
	static const char *const origins[] = { "$ORIGIN", "${ORIGIN}" };
	const char *slash = strrchr(program, '/');
	int own = slash ? (int)(slash - program) : 1;

	for (size_t i = 0; i < 2; i++) {
		size_t word = strlen(origins[i]);

		if (length >= word && strncmp(folder, origins[i], word) == 0)
			return cmd_format("%.*s%.*s/libpmix.so.2", own, slash ? program : ".",
					  (int)(length - word), folder + word);
	}
	return cmd_format("%.*s/libpmix.so.2", (int)length, folder);
}

/* The libpmix that a library without an RPATH would get; the caller's, or NULL. */
static char *
common_pmix(void)
{
	char *self = realpath("/proc/self/exe", NULL), *found = NULL;
	struct loader_object *object = NULL;
	size_t n = self ? loader_objects(self, "libpmix.so.2", &object) : 0;

	for (size_t i = 0; i < n && !found; i++)
		if (target_is_pmix(object[i].name) && object[i].path)
			found = realpath(object[i].path, NULL);
	loader_release(object, n);
	free(self);
	return found;
}

/* MPI libraries and their plugins load PMIx later, by their own RPATH. */
static void
look_for_rpath(struct check *check)
{
	char *common = check->target.elf.rpath ? common_pmix() : NULL;

	for (const char *at = check->target.elf.rpath; common && at && *at; at += strcspn(at, ":"), at += *at == ':') {
		char *path = expand(at, strcspn(at, ":"), check->target.path), *real = realpath(path, NULL);

		if (real && strcmp(real, common) != 0)
			check_found(check, "%s has an RPATH that leads to %s, and other libraries find %s", check->target.path, path, common);
		free(real);
		free(path);
	}
	free(common);
}

const struct check_row check_program_rows[] = {
	{ "program-static", "it is linked statically",
	  "link it and its MPI library dynamically, or bind its ranks with the options that \"splitpin plan --for\" prints",
	  look_for_static },
	{ "program-rights", "it runs with privileges that the user lacks",
	  "remove the privileges, or bind its ranks with the options that \"splitpin plan --for\" prints",
	  look_for_other_rights },
	{ "program-foreign", "it is for another processor or word size",
	  "build splitpin for that processor as well", look_for_architecture },
	{ "program-musl", "it is linked with musl, another C library",
	  "build it with glibc, or bind its ranks with the options that \"splitpin plan --for\" prints", look_for_musl },
	{ "program-missing", "it needs a library that cannot be found",
	  "load the module that has it, or set LD_LIBRARY_PATH", look_for_missing },
	{ "program-openmp", "it loads several OpenMP runtimes",
	  "build the whole program with one compiler, or link one runtime under all names: each runtime starts as many threads as the share has CPUs",
	  look_for_openmp },
	{ "program-mpi", "it loads several MPI libraries",
	  "build the whole program with the compiler wrappers of one MPI library", look_for_mpi },
	{ "program-launcher", "its MPI library is not the launcher's",
	  "start it with the mpirun of the MPI library that it was built with", look_for_launcher },
	{ "program-pmix", "it loads libpmix from two places",
	  "put one of them in LD_LIBRARY_PATH and remove any RPATH to the other: two libpmix in one process crash it", look_for_pmix },
	{ "program-rpath", "its RPATH leads to a libpmix of its own",
	  "link it without that folder in its RPATH (patchelf --remove-rpath), or put the folder first in LD_LIBRARY_PATH", look_for_rpath },
	{ "program-hook", "its OpenMP runtime cannot be seen by splitpin",
	  "use one that can be seen: libgomp of GCC 5 or newer, libomp, libiomp5 of 2019 or newer", look_for_hook },
	{ "program-sanitizer", "it refuses preloaded libraries",
	  "set ASAN_OPTIONS=verify_asan_link_order=0", look_for_sanitizer },
	{ .id = NULL }
};
