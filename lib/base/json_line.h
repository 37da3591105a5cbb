/*
 * UTF-8, and one line of JSON in a buffer of fixed size: an object of texts and
 * numbers.  No allocation.
 */
#ifndef SP_JSON_LINE_H
#define SP_JSON_LINE_H

#include <stddef.h>
#include <stdint.h>

#include "base/text.h"

/* Length in bytes of the UTF-8 character that begins here; 0: not UTF-8. */
size_t sp_utf8_length(const char *text);

/*
 * The first character of text, written for a JSON string: invalid UTF-8 becomes
 * U+FFFD, control bytes are escaped.  Returns its length in text, at least 1
 * byte.
 */
#define SP_JSON_CHARACTER 8
size_t sp_json_character(const char *text, char escaped[SP_JSON_CHARACTER]);

/* Begin an object in size bytes, the caller's; size is at least SP_JSON_LEAST. */
#define SP_JSON_LEAST 16
struct sp_text sp_json_begin(char *line, size_t size);

/* Add a member; keys are plain ASCII.  A text that does not fit is cut, a member for which there is no room left out. */
void sp_json_add_text(struct sp_text *json, const char *key, const char *text);
void sp_json_add_number(struct sp_text *json, const char *key, int64_t number);
void sp_json_add_flag(struct sp_text *json, const char *key, int flag);

/* A number of thousandths, 0 or more, with three digits behind the point. */
void sp_json_add_thousandths(struct sp_text *json, const char *key, int64_t thousandths);

/* The time of day as "time": seconds since 1970 with three digits behind the point. */
void sp_json_add_time(struct sp_text *json);

/* End the object, and the line.  Returns its length; the line is valid JSON whatever was cut. */
size_t sp_json_end(struct sp_text *json);

#endif
