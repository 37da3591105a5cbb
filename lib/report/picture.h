/*
 * A set of CPUs as a picture of the machine, as Open MPI's --report-bindings
 * draws it: packages in brackets, cores parted by '/', for each hardware
 * thread 'B' (in the set) or '.'.  "[BB/BB/../..][../../../..]".
 *
 * Pure.  Returns text; where size does not suffice it is cut and ends in "...".
 */
#ifndef SP_PICTURE_H
#define SP_PICTURE_H

#include <stddef.h>

#include "cpus.h"
#include "machine.h"

char *sp_picture(const struct sp_machine *machine, const struct sp_cpus *set, char *text, size_t size);

#endif
