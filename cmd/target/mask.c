/* To which CPUs taskset and numactl bind what they execute. */
#include <stdlib.h>
#include <string.h>

#include "base/ascii.h"
#include "base/text.h"
#include "cmd/cmd.h"
#include "cmd/target/target.h"
#include "machine.h"
#include "topology.h"

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

/* "0-7:2,9", as taskset reads it; false: it is no list. */
static bool
parse_list(const char *text, struct sp_cpus *set)
{
	*set = (struct sp_cpus){ 0 };
	do {
		uint64_t first, last, stride = 1;

		text = sp_ascii_digits(text, &first);
		last = first;
		if (text && *text == '-')
			text = sp_ascii_digits(text + 1, &last);
		if (text && *text == ':')
			text = sp_ascii_digits(text + 1, &stride);
		if (!text || last < first || stride == 0)
			return false;
		for (; first <= last && first < SP_CPUS_MAX; first += stride)
			sp_cpus_add(set, (uint32_t)first);
	} while (*text++ == ',');
	return text[-1] == '\0';
}

/* taskset takes a mask, or with -c a list, in front of the command. */
static void
read_taskset(char *const line[], char *const *command, struct target_mask *mask)
{
	static const char option[] = "--cpu-list";	/* or its beginning */
	bool is_list = false;

	for (char *const *word = line + 1; word < command - 1; word++) {
		size_t length = strlen(*word);

		is_list |= strncmp(*word, "--", 2) == 0 ? length > 2 && strncmp(*word, option, length) == 0 : word[0][0] == '-' && strchr(*word, 'c');
	}
	mask->by = "taskset";
	mask->kind = (is_list ? parse_list : parse_mask)(command[-1], &mask->set) ? TARGET_CPUS : TARGET_UNREAD;
}

/* The numbers of "0,2-3" or "all", in which those that no machine has are left out; false: it is no such list. */
static bool
parse_numbers(const char *text, struct target_mask *mask)
{
	do {
		char *end;

		if (strcmp(text, "all") == 0) {
			memset(&mask->set, 0xff, sizeof(mask->set));
			mask->is_relative = true;
			return true;
		}
		/* Octal and hexadecimal numbers too; of "3-1" numactl takes the 3. */
		unsigned long first = strtoul(text, &end, 0), last = first;
		if (end == text)
			return false;
		if (*end == '-') {
			text = end + 1;
			last = strtoul(text, &end, 0);
			if (end == text)
				return false;
		}
		if (first < SP_CPUS_MAX)
			sp_cpus_add(&mask->set, (uint32_t)first);
		for (; first <= last && first < SP_CPUS_MAX; first++)
			sp_cpus_add(&mask->set, (uint32_t)first);
		text = end;
	} while (*text++ == ',');
	return text[-1] == '\0';
}

/* "0,2-3", "+0-1", "!0" or "all" of numactl; with its option --all, numbers are never relative. */
static void
bind(struct target_mask *mask, const char *text, int kind, bool is_all)
{
	*mask = (struct target_mask){ .by = "numactl", .is_inverted = *text == '!' };
	text += mask->is_inverted;
	mask->is_relative = *text == '+';
	text += mask->is_relative;
	mask->kind = parse_numbers(text, mask) ? kind : TARGET_UNREAD;
	mask->is_relative &= !is_all;
}

/* "-C0", "-aC 0", "-c 0". */
static void
read_letters(char *const word[], bool *is_all, struct target_mask *mask)
{
	for (const char *letter = word[0] + 1; *letter != '\0'; letter++) {
		*is_all |= *letter == 'a';
		if (strchr("CNc", *letter))
			bind(mask, letter[1] != '\0' ? letter + 1 : word[1], *letter == 'C' ? TARGET_CPUS : TARGET_NODES, *is_all);
		if (strchr("CNciwPpm", *letter))
			return;
	}
}

/* "--physcpubind=0", "--cpunodebind 0", "--cpubind 0", also abbreviated. */
static void
read_long(char *const word[], bool *is_all, struct target_mask *mask)
{
	const char *name = word[0] + 2, *value = strchr(name, '=');

	value = value ? value + 1 : word[1];
	*is_all |= *name == 'a';
	if (strncmp(name, "phys", 4) == 0 || strncmp(name, "cpu", 3) == 0)
		bind(mask, value, *name == 'p' ? TARGET_CPUS : TARGET_NODES, *is_all);
}

/* The last option counts. */
static void
read_numactl(char *const line[], char *const *command, struct target_mask *mask)
{
	bool is_all = false;

	for (char *const *word = line + 1; word < command && strcmp(*word, "--") != 0; word++)
		if (strncmp(*word, "--", 2) == 0)
			read_long(word, &is_all, mask);
		else if (word[0][0] == '-')
			read_letters(word, &is_all, mask);
}

/* Those of a set that have these positions in it, from 0. */
static struct sp_cpus
pick(const struct sp_cpus *set, const struct sp_cpus *positions)
{
	struct sp_cpus picked = { 0 };
	uint32_t position = 0;

	for (uint32_t cpu = sp_cpus_next(set, 0); cpu != SP_NO_CPU; cpu = sp_cpus_next(set, cpu + 1), position++)
		if (sp_cpus_has(positions, position))
			sp_cpus_add(&picked, cpu);
	return picked;
}

void
target_follow_mask(struct target_mask *mask, const struct target_mask *next)
{
	const struct target_mask before = *mask;

	if (next->kind == TARGET_NO_MASK)
		return;
	*mask = *next;
	if (next->kind != TARGET_CPUS || !next->is_relative || before.kind == TARGET_NO_MASK)
		return;
	if (before.kind != TARGET_CPUS || before.is_inverted)
		mask->kind = TARGET_UNREAD;
	mask->set = pick(&before.set, &next->set);
	mask->is_relative = before.is_relative;
}

void
target_read_mask(char *const line[], char *const *command, struct target_mask *mask)
{
	const char *name = sp_last_part(line[0]);
	struct target_mask next = { .kind = TARGET_NO_MASK };

	if (strcmp(name, "taskset") == 0)
		read_taskset(line, command, &next);
	else if (strcmp(name, "numactl") == 0)
		read_numactl(line, command, &next);
	target_follow_mask(mask, &next);
}

static void
complain(const struct target_mask *mask)
{
	cmd_complain("warning: the options of %s in front of the command cannot be read: the CPUs to which it binds are ignored", mask->by);
}

/* All CPUs of a machine, or its NUMA nodes. */
static struct sp_cpus
numbers_of(const struct sp_machine *machine, bool are_nodes)
{
	struct sp_cpus set = { 0 };

	for (uint32_t i = 0; i < machine->ncpus; i++)
		sp_cpus_add(&set, are_nodes ? machine->pu[i].numa : machine->pu[i].cpu);
	return set;
}

/* "+" counts among the CPUs that a process may use, which are its mask, but among all its nodes; "!" leaves the other CPUs of the machine. */
static void
find_cpus(const struct target_mask *mask, const struct sp_machine *machine, const struct sp_cpus *allowed, struct sp_cpus *cpus)
{
	bool are_nodes = mask->kind == TARGET_NODES;
	const struct sp_cpus all = numbers_of(machine, are_nodes);
	struct sp_cpus base = all, chosen = mask->set;

	if (allowed && !are_nodes)
		sp_cpus_and(&base, allowed);
	if (mask->is_relative)
		chosen = pick(&base, &mask->set);
	if (mask->is_inverted) {
		base = all;
		sp_cpus_sub(&base, &chosen);
		chosen = base;
	}
	*cpus = chosen;
	if (!are_nodes)
		return;
	*cpus = (struct sp_cpus){ 0 };
	for (uint32_t i = 0; i < machine->ncpus; i++)
		if (sp_cpus_has(&chosen, machine->pu[i].numa))
			sp_cpus_add(cpus, machine->pu[i].cpu);
}

bool
target_mask_cpus(const struct target_mask *mask, const char *source, const struct sp_cpus *allowed, struct sp_cpus *cpus)
{
	struct sp_machine *machine;

	*cpus = mask->set;
	if (mask->kind == TARGET_UNREAD)
		complain(mask);
	if (mask->kind == TARGET_NO_MASK || mask->kind == TARGET_UNREAD)
		return false;
	if (mask->kind == TARGET_CPUS && !mask->is_relative && !mask->is_inverted)
		return true;
	if (sp_topology_read(source, NULL, &machine) != 0)
		return false;
	find_cpus(mask, machine, allowed, cpus);
	free(machine);
	return true;
}
