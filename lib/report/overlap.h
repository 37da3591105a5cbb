/* The CPUs on which two jobs of the user slow each other down, and a process that is there. */
#ifndef SP_OVERLAP_H
#define SP_OVERLAP_H

#include "decide/others.h"
#include "report/node.h"

/*
 * The CPUs that this job and others have claimed, where threads of each that cannot
 * leave them are too many (*are_claimed); or those that any of them may use, where
 * all of these are too few.  Two jobs that each need all of these are worth a warning,
 * a few more threads than cores are not.  Empty: there are none such.
 */
struct sp_cpus sp_overlap_find(const struct sp_node *node, const struct sp_other_jobs *others, bool *are_claimed);

#define SP_HOLDER 96		/* bytes of such a text */

/* Of a rank of another job that may run on these CPUs " (PID 4711, a.out)"; "": none can be seen.  Returns text. */
char *sp_holder_find(const struct sp_node *node, const struct sp_cpus *cpus, char text[SP_HOLDER]);

#endif
