#include "report/holder.h"

#include <stdio.h>

#include "process/process.h"
#include "process/program.h"

#define PROGRAM 64

struct search {
	const struct sp_cpus *cpus;
	pid_t found;
};

static bool
look_at_rank(const struct sp_seat *seat, void *data)
{
	struct search *search = data;

	if (!search->found && (sp_cpus_intersect(&seat->share, search->cpus) || sp_cpus_intersect(sp_seat_usable(seat), search->cpus)))
		search->found = sp_process_here(&seat->process);
	return !search->found;
}

char *
sp_holder_find(const struct sp_node *node, const struct sp_cpus *cpus, char text[SP_HOLDER])
{
	struct search search = { .cpus = cpus };
	char program[PROGRAM];

	*text = '\0';
	sp_board_other_ranks(node->job, look_at_rank, &search);
	if (!search.found)
		return text;
	sp_process_program(search.found, program, sizeof(program));
	snprintf(text, SP_HOLDER, " (PID %d, %s)", (int)search.found, program);
	return text;
}
