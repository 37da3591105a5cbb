/* Discovers the machine with hwloc, as one flat array of CPUs. */
#include <errno.h>
#include <hwloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "hardware/hwloc_open.h"
#include "hardware/kinds.h"
#include "hardware/numa_nodes.h"
#include "hardware/private_env.h"
#include "hardware/said.h"
#include "hardware/synthetic.h"
#include "hardware/tool_text.h"
#include "topology.h"

static bool
is_path(const char *source)
{
	size_t length = strlen(source);

	return strchr(source, '/') || (length >= 4 && strcmp(source + length - 4, ".xml") == 0);
}

uint64_t
sp_topology_described(const char *source)
{
	return source && !is_path(source) ? sp_synthetic_cpus(source) : 0;
}

const char *
sp_topology_strange_order(const char *source)
{
	return source && !is_path(source) ? sp_synthetic_strange_order(source) : NULL;
}

static int
set_source(hwloc_topology_t topology, const char *source)
{
	if (!source)
		return 0;
	if (sp_topology_described(source) > SP_CPUS_MAX)
		return -E2BIG;
	if (sp_topology_strange_order(source))
		return -ENXIO;
	if (!is_path(source))
		return hwloc_topology_set_synthetic(topology, source) ? -EINVAL : 0;
	if (access(source, R_OK) != 0)
		return -ENOENT;
	return hwloc_topology_set_xml(topology, source) ? -EINVAL : 0;
}

/* Without hwloc's x86 backend, which moves to every CPU in turn and finds nothing that Linux has not told. */
static int
load(hwloc_topology_t topology, const char *source, enum hwloc_type_filter_e io, bool is_drawn)
{
	int error = set_source(topology, source);

	if (error)
		return error;
	hwloc_topology_set_components(topology, HWLOC_TOPOLOGY_COMPONENTS_FLAG_BLACKLIST, "x86");
	hwloc_topology_set_io_types_filter(topology, io);
	if (is_drawn) {
		hwloc_topology_set_cache_types_filter(topology, HWLOC_TYPE_FILTER_KEEP_STRUCTURE);
		hwloc_topology_set_type_filter(topology, HWLOC_OBJ_MISC, HWLOC_TYPE_FILTER_KEEP_ALL);
	}
	hwloc_topology_set_flags(topology, HWLOC_TOPOLOGY_FLAG_INCLUDE_DISALLOWED);
	return hwloc_topology_load(topology) ? -EINVAL : 0;
}

static int
open_source(const char *source, enum hwloc_type_filter_e io, bool is_drawn, hwloc_topology_t *topology)
{
	/* The program may have loaded another hwloc, whose functions are then called instead of those of ours. */
	if (hwloc_get_api_version() >> 16 != HWLOC_API_VERSION >> 16)
		return -ELIBBAD;
	struct sp_private_env env;
	sp_private_env_begin(&env, io != HWLOC_TYPE_FILTER_KEEP_NONE);
	sp_said_begin();
	int error = hwloc_topology_init(topology) != 0 ? -ENOMEM : 0;
	if (!error) {
		error = load(*topology, source, io, is_drawn);
		if (error)
			hwloc_topology_destroy(*topology);
	}
	sp_said_end();
	sp_private_env_end(&env);
	return error;
}

int
sp_hwloc_open(const char *source, enum hwloc_type_filter_e io, hwloc_topology_t *topology)
{
	return open_source(source, io, false, topology);
}

int
sp_hwloc_open_to_draw(const char *source, enum hwloc_type_filter_e io, hwloc_topology_t *topology)
{
	return open_source(source, io, true, topology);
}

struct sp_cpus
sp_hwloc_cpus(hwloc_const_bitmap_t bitmap)
{
	struct sp_cpus cpus = { 0 };

	/* A bitmap of hwloc may be infinite. */
	for (int cpu = hwloc_bitmap_first(bitmap); cpu >= 0 && cpu < SP_CPUS_MAX; cpu = hwloc_bitmap_next(bitmap, cpu))
		sp_cpus_add(&cpus, (uint32_t)cpu);
	return cpus;
}

/* Numbers the objects of a type, whose CPUs are consecutive. */
struct level {
	hwloc_obj_type_t type;
	hwloc_obj_t last;	/* the object of the CPU before */
	uint32_t number;	/* objects so far */
};

struct levels {
	struct level package, l3, l2, core;
};

/*
 * Number of the object of this type that contains the CPU, or fallback if there
 * is none.  hwloc's own numbers do not serve: where CPUs are offline, objects of
 * one type can be on several levels, and each level is numbered from 0.
 */
static uint32_t
above(hwloc_topology_t topology, hwloc_obj_t cpu, struct level *level, uint32_t fallback)
{
	hwloc_obj_t object = hwloc_get_ancestor_obj_by_type(topology, level->type, cpu);

	if (!object)
		return fallback;
	if (object != level->last)
		level->number++;
	level->last = object;
	return level->number - 1;
}

/* A CPU without a core counts as a core of its own. */
static uint32_t
core_of(hwloc_topology_t topology, hwloc_obj_t cpu, struct level *level)
{
	uint32_t number = above(topology, cpu, level, SP_NO_CPU);

	if (number != SP_NO_CPU)
		return number;
	level->last = NULL;
	return level->number++;
}

/*
 * A level that the machine lacks gets the number of the next larger one, so that
 * it adds no boundary.  Numbers of different levels are never compared.
 */
static struct sp_pu
pu_of(hwloc_topology_t topology, hwloc_obj_t cpu, struct levels *levels)
{
	struct sp_pu pu = { .cpu = cpu->os_index };

	pu.package = above(topology, cpu, &levels->package, 0);
	pu.numa = pu.memory = sp_node_of(cpu);
	pu.hbm = sp_node_hbm(topology, cpu, pu.numa);
	pu.l3 = above(topology, cpu, &levels->l3, pu.numa);
	pu.l2 = above(topology, cpu, &levels->l2, pu.l3);
	pu.core = core_of(topology, cpu, &levels->core);
	return pu;
}

static bool
is_wanted(hwloc_topology_t topology, hwloc_obj_t cpu, const struct sp_cpus *allowed)
{
	if (allowed)
		return sp_cpus_has(allowed, cpu->os_index);
	return hwloc_topology_is_thissystem(topology) ||
	       hwloc_bitmap_isset(hwloc_topology_get_allowed_cpuset(topology), cpu->os_index);
}

/* Whether there are CPU numbers from SP_CPUS_MAX on: a request for the whole machine fails then, rather than leave them out silently. */
static bool
is_too_large(hwloc_topology_t topology)
{
	return hwloc_bitmap_last(hwloc_topology_get_topology_cpuset(topology)) >= SP_CPUS_MAX;
}

static int
flatten(hwloc_topology_t topology, const struct sp_cpus *allowed, struct sp_machine **machine)
{
	if (!allowed && is_too_large(topology))
		return -E2BIG;

	int n = hwloc_get_nbobjs_by_type(topology, HWLOC_OBJ_PU);
	struct sp_machine *made = n > 0 ? malloc(sp_machine_size((uint32_t)n)) : NULL;
	struct sp_cpus ordinary = { 0 }, beside = { 0 };	/* nodes of CPUs; with high-bandwidth memory */
	struct levels levels = {
		.package = { .type = HWLOC_OBJ_PACKAGE }, .l3 = { .type = HWLOC_OBJ_L3CACHE },
		.l2 = { .type = HWLOC_OBJ_L2CACHE }, .core = { .type = HWLOC_OBJ_CORE } };

	if (!made)
		return n > 0 ? -ENOMEM : -ENODEV;
	memset(made, 0, sizeof(*made));
	for (int i = 0; i < n; i++) {
		hwloc_obj_t cpu = hwloc_get_obj_by_type(topology, HWLOC_OBJ_PU, (unsigned)i);

		if (!cpu)
			continue;
		struct sp_pu pu = pu_of(topology, cpu, &levels);

		sp_cpus_add(&ordinary, pu.numa);
		sp_cpus_add(&beside, pu.hbm);
		if (is_wanted(topology, cpu, allowed))
			made->pu[made->ncpus++] = pu;
	}
	if (!made->ncpus) {
		free(made);
		return -ENODEV;
	}
	if (hwloc_topology_is_thissystem(topology)) {
		struct sp_cpus nodes = sp_hwloc_cpus(hwloc_topology_get_complete_nodeset(topology));

		sp_nodes_read("", &nodes, made);
		for (uint32_t i = 0; i < made->ncpus; i++)
			sp_cpus_add(&ordinary, made->pu[i].numa);
	}
	sp_cpus_remove(&ordinary, SP_NO_NODE);
	sp_cpus_or(&beside, &ordinary);
	sp_nodes_find_memory(topology, &ordinary, made);
	sp_kinds_find(topology, made);
	sp_nodes_find(topology, &beside, made);
	if (sp_machine_fault(made)) {
		free(made);
		return -EPROTO;
	}
	*machine = made;
	return 0;
}

static int
read_by_hwloc(const char *source, const struct sp_cpus *allowed, struct sp_machine **machine)
{
	hwloc_topology_t topology;
	int error = sp_hwloc_open(source, HWLOC_TYPE_FILTER_KEEP_NONE, &topology);

	if (error)
		return error;
	error = flatten(topology, allowed, machine);
	hwloc_topology_destroy(topology);
	return error;
}

static int
restrict_to(const struct sp_cpus *allowed, struct sp_machine **machine)
{
	struct sp_machine *whole = *machine, *part = sp_machine_restrict(whole, allowed);

	*machine = NULL;
	free(whole);
	if (part && !part->ncpus) {
		free(part);
		return -ENODEV;
	}
	*machine = part;
	return part ? 0 : -ENOMEM;
}

bool
sp_topology_is_text(const char *source)
{
	struct sp_machine *machine = NULL;
	bool is_text = source && is_path(source) && sp_tool_text_load(source, &machine) == 0;

	free(machine);
	return is_text;
}

int
sp_topology_read(const char *source, const struct sp_cpus *allowed, struct sp_machine **machine)
{
	struct sp_machine *made = NULL;
	int error = source && is_path(source) ? sp_tool_text_load(source, &made) : -ENOMSG;

	if (error == -ENOMSG)
		error = read_by_hwloc(source, allowed, &made);
	else if (!error && allowed)
		error = restrict_to(allowed, &made);
	if (!error)
		*machine = made;
	return error;
}
