/*
 * The agreement of the ranks of a node on what to do about the masks that they
 * inherited.
 *
 * One rank collects the facts of all ranks (inquiry.h), decides for all
 * (division.h), and writes the decision on the board.  It holds the job's lock
 * meanwhile, for which the others wait: when it has ended or was stopped, another
 * takes it.  A rank of which nothing is known is waited for as long as it or the launcher
 * makes progress; after that all ranks keep their masks.
 */
#ifndef SP_AGREE_H
#define SP_AGREE_H

#include "decide/division.h"
#include "node/situation.h"

struct sp_agreement {
	enum sp_division division;
	struct sp_part part;		/* the part of the calling rank */
	enum sp_asked asked;
	char evidence[SP_EVIDENCE];	/* "mpirun has --bind-to core" */
	bool gave_up_first;		/* this rank was the first to give up waiting */
};

/*
 * Agree with the other ranks.  Requires a board unless the rank is alone on the
 * node; writes the rank's own record on the board.  Returns 0, or a negative
 * errno: nothing is known of the other ranks' decision.
 */
int sp_agree(const struct sp_situation *situation, struct sp_agreement *agreement);

/* Read the decision; -ENOENT: there is no decision, since none was needed. */
int sp_agreed(const struct sp_situation *situation, struct sp_agreement *agreement);

#endif
