/*
 * Letters of settings, whatever the locale.
 *
 * The C library's tolower follows the program's locale, and in a Turkish one
 * 'I' is no capital of 'i': SPLITPIN_MEMORY=BIND would be wrong there.
 */
#ifndef SP_ASCII_H
#define SP_ASCII_H

#include <stdbool.h>
#include <stddef.h>

static inline bool
sp_ascii_is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static inline bool
sp_ascii_is_blank(char c)
{
	return c == ' ' || (c >= '\t' && c <= '\r');
}

static inline char
sp_ascii_lower(char c)
{
	return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

static inline const char *
sp_ascii_skip_blanks(const char *text)
{
	while (sp_ascii_is_blank(*text))
		text++;
	return text;
}

/* Whether text begins with a word, which is in small letters; *end is what follows. */
static inline bool
sp_ascii_begins(const char *text, const char *word, const char **end)
{
	while (*word != '\0' && sp_ascii_lower(*text) == *word) {
		text++;
		word++;
	}
	*end = text;
	return *word == '\0';
}

#endif
