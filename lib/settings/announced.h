/* How many threads a process announces by its environment. */
#ifndef SP_ANNOUNCED_H
#define SP_ANNOUNCED_H

#include <stdint.h>

/* Of a value such as that of OMP_NUM_THREADS, all levels together: 8 of "4,2"; 0: it is no number, or NULL. */
uint32_t sp_announced_threads(const char *text);

/*
 * The largest pool of a library or a language that is announced by a variable
 * of the table, which are not OpenMP's; 0: none is.  One thread for a pool is
 * set so that threads do not multiply, and announces nothing.
 */
uint32_t sp_announced_pool(char *const environment[]);

#endif
