/*
 * The OpenMP runtimes: how they are recognised, and the calls by which splitpin
 * sees them start.
 *
 * Loaded ones are recognised by what they export, never by their files' names:
 * Python wheels rename their copies.  Only files that are not loaded are
 * recognised by name.
 */
#ifndef SP_RUNTIMES_H
#define SP_RUNTIMES_H

#include <stdbool.h>
#include <stdint.h>

#include "elf/objects.h"
#include "runtime.h"

/* Whether a loaded object is a runtime of this family; of any family. */
bool sp_runtime_is(enum sp_runtime runtime, const struct sp_object *object);
bool sp_runtime_is_any(const struct sp_object *object);

/* Whether a runtime of any family is loaded. */
bool sp_runtimes_are_loaded(void);

/* Whether a runtime is loaded in another namespace (dlmopen), as far as sp_objects_are_apart can see. */
bool sp_runtimes_are_apart(void);

/*
 * Whether an OpenMP runtime is loaded that has no hook, so that splitpin does
 * not see it start: libiomp5 before 2019, vendors' runtimes of no family here.
 */
bool sp_runtimes_have_silent(void);

/* Whether the executable itself, and not only a library, is linked with a runtime. */
bool sp_runtimes_are_needed(void);

/*
 * Whether the executable is linked with this very runtime, which is then not
 * unloaded before the program ends.
 */
bool sp_runtime_is_needed(const struct sp_object *object);

/* Find the first runtime of this family, in load order.  False: none is loaded. */
bool sp_runtimes_find(enum sp_runtime runtime, struct sp_object *object);

/* The same, but skip the first n: a Python wheel has a libgomp of its own beside the system's. */
bool sp_runtimes_find_nth(enum sp_runtime runtime, unsigned n, struct sp_object *object);

/*
 * Whether a loaded object is a library, other than an OpenMP runtime, that
 * creates as many threads as its mask has CPUs: OpenBLAS, oneTBB, Julia.
 */
bool sp_runtime_is_pool(const struct sp_object *object);

/* Set the default size of the calling thread's teams in this runtime. */
void sp_runtime_set_team(const struct sp_object *object, uint32_t team);

/* Call the runtime's function of this name, without arguments, and return its result; 0 if it has no such function. */
int sp_runtime_ask(const struct sp_object *object, const char *name);

/* The family of a library by its file's name; SP_RUNTIMES: it belongs to none. */
enum sp_runtime sp_runtime_of_file(const char *name);

/* The function whose call is the first sign of this family; a file that does not contain its name has no hook. */
const char *sp_runtime_hook(enum sp_runtime runtime);

/* How its threads are seen, for messages: "pthread" or "ompt". */
const char *sp_runtime_seen_by(enum sp_runtime runtime);

#endif
