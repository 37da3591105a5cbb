/*
 * The ranks of a node agree on what to do about the masks that they inherited.
 *
 * One rank collects the facts of all (inquiry.h), decides for all (division.h),
 * and writes that on the board; the others watch the board, and one of them
 * takes over when the first makes no more progress.  The ranks wait for a rank of
 * which nothing is known as long as it or the launcher makes progress; after that
 * all ranks keep their masks.
 */
#ifndef SP_AGREE_H
#define SP_AGREE_H

#include "node/division.h"
#include "node/situation.h"

struct sp_agreement {
	enum sp_division division;
	struct sp_part part;		/* of the calling rank */
	enum sp_asked asked;
	char evidence[SP_EVIDENCE];	/* "mpirun has --bind-to core" */
	bool gave_up_first;		/* this rank was the first to give up waiting */
};

/*
 * Needs a board unless the rank is alone on the node; writes the rank's own
 * record on it.  Returns 0, or a negative errno: nothing is known of the other
 * ranks' decision.
 */
int sp_agree(const struct sp_situation *situation, struct sp_agreement *agreement);

/* Read the decision; -ENOENT: there is none, since none was needed. */
int sp_agreed(const struct sp_situation *situation, struct sp_agreement *agreement);

#endif
