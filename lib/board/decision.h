/*
 * What all ranks of a node do about the masks that they inherited: decided once,
 * by one of them, and written on the board for all.  Values; board.h has the
 * functions.
 */
#ifndef SP_DECISION_H
#define SP_DECISION_H

#include <stdint.h>

#include "cpus.h"
#include "launcher/binding.h"

/* What a rank cuts, and as which of how many; count 0: it keeps its mask, and others may have the same CPUs. */
struct sp_part {
	struct sp_cpus seen;	/* the rank's mask as the decider knew it; a wrapper may have changed it since */
	struct sp_cpus cpus;
	uint32_t index, count;
	uint32_t group;		/* the first rank that cuts the same */
	uint32_t no_gap;	/* which the sum would depend on */
	uint64_t sum;		/* the board's, over the rest */
};

struct sp_decision {
	uint32_t what;		/* the writer's word, never 0 */
	uint32_t is_below;	/* 1: what the launcher started has bound the ranks, not the launcher */
	uint32_t asked;		/* enum sp_asked: what the evidence says */
	uint32_t no_gap;
	char evidence[SP_EVIDENCE];	/* why the binding counts as asked for, or not */
	uint64_t sum;		/* the board's, over the rest */
};

#endif
