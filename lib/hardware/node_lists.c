/*
 * Reads the CPUs of NUMA nodes that lscpu ("NUMA node0 CPU(s): 0-7") and
 * numactl -H ("node 0 cpus: 0 1 2 3") list.  Neither says which CPUs share a
 * core, so that the text has to say, too, that none do: lscpu's "Thread(s) per
 * core: 1".
 */
#include <errno.h>
#include <string.h>

#include "base/ascii.h"
#include "hardware/tool_text.h"

#define LIST_MAX 40000		/* 8192 numbers of four digits, each with a blank */

/* Take a word after blanks; NULL: there is another. */
static const char *
after(const char *line, const char *word)
{
	const char *end;

	return line && sp_ascii_begins(line, word, &end) ? end : NULL;
}

/* The list of a line, and its node; NULL: the line has none. */
static const char *
list_of(const char *line, uint64_t *node)
{
	line += strspn(line, " \t");
	const char *numactl = after(line, "node "), *lscpu = after(line, "numa node");
	const char *number = numactl ? numactl : lscpu;
	const char *rest = number ? sp_ascii_digits(number, node) : NULL;

	return after(rest, numactl ? " cpus:" : " cpu(s):");
}

/* numactl puts blanks between numbers, lscpu commas. */
static int
parse(const char *text, struct sp_cpus *cpus)
{
	static const char blanks[] = " \t\r";
	char list[LIST_MAX];
	size_t n = 0, length;

	for (text += strspn(text, blanks); (length = strcspn(text, " \t\r\n")); text += strspn(text, blanks)) {
		if (n + length + 2 > sizeof(list))
			return -E2BIG;
		memcpy(list + n, text, length);
		n += length;
		list[n++] = ',';
		text += length;
	}
	list[n ? n - 1 : 0] = '\0';
	int error = sp_cpus_parse(list, cpus);

	return error == -ERANGE ? -E2BIG : error ? -ENOMSG : 0;
}

static int
add_node(struct sp_machine *machine, uint64_t node, const struct sp_cpus *cpus)
{
	for (uint32_t cpu = sp_cpus_next(cpus, 0); cpu != SP_NO_CPU; cpu = sp_cpus_next(cpus, cpu + 1)) {
		struct sp_pu *pu = sp_tool_text_add(machine, cpu);

		if (!pu)
			return -E2BIG;
		pu->numa = (uint32_t)node;
	}
	return 0;
}

static bool
has_whole_cores(const char *text)
{
	uint64_t threads = 0;

	for (const char *line = text; line && !threads; line = sp_tool_text_next_line(line)) {
		const char *value = after(line + strspn(line, " \t"), "thread(s) per core:");

		if (value)
			sp_ascii_digits(value + strspn(value, " \t"), &threads);
	}
	return threads == 1;
}

int
sp_tool_text_nodes(const char *text, struct sp_machine *machine)
{
	struct sp_cpus seen = { 0 };

	for (const char *line = text; line; line = sp_tool_text_next_line(line)) {
		uint64_t node = 0;
		const char *list = list_of(line, &node);
		struct sp_cpus cpus = { 0 };
		int error = list ? parse(list, &cpus) : 0;

		/* A file may have both tools' lists. */
		if (!error) {
			sp_cpus_sub(&cpus, &seen);
			sp_cpus_or(&seen, &cpus);
			error = add_node(machine, node, &cpus);
		}
		if (error)
			return error;
	}
	if (!machine->ncpus)
		return -ENOMSG;
	return has_whole_cores(text) ? 0 : -ENODATA;
}
