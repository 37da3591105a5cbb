/* Fast and slow cores. */
#ifndef SP_KINDS_H
#define SP_KINDS_H

#include <hwloc.h>

#include "machine.h"

/*
 * Fill kind and speed of each CPU of the machine, which has been read from this
 * topology: by hwloc; where it knows no frequency of this system, by sysfs.
 *
 * Cores are of different kinds where their type, their base frequency or their
 * capacity differs; a kind is dealt by itself.  Cores of one kind have
 * different speeds where their highest frequency differs.  In numbers a
 * difference counts from a tenth on: less is what sets the preferred cores of
 * an otherwise even processor apart, and the tolerance that hwloc has.
 */
void sp_kinds_find(hwloc_topology_t topology, struct sp_machine *machine);

/*
 * Fill speed of each CPU by what the firmware says of its highest performance
 * (acpi_cppc/highest_perf); 0 where it says nothing.
 *
 *   root  what stands before /sys: "", or the folder of a copy
 */
void sp_kinds_read_speeds(const char *root, struct sp_machine *machine);

/*
 * Numbers become classes, 0 for the lowest, where the next larger number that
 * is there begins a class of its own if it is more than a tenth larger.
 */
void sp_kinds_classify(uint32_t number[], uint32_t n);

#endif
