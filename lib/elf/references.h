/*
 * The references of a loaded object to other objects, and the redirection of
 * its calls.
 */
#ifndef SP_REFERENCES_H
#define SP_REFERENCES_H

#include <stdbool.h>

#include "elf/objects.h"

/*
 * The kinds of the names to which the object refers and which other objects
 * define: kind is called for each name, and its results are or-ed.
 */
typedef unsigned sp_name_kind(const char *name);
unsigned sp_object_kinds(const struct sp_object *object, sp_name_kind *kind);

/*
 * Redirect the object's own calls of a function that another object defines.
 * False, with nothing changed, where it has no such calls or its table of calls
 * cannot be written.  Memory that the loader has made read-only (RELRO) is
 * read-only again afterwards.
 */
bool sp_object_redirect(const struct sp_object *object, const char *name, void *function);

#endif
