/*
 * What a rank finds out about all ranks of the node, so that it can decide for
 * them: their masks and threads, and who asked for the masks.
 *
 * Facts of ranks that have come are on the board, those of ranks that have not
 * are in /proc.  What was found there once is not read again.
 */
#ifndef SP_INQUIRY_H
#define SP_INQUIRY_H

#include "launcher/ancestors.h"
#include "launcher/siblings.h"
#include "node/division.h"
#include "node/situation.h"
#include "process/process.h"

/* A rank that is on one CPU, and may be so for a moment only. */
struct sp_loading {
	struct sp_process process;	/* pid 0: there is none */
	uint32_t threads;
};

struct sp_inquiry {
	const struct sp_situation *s;
	struct sp_cpus cpus;		/* of the machine: masks in /proc hold others, too */
	struct sp_ancestor *ancestor;	/* this process's launchers, nancestors of them */
	size_t nancestors;
	pid_t launcher;			/* 0: it cannot be seen */
	struct sp_binding binding;	/* of any rank for which somebody asked, else the own one */
	struct sp_rank_facts *rank;
	struct sp_part *part;
	uint32_t *need;			/* of each rank (terms/terms.h) */
	uint32_t *state;		/* of each seat, when it was read */
	struct sp_loading *loading;	/* of each rank */
	struct sp_siblings_seen seen;	/* whose environments have been read */
	pid_t coming;			/* a rank that is about to write its record, or may be, or 0 */
	bool all_seen;			/* a rank that is not in /proc has not been started, or has ended */
};

/* 0 or -ENOMEM.  To be ended in either case. */
int sp_inquiry_begin(const struct sp_situation *situation, struct sp_inquiry *inquiry);

/* Look once, without waiting, for missing facts.  Returns the number of ranks whose facts are known. */
uint32_t sp_inquiry_look(struct sp_inquiry *inquiry);

void sp_inquiry_end(struct sp_inquiry *inquiry);

#endif
