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
 * From now on the object's own calls of this function, which others define, go to
 * another one.  False where it has none, or where its table of them cannot be
 * written: nothing has changed.  Memory that the loader has made read-only is so again
 * afterwards.
 */
bool sp_object_redirect(const struct sp_object *object, const char *name, void *function);

#endif
