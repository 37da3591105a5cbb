/* Fast and slow cores. */
#ifndef SP_KINDS_H
#define SP_KINDS_H

#include <hwloc.h>

#include "machine.h"

/*
 * Fill kind and speed of each CPU of the machine, which has been read from this
 * topology: by hwloc; by sysfs where hwloc knows no frequencies of this system.
 *
 * Cores are of different kinds where their type, their base frequency or their
 * capacity differs; a kind is dealt by itself.  Cores of one kind have
 * different speeds where their highest frequency differs.  Numbers count as
 * different from a tenth on: the preferred cores of an otherwise even processor
 * differ by less, and hwloc has the same tolerance.
 */
void sp_kinds_find(hwloc_topology_t topology, struct sp_machine *machine);

/*
 * Fill speed of each CPU by the highest performance that the firmware states
 * (acpi_cppc/highest_perf); 0 where it states none.
 *
 *   root  what stands before /sys: "", or the folder of a copy
 */
void sp_kinds_read_speeds(const char *root, struct sp_machine *machine);

/*
 * Replace numbers by classes, 0 for the lowest: the next larger number begins a
 * new class if it is more than a tenth larger.
 */
void sp_kinds_classify(uint32_t number[], uint32_t n);

#endif
