/*
 * One message, one write(2), to standard error.
 *
 * Formatted on the stack, no allocation.  Errors of writing are ignored and
 * errno is kept.  A message longer than SP_LOG_MAX bytes is cut and ends in
 * "...".  A line feed is added.
 */
#ifndef SP_LOG_H
#define SP_LOG_H

#define SP_LOG_MAX 2048

/* "splitpin: " and the text. */
void sp_log(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* "splitpin: warning: " and the text. */
void sp_warn(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
