/* Variables of any process's environment: an array like environ. */
#ifndef SP_ENVIRONMENT_H
#define SP_ENVIRONMENT_H

/*
 * The value of a variable, or NULL.  Of one that is there twice the first
 * counts, as for getenv.
 *
 *   environment  NULL-terminated, "NAME=value"; NULL is an empty one
 */
const char *sp_environment_value(char *const environment[], const char *name);

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
