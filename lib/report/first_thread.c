#include "report/first_thread.h"

#include <stdio.h>

#include "base/pin.h"
#include "base/text.h"
#include "base/who.h"

#define WAITED 25		/* percent: with one other busy thread on the CPU it is 50 */
#define BY 96

/* Whether the first thread of a rank may run on this CPU alone, or might when its process ended. */
static bool
is_bound_to(const struct sp_seat *seat, uint32_t cpu)
{
	struct sp_cpus mask;
	pid_t pid = seat->state > SP_SEAT_LEFT ? sp_process_here(&seat->process) : 0;

	if (seat->state == SP_SEAT_LEFT)
		return seat->bound == cpu + 1;
	return pid > 0 && sp_pin_get(pid, &mask) == 0 && sp_cpus_has(&mask, cpu) && sp_cpus_count(&mask) == 1;
}

/* Returns the local size where there is none. */
static uint32_t
find_other(const struct sp_node *node, uint32_t cpu)
{
	uint32_t rank = 0;

	for (struct sp_seat seat; rank < node->who->local_size; rank++)
		if (rank != node->who->local_rank && sp_board_read(node->board, rank, &seat) == 0 && is_bound_to(&seat, cpu))
			break;
	return rank;
}

static const char *
name_binder(const char *by, char text[BY])
{
	if (!by)
		return "by the program itself";
	if (!*by)
		return "not by splitpin";
	snprintf(text, BY, "by %s", by);
	return text;
}

static const char *
remedy_for(const char *by)
{
	return by ? "SPLITPIN_GUARD=keep restores masks" : "switch off the program's own binding";
}

struct meeting {
	uint32_t cpu;
	pid_t pid;	/* of another job's rank whose first thread is bound to it; 0: none */
};

static enum sp_visit
look_at_rank(const struct sp_seat *seat, void *data)
{
	struct meeting *meeting = data;

	if (is_bound_to(seat, meeting->cpu))
		meeting->pid = sp_process_here(&seat->process);
	return meeting->pid ? SP_VISIT_END : SP_VISIT_ON;
}

/* Threads in a share wait for many reasons: that another one is bound to this very CPU has to be seen. */
static void
report_inside(const struct sp_node *node, const struct sp_first_thread *first)
{
	struct meeting meeting = { .cpu = first->cpu };
	char by[BY];

	if (first->waited >= WAITED)
		sp_board_other_ranks(node->job, look_at_rank, &meeting);
	if (meeting.pid && sp_board_is_first(node->board, SP_FIRST_CROWD))
		sp_warn_node(node->who, "the first thread of rank %u was bound to CPU %u (%s), as was that of another of your jobs (PID %d), and waited %u percent of its time for it: %s",
			     node->who->local_rank, first->cpu, name_binder(first->by, by), (int)meeting.pid, first->waited, remedy_for(first->by));
}

static void
report_outside(const struct sp_node *node, const struct sp_cpus *share, const struct sp_first_thread *first)
{
	char by[BY], list[SP_CPUS_TEXT];
	uint32_t own = node->who->local_rank, other = find_other(node, first->cpu);
	bool is_met = other < node->who->local_size;

	if ((!is_met && first->waited < WAITED) || !sp_board_is_first(node->board, SP_FIRST_CROWD))
		return;
	if (is_met)
		sp_warn_node(node->who, "the first threads of ranks %u and %u were both bound to CPU %u (%s): %s",
			     other < own ? other : own, other < own ? own : other, first->cpu, name_binder(first->by, by), remedy_for(first->by));
	else
		sp_warn_node(node->who, "the first thread of rank %u was bound to CPU %u (%s), outside the share %s, and waited %u percent of its time for it: %s",
			     own, first->cpu, name_binder(first->by, by), sp_cpus_format(share, list, sizeof(list)), first->waited, remedy_for(first->by));
}

void
sp_first_thread_report(const struct sp_node *node, const struct sp_cpus *share, const struct sp_first_thread *first)
{
	if (sp_cpus_has(share, first->cpu))
		report_inside(node, first);
	else
		report_outside(node, share, first);
}
