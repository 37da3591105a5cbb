/* Fast and slow cores. */
#ifndef SP_KINDS_H
#define SP_KINDS_H

#include <hwloc.h>

#include "machine.h"

/*
 * Fill in kind and speed of each CPU of a machine that was read from this
 * topology: by hwloc, or by sysfs where hwloc has no frequencies of this system.
 *
 * Cores are of different kinds if their type, base frequency or capacity
 * differs; each kind is divided among the ranks by itself.  Cores of one kind
 * have different speeds if their highest frequency differs.  Numbers count as
 * different if one is more than a tenth larger: the preferred cores of an
 * otherwise uniform processor differ by less, and hwloc has the same tolerance.
 */
void sp_kinds_find(hwloc_topology_t topology, struct sp_machine *machine);

/*
 * Fill in the speed of each CPU by the highest performance that the firmware
 * states (acpi_cppc/highest_perf); unchanged unless it states one for each CPU.
 *
 *   root  prefix of /sys: "", or the folder of a copy
 */
void sp_kinds_read_speeds(const char *root, struct sp_machine *machine);

/*
 * Replace numbers by their classes, 0 for the lowest.  In ascending order, a
 * number that is more than a tenth larger than the one before begins a new
 * class.  All are 0 if memory is short.
 */
void sp_kinds_classify(uint32_t number[], uint32_t n);

#endif
