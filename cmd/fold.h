/* Folds texts for a terminal.  Pure; without memory the program ends with a message. */
#ifndef CMD_FOLD_H
#define CMD_FOLD_H

#include <stddef.h>

/* The pointer, unless it is NULL, of an allocation: then the program ends with a message, for which nothing is allocated. */
void *fold_checked(void *pointer);

/* Columns that a text takes: characters, without the sequences of colours. */
size_t fold_columns(const char *text);

/*
 * How many bytes of a text of this length are in its first columns, with what
 * follows them without taking one: sequences of colours.
 */
size_t fold_fitting(const char *text, size_t length, size_t columns);

/*
 * Fold a text at blanks into lines of at most width columns (0: no limit).
 * The first line begins in column `at`, the others are indented.  A word that
 * is too long for a line is broken behind a comma or a '/', or anywhere.
 * The caller's, to free().
 */
char *fold_text(const char *text, size_t at, size_t indent, size_t width);

#endif
