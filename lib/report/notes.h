/* SPLITPIN_REPORT=1: notes on the node and its ranks, printed below the table, one line each. */
#ifndef SP_NOTES_H
#define SP_NOTES_H

#include "base/who.h"
#include "board/seat.h"
#include "machine.h"

/* NUMA nodes that no memory policy uses, where there are any. */
void sp_notes_memory(const struct sp_who *who, const struct sp_machine *machine);

/* Ranks that have slow cores alone where another has a faster one: the slowest decides how fast all are. */
void sp_notes_slow_ranks(const struct sp_who *who, const struct sp_machine *machine, const struct sp_seat seats[]);

#endif
