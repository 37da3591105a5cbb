/*
 * The inquiry: a rank collects, for all ranks of the node, their masks, their
 * threads, and who asked for the masks, so that it can decide for all.
 *
 * Facts of ranks that have arrived are on the board; those of other ranks are
 * in /proc.  A fact that was found in /proc is not read again.
 */
#ifndef SP_INQUIRY_H
#define SP_INQUIRY_H

#include "launcher/ancestors.h"
#include "launcher/siblings.h"
#include "decide/division.h"
#include "node/situation.h"
#include "process/process.h"

/* A rank that is on one CPU, perhaps only for a moment while it is loaded. */
struct sp_loading {
	struct sp_process process;	/* pid 0: the rank is not in this state */
	struct sp_rank_facts facts;
};

struct sp_inquiry {
	const struct sp_situation *s;
	struct sp_cpus cpus;		/* all CPUs of the machine: masks in /proc have others, too */
	struct sp_ancestor *ancestor;	/* this process's launchers, nancestors of them */
	size_t nancestors;
	pid_t launcher;			/* 0: it cannot be seen */
	struct sp_binding binding;	/* of a rank for whose binding somebody asked, if there is one; else of the calling rank */
	struct sp_rank_facts *rank;
	struct sp_part *part;
	uint32_t *need;			/* of each rank (decide/terms.h) */
	uint32_t *state;		/* of each seat, as last read */
	struct sp_loading *loading;	/* of each rank */
	struct sp_siblings_seen seen;	/* the ranks whose environments have been read */
	pid_t coming;			/* a rank that is, or may be, about to write its record; 0: none */
	bool all_seen;			/* a rank that is not in /proc has not been started, or has ended */
};

/* Returns 0 or -ENOMEM.  sp_inquiry_end is to be called in either case. */
int sp_inquiry_begin(const struct sp_situation *situation, struct sp_inquiry *inquiry);

/* Look once, without waiting, for missing facts.  Returns the number of ranks whose facts are known. */
uint32_t sp_inquiry_look(struct sp_inquiry *inquiry);

/*
 * Whether the launcher has started all its ranks: it waits for their ends, and
 * has seen one; each of its children is a rank that has been seen; and the
 * youngest is older than this.
 */
bool sp_inquiry_has_all_started(const struct sp_inquiry *inquiry, uint32_t age_ms);

void sp_inquiry_end(struct sp_inquiry *inquiry);

#endif
