/* What the readers of tools' texts share. */
#include <string.h>

#include "hardware/tool_text.h"

struct sp_pu *
sp_tool_text_add(struct sp_machine *machine, uint64_t cpu)
{
	if (cpu >= SP_CPUS_MAX || machine->ncpus == SP_CPUS_MAX)
		return NULL;
	struct sp_pu *pu = &machine->pu[machine->ncpus++];

	*pu = (struct sp_pu){ .cpu = (uint32_t)cpu, .core = SP_UNSAID, .l2 = SP_UNSAID, .l3 = SP_UNSAID, .numa = SP_UNSAID,
			      .hbm = SP_UNSAID, .package = SP_UNSAID };
	return pu;
}

const char *
sp_tool_text_next_line(const char *line)
{
	const char *end = strchr(line, '\n');

	return end ? end + 1 : NULL;
}
