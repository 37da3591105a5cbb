/*
 * What /sys and /proc tell: a number, and the GPUs of the running system, for
 * which no plugin, no library and no driver is opened.
 */
#ifndef SP_SYSFS_H
#define SP_SYSFS_H

#include <stdbool.h>

#include "gpus.h"
#include "machine.h"

/*
 * Fill machine->gpus.
 *
 *   root     what stands before /sys and /proc: "", or the folder of a copy
 *   machine  the CPUs of that system
 *
 * PCI has where they are.  AMD's kernel driver (KFD) has their order and their
 * partitions, and keeps back those that a cgroup denies; NVIDIA's has their
 * UUIDs.  What cannot be read is left out.
 */
void sp_sysfs_gpus(const char *root, struct sp_machine *machine);

/* The number at the beginning of the file root + path, as C writes numbers.  False: there is none. */
bool sp_sysfs_number(const char *root, const char *path, long *number);

/* Whether a PCI device of this class (its three bytes, as sysfs has them) and vendor is a GPU for programs. */
bool sp_is_gpu(uint32_t class, uint32_t vendor);

#endif
