#include "hardware/tool_text.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/ascii.h"
#include "base/order.h"

#define TEXT_MAX (4u << 20)	/* more of a file is not read; lstopo prints 100 bytes for a CPU */

/*
 * Order: as hwloc's, in which the objects of a level stand by the lowest CPU
 * that they have.
 */

enum { PACKAGE, NUMA, L3, L2, CORE, CPU, LEVELS };

struct place {
	uint32_t key[LEVELS];	/* at first the numbers of the text, then the lowest CPU of each object */
	struct sp_pu pu;
};

/* Numbers of a level may be used again in another package. */
static int
compare_objects(const void *a, const void *b, void *level)
{
	const struct place *one = a, *other = b;
	int at = *(int *)level;
	const uint64_t left[] = { one->key[at], one->key[PACKAGE], one->key[CPU] };
	const uint64_t right[] = { other->key[at], other->key[PACKAGE], other->key[CPU] };

	return sp_order_all(left, right, 3);
}

static int
compare_places(const void *a, const void *b)
{
	const struct place *one = a, *other = b;
	int level = 0;

	while (level < CPU && one->key[level] == other->key[level])
		level++;
	return sp_order(one->key[level], other->key[level]);
}

/* A level of which nothing is said adds no boundary, but every CPU has a core. */
static void
name_by_lowest(struct place place[], uint32_t n, int level)
{
	uint32_t object = SP_UNSAID, package = SP_UNSAID, lowest = 0;

	qsort_r(place, n, sizeof(*place), compare_objects, &level);
	for (uint32_t i = 0; i < n; i++) {
		uint32_t *key = place[i].key;

		if (key[level] != object || key[PACKAGE] != package)
			lowest = key[CPU];
		object = key[level];
		package = key[PACKAGE];
		if (object != SP_UNSAID || level <= NUMA)
			key[level] = lowest;
		else
			key[level] = level == CORE ? key[CPU] : key[level - 1];
	}
}

static struct sp_pu
pu_of(const struct place *place, const struct place *before, const struct sp_pu *last)
{
	struct sp_pu pu = place->pu;
	bool is_package = before && before->key[PACKAGE] != place->key[PACKAGE];
	bool is_core = before && (is_package || before->key[CORE] != place->key[CORE]);

	pu.package = before ? last->package + is_package : 0;
	pu.core = before ? last->core + is_core : 0;
	pu.l3 = place->key[L3];
	pu.l2 = place->key[L2];
	pu.numa = pu.numa == SP_UNSAID ? 0 : pu.numa;
	pu.memory = pu.numa;
	pu.hbm = pu.hbm == SP_UNSAID ? pu.numa : pu.hbm;
	return pu;
}

/* Bring the CPUs that a reader found into the order and the numbers of include/machine.h. */
static int
put_in_order(struct sp_machine *machine)
{
	struct place *place = calloc(machine->ncpus, sizeof(*place));

	if (!place)
		return -ENOMEM;
	for (uint32_t i = 0; i < machine->ncpus; i++) {
		const struct sp_pu *pu = &machine->pu[i];

		place[i] = (struct place){ { pu->package, pu->numa, pu->l3, pu->l2, pu->core, pu->cpu }, *pu };
	}
	for (int level = PACKAGE; level < CPU; level++)
		name_by_lowest(place, machine->ncpus, level);
	qsort(place, machine->ncpus, sizeof(*place), compare_places);
	for (uint32_t i = 0; i < machine->ncpus; i++)
		machine->pu[i] = pu_of(&place[i], i ? &place[i - 1] : NULL, i ? &machine->pu[i - 1] : NULL);
	free(place);
	return 0;
}

/* Reading. */

typedef int reader(const char *text, struct sp_machine *machine);

/* The first that knows the text; what says most comes first, since people send several in one file. */
static int
read_any(const char *text, struct sp_machine *machine)
{
	static reader *const readers[] = { sp_tool_text_lscpu, sp_tool_text_lstopo, sp_tool_text_nodes };
	int error = -ENOMSG;

	for (size_t i = 0; i < sizeof(readers) / sizeof(readers[0]); i++) {
		machine->ncpus = 0;
		int result = readers[i](text, machine);

		if (result != -ENOMSG && result != -ENODATA)
			return result;
		error = result == -ENODATA ? result : error;
	}
	return error;
}

int
sp_tool_text_read(const char *text, struct sp_machine **machine)
{
	struct sp_machine *made = calloc(1, sp_machine_size(SP_CPUS_MAX));

	if (!made)
		return -ENOMEM;
	int error = read_any(text, made);

	if (!error)
		error = put_in_order(made);
	if (!error && sp_machine_fault(made))
		error = -EPROTO;
	if (error)
		free(made);
	else
		*machine = made;
	return error;
}

int
sp_tool_text_load(const char *path, struct sp_machine **machine)
{
	FILE *file = fopen(path, "re");
	char *text = file ? malloc(TEXT_MAX + 1) : NULL;
	int error = file ? -ENOMEM : -ENOMSG;

	if (text) {
		text[fread(text, 1, TEXT_MAX, file)] = '\0';
		error = *sp_ascii_skip_blanks(text) == '<' ? -ENOMSG : sp_tool_text_read(text, machine);
		free(text);
	}
	if (file)
		fclose(file);
	return error;
}
