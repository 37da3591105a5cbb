#include "base/text.h"

#include <stdarg.h>
#include <stdio.h>

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

const char *
sp_plural(size_t n)
{
	return n == 1 ? "" : "s";
}
