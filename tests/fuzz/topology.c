/* Descriptions in hwloc's synthetic syntax: what splitpin makes of any machine that hwloc accepts. */
#include <errno.h>
#include <sanitizer/lsan_interface.h>
#include <stdlib.h>
#include <string.h>

#include "cut/cut.h"
#include "fuzz.h"
#include "topology.h"

enum { TEXT = 96 };

/* hwloc allocates as many objects as it is told to: what asks for very many is not for this test. */
static bool
is_small(const char *text)
{
	unsigned long objects = 1;

	for (const char *at = text; *at;) {
		char *end;
		unsigned long n;

		if (*at < '0' || *at > '9') {
			at++;
			continue;
		}
		n = strtoul(at, &end, 0);
		if (n > 64)
			return false;
		objects *= n ? n : 1;
		if (objects > 512)
			return false;
		at = end;
	}
	return true;
}

static void
check_machine(const struct sp_machine *machine)
{
	struct sp_policy policy = { 0 };
	struct sp_cpus all;
	uint32_t *owner = calloc(machine->ncpus, sizeof(*owner));

	if (!owner)
		abort();
	sp_machine_cpus(machine, &all);
	must(sp_cpus_count(&all) == machine->ncpus);
	/* What shares a core stands side by side. */
	for (uint32_t i = 2; i < machine->ncpus; i++)
		if (machine->pu[i].core != machine->pu[i - 1].core)
			for (uint32_t j = 0; j + 1 < i; j++)
				must(machine->pu[j].core != machine->pu[i].core);
	must(sp_cut(machine, &policy, 1, owner, NULL) == 0);
	must(sp_cut(machine, &policy, machine->ncpus, owner, NULL) == 0);
	free(owner);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char text[TEXT + 1];
	struct sp_machine *machine;
	size_t length = size < TEXT ? size : TEXT;
	int error;

	memcpy(text, data, length);
	text[length] = '\0';
	if (strlen(text) != length || strchr(text, '/') || strstr(text, ".xml") || !is_small(text))
		return 0;
	/* hwloc 2.9 loses memory of some that it refuses; what it accepts is read again and watched. */
	__lsan_disable();
	error = sp_topology_read(text, NULL, &machine);
	__lsan_enable();
	must(error <= 0);
	if (error)
		return 0;
	free(machine);
	must(sp_topology_read(text, NULL, &machine) == 0);
	check_machine(machine);
	free(machine);
	return 0;
}
