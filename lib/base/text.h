/*
 * A text that grows in a buffer of fixed size, the last part of a path,
 * plurals, and the similarity of two names.  No allocation.
 */
#ifndef SP_TEXT_H
#define SP_TEXT_H

#include <stddef.h>
#include <stdint.h>

/* Room for every sentence that explains a decision. */
#define SP_TEXT_MAX 1024

struct sp_text {
	char *text;		/* the caller's; ends in '\0' unless size is 0 */
	size_t size, length;
};

/* An empty text in size bytes; where size is 0 the buffer is never written. */
struct sp_text sp_text_begin(char *text, size_t size);

/* Append; what does not fit is cut off. */
void sp_text_add(struct sp_text *text, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Append a text, its first bytes, or a number in decimal digits: what sp_text_add does for "%s", "%.*s" and "%llu", in a tenth of its time. */
void sp_text_put(struct sp_text *text, const char *more);
void sp_text_put_bytes(struct sp_text *text, const char *more, size_t length);
void sp_text_put_number(struct sp_text *text, uint64_t number);

/* A text of size bytes that begins as this one, all of it if it fits. */
void sp_text_copy(char *text, size_t size, const char *from);

/* What follows the last slash of a path, or all of it: the name of a file. */
const char *sp_last_part(const char *path);

/* FNV-1a over the characters of a text. */
#define SP_FNV_BEGIN 0xcbf29ce484222325u
#define SP_FNV_PRIME 0x100000001b3u
uint64_t sp_text_sum(const char *text);

/* The ending of a regular noun: "" for 1, else "s". */
const char *sp_plural(size_t n);

/*
 * How many letters of a name of `length` bytes have to be changed, added or
 * left out to make `known` of it, whatever their case.  UINT_MAX for a name
 * longer than SP_TEXT_NAME_MAX, which resembles none.
 */
#define SP_TEXT_NAME_MAX 40
unsigned sp_text_distance(const char *name, size_t length, const char *known);

#endif
