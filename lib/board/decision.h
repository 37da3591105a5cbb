/*
 * The decision on the masks that the ranks of a node inherited: made once, by
 * one rank, and written on the board for all.  Values only; the functions are
 * in board.h.
 */
#ifndef SP_DECISION_H
#define SP_DECISION_H

#include <stdint.h>

#include "decide/division.h"
#include "launcher/binding.h"

struct sp_decision {
	uint32_t what;		/* meaning set by the writer; never 0 */
	uint32_t is_below;	/* 1: the ranks were bound by a program that the launcher started, not by the launcher */
	uint32_t asked;		/* enum sp_asked: what the evidence says */
	uint32_t no_gap;
	char evidence[SP_EVIDENCE];	/* why the binding counts as asked for, or not */
	uint64_t sum;		/* the board's, over the rest */
};

#endif
