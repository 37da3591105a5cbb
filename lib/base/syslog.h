/*
 * One line to the system's log.
 *
 * syslog(3) is not used: it waits while the daemon's queue is full and keeps a
 * descriptor open, and a program that calls it itself shares that state.
 */
#ifndef SP_SYSLOG_H
#define SP_SYSLOG_H

#include <stddef.h>

/* Facility user. */
#define SP_SYSLOG_WARNING 12
#define SP_SYSLOG_INFO 14

/*
 * Send length bytes of text, at most SP_SYSLOG_LINE, without waiting.  errno is
 * kept, and the program gets no signal.  Returns 0, or a negative errno where
 * there is no log or its queue is full.
 */
#define SP_SYSLOG_LINE 4096
int sp_syslog_send(int priority, const char *text, size_t length);

#endif
