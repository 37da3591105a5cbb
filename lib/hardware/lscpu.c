/* Reads what lscpu -p and lscpu -e print: a line that names columns, then a line for each CPU. */
#include <errno.h>
#include <string.h>

#include "base/ascii.h"
#include "hardware/tool_text.h"

#define COLUMNS_MAX 32
#define NOT_READ SIZE_MAX

static const struct {
	const char *name;
	size_t at;
} columns[] = {
	{ "cpu", offsetof(struct sp_pu, cpu) }, { "core", offsetof(struct sp_pu, core) },
	{ "socket", offsetof(struct sp_pu, package) }, { "node", offsetof(struct sp_pu, numa) },
	{ "l2", offsetof(struct sp_pu, l2) }, { "l3", offsetof(struct sp_pu, l3) },
};

struct table {
	size_t at[COLUMNS_MAX];	/* where each column lies in a struct sp_pu, or NOT_READ */
	uint32_t n;
	bool by_comma;		/* lscpu -p; lscpu -e puts blanks between columns.  Both put colons between caches. */
};

/* Take a field of a line.  False: the line has ended. */
static bool
take_field(const char **at, bool by_comma, const char **field, size_t *length)
{
	const char *text = *at;

	if (!by_comma)
		text += strspn(text, " \t");
	if (!text[0] || text[0] == '\n' || text[0] == '\r')
		return false;
	*field = text;
	*length = strcspn(text, by_comma ? ",:\r\n" : " \t:\r\n");
	text += *length;
	*at = text + (text[0] && strchr(by_comma ? ",:" : ":", text[0]));
	return true;
}

static size_t
column_of(const char *name, size_t length)
{
	for (size_t i = 0; i < sizeof(columns) / sizeof(columns[0]); i++) {
		const char *end;

		if (sp_ascii_begins(name, columns[i].name, &end) && end == name + length)
			return columns[i].at;
	}
	return NOT_READ;
}

/* Whether a line names columns: that of the CPU first, and another that is read. */
static bool
is_header(const char *line, struct table *table)
{
	const char *name;
	size_t length, known = 0;

	line += strspn(line, "# ");
	table->by_comma = sp_ascii_begins(line, "cpu,", &name);
	for (table->n = 0; table->n < COLUMNS_MAX && take_field(&line, table->by_comma, &name, &length); table->n++) {
		table->at[table->n] = column_of(name, length);
		known += table->at[table->n] != NOT_READ;
	}
	return known > 1 && table->at[0] == offsetof(struct sp_pu, cpu);
}

static bool
has_core(const struct table *table)
{
	for (uint32_t i = 0; i < table->n; i++)
		if (table->at[i] == offsetof(struct sp_pu, core))
			return true;
	return false;
}

/*
 * Read a line into a CPU.  False: it is no line of the table, since its first
 * column, the CPU's, has no number.  Another column without one says nothing:
 * lscpu -e of some versions leaves out caches, and what follows moves.
 */
static bool
read_row(const char *line, const struct table *table, struct sp_pu *pu)
{
	const char *value;
	size_t length;

	for (uint32_t i = 0; i < table->n && take_field(&line, table->by_comma, &value, &length); i++) {
		uint64_t number;

		if (table->at[i] != NOT_READ && sp_ascii_digits(value, &number) == value + length && number < SP_UNSAID)
			*(uint32_t *)(void *)((char *)pu + table->at[i]) = (uint32_t)number;
		else if (i == 0)
			return false;
	}
	return pu->cpu != SP_UNSAID;
}

/* CPUs that are offline have no core. */
static int
read_rows(const char *line, const struct table *table, struct sp_machine *machine)
{
	for (; line; line = sp_tool_text_next_line(line)) {
		struct sp_pu row = { SP_UNSAID, SP_UNSAID, SP_UNSAID, SP_UNSAID, SP_UNSAID, SP_UNSAID, SP_UNSAID, SP_UNSAID, 0, 0, 0 };

		if (!read_row(line, table, &row))
			break;
		if (row.core == SP_UNSAID)
			continue;
		struct sp_pu *pu = sp_tool_text_add(machine, row.cpu);

		if (!pu)
			return -E2BIG;
		*pu = row;
	}
	return machine->ncpus ? 0 : -ENODATA;
}

int
sp_tool_text_lscpu(const char *text, struct sp_machine *machine)
{
	for (const char *line = text; line; line = sp_tool_text_next_line(line)) {
		struct table table;

		if (is_header(line, &table))
			return has_core(&table) ? read_rows(sp_tool_text_next_line(line), &table, machine) : -ENODATA;
	}
	return -ENOMSG;
}
