#include "hardware/kinds.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/order.h"
#include "base/sysfs_file.h"

static int
compare(const void *a, const void *b)
{
	return sp_order(*(const uint32_t *)a, *(const uint32_t *)b);
}

static bool
is_much_more(uint32_t number, uint32_t than)
{
	return (uint64_t)number * 10 > (uint64_t)than * 11;
}

/* The class of a number among all of them, in ascending order. */
static uint32_t
class_of(uint32_t number, const uint32_t sorted[], uint32_t n)
{
	uint32_t class = 0;

	for (uint32_t i = 1; i < n && sorted[i] <= number; i++)
		class += is_much_more(sorted[i], sorted[i - 1]);
	return class;
}

void
sp_kinds_classify(uint32_t number[], uint32_t n)
{
	uint32_t *sorted = malloc(n * sizeof(*sorted));

	if (sorted) {
		memcpy(sorted, number, n * sizeof(*sorted));
		qsort(sorted, n, sizeof(*sorted), compare);
	}
	for (uint32_t i = 0; i < n; i++)
		number[i] = sorted ? class_of(number[i], sorted, n) : 0;
	free(sorted);
}

/* By hwloc. */

static const char *
value_in(const struct hwloc_info_s info[], unsigned n, const char *name)
{
	for (unsigned i = 0; i < n; i++)
		if (strcmp(info[i].name, name) == 0)
			return info[i].value;
	return "";
}

#if HWLOC_API_VERSION >= 0x00030000

static const char *
info_of(hwloc_topology_t topology, unsigned kind, const char *name)
{
	struct hwloc_infos_s *infos;

	if (hwloc_cpukinds_get_info(topology, kind, NULL, NULL, &infos, 0) != 0)
		return "";
	return value_in(infos->array, infos->count, name);
}

static bool
get_kind(hwloc_topology_t topology, unsigned kind, hwloc_bitmap_t cpus, int *efficiency)
{
	return hwloc_cpukinds_get_info(topology, kind, cpus, efficiency, NULL, 0) == 0;
}

#else

static const char *
info_of(hwloc_topology_t topology, unsigned kind, const char *name)
{
	struct hwloc_info_s *info = NULL;
	unsigned n = 0;

	if (hwloc_cpukinds_get_info(topology, kind, NULL, NULL, &n, &info, 0) != 0)
		return "";
	return value_in(info, n, name);
}

static bool
get_kind(hwloc_topology_t topology, unsigned kind, hwloc_bitmap_t cpus, int *efficiency)
{
	return hwloc_cpukinds_get_info(topology, kind, cpus, efficiency, NULL, NULL, 0) == 0;
}

#endif

static uint32_t
number_of(hwloc_topology_t topology, unsigned kind, const char *name)
{
	return (uint32_t)strtoul(info_of(topology, kind, name), NULL, 10);
}

static bool
kinds_differ(hwloc_topology_t topology, unsigned a, unsigned b)
{
	static const char *const names[] = { "LinuxCapacity", "FrequencyBaseMHz" };

	if (strcmp(info_of(topology, a, "CoreType"), info_of(topology, b, "CoreType")) != 0)
		return true;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		uint32_t one = number_of(topology, a, names[i]), other = number_of(topology, b, names[i]);

		if (is_much_more(one, other) || is_much_more(other, one))
			return true;
	}
	return false;
}

/* Set the speeds to classes, within each kind, of the numbers of all CPUs, in any unit.  Unchanged if memory is short. */
static void
set_speeds(struct sp_machine *machine, const uint32_t number[])
{
	uint32_t *own = malloc(machine->ncpus * sizeof(*own)), left = machine->ncpus;

	for (uint32_t kind = 0; own && left; kind++) {
		uint32_t n = 0, at = 0;

		for (uint32_t i = 0; i < machine->ncpus; i++)
			if (machine->pu[i].kind == kind)
				own[n++] = number[i];
		sp_kinds_classify(own, n);
		for (uint32_t i = 0; i < machine->ncpus; i++)
			if (machine->pu[i].kind == kind)
				machine->pu[i].speed = own[at++];
		left -= n;
	}
	free(own);
}

/* Whether each CPU has a number. */
static bool
is_complete(const uint32_t number[], uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		if (!number[i])
			return false;
	return true;
}

/* 0: the firmware states none. */
static uint32_t
performance_of(const char *root, uint32_t cpu)
{
	char path[128];
	long number = 0;

	snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu%u/acpi_cppc/highest_perf", cpu);
	sp_sysfs_number(root, path, &number);
	return (uint32_t)number;
}

void
sp_kinds_read_speeds(const char *root, struct sp_machine *machine)
{
	uint32_t *number = calloc(machine->ncpus, sizeof(*number)), n = 0;

	/* Stops at the first CPU without one. */
	while (number && n < machine->ncpus && (number[n] = performance_of(root, machine->pu[n].cpu)))
		n++;
	if (number && n == machine->ncpus)
		set_speeds(machine, number);
	free(number);
}

/* Set kind and frequency of the CPUs of one of hwloc's kinds.  Its class counts only if hwloc knows which kinds are faster. */
static void
mark_kind(hwloc_topology_t topology, unsigned kind, uint32_t class, struct sp_machine *machine, uint32_t mhz[])
{
	uint32_t most = number_of(topology, kind, "FrequencyMaxMHz");
	hwloc_bitmap_t cpus = hwloc_bitmap_alloc();
	int efficiency;
	bool is_known = cpus && get_kind(topology, kind, cpus, &efficiency);

	for (uint32_t i = 0; is_known && i < machine->ncpus; i++) {
		if (!hwloc_bitmap_isset(cpus, machine->pu[i].cpu))
			continue;
		machine->pu[i].kind = efficiency < 0 ? 0 : class;
		mhz[i] = most;
	}
	hwloc_bitmap_free(cpus);
}

/* Give each core one kind, the fastest of its CPUs, whatever a description of a machine says. */
static void
make_cores_whole(struct sp_machine *machine)
{
	struct sp_pu *pu = machine->pu;

	for (uint32_t first = 0, next; first < machine->ncpus; first = next) {
		uint32_t kind = 0;

		for (next = first; next < machine->ncpus && pu[next].core == pu[first].core; next++)
			kind = (uint32_t)sp_larger(kind, pu[next].kind);
		for (uint32_t i = first; i < next; i++)
			pu[i].kind = kind;
	}
}

void
sp_kinds_find(hwloc_topology_t topology, struct sp_machine *machine)
{
	uint32_t *mhz = calloc(machine->ncpus, sizeof(*mhz)), class = 0;
	int n = hwloc_cpukinds_get_nr(topology, 0);

	for (unsigned kind = 0; mhz && (int)kind < n; kind++) {
		class += kind > 0 && kinds_differ(topology, kind - 1, kind);
		mark_kind(topology, kind, class, machine, mhz);
	}
	make_cores_whole(machine);
	if (mhz && is_complete(mhz, machine->ncpus))
		set_speeds(machine, mhz);
	else if (hwloc_topology_is_thissystem(topology))
		sp_kinds_read_speeds("", machine);
	free(mhz);
}
