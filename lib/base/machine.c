#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "machine.h"

/* The limit is a power of two: of a number that is not below it there is a bit that no other has. */
static bool
has_all_numbers(const struct sp_pu *pu)
{
	_Static_assert(sizeof(*pu) == 11 * sizeof(pu->cpu), "every field of a CPU is checked");
	_Static_assert((SP_CPUS_MAX & (SP_CPUS_MAX - 1)) == 0, "a power of two");
	return (pu->cpu | pu->core | pu->l2 | pu->l3 | pu->numa | pu->memory | pu->hbm | pu->package | pu->kind | pu->speed | pu->devices) < SP_CPUS_MAX;
}

/* Numbers that are not all different make a set smaller than their count. */
static const char *
find_fault(const struct sp_pu pu[], uint32_t n)
{
	struct sp_cpus cpus = { 0 }, cores = { 0 };
	uint32_t ncores = 0;	/* were the CPUs of each core side by side */
	uint32_t core = SP_NO_CPU, kind = 0;	/* of the last CPU */

	for (const struct sp_pu *end = pu + n; pu < end; pu++) {
		if (!has_all_numbers(pu))
			return "a CPU, a NUMA node or a group has no number, or one above 8191";
		sp_cpus_add(&cpus, pu->cpu);
		if (pu->core == core && pu->kind != kind)
			return "the CPUs of a core are of several kinds";
		if (pu->core == core)
			continue;
		core = pu->core;
		kind = pu->kind;
		sp_cpus_add(&cores, core);
		ncores++;
	}
	return sp_cpus_count(&cpus) != n ? "two CPUs have the same number" :
		sp_cpus_count(&cores) != ncores ? "the CPUs of a core are not side by side" : NULL;
}

static bool
has_an_end(const char *text, size_t size)
{
	return memchr(text, '\0', size) != NULL;
}

const char *
sp_machine_fault(const struct sp_machine *machine)
{
	const struct sp_gpus *gpus = &machine->gpus;

	if (machine->ncpus == 0 || machine->ncpus > SP_CPUS_MAX)
		return "it has no CPU, or more than 8192";
	if (gpus->n > SP_GPUS_MAX)
		return "it has more than 64 GPUs";
	for (uint32_t i = 0; i < gpus->n; i++)
		if (!has_an_end(gpus->gpu[i].address, sizeof(gpus->gpu[i].address)) ||
		    !has_an_end(gpus->gpu[i].uuid, sizeof(gpus->gpu[i].uuid)))
			return "the name of a GPU has no end";
	return find_fault(machine->pu, machine->ncpus);
}

bool
sp_machine_has_kinds(const struct sp_machine *machine)
{
	for (uint32_t i = 1; i < machine->ncpus; i++)
		if (machine->pu[i].kind != machine->pu[i - 1].kind)
			return true;
	return false;
}

bool
sp_machine_has_speeds(const struct sp_machine *machine)
{
	for (uint32_t i = 0; i < machine->ncpus; i++)
		if (machine->pu[i].speed)
			return true;
	return false;
}

static void
add_node(struct sp_cpus *nodes, uint32_t node)
{
	if (node != SP_NO_NODE)
		sp_cpus_add(nodes, node);
}

/* Nodes that share a package with other nodes, but have CPUs in another package, too. */
static struct sp_cpus
crossing_nodes(const struct sp_machine *machine)
{
	struct sp_cpus nodes = { 0 }, crossing = { 0 };

	for (uint32_t i = 0; i < machine->ncpus; i++)
		add_node(&nodes, machine->pu[i].numa);
	for (uint32_t node = sp_cpus_next(&nodes, 0); node != SP_NO_CPU; node = sp_cpus_next(&nodes, node + 1)) {
		struct sp_cpus packages = { 0 };
		bool is_shared = false;

		for (uint32_t i = 0; i < machine->ncpus; i++)
			if (machine->pu[i].numa == node)
				sp_cpus_add(&packages, machine->pu[i].package);
		if (sp_cpus_count(&packages) < 2)
			continue;
		for (uint32_t i = 0; i < machine->ncpus && !is_shared; i++)
			is_shared = machine->pu[i].numa != node && sp_cpus_has(&packages, machine->pu[i].package);
		if (is_shared)
			sp_cpus_add(&crossing, node);
	}
	return crossing;
}

/* Which nodes have CPUs but no memory, which CPUs have no node, and whose memory those use. */
static void
name_lacking(const struct sp_machine *machine, struct sp_text *s)
{
	struct sp_cpus nodes = { 0 }, used = { 0 }, cpus = { 0 }, used_by_cpus = { 0 };
	char list[128], of[64];

	for (uint32_t i = 0; i < machine->ncpus; i++) {
		const struct sp_pu *pu = &machine->pu[i];

		if (pu->memory == pu->numa)
			continue;
		sp_cpus_add(pu->numa == SP_NO_NODE ? &cpus : &nodes, pu->numa == SP_NO_NODE ? pu->cpu : pu->numa);
		sp_cpus_add(pu->numa == SP_NO_NODE ? &used_by_cpus : &used, pu->memory);
	}
	uint32_t n = sp_cpus_count(&nodes), ncpus = sp_cpus_count(&cpus);
	if (n)
		sp_text_add(s, "%sNUMA node%s %s %s no memory: %s CPUs use that of node%s %s", s->length ? "; " : "", sp_plural(n),
			    sp_cpus_format(&nodes, list, sizeof(list)), n == 1 ? "has" : "have", n == 1 ? "its" : "their",
			    sp_plural(sp_cpus_count(&used)), sp_cpus_format(&used, of, sizeof(of)));
	if (ncpus)
		sp_text_add(s, "%sCPU%s %s %s no NUMA node: %s the memory of node%s %s", s->length ? "; " : "", sp_plural(ncpus),
			    sp_cpus_format(&cpus, list, sizeof(list)), ncpus == 1 ? "has" : "have", ncpus == 1 ? "it uses" : "they use",
			    sp_plural(sp_cpus_count(&used_by_cpus)), sp_cpus_format(&used_by_cpus, of, sizeof(of)));
}

char *
sp_machine_name_memory(const struct sp_machine *machine, char *text, size_t size)
{
	struct sp_text s = sp_text_begin(text, size);
	uint32_t gpu = sp_cpus_count(&machine->gpu_memory), far = sp_cpus_count(&machine->far_memory);
	char list[128];

	if (gpu)
		sp_text_add(&s, "NUMA node%s %s %s GPU memory", sp_plural(gpu),
			    sp_cpus_format(&machine->gpu_memory, list, sizeof(list)), gpu == 1 ? "is" : "are");
	if (far)
		sp_text_add(&s, "%snode%s %s %s no CPU of %s own", gpu ? ", and " : "NUMA ", sp_plural(far),
			    sp_cpus_format(&machine->far_memory, list, sizeof(list)), far == 1 ? "has" : "have",
			    far == 1 ? "its" : "their");
	if (gpu || far)
		sp_text_add(&s, ": no memory policy uses %s", gpu + far == 1 ? "it" : "them");
	struct sp_cpus crossing = crossing_nodes(machine);

	if (!sp_cpus_empty(&crossing))
		sp_text_add(&s, "%sNUMA node%s %s cut%s across packages, as in a badly configured virtual machine", gpu || far ? "; " : "",
			    sp_plural(sp_cpus_count(&crossing)), sp_cpus_format(&crossing, list, sizeof(list)),
			    sp_cpus_count(&crossing) == 1 ? "s" : "");
	name_lacking(machine, &s);
	return text;
}

void
sp_machine_cpus(const struct sp_machine *machine, struct sp_cpus *cpus)
{
	*cpus = (struct sp_cpus){ 0 };
	for (uint32_t i = 0; i < machine->ncpus; i++)
		sp_cpus_add(cpus, machine->pu[i].cpu);
}

bool
sp_machine_near(const struct sp_machine *machine, const struct sp_near *near, struct sp_cpus *cpus)
{
	uint32_t n = 0;

	*cpus = (struct sp_cpus){ 0 };
	for (uint32_t i = 0; i < machine->ncpus; i++) {
		if (!sp_pu_is_near(&machine->pu[i], near))
			continue;
		sp_cpus_add(cpus, machine->pu[i].cpu);
		n++;
	}
	return n > 0 && n < machine->ncpus;
}

static void
join(uint32_t *field, uint32_t other)
{
	if (*field != other)
		*field = SP_ANYWHERE;
}

struct sp_near
sp_machine_part(const struct sp_machine *machine, const struct sp_cpus *cpus)
{
	struct sp_near near = { SP_ANYWHERE, SP_ANYWHERE, SP_ANYWHERE };
	bool first = true;

	for (uint32_t i = 0; i < machine->ncpus; i++) {
		const struct sp_pu *pu = &machine->pu[i];

		if (!sp_cpus_has(cpus, pu->cpu))
			continue;
		if (first)
			near = (struct sp_near){ pu->package, pu->numa, pu->l3 };
		first = false;
		join(&near.package, pu->package);
		join(&near.numa, pu->numa);
		join(&near.l3, pu->l3);
	}
	return near;
}

bool
sp_machine_is_within(const struct sp_machine *machine, const struct sp_cpus *cpus)
{
	uint32_t i = 0;

	while (i < machine->ncpus && sp_cpus_has(cpus, machine->pu[i].cpu))
		i++;
	return i == machine->ncpus;
}

struct sp_machine *
sp_machine_restrict(const struct sp_machine *machine, const struct sp_cpus *cpus)
{
	struct sp_machine *made = malloc(sp_machine_size(machine->ncpus));

	if (!made)
		return NULL;
	made->ncpus = 0;
	made->gpus = machine->gpus;
	made->gpu_memory = machine->gpu_memory;
	made->far_memory = machine->far_memory;
	for (uint32_t i = 0; i < machine->ncpus; i++)
		if (sp_cpus_has(cpus, machine->pu[i].cpu))
			made->pu[made->ncpus++] = machine->pu[i];
	return made;
}

uint32_t
sp_machine_extent(const struct sp_machine *machine, const struct sp_cpus *cpus,
		  struct sp_cpus *cores, struct sp_cpus *nodes)
{
	*cores = *nodes = (struct sp_cpus){ 0 };
	for (uint32_t i = 0; i < machine->ncpus; i++) {
		if (!sp_cpus_has(cpus, machine->pu[i].cpu))
			continue;
		sp_cpus_add(cores, machine->pu[i].core);
		add_node(nodes, machine->pu[i].numa);
	}
	return sp_cpus_count(cores);
}

uint32_t
sp_machine_cores(const struct sp_machine *machine, const struct sp_cpus *cpus)
{
	uint32_t n = 0, last = SP_NO_CPU;

	/* Often asked of what is left of a set, which is nothing on most nodes. */
	if (sp_cpus_empty(cpus))
		return 0;
	/* The CPUs of a core stand side by side. */
	for (uint32_t i = 0; i < machine->ncpus; i++) {
		const struct sp_pu *pu = &machine->pu[i];

		if (pu->core != last && sp_cpus_has(cpus, pu->cpu)) {
			last = pu->core;
			n++;
		}
	}
	return n;
}

uint32_t
sp_machine_threads_of_core(const struct sp_machine *machine)
{
	uint32_t most = 0, n = 0;

	for (uint32_t i = 0; i < machine->ncpus; i++) {
		n = i && machine->pu[i].core == machine->pu[i - 1].core ? n + 1 : 1;
		most = n > most ? n : most;
	}
	return most;
}

void
sp_machine_fill_cores(const struct sp_machine *machine, struct sp_cpus *cpus)
{
	for (uint32_t i = 0, end; i < machine->ncpus; i = end) {
		bool touched = false;

		for (end = i; end < machine->ncpus && machine->pu[end].core == machine->pu[i].core; end++)
			touched |= sp_cpus_has(cpus, machine->pu[end].cpu);
		for (uint32_t j = i; touched && j < end; j++)
			sp_cpus_add(cpus, machine->pu[j].cpu);
	}
}
