/*
 * One message, one write(2), to standard error.
 *
 * Formatted on the stack, no allocation.  Errors of writing are ignored and
 * errno is kept.  A message longer than SP_LOG_MAX bytes is cut and ends in
 * "...".  A line feed is added.
 */
#ifndef SP_LOG_H
#define SP_LOG_H

#include <stdarg.h>
#include <stddef.h>

#define SP_LOG_MAX 2048
#define SP_LOG_PREFIX "splitpin: "
#define SP_WARN_PREFIX "splitpin: warning: "

/* "splitpin: " and the text. */
void sp_log(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* "splitpin: warning: " and the text. */
void sp_warn(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Of what both consist: a prefix as it is, and the text. */
void sp_log_line(const char *prefix, const char *format, va_list arguments) __attribute__((format(printf, 2, 0)));

/*
 * The two halves of sp_log_line.  Compose: the line without its end of string;
 * returns its length, 0 where the format is wrong.  Write: once, to any
 * descriptor, without a signal to the program; returns 0, or a negative errno
 * (-ENOSPC: a part of it was written).
 */
size_t sp_log_compose(char text[SP_LOG_MAX + 1], const char *prefix, const char *format, va_list arguments) __attribute__((format(printf, 3, 0)));
int sp_log_write(int fd, const char *text, size_t length);

#endif
