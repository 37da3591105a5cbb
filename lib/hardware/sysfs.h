/*
 * Reads the GPUs of the running system from /sys and /proc, without opening a
 * plugin, library or driver.
 */
#ifndef SP_SYSFS_H
#define SP_SYSFS_H

#include <stdbool.h>

#include "gpus.h"
#include "machine.h"

/*
 * Fill in machine->gpus.
 *
 *   root     prefix of /sys and /proc: "", or the folder of a copy
 *   machine  the CPUs of that system
 *
 * Locality comes from PCI; the order and the partitions of AMD's GPUs from their
 * kernel driver (KFD), which hides those that a cgroup denies; UUIDs from
 * NVIDIA's driver.  GPUs that cannot be read are left out.
 */
void sp_sysfs_gpus(const char *root, struct sp_machine *machine);

/* Whether a PCI device of this class (three bytes, as in sysfs) and vendor is a GPU that programs compute on. */
bool sp_is_gpu(uint32_t class, uint32_t vendor);

#endif
