/*
 * What the terminal allows: the width of a line, and colours.
 */
#ifndef CMD_TERMINAL_H
#define CMD_TERMINAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Width of help texts, and of terminals, whose width is unknown. */
#define TERMINAL_USUAL 80

/* Help texts are not wider than this. */
#define TERMINAL_HELP 100

/* Lines are never folded to less than this, whatever COLUMNS is. */
#define TERMINAL_LEAST 40

/*
 * Width of the lines on standard output: COLUMNS, else that of the terminal,
 * else TERMINAL_USUAL if it is one, else 0: no limit (a pipe or a file).
 */
size_t terminal_width(void);

/* The same, with TERMINAL_USUAL instead of 0. */
size_t terminal_width_or_usual(void);

/* --color WHEN: auto, always or never. */
void terminal_take_color(const char *when);

/*
 * Whether to write colours: as --color says; by itself on a terminal, unless
 * NO_COLOR is set and not empty, or TERM is dumb or not set.
 */
bool terminal_has_colour(void);

/* The sequences that begin the colour of a rank and of a fault, and that end it; "" without colours. */
const char *terminal_rank(uint32_t rank);
const char *terminal_red(void);
const char *terminal_plain(void);

/* Print formatted text and a line feed, folded to the terminal's width; the first line begins where the cursor is: `at`. */
void terminal_print(size_t at, size_t indent, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* Width of help texts. */
size_t terminal_help_width(void);

/* Print a text in a column behind its title; a title too long for that stands on a line of its own. */
void terminal_print_row(const char *title, size_t column, const char *text);

/* Print a help text: lines are joined and folded again, unless they are empty or indented. */
void terminal_print_help(const char *text);

#endif
