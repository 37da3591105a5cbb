/*
 * The writer of JSON to standard output: it alone knows of commas, quotation
 * marks and indentation.  A key is NULL inside an array.
 *
 *   json_object(NULL);
 *   json_text("splitpin", SP_VERSION);
 *   json_array("ranks");
 *   json_row(NULL); json_number("rank", 0); json_end();
 *   json_end();
 *   json_end();
 */
#ifndef CMD_JSON_H
#define CMD_JSON_H

#include <stdbool.h>
#include <stdint.h>

#include "cpus.h"
#include "machine.h"

/* Begin an object or an array, which json_end ends; a row is an object on one line, with all that is in it.  The outermost one ends the line. */
void json_object(const char *key);
void json_row(const char *key);
void json_array(const char *key);
void json_end(void);

/* A text, invalid UTF-8 in which becomes U+FFFD; NULL: null. */
void json_text(const char *key, const char *text);
void json_number(const char *key, int64_t number);
void json_real(const char *key, double number, int digits);
void json_bool(const char *key, bool value);
void json_null(const char *key);

/* An array of the numbers in a set, each by itself, so that readers need not parse ranges such as 0-3. */
void json_cpus(const char *key, const struct sp_cpus *set);

/* An array of an object for each GPU in a list: its address and number. */
void json_gpus(const char *key, const struct sp_gpus *gpus, const struct sp_gpu_list *list);

#endif
