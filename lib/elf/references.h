/*
 * The references of a loaded object to other objects, and the redirection of
 * its calls.
 */
#ifndef SP_REFERENCES_H
#define SP_REFERENCES_H

#include <stdbool.h>

#include "elf/objects.h"

/*
 * What kinds of names the object refers to that other objects define: kind is
 * called for each such name, and the bitwise or of its results is returned.
 */
typedef unsigned sp_name_kind(const char *name);
unsigned sp_object_kinds(const struct sp_object *object, sp_name_kind *kind);

/*
 * Redirect the object's calls of a function that another object defines.
 * Returns false, and nothing has changed, if it has no such calls or the pointer
 * through which it calls cannot be written.  Memory that the loader made
 * read-only (RELRO) is read-only again afterwards.
 */
bool sp_object_redirect(const struct sp_object *object, const char *name, void *function);

#endif
