/* Ranks into which the library was not loaded. */
#ifndef SP_WITHOUT_H
#define SP_WITHOUT_H

#include <stdbool.h>
#include <sys/types.h>

/*
 * Whether a rank is an MPI program without libsplitpin.so: neither its topmost
 * process nor any of its descendants, down to the third generation, has that,
 * and one of them has an MPI library, or no loader that could have loaded either.
 * What cannot be read counts as having it, and so does a process that is just
 * being started.
 */
bool sp_is_without_library(pid_t pid);

/* Whether LD_PRELOAD of this environment names it: then the program is linked statically, or the file is not there. */
bool sp_is_preloaded(char *const environment[]);

#endif
