/* To which CPUs taskset and numactl bind what they execute. */
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "cmd/target/target.h"
#include "machine.h"
#include "topology.h"

/* The value of an option in this word, or in the next one; NULL: it is another option. */
static const char *
value_of(char *const word[], char letter, const char *name)
{
	size_t length = strlen(name);

	if (strncmp(word[0], "--", 2) == 0) {
		const char *rest = strncmp(word[0] + 2, name, length) == 0 ? word[0] + 2 + length : "-";

		return *rest == '=' ? rest + 1 : *rest == '\0' ? word[1] : NULL;
	}
	if (word[0][0] != '-' || word[0][1] != letter)
		return NULL;
	return word[0][2] != '\0' ? word[0] + 2 : word[1];
}

/* "0xff", or groups of 32 bits with commas between them; false: it is no mask. */
static bool
parse_mask(const char *text, struct sp_cpus *set)
{
	uint32_t bit = 0;

	*set = (struct sp_cpus){ 0 };
	text += strncmp(text, "0x", 2) == 0 ? 2 : 0;
	for (size_t i = strlen(text); i-- > 0; ) {
		char digit[] = { text[i], '\0' }, *end;
		unsigned long bits = strtoul(digit, &end, 16);

		if (digit[0] == ',')
			continue;
		if (end == digit)
			return false;
		for (unsigned k = 0; k < 4; k++, bit++)
			if (bits >> k & 1)
				sp_cpus_add(set, bit);
	}
	return bit > 0;
}

/* taskset takes a mask, or with -c a list, in front of the command. */
static void
read_taskset(char *const line[], char *const *command, struct target_mask *mask)
{
	bool is_list = false;
	struct sp_cpus set;

	for (char *const *word = line + 1; word < command - 1; word++)
		is_list |= strcmp(*word, "--cpu-list") == 0 || (word[0][0] == '-' && word[0][1] != '-' && strchr(*word, 'c'));
	if (is_list ? sp_cpus_parse(command[-1], &set) == 0 : parse_mask(command[-1], &set))
		*mask = (struct target_mask){ TARGET_CPUS, "taskset", set };
}

static void
read_numactl(char *const line[], char *const *command, struct target_mask *mask)
{
	for (char *const *word = line + 1; word < command; word++) {
		const char *cpus = value_of(word, 'C', "physcpubind"), *nodes = value_of(word, 'N', "cpunodebind");

		if (cpus && sp_cpus_parse(cpus, &mask->set) == 0)
			mask->kind = TARGET_CPUS;
		else if (nodes && sp_cpus_parse(nodes, &mask->set) == 0)
			mask->kind = TARGET_NODES;
	}
}

void
target_read_mask(char *const line[], char *const *command, struct target_mask *mask)
{
	const char *name = sp_last_part(line[0]);

	if (strcmp(name, "taskset") == 0)
		read_taskset(line, command, mask);
	else if (strcmp(name, "numactl") == 0)
		read_numactl(line, command, mask);
	if (mask->kind != TARGET_NO_MASK && !mask->by)
		mask->by = "numactl";
}

bool
target_mask_cpus(const struct target_mask *mask, const char *source, struct sp_cpus *cpus)
{
	struct sp_machine *machine;

	if (mask->kind != TARGET_NODES) {
		*cpus = mask->set;
		return mask->kind == TARGET_CPUS;
	}
	*cpus = (struct sp_cpus){ 0 };
	if (sp_topology_read(source, NULL, &machine) != 0)
		return false;
	for (uint32_t i = 0; i < machine->ncpus; i++)
		if (sp_cpus_has(&mask->set, machine->pu[i].numa))
			sp_cpus_add(cpus, machine->pu[i].cpu);
	free(machine);
	return !sp_cpus_empty(cpus);
}
