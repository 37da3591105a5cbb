/* Reads the CPU numbers that the settings of OpenMP runtimes list.  Pure. */
#ifndef SP_OMP_LISTS_H
#define SP_OMP_LISTS_H

#include <stdbool.h>

#include "cpus.h"

/*
 * Add the CPUs of a value of GOMP_CPU_AFFINITY, OMP_PLACES, and KMP_AFFINITY
 * (its proclist).  False: it has no list of numbers, or one that is malformed,
 * which the runtimes ignore too; the set is then undefined.
 */
bool sp_omp_list_of_gomp(const char *value, struct sp_cpus *set);
bool sp_omp_list_of_places(const char *value, struct sp_cpus *set);
bool sp_omp_list_of_kmp(const char *value, struct sp_cpus *set);

#endif
