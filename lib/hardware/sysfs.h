/*
 * The GPUs of the running system, from /sys and /proc: no plugin, no library
 * and no driver is opened for them.
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

/* Whether a PCI device of this class (its three bytes, as sysfs has them) and vendor is a GPU for programs. */
bool sp_is_gpu(uint32_t class, uint32_t vendor);

#endif
