#include <stddef.h>

#include "elf/objects.h"
#include "elf/references.h"
#include "elf/runtimes.h"
#include "elf/teams.h"

enum kind {
	REGION = 1,		/* opens parallel regions */
	UNEVEN = 2,		/* changes the size of teams, or nests them */
	MAKING_ROOTS = 4,	/* creates threads, or loads code that may */
};

/*
 * Beginnings of names, which also match Fortran's names and later versions.
 * Code compiled by gcc passes a size with each region, so any size is possible.
 * Texts in the table itself: pointers would be relocated in every process.
 */
static const struct {
	unsigned char kind;
	char start[31];
} prefixes[] = {
	{ REGION, "__kmpc_fork_call" }, { UNEVEN, "__kmpc_push_num_t" }, { UNEVEN, "__kmpc_fork_teams" },
	{ UNEVEN, "__kmpc_omp_target_task" },	/* makes the runtime open a team of helpers */
	{ UNEVEN, "__kmpc_set_thread_limit" },	/* of "target" with thread_limit, where the host runs it */
	{ UNEVEN, "GOMP_parallel" }, { UNEVEN, "GOMP_teams" }, { UNEVEN, "omp_set_num_threads" }, { UNEVEN, "omp_set_dynamic" },
	{ UNEVEN, "omp_set_nested" }, { UNEVEN, "omp_set_max_active" }, { UNEVEN, "omp_pause" }, { UNEVEN, "ompc_set_" },
	{ UNEVEN, "kmp_set_defaults" }, { UNEVEN, "kmpc_set_defaults" },
	{ UNEVEN, "kmp_set_affinity" }, { UNEVEN, "kmp_set_thread_affinity" },
	{ MAKING_ROOTS, "pthread_create" }, { MAKING_ROOTS, "thrd_create" }, { MAKING_ROOTS, "_ZNSt6thread15_M_start_thread" },
	{ MAKING_ROOTS, "_ZN5boost6thread" }, { MAKING_ROOTS, "_ZN7QThread5start" }, { MAKING_ROOTS, "_ZN11QThreadPool" },
	{ MAKING_ROOTS, "g_thread_" },
	{ MAKING_ROOTS, "dlopen" }, { MAKING_ROOTS, "dlmopen" }, { MAKING_ROOTS, "dlsym" },	/* by which any of these can be called */
};

/* Exported by MKL's libmkl_rt, which has no regions, but loads code whose teams have other sizes at its first call. */
static const char loads_mkl[] = "MKL_Set_Threading_Layer";

/* Whether a mangled name may be in the table, by what follows _ZN. */
static bool
may_be_thread_of_cxx(const char *name)
{
	switch (name[0]) {
	case 'S':
		return name[1] == 't' && name[2] == '6';
	case '1':
		return name[1] == '1';
	}
	return name[0] == '5' || name[0] == '7';
}

/* A quick test before the table is searched: a rank has thousands of names, and most differ in the first three letters. */
static bool
may_be_of_a_kind(const char *name)
{
	switch (name[0]) {
	case '_':
		return name[1] == '_' ? name[2] == 'k' : name[1] == 'Z' && name[2] == 'N' && may_be_thread_of_cxx(name + 3);
	case 'g':
		return name[1] == '_' && name[2] == 't';
	case 'G':
	case 'k':
	case 'o':
		return name[1] == 'O' || name[1] == 'm';
	case 'p':
	case 't':
		return name[1] == 't' || name[1] == 'h';
	case 'd':
		return name[1] == 'l';
	}
	return false;
}

static unsigned
kind_of(const char *name)
{
	for (unsigned i = 0; may_be_of_a_kind(name) && i < sizeof(prefixes) / sizeof(prefixes[0]); i++)
		if (sp_name_begins(name, prefixes[i].start))
			return prefixes[i].kind;
	return 0;
}

static bool
is_cause(const struct sp_object *object, const void *data)
{
	unsigned kinds = sp_runtime_is_any(object) ? 0 : sp_object_kinds(object, kind_of);

	(void)data;
	if (object->path[0] == '\0')
		kinds |= REGION;
	if (sp_object_export(object, loads_mkl))
		kinds |= UNEVEN;
	return kinds & UNEVEN || (kinds & REGION && kinds & MAKING_ROOTS);
}

bool
sp_teams_are_even(void)
{
	struct sp_object object;

	return !sp_objects_find(is_cause, NULL, &object);
}
