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

#endif
