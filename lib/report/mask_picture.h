/*
 * A set of CPUs as a picture of the machine, as Open MPI's --report-bindings
 * draws it: packages in brackets, cores parted by '/', for each hardware
 * thread 'B' (in the set) or '.'.  "[BB/BB/../..][../../../..]".
 *
 * Where size does not suffice, neighbouring cores that are drawn alike are
 * folded, "[2xBB/2x..][4x..]"; then cores are counted, "[2 of 4][0 of 4]";
 * and then it is cut and ends in "...".
 *
 * Pure.  Returns text, of at most size - 2 characters unless it was cut.
 */
#ifndef SP_MASK_PICTURE_H
#define SP_MASK_PICTURE_H

#include <stddef.h>

#include "cpus.h"
#include "machine.h"

/* Room for a picture in a line of the terminal or of a log. */
#define SP_PICTURE_MAX 50

char *sp_picture(const struct sp_machine *machine, const struct sp_cpus *set, char *text, size_t size);

#endif
