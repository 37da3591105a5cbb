/*
 * Reads numbers, and the GPUs of the running system, from /sys and /proc; no
 * plugin, library or driver is opened for that.
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
 * PCI gives their places.  AMD's kernel driver (KFD) gives the order and the
 * partitions of its GPUs, and hides GPUs that a cgroup denies; NVIDIA's gives
 * UUIDs.  GPUs that cannot be read are left out.
 */
void sp_sysfs_gpus(const char *root, struct sp_machine *machine);

/* The number at the beginning of the file root + path, as C writes numbers.  False: there is none. */
bool sp_sysfs_number(const char *root, const char *path, long *number);

/* Whether a PCI device of this class (its three bytes, as sysfs has them) and vendor is a GPU for programs. */
bool sp_is_gpu(uint32_t class, uint32_t vendor);

#endif
