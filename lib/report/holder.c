#include "report/holder.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "process/process.h"
#include "process/program.h"

#define PROGRAM 64

struct search {
	const char *job;		/* the own one */
	const struct sp_cpus *cpus;
	pid_t found;
};

static void
look_at_board(const struct sp_board_found *found, struct sp_board *board, void *data)
{
	struct search *search = data;
	struct sp_seat seat;

	if (found->error || !found->is_alive || found->dry_run || strcmp(found->job, search->job) == 0)
		return;
	for (uint32_t rank = 0; !search->found && rank < found->local_size; rank++)
		if (sp_board_read(board, rank, &seat) == 0 && seat.state > SP_SEAT_LEFT &&
		    (sp_cpus_intersect(&seat.share, search->cpus) || sp_cpus_intersect(sp_seat_usable(&seat), search->cpus)))
			search->found = sp_process_here(&seat.process);
}

char *
sp_holder_find(const struct sp_node *node, const struct sp_cpus *cpus, char text[SP_HOLDER])
{
	struct search search = { .job = node->job, .cpus = cpus };
	const uid_t self = geteuid();
	char program[PROGRAM];

	*text = '\0';
	sp_board_each(&self, look_at_board, &search);
	if (!search.found)
		return text;
	sp_process_program(search.found, program, sizeof(program));
	snprintf(text, SP_HOLDER, " (PID %d, %s)", (int)search.found, program);
	return text;
}
