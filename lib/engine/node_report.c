#include <stdlib.h>

#include "base/deadline.h"
#include "engine/membind.h"
#include "engine/node_report.h"
#include "report/verdict.h"

#define NAP_NS 5000000L		/* until the others are looked for again */

/* If the first rank has its policy and another has not, nobody has warned of that so far. */
static void
warn_of_missing_memory(const struct sp_node *node, const struct sp_seat seats[])
{
	uint32_t missing = 0, first = 0;

	for (uint32_t rank = 0; rank < node->who->local_size && !node->memory_failed; rank++)
		if (seats[rank].state >= SP_SEAT_SETTLED && !sp_membind_is_as_asked(node->config, seats[rank].memory) && !missing++)
			first = rank;
	if (missing)
		sp_warn_node(node->who, "SPLITPIN_MEMORY=%s cannot be had by %u of %u ranks, rank %u for one: their memory policy stays as it was; SPLITPIN_DEBUG=1 tells why",
			     sp_config_memory_name(node->config->memory), missing, node->who->local_size, first);
}

static struct sp_seat *
read_seats(const struct sp_node *node)
{
	struct sp_seat *seats = calloc(node->who->local_size, sizeof(*seats));

	for (uint32_t rank = 0; seats && rank < node->who->local_size; rank++)
		if (sp_board_read(node->board, rank, &seats[rank]) != 0 || seats[rank].state < SP_SEAT_SETTLED)
			seats[rank].state = SP_SEAT_EMPTY;
	return seats;
}

/* Others may still be on their way out of MPI_Init, but they have settled before. */
static bool
all_settled(const struct sp_node *node, const struct sp_seat seats[])
{
	for (uint32_t rank = 0; rank < node->who->local_size; rank++)
		if (seats[rank].state == SP_SEAT_EMPTY)
			return false;
	return true;
}

static void
report(const struct sp_node *node, const struct sp_seat seats[], const struct sp_verdict *verdict)
{
	if (node->config->report)
		sp_report_table(node->who, node->machine, seats);
	sp_report_verdict(node->who, seats, verdict, node->config->report);
	warn_of_missing_memory(node, seats);
}

void
sp_node_report_when_settled(const struct sp_node *node)
{
	struct timespec end = sp_deadline_in(node->config->wait_ms);
	struct sp_nap nap = { .ns = NAP_NS, .max_ns = NAP_NS };
	struct sp_verdict verdict;
	struct sp_seat *seats = read_seats(node);

	while (seats && !all_settled(node, seats) && !sp_board_given_up(node->board) && sp_deadline_nap(&end, &nap)) {
		free(seats);
		seats = read_seats(node);
	}
	if (!seats)
		return;
	sp_verdict(node->machine, node->allowed, seats, node->who->local_size, &verdict);
	if (sp_board_become_reporter(node->board))
		report(node, seats, &verdict);
	free(seats);
}

void
sp_node_report_at_end(const struct sp_node *node)
{
	struct sp_verdict verdict;
	struct sp_seat *seats = read_seats(node);

	if (!seats)
		return;
	sp_verdict(node->machine, node->allowed, seats, node->who->local_size, &verdict);
	if ((node->config->report || verdict.overlapping) && sp_board_become_reporter(node->board))
		report(node, seats, &verdict);
	free(seats);
}
