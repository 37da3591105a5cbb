/*
 * Showing again and again: on a terminal in place, as top(1) does, until q or
 * Ctrl-C, which leave it as it was; elsewhere one text after the other.
 */
#ifndef SHOW_WATCH_H
#define SHOW_WATCH_H

#include <stdbool.h>
#include <stddef.h>

/* Prints to standard output; 0 or a status. */
typedef int watch_printer(void *data);

/*
 * Call print every so many seconds.  in_place: where standard output is a
 * terminal, what it prints, on standard error as well, is one screen.
 * Returns a status: 0 when the user ended it.
 */
int watch(double seconds, bool in_place, watch_printer *print, void *data);

/* The output of print, and its standard error on request, as a text; the caller's, to free(). */
char *watch_capture(watch_printer *print, void *data, bool with_errors, int *status);

/*
 * A text as lines of a screen, each with what clears the rest of it: longer
 * ones are folded, what is below the last row is left out.  Pure; the caller's, to free().
 */
char *watch_screen(const char *text, size_t width, size_t rows);

#endif
