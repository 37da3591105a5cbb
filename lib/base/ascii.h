/*
 * Letters, blanks and whole numbers of settings, whatever the locale.
 *
 * The C library's tolower follows the program's locale, and in a Turkish one
 * 'I' is no capital of 'i': SPLITPIN_MEMORY=BIND would be wrong there.
 */
#ifndef SP_ASCII_H
#define SP_ASCII_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

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

/* Whether the whole text is this word, maybe between blanks. */
static inline bool
sp_ascii_is(const char *text, const char *word)
{
	const char *rest;

	return sp_ascii_begins(sp_ascii_skip_blanks(text), word, &rest) && *sp_ascii_skip_blanks(rest) == '\0';
}

/*
 * Read the digits at the beginning of text.  *number is exact up to UINT32_MAX,
 * and above it for every larger number: the caller compares with its own
 * limit.  Returns the rest of text; NULL, with *number untouched, if there are no
 * digits.
 */
static inline const char *
sp_ascii_digits(const char *text, uint64_t *number)
{
	const char *p = text;
	uint64_t n = 0;

	for (; sp_ascii_is_digit(*p); p++)
		if (n <= UINT32_MAX)
			n = n * 10 + (uint64_t)(*p - '0');
	if (p == text)
		return NULL;
	*number = n;
	return p;
}

/*
 * Read a whole text that is a number from 0 to UINT32_MAX, maybe between
 * blanks.  Returns whether it is one; *number is untouched if not.
 */
static inline bool
sp_ascii_number(const char *text, uint32_t *number)
{
	uint64_t n;
	const char *end = sp_ascii_digits(sp_ascii_skip_blanks(text), &n);

	if (!end || *sp_ascii_skip_blanks(end) != '\0' || n > UINT32_MAX)
		return false;
	*number = (uint32_t)n;
	return true;
}

/* Whether a text has numbers parted by commas, some of which may be left out, and blanks around them, but nothing else. */
static inline bool
sp_ascii_is_list(const char *text)
{
	do {
		uint64_t n;
		const char *end;

		text = sp_ascii_skip_blanks(text);
		end = sp_ascii_digits(text, &n);
		text = sp_ascii_skip_blanks(end ? end : text);
	} while (*text++ == ',');
	return text[-1] == '\0';
}

#endif
