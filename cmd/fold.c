#include "cmd/fold.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Length of the sequence "ESC [ ... m" at this place; 0: there is none. */
static size_t
sequence(const char *text)
{
	size_t n = 2;

	if (text[0] != '\033' || text[1] != '[')
		return 0;
	n += strspn(text + n, "0123456789;");
	return text[n] == 'm' ? n + 1 : 0;
}

static size_t
columns_in(const char *text, size_t length)
{
	size_t columns = 0;

	for (size_t i = 0, n; i < length; i += n) {
		n = sequence(text + i);
		if (n)
			continue;
		n = 1;
		columns += ((unsigned char)text[i] & 0xc0) != 0x80;
	}
	return columns;
}

size_t
fold_columns(const char *text)
{
	return columns_in(text, strlen(text));
}

size_t
fold_fitting(const char *text, size_t length, size_t columns)
{
	size_t i = 0, n;

	for (; i < length; i += n) {
		n = sequence(text + i);
		if (n)
			continue;
		n = 1;
		if (((unsigned char)text[i] & 0xc0) != 0x80 && columns-- == 0)
			break;
	}
	return i < length ? i : length;
}

/* Where to break a word so that its first part takes at most `room` columns; 0: better on the next line. */
static size_t
break_in(const char *word, size_t length, size_t room, bool at_start)
{
	size_t most = fold_fitting(word, length, room), i = most;

	while (i > 0 && !strchr(",/", word[i - 1]))
		i--;
	if (i > 0)
		return i;
	return at_start ? most : 0;
}

/* A text that is folded while it is written. */
struct folded {
	FILE *to;
	size_t at, indent, width;
	bool at_start;		/* of a line: nothing but the indent is on it */
};

static void
begin_line(struct folded *f)
{
	fprintf(f->to, "\n%*s", (int)f->indent, "");
	f->at = f->indent;
	f->at_start = true;
}

/* A word, with the blanks before it unless it begins a line. */
static void
put_word(struct folded *f, size_t blanks, const char *word, size_t length)
{
	if (f->width && f->at + blanks + columns_in(word, length) > f->width) {
		/* Half a line of its own is better than a list that is torn apart. */
		bool is_long = f->indent + columns_in(word, length) > f->width;
		size_t room = f->width > f->at + blanks ? f->width - f->at - blanks : 0;
		size_t part = is_long ? break_in(word, length, room, f->at_start) : 0;

		if (part) {
			fprintf(f->to, "%*s%.*s", (int)blanks, "", (int)part, word);
			word += part;
			length -= part;
		}
		if (part || !f->at_start)
			begin_line(f);
		if (length)
			put_word(f, 0, word, length);
		return;
	}
	fprintf(f->to, "%*s%.*s", (int)blanks, "", (int)length, word);
	f->at += blanks + columns_in(word, length);
	f->at_start = false;
}

static void
put_line(struct folded *f, const char *line, size_t length)
{
	for (size_t i = 0; i < length; ) {
		size_t blanks = strspn(line + i, " "), word;

		if (i + blanks >= length)
			break;
		word = strcspn(line + i + blanks, " \n");
		put_word(f, blanks, line + i + blanks, word);
		i += blanks + word;
	}
}

void *
fold_checked(void *pointer)
{
	if (pointer)
		return pointer;
	fputs("splitpin: out of memory\n", stderr);
	exit(EXIT_FAILURE);
}

char *
fold_text(const char *text, size_t at, size_t indent, size_t width)
{
	char *result = NULL;
	size_t size;
	FILE *to = fold_checked(open_memstream(&result, &size));

	if (width && indent > width / 2)
		indent = width / 2;
	struct folded f = { .to = to, .at = at, .indent = indent, .width = width, .at_start = at <= indent };
	for (size_t length; ; text += length + 1) {
		length = strcspn(text, "\n");
		put_line(&f, text, length);
		if (text[length] == '\0')
			break;
		begin_line(&f);
	}
	fclose(to);
	return fold_checked(result);
}
