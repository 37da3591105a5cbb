/*
 * The first cut: the rank that makes the board cuts for all ranks, by the first
 * terms, and the others read what it found.  Each rank could find the same by
 * itself, which takes longer the more CPUs and ranks there are.  Values only;
 * the functions are in board.h.
 */
#ifndef SP_FIRST_CUT_H
#define SP_FIRST_CUT_H

#include "cpus.h"
#include "cut/cut.h"

/* What the cut depends on besides the first terms and the needs in them, without GPUs, and its figures. */
struct sp_first_cut {
	struct sp_cpus cpus;		/* the CPUs that all ranks of the node divide */
	struct sp_policy policy;	/* of domain SP_DOMAIN_AUTO; lists is not looked at */
	struct sp_cut cut;
};

#endif
