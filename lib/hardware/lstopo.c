/*
 * Reads the tree that lstopo prints, of hwloc 1 and 2: a line for each object,
 * or for several that have the same CPUs ("Package L#0 + L3 L#0 (16MB)"),
 * indented below the object around them.
 */
#include <errno.h>
#include <string.h>

#include "base/ascii.h"
#include "hardware/tool_text.h"

/* The object of a kind that is around the lines that follow. */
struct around {
	uint32_t number;	/* SP_UNSAID: there is none */
	size_t indent;
};

enum { PACKAGE, L3, L2, CORE, NODE, HBM, KINDS };

static const struct {
	const char *name;
	int kind;
} names[] = {
	{ "Package", PACKAGE }, { "Socket", PACKAGE }, { "L3", L3 }, { "L2", L2 }, { "Core", CORE },
};

struct tree {
	struct sp_machine *machine;
	struct around around[KINDS];
	uint32_t objects;	/* so far; their numbers */
	uint32_t at_node;	/* CPUs before the last node */
	size_t cache_indent;	/* of the memory-side cache on the line before; SIZE_MAX: none */
};

/* A node is beside the objects below the one that has it, and so ends with that one; others end with the next of their kind. */
static void
leave(struct tree *tree, size_t indent)
{
	for (int kind = 0; kind < KINDS; kind++) {
		struct around *around = &tree->around[kind];

		if (indent < around->indent || (indent == around->indent && kind < NODE))
			around->number = SP_UNSAID;
	}
}

/* The number that the OS has for an object, "(P#12 958MB)" or "P#12". */
static bool
os_number(const char *object, size_t length, uint64_t *number)
{
	const char *mark = memmem(object, length, "P#", 2);

	return mark && sp_ascii_digits(mark + 2, number);
}

/* Of several nodes beside the same CPUs the first that is no memory of another kind is theirs. */
static int
take_node(struct tree *tree, const char *object, size_t length, size_t indent)
{
	static const char *const fast[] = { "(MCDRAM)", "(HBM)" };
	const char *name = object + strlen("NUMANode");
	uint64_t number;
	int kind = *name == '(' && !sp_ascii_begins(name, "(dram)", &(const char *){ NULL }) ? KINDS : NODE;

	for (size_t i = 0; i < sizeof(fast) / sizeof(fast[0]); i++)
		if (strncmp(name, fast[i], strlen(fast[i])) == 0)
			kind = HBM;
	if (!os_number(object, length, &number) || number >= SP_CPUS_MAX)
		return -ENODATA;
	if (kind == KINDS)
		return 0;
	struct around *around = &tree->around[kind];

	if (around->number != SP_UNSAID && around->indent == indent && tree->at_node == tree->machine->ncpus)
		return 0;
	*around = (struct around){ (uint32_t)number, indent };
	tree->at_node = tree->machine->ncpus;
	return 0;
}

static int
take_cpu(struct tree *tree, const char *object, size_t length)
{
	const struct around *around = tree->around;
	uint64_t number;

	if (!os_number(object, length, &number))
		return -ENODATA;
	struct sp_pu *pu = sp_tool_text_add(tree->machine, number);

	if (!pu)
		return -E2BIG;
	pu->package = around[PACKAGE].number;
	pu->l3 = around[L3].number;
	pu->l2 = around[L2].number;
	pu->core = around[CORE].number;
	pu->numa = around[NODE].number;
	pu->hbm = around[HBM].number;
	return 0;
}

static int
take_object(struct tree *tree, const char *object, size_t length, size_t indent)
{
	size_t name = strcspn(object, " (\n");

	if (name == 2 && strncmp(object, "PU", 2) == 0)
		return take_cpu(tree, object, length);
	if (name == 8 && strncmp(object, "NUMANode", 8) == 0)
		return take_node(tree, object, length, tree->cache_indent < indent ? tree->cache_indent : indent);
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (strlen(names[i].name) == name && strncmp(object, names[i].name, name) == 0)
			tree->around[names[i].kind] = (struct around){ tree->objects++, indent };
	return 0;
}

static int
take_line(struct tree *tree, const char *line)
{
	size_t indent = strspn(line, " "), length = strcspn(line, "\r\n");
	bool is_cache = strncmp(line + indent, "MemCache", 8) == 0;
	int error = 0;

	leave(tree, indent);
	for (const char *object = line + indent, *end = line + length; !error && object < end;) {
		const char *plus = memmem(object, (size_t)(end - object), " + ", 3);

		error = take_object(tree, object, (size_t)((plus ? plus : end) - object), indent);
		object = plus ? plus + 3 : end;
	}
	tree->cache_indent = is_cache ? indent : SIZE_MAX;
	return error;
}

int
sp_tool_text_lstopo(const char *text, struct sp_machine *machine)
{
	struct tree tree = { .machine = machine, .cache_indent = SIZE_MAX };
	const char *line = text;
	int error = 0;

	for (int kind = 0; kind < KINDS; kind++)
		tree.around[kind].number = SP_UNSAID;
	while (line && strncmp(line, "Machine", 7) != 0)
		line = sp_tool_text_next_line(line);
	if (!line)
		return -ENOMSG;
	do {
		error = take_line(&tree, line);
		line = sp_tool_text_next_line(line);
	} while (!error && line && *line == ' ');
	return error ? error : machine->ncpus ? 0 : -ENOMSG;
}
