/* Which process is on cores that two jobs of the user have. */
#ifndef SP_REPORT_HOLDER_H
#define SP_REPORT_HOLDER_H

#include "report/node.h"

#define SP_HOLDER 96		/* bytes of such a text */

/* Of a rank of another job that may run on these CPUs " (PID 4711, a.out)"; "": none can be seen.  Returns text. */
char *sp_holder_find(const struct sp_node *node, const struct sp_cpus *cpus, char text[SP_HOLDER]);

#endif
