#include <stdatomic.h>
#include <stddef.h>

#include "base/ascii.h"
#include "base/environment.h"
#include "elf/objects.h"
#include "elf/runtimes.h"
#include "shim/native.h"

extern char **__environ;

/*
 * Written by begin and end, which one thread calls at a time: a runtime starts
 * under a lock of its own, and settling is done once.
 */
static char *const *entries;	/* the engine's */
static char **ours;		/* the array that begin made */
static char **before;		/* __environ until then */
static _Atomic bool is_on;

/* The environment as hide left it: as long as it is unchanged, show has room for the entries. */
static char **hidden_array;
static size_t hidden_count;
static _Atomic unsigned hiders;

static bool
is_ours_first(const char *name)
{
	struct sp_object own;
	void *first = sp_objects_export_after(NULL, name);

	return !first || !sp_object_of((void *)is_ours_first, &own) || sp_object_holds(&own, first);
}

static bool
is_tool_disabled(void)
{
	const char *value = sp_environment_value(__environ, "OMP_TOOL"), *end;

	return value && sp_ascii_begins(value, "disabled", &end) && *end == '\0';
}

static bool
is_tool_taken(void)
{
	return is_tool_disabled() || !is_ours_first(sp_runtime_hook(SP_LIBOMP));
}

/* Whether the executable has a tool of its own: a runtime may be part of the executable and export nothing. */
static bool
has_program_tool(void)
{
	struct sp_object object;
	void *first = sp_objects_export_after(NULL, sp_runtime_hook(SP_LIBOMP));

	return first && sp_object_of(first, &object) && object.path[0] == '\0';
}

bool
sp_native_is_passed_over(void)
{
	struct sp_object object;

	return is_tool_taken() && (sp_runtimes_find(SP_LIBOMP, &object) ||
				   (has_program_tool() && !sp_runtimes_are_loaded()));
}

bool
sp_native_is_needed(void)
{
	struct sp_object object;

	if (is_tool_taken())
		return sp_native_is_passed_over() || !sp_runtimes_are_loaded();
	return sp_runtimes_find(SP_LIBOMP, &object) && sp_runtimes_have_silent();
}

/* Replace the environment by a copy with the entries at its end. */
bool
sp_native_begin(const struct sp_engine *engine, bool is_taken)
{
	char *const *new = is_on ? NULL : engine->native(is_taken);
	char **array = new ? sp_environment_copy(__environ, SP_NATIVE_VARIABLES) : NULL;

	if (!array)
		return is_on;
	size_t n = sp_strings_count(array);
	for (size_t i = 0; i <= SP_NATIVE_VARIABLES; i++)
		array[n + i] = new[i];
	entries = new;
	before = __environ;
	ours = array;
	__environ = array;
	is_on = true;
	return true;
}

/*
 * Remove the entries from an array.  The other strings are moved to the front,
 * so that the array keeps room for the entries at its end.
 */
static void
take_out(char **array)
{
	char **to = array;

	for (; array && *array; array++)
		if (*array != entries[0] && *array != entries[1])
			*to++ = *array;
	if (to)
		*to = NULL;
}

/* Whether two arrays hold the same strings, so that one may stand in for the other. */
static bool
is_same(char **a, char **b)
{
	size_t i = 0;

	while (a && b && a[i] && a[i] == b[i])
		i++;
	return a && b && a[i] == b[i];
}

/*
 * Remove the entries, also from an array that setenv has made from the copy
 * meanwhile; put the array of before back if its strings are the same.  The
 * copy stays allocated, without the entries: main may have got it as its third
 * argument.
 */
void
sp_native_end(void)
{
	if (!atomic_exchange(&is_on, false))
		return;
	take_out(ours);
	if (__environ != ours)
		take_out(__environ);
	else if (is_same(__environ, before))
		__environ = before;
}

/*
 * Whether code is a runtime's.  Code of the executable counts where no other
 * runtime is found: a runtime inside the executable exports nothing, like one
 * that splitpin does not know.
 */
static bool
is_runtime(const void *code)
{
	struct sp_object object, runtime;

	return sp_object_of(code, &object) &&
	       (sp_runtime_is(SP_LIBOMP, &object) ||
		(object.path[0] == '\0' && !sp_runtimes_find(SP_LIBOMP, &runtime)));
}

void
sp_native_thread(const void *caller, const void *start)
{
	if (is_on && (is_runtime(caller) || is_runtime(start)))
		sp_native_end();
}

bool
sp_native_hide(void)
{
	if (!is_on)
		return false;
	if (hiders++ == 0) {
		take_out(__environ);
		hidden_array = __environ;
		hidden_count = sp_strings_count(__environ);
	}
	return true;
}

/*
 * If the array is still as hide left it, the entries are put back into the room
 * at its end; the last entry first, so that the array ends with NULL at any
 * time.
 */
void
sp_native_show(void)
{
	if (--hiders || !is_on || __environ != hidden_array || sp_strings_count(__environ) != hidden_count)
		return;
	for (size_t i = SP_NATIVE_VARIABLES + 1; i-- > 0;)
		__environ[hidden_count + i] = entries[i];
}
