/* The table of OpenMP runtimes, and what is read from it. */
#include <stddef.h>
#include <string.h>

#include "base/text.h"
#include "elf/runtimes.h"

#define NFILES 4

/*
 * Texts in the table itself: pointers would be relocated in every process.
 * LLVM's runtime exports libgomp's entry points too, hence `lacks`.
 */
static const struct family {
	char exports[17];	/* a name that it exports */
	char also[20];		/* a second one, because tracers may define the first, too */
	char lacks[17];		/* a name that it does not export; "": not checked */
	char hook[23];		/* the function by whose call it is seen */
	bool exports_hook;	/* the hook is defined by those versions that call it; otherwise every version calls it */
	char seen_by[8];
	char file[NFILES][9];	/* how names of its files begin; "": no more */
} families[SP_RUNTIMES] = {
	[SP_LIBGOMP] = { "GOMP_parallel", "omp_get_num_threads", "__kmpc_fork_call", "pthread_getaffinity_np", false, "pthread",
			 { "libgomp.", "libgomp-" } },
	[SP_LIBOMP] = { "__kmpc_fork_call", "omp_get_num_threads", "", "ompt_start_tool", true, "ompt",
			{ "libomp.", "libiomp5", "libomp5", "libnvomp" } },
};

/* Exported by every runtime, of these families or none. */
static const char any_runtime[] = "omp_get_thread_num";
static const char set_team[] = "omp_set_num_threads";

/* The hook of runtimes that are of no family. */
#define HOOK_OF_OTHERS (families[SP_LIBOMP].hook)

bool
sp_runtime_is(enum sp_runtime runtime, const struct sp_object *object)
{
	const struct family *family = &families[runtime];

	return sp_object_export(object, family->exports) && sp_object_export(object, family->also) &&
	       !(*family->lacks && sp_object_export(object, family->lacks));
}

bool
sp_runtime_is_any(const struct sp_object *object)
{
	for (int i = 0; i < SP_RUNTIMES; i++)
		if (sp_runtime_is(i, object))
			return true;
	return false;
}

/*
 * Names exported by libraries that create a pool of threads, one for each CPU of
 * the mask as sched_getaffinity returns it (in some versions of Julia,
 * pthread_getaffinity_np).  OpenBLAS does so in its constructor; its names have
 * a prefix or a suffix where a program may load several copies.  (BLIS does not
 * count CPUs; MKL without OpenMP has oneTBB's pool or none.)
 */
static const char pools[][34] = {
	"openblas_get_num_threads",
	"openblas_get_num_threads64_",
	"scipy_openblas_get_num_threads",
	"scipy_openblas_get_num_threads64_",
	"TBB_runtime_interface_version",
	"jl_effective_threads",
};

bool
sp_runtime_is_pool(const struct sp_object *object)
{
	for (unsigned i = 0; i < sizeof(pools) / sizeof(pools[0]); i++)
		if (sp_object_export(object, pools[i]))
			return true;
	return false;
}

static bool
is_any(const struct sp_object *object, const void *data)
{
	(void)data;
	return sp_runtime_is_any(object);
}

bool
sp_runtimes_are_loaded(void)
{
	struct sp_object object;

	return sp_objects_find(is_any, NULL, &object);
}

bool
sp_runtimes_are_apart(void)
{
	return sp_objects_are_apart(is_any, NULL);
}

static bool
is_executable(const struct sp_object *object, const void *data)
{
	(void)data;
	return *object->path == '\0';
}

/* Whether the executable is linked with a file of this name, or, where file is NULL, with any runtime's. */
static bool
is_needed(const char *file)
{
	struct sp_object program;
	const char *name = NULL;

	if (!sp_objects_find(is_executable, NULL, &program))
		return false;
	for (unsigned i = 0; (name = sp_object_needs(&program, i)); i++)
		if (file ? strcmp(sp_last_part(name), file) == 0 : sp_runtime_of_file(name) != SP_RUNTIMES)
			break;
	return name != NULL;
}

bool
sp_runtimes_are_needed(void)
{
	return is_needed(NULL);
}

bool
sp_runtime_is_needed(const struct sp_object *object)
{
	return is_needed(sp_last_part(object->path));
}

static bool
has_hook(const struct sp_object *object)
{
	for (int i = 0; i < SP_RUNTIMES; i++)
		if (!families[i].exports_hook && sp_runtime_is(i, object))
			return true;
	return sp_object_export(object, HOOK_OF_OTHERS) != NULL;
}

static bool
is_silent(const struct sp_object *object, const void *data)
{
	(void)data;
	return sp_object_export(object, any_runtime) && !has_hook(object);
}

bool
sp_runtimes_have_silent(void)
{
	struct sp_object object;

	return sp_objects_find(is_silent, NULL, &object);
}

struct nth {
	enum sp_runtime runtime;
	unsigned *left;		/* how many more to skip */
};

static bool
is_nth(const struct sp_object *object, const void *data)
{
	const struct nth *nth = data;

	return sp_runtime_is(nth->runtime, object) && (*nth->left)-- == 0;
}

bool
sp_runtimes_find_nth(enum sp_runtime runtime, unsigned n, struct sp_object *object)
{
	struct nth nth = { .runtime = runtime, .left = &n };

	return sp_objects_find(is_nth, &nth, object);
}

bool
sp_runtimes_find(enum sp_runtime runtime, struct sp_object *object)
{
	return sp_runtimes_find_nth(runtime, 0, object);
}

void
sp_runtime_set_team(const struct sp_object *object, uint32_t team)
{
	void (*set)(int) = (void (*)(int))sp_object_export(object, set_team);

	if (set)
		set((int)team);
}

int
sp_runtime_ask(const struct sp_object *object, const char *name)
{
	int (*function)(void) = (int (*)(void))sp_object_export(object, name);

	return function ? function() : 0;
}

static bool
is_file_of(const struct family *family, const char *name)
{
	for (int i = 0; i < NFILES && family->file[i][0]; i++)
		if (sp_name_begins(name, family->file[i]))
			return true;
	return false;
}

enum sp_runtime
sp_runtime_of_file(const char *name)
{
	int i = 0;

	while (i < SP_RUNTIMES && !is_file_of(&families[i], name))
		i++;
	return i;
}

const char *
sp_runtime_hook(enum sp_runtime runtime)
{
	return families[runtime].hook;
}

const char *
sp_runtime_seen_by(enum sp_runtime runtime)
{
	return families[runtime].seen_by;
}
