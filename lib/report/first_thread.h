/*
 * The first thread of a rank, where something else than splitpin has bound it to
 * a CPU outside the rank's share: libraries that bind by a CPU's number do so in
 * each rank, and those of several ranks, or jobs, meet on one CPU.
 */
#ifndef SP_FIRST_THREAD_H
#define SP_FIRST_THREAD_H

#include "report/node.h"

struct sp_first_thread {
	uint32_t cpu;		/* on which alone it may run */
	const char *by;		/* the name of the library that bound it; "": not known; NULL: the program itself, whose masks SPLITPIN_GUARD=keep keeps */
	unsigned waited;	/* percent of the time that it wanted to run; 0: it was not busy */
};

/*
 * To be called by a rank that ends, with the share that this CPU is not in.  One
 * rank of the node warns: where the first thread of another rank of the job is, or
 * was until it ended, bound to that CPU as well; or else where it waited for it.
 */
void sp_first_thread_report(const struct sp_node *node, const struct sp_cpus *share, const struct sp_first_thread *first);

#endif
