/*
 * Parts of JSON, to standard output.
 */
#ifndef CMD_JSON_H
#define CMD_JSON_H

#include "cpus.h"

/* A text in quotation marks; invalid UTF-8 becomes U+FFFD.  NULL: null. */
void cmd_json_string(const char *text);

/* The same after what stands before it, as a separator and a key. */
void cmd_json_member(const char *before, const char *text);

/* An array of the numbers in a set. */
void cmd_json_cpus(const struct sp_cpus *set);

#endif
