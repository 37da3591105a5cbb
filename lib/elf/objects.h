/*
 * The loaded objects and what they export, read from their ELF tables.
 *
 * dladdr, dlopen and dlsym take the loader's lock, which another thread may
 * hold while a constructor of its library waits for this thread; they also
 * change what dlerror() returns.  These functions do neither and allocate nothing.
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

/*
 * Whether the loader has relocated this object.  Until then, when resolvers of
 * indirect functions may already call into it, no other object can be reached.
 */
bool sp_objects_are_reached(void);

/*
 * Find the object that holds this address.  False: there is none.  Takes no lock
 * where glibc has _dl_find_object (2.35).
 */
bool sp_object_of(const void *address, struct sp_object *object);

/* Whether an address lies in the object. */
static inline bool
sp_object_holds(const struct sp_object *object, const void *address)
{
	return object->start <= (uintptr_t)address && (uintptr_t)address < object->end;
}

/* Whether the name of a symbol or a file begins with this text. */
static inline bool
sp_name_begins(const char *name, const char *start)
{
	while (*start && *name == *start) {
		name++;
		start++;
	}
	return *start == '\0';
}

/* Address of a symbol that the object itself defines and exports, or NULL. */
void *sp_object_export(const struct sp_object *object, const char *name);

/*
 * Whether the object refers to this version ("GLIBC_2.3.3") of another object's
 * symbol.  Also false if the object exports nothing and has only DT_GNU_HASH
 * (glibc 2.5), which then does not tell how many symbols there are.
 */
bool sp_object_refers(const struct sp_object *object, const char *name, const char *version);

/*
 * The address of this name in the first object, in load order, that exports it
 * and comes after the object that holds the address `after` (NULL: the first of
 * all objects).  NULL: none exports it.
 */
void *sp_objects_export_after(const void *after, const char *name);

/* The file name of the object's i-th dependency, valid as long as the object is loaded; NULL: it has fewer dependencies. */
const char *sp_object_needs(const struct sp_object *object, unsigned i);

/* Find the first object, in load order, that the test accepts.  False: it accepts none. */
typedef bool sp_object_test(const struct sp_object *object, const void *data);
bool sp_objects_find(sp_object_test *accept, const void *data, struct sp_object *object);

/*
 * Whether the test accepts any object of another namespace than the caller's
 * (dlmopen); the start and end of such objects are not known.  Also false where
 * glibc does not list them (before 2.35).  Takes no lock, so that it may be
 * called at the end of a process.
 */
bool sp_objects_are_apart(sp_object_test *accept, const void *data);

/*
 * The definition to which the loader would bind a reference of this object to a
 * function of glibc: the first in load order, whether before or after this
 * object, that is unversioned or has a version of glibc's; of any version where
 * the loader has no list of its objects (musl).  NULL: there is none.
 */
void *sp_objects_bound_export(const char *name);

/*
 * The same among the objects after this one: the definition that an interposed
 * function calls.  Read from the loader's list of objects, without a lock and
 * without calling libc, whose dl_iterate_phdr a program may have replaced.
 * NULL: there is none, or the loader has no such list (musl).
 */
void *sp_objects_next_export(const char *name);

/*
 * An entry of the table of late.h: where the name of a function lies, and where
 * its definition is noted, each in bytes from the field itself; and the hash of
 * the name in tables of DT_GNU_HASH.
 */
struct sp_late {
	int32_t name, found;
	uint32_t hash;
};

/*
 * Note the definition of this function, which is that of sp_objects_bound_export,
 * or `absent` where there is none, and return it.  Threads may call this at the
 * same time: all note the same.
 */
void *sp_objects_bind_one(const struct sp_late *late, void *absent);

/*
 * Note the definitions of all these functions in one pass over the objects.  Functions without a
 * definition stay as they are, and so do all where the loader has no list.
 */
void sp_objects_bind(const struct sp_late *first, const struct sp_late *end);

#endif
