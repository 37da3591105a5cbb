/*
 * Parts of JSON, to standard output.
 *
 * A command prints its text, its JSON and its picture by functions of their own:
 * text is sentences, with what is alike folded, JSON is all values, nested, and a
 * picture shows places, so that no table of columns would serve two of them.
 */
#ifndef CMD_JSON_H
#define CMD_JSON_H

#include <stdbool.h>

#include "cpus.h"
#include "machine.h"

/* A text in quotation marks; invalid UTF-8 becomes U+FFFD.  NULL: null. */
void cmd_json_string(const char *text);

/* The same after a prefix, such as a separator and a key. */
void cmd_json_member(const char *before, const char *text);

/* An array of the numbers in a set, after a prefix. */
void cmd_json_cpus(const char *before, const struct sp_cpus *set);

/* An array of an object for each GPU in a list: its address and number. */
void cmd_json_gpus(const char *before, const struct sp_gpus *gpus, const struct sp_gpu_list *list);

/* "true" or "false". */
const char *cmd_json_truth(bool value);

#endif
