/* Variables of any process's environment: an array like environ. */
#ifndef SP_ENVIRONMENT_H
#define SP_ENVIRONMENT_H

#include <stddef.h>

/*
 * The value of a variable, or NULL.  Of one that is there twice the first
 * counts, as for getenv.
 *
 *   environment  NULL-terminated, "NAME=value"; NULL is an empty one
 */
const char *sp_environment_value(char *const environment[], const char *name);

/* How many entries it has, or any array of strings that ends with NULL; NULL is an empty one. */
size_t sp_strings_count(char *const strings[]);

/*
 * A copy of the array, not of its entries, with room for so many more; to
 * free().  NULL where memory is short.  Another thread may exchange the array,
 * or take entries out of it, meanwhile, but not free it.
 */
char **sp_environment_copy(char *const environment[], size_t room);

/*
 * Put an entry, "NAME=value", into this process's environment, in place of the
 * one of its name.  The array is exchanged and none is changed or freed, so that
 * other threads may read it meanwhile; a setenv of theirs at the same moment
 * may be lost.  entry and the array stay for the life of the process.
 *
 * Returns 0 or -ENOMEM.
 */
int sp_environment_put(char *entry);

#endif
