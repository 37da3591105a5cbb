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

/* Whether a loaded object is a runtime of this family; of any of them. */
bool sp_runtime_is(enum sp_runtime runtime, const struct sp_object *object);
bool sp_runtime_is_any(const struct sp_object *object);

/* Whether a runtime of any family is loaded. */
bool sp_runtimes_are_loaded(void);

/* Whether a runtime is loaded in a namespace of dlmopen, as far as the loader lists these: sp_objects_are_apart. */
bool sp_runtimes_are_apart(void);

/*
 * Whether an OpenMP runtime is loaded that has no hook, so that splitpin does
 * not see it start: libiomp5 before 2019, vendors' runtimes of no family here.
 */
bool sp_runtimes_have_silent(void);

/* Whether the executable itself is linked with a runtime: it is a program with OpenMP, and not only a library of it. */
bool sp_runtimes_are_needed(void);

/*
 * Whether the executable is linked with this very runtime, which is then not
 * unloaded before the program ends.
 */
bool sp_runtime_is_needed(const struct sp_object *object);

/* Find the first runtime of this family, in load order.  False: none is loaded. */
bool sp_runtimes_find(enum sp_runtime runtime, struct sp_object *object);

/* The same, but skip n of them: a Python wheel has a libgomp of its own beside the system's. */
bool sp_runtimes_find_nth(enum sp_runtime runtime, unsigned n, struct sp_object *object);

/*
 * Whether a loaded object is a library, not of OpenMP, that counts CPUs by its
 * own mask and makes as many threads: OpenBLAS, oneTBB, Julia.
 */
bool sp_runtime_is_pool(const struct sp_object *object);

/* Set the default size of the calling thread's teams in this runtime. */
void sp_runtime_set_team(const struct sp_object *object, uint32_t team);

/* The result of the runtime's function of this name, called without arguments; 0: there is no such function. */
int sp_runtime_ask(const struct sp_object *object, const char *name);

/* The family of a library by its file's name; SP_RUNTIMES: it belongs to none. */
enum sp_runtime sp_runtime_of_file(const char *name);

/* The function whose call is the first sign of this family; a file without its name has no hook. */
const char *sp_runtime_hook(enum sp_runtime runtime);

/* How its threads are seen, for messages: "pthread" or "ompt". */
const char *sp_runtime_seen_by(enum sp_runtime runtime);

#endif
