/*
 * The GPUs that Torque, and PBS by that name, gave a job on this node: the file
 * that PBS_GPUFILE names, with a line "HOST-gpu3" for each.  Where Torque sets no
 * CUDA_VISIBLE_DEVICES nothing else names them, and the ranks of each of its jobs
 * would be beside the node's first GPUs.
 */
#ifndef SP_PBS_H
#define SP_PBS_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Collect the numbers in the lines of one host, in their order, as a list "0,3".
 * Host names are compared up to their first dot.  size: of list, in bytes.
 * False: there are none, or list is too small.  Pure.
 */
bool sp_pbs_list(const char *text, const char *host, char list[], size_t size);

/*
 * The environment with the list of this node in place of the file's path, for
 * sp_gpus_given and sp_gpus_visible.  Returns the same array if there is no such
 * file or memory is short; else a new one, which is never freed: call this once.
 */
char *const *sp_pbs_environment(char *const environment[]);

#endif
