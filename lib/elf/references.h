/*
 * To what of others a loaded object refers, and where its calls go.
 */
#ifndef SP_REFERENCES_H
#define SP_REFERENCES_H

#include <stdbool.h>

#include "elf/objects.h"

/*
 * Of what kinds the names are to which the object refers, and which others
 * define: kind is asked of each, and what it returns is or-ed.
 */
typedef unsigned sp_name_kind(const char *name);
unsigned sp_object_kinds(const struct sp_object *object, sp_name_kind *kind);

/*
 * Redirect the object's own calls of a function that others define.  False, and
 * nothing has changed, where it has none or its table of them cannot be written.
 * What the loader has made read-only (RELRO) is read-only again afterwards.
 */
bool sp_object_redirect(const struct sp_object *object, const char *name, void *function);

#endif
