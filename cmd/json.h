/*
 * Parts of JSON, to standard output.
 */
#ifndef CMD_JSON_H
#define CMD_JSON_H

#include "cpus.h"

/* A text in quotation marks; bytes that are no UTF-8 become U+FFFD. */
void cmd_json_string(const char *text);

/* An array of the numbers in a set. */
void cmd_json_cpus(const struct sp_cpus *set);

#endif
