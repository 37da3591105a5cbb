#include "base/text.h"

#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/ascii.h"
#include "base/order.h"

struct sp_text
sp_text_begin(char *text, size_t size)
{
	if (size)
		text[0] = '\0';
	return (struct sp_text){ text, size, 0 };
}

void
sp_text_add(struct sp_text *text, const char *format, ...)
{
	va_list arguments;

	if (text->length + 1 >= text->size)
		return;
	va_start(arguments, format);
	int n = vsnprintf(text->text + text->length, text->size - text->length, format, arguments);
	va_end(arguments);
	if (n > 0)
		text->length += (size_t)n;
	if (text->length >= text->size)
		text->length = text->size - 1;
}

void
sp_text_put_bytes(struct sp_text *text, const char *more, size_t length)
{
	if (text->length + 1 >= text->size)
		return;
	length = sp_smaller(length, text->size - 1 - text->length);
	memcpy(text->text + text->length, more, length);
	text->length += length;
	text->text[text->length] = '\0';
}

void
sp_text_put(struct sp_text *text, const char *more)
{
	sp_text_put_bytes(text, more, strlen(more));
}

void
sp_text_put_number(struct sp_text *text, uint64_t number)
{
	char digits[20];	/* UINT64_MAX has as many */
	size_t n = 0;

	do
		digits[sizeof(digits) - ++n] = (char)('0' + number % 10);
	while (number /= 10);
	sp_text_put_bytes(text, digits + sizeof(digits) - n, n);
}

void
sp_text_copy(char *text, size_t size, const char *from)
{
	struct sp_text copy = sp_text_begin(text, size);

	sp_text_put(&copy, from);
}

const char *
sp_last_part(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

uint64_t
sp_text_sum(const char *text)
{
	uint64_t sum = SP_FNV_BEGIN;

	while (*text)
		sum = (sum ^ (unsigned char)*text++) * SP_FNV_PRIME;
	return sum;
}

const char *
sp_plural(size_t n)
{
	return n == 1 ? "" : "s";
}

unsigned
sp_text_distance(const char *name, size_t length, const char *known)
{
	unsigned row[SP_TEXT_NAME_MAX + 1];

	if (length > SP_TEXT_NAME_MAX)
		return UINT_MAX;
	for (unsigned j = 0; j <= length; j++)
		row[j] = j;
	for (unsigned i = 1; *known != '\0'; i++, known++) {
		unsigned diagonal = row[0];

		row[0] = i;
		for (size_t j = 1; j <= length; j++) {
			unsigned change = diagonal + (sp_ascii_lower(name[j - 1]) != sp_ascii_lower(*known));
			unsigned shift = (unsigned)sp_smaller(row[j], row[j - 1]) + 1;

			diagonal = row[j];
			row[j] = (unsigned)sp_smaller(change, shift);
		}
	}
	return row[length];
}
