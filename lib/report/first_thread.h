/*
 * The first thread of a rank, where something else than splitpin has bound it to
 * a CPU: libraries that bind by a CPU's number do so in each rank, and those of
 * several ranks, or jobs, meet on one CPU.
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
 * To be called by a rank that ends, with its share.  One rank of the node warns.
 * Where the CPU is not in the share: if the first thread of another rank of the
 * job is, or was until it ended, bound to it as well, or else if it waited for it.
 * Where it is: if it waited for it, and that of another job of the user is bound
 * to it as well.
 */
void sp_first_thread_report(const struct sp_node *node, const struct sp_cpus *share, const struct sp_first_thread *first);

#endif
