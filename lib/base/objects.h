/*
 * The loaded objects and what they export, read from their ELF tables.
 *
 * dladdr, dlopen and dlsym take the loader's lock, which another thread may
 * hold while a constructor of its library waits for this one; they also change
 * what dlerror() returns.  These functions do neither and allocate nothing.
 */
#ifndef SP_OBJECTS_H
#define SP_OBJECTS_H

#include <stdbool.h>
#include <stdint.h>

struct sp_object {
	uintptr_t base;		/* load address: 0 for an executable that is not relocated */
	uintptr_t start, end;	/* its mapped segments lie in [start, end) */
	const void *dynamic;	/* its dynamic section, or NULL */
	const char *path;	/* as the loader knows it; "" for the executable */
};

/* The object that holds this address.  False where there is none. */
bool sp_object_of(const void *address, struct sp_object *object);

/* Address of a symbol that the object itself defines and exports, or NULL. */
void *sp_object_export(const struct sp_object *object, const char *name);

/*
 * The same in the first object, in load order, that exports the name and was
 * loaded after the one that holds the address `after` (NULL: in any); NULL where
 * none does.
 */
void *sp_objects_export_after(const void *after, const char *name);

/*
 * Whether an object is libgomp: it exports GOMP_parallel and not the entry
 * points of LLVM's runtime, which offers GOMP_parallel too.  Names of files
 * tell nothing: Python wheels rename their copies.
 */
bool sp_object_is_libgomp(const struct sp_object *object);

/* Whether any OpenMP runtime is loaded, of GNU's or LLVM's entry points. */
bool sp_objects_have_runtime(void);

/* What the first libgomp that is loaded exports under this name, or NULL. */
void *sp_objects_libgomp_export(const char *name);

/*
 * Whether an OpenMP runtime is loaded that neither asks pthreads for its mask
 * (as libgomp does) nor knows OMPT: libiomp5 before 2019, vendors' runtimes.
 */
bool sp_objects_have_silent_runtime(void);

#endif
