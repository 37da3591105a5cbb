/*
 * The decision on the masks that the ranks of a node inherited: made once, by
 * one rank, and written on the board for all.  Values only; the functions are
 * in board.h.
 */
#ifndef SP_DECISION_H
#define SP_DECISION_H

#include <stdint.h>

#include "cpus.h"
#include "launcher/binding.h"

/*
 * The CPUs that a rank divides with others, and its place among them; count 0:
 * the rank keeps its mask, and other ranks may have the same CPUs.
 */
struct sp_part {
	struct sp_cpus seen;	/* the rank's mask as the deciding rank saw it; a wrapper may have changed the mask since */
	struct sp_cpus cpus;
	uint32_t index, count;
	uint32_t group;		/* the first rank that divides the same CPUs */
	uint32_t is_listed;	/* 1: they are a list that the user has given to these ranks and not to the others (OMP_PLACES) */
	uint64_t list;		/* the rank's list as the deciding rank saw it (struct sp_seat); a wrapper may have set it since */
	uint64_t sum;		/* the board's, over the rest */
};

struct sp_decision {
	uint32_t what;		/* meaning set by the writer; never 0 */
	uint32_t is_below;	/* 1: the ranks were bound by a program that the launcher started, not by the launcher */
	uint32_t asked;		/* enum sp_asked: what the evidence says */
	uint32_t no_gap;
	char evidence[SP_EVIDENCE];	/* why the binding counts as asked for, or not */
	uint64_t sum;		/* the board's, over the rest */
};

#endif
