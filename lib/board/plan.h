/*
 * What the plan for all ranks of a node has besides terms and parts
 * (lib/decide/).  Values only; the functions are in board.h.
 */
#ifndef SP_BOARD_PLAN_H
#define SP_BOARD_PLAN_H

#include <stdint.h>

#include "cpus.h"
#include "cut/cut.h"
#include "launcher/binding.h"

/* The decision on the masks that the ranks inherited: made once, by one rank. */
struct sp_decision {
	uint32_t what;		/* meaning set by the writer; never 0 */
	uint32_t is_below;	/* 1: the ranks were bound by a program that the launcher started, not by the launcher */
	uint32_t asked;		/* enum sp_asked: what the evidence says */
	char evidence[SP_EVIDENCE];	/* why the binding counts as asked for, or not */
};

/*
 * The cut for all ranks, where they divide one set of CPUs: who decides cuts,
 * and the others read what it found.  Each rank could find the same by itself,
 * which takes longer the more CPUs and ranks there are.
 *
 * What it depends on besides the terms and the needs, without GPUs, and its figures:
 */
struct sp_common_cut {
	uint64_t generation;		/* in a question: of the terms for which it is wanted */
	struct sp_cpus cpus;		/* that all ranks of the node divide */
	struct sp_policy policy;	/* of domain SP_DOMAIN_AUTO; lists is not looked at */
	struct sp_cut cut;
};

#endif
