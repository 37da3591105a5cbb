/*
 * What a pinned thread makes, threads and processes, inherits its mask.  So
 * the mask is widened to the share while it makes one: a loan.
 *
 * In a process that is no rank, and in a thread that is not pinned, both do
 * nothing.  Both keep errno.
 */
#ifndef SP_LOAN_H
#define SP_LOAN_H

#include <stdbool.h>

#include "cpus.h"

struct sp_loan {
	bool lent;
	struct sp_cpus before;	/* not read unless lent */
};

void sp_loan_begin(struct sp_loan *loan);
void sp_loan_end(const struct sp_loan *loan);

#endif
