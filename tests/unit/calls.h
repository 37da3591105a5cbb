/*
 * System calls that fail, or before which something happens: the link of the
 * unit tests passes those of the library through calls.c.
 */
#ifndef SP_TEST_CALLS_H
#define SP_TEST_CALLS_H

#include <stdbool.h>
#include <sys/types.h>

/* Before the nth call of this thread from now on, counted from 0: returns 0, or the errno with which that call fails. */
typedef int calls_meanwhile(void);
void calls_at(int nth, calls_meanwhile *meanwhile);

/* Before the next file that this thread opens; other calls are not counted. */
void calls_at_open(calls_meanwhile *meanwhile);

/* Whether there were as many; no more are counted. */
bool calls_were_reached(void);

/* From now on each pread of this thread at this offset of a file fails with EIO; -1: none. */
void calls_unreadable(off_t at);

/* How many files of /proc this process has opened so far, and how often it has slept. */
unsigned calls_into_proc(void);
unsigned calls_to_sleep(void);

#endif
