/*
 * Where the kernel has put this process and its threads, for a test to check.
 *
 * Written to $PLACEMENT_DIR/rank.N, nothing where that is not set, so that
 * standard output is the same wherever threads run.  One line a fact, words
 * "name=value", masks as CPU lists:
 *
 *   start rank=0 size=2 cpus=0-3 max_threads=4    after MPI_Init
 *   thread region=0 number=1 tid=4711 cpus=1      an OpenMP thread in a parallel region
 *   library name=libgomp.so.1.0.0                 an OpenMP runtime, or one of splitpin
 *   task tid=4711 cpus=1 name=hybrid              any thread of the process, at the end
 *
 * Masks are asked of the kernel, not of the C library.  Nothing here uses
 * OpenMP, so that one object serves every runtime.
 */
#ifndef PLACEMENT_H
#define PLACEMENT_H

#ifdef __cplusplus
extern "C" {
#endif

/* Once, by the main thread, right after MPI_Init. */
void placement_start(int rank, int size, int max_threads);

/* By every thread of a parallel region, when the whole team is there. */
void placement_thread(int region, int number);

/* Once, by the main thread, when the regions are over. */
void placement_end(void);

#ifdef __cplusplus
}
#endif

#endif
