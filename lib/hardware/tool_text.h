/*
 * Machines as other tools print them, and as people send them: lscpu -p,
 * lscpu -e and lstopo's text; and lscpu and numactl -H where the text says that
 * cores have one hardware thread.
 */
#ifndef SP_TOOL_TEXT_H
#define SP_TOOL_TEXT_H

#include "machine.h"

/*
 * Read a machine.  *machine is the caller's, to free(); untouched on error.
 *
 * Returns 0; -ENOMSG (no such text), -ENODATA (a text of such a tool that does
 * not say which CPUs share a core, or has no OS numbers of CPUs), -E2BIG (a
 * CPU number of SP_CPUS_MAX or above), -EPROTO (numbers that no machine has),
 * -ENOMEM.
 */
int sp_tool_text_read(const char *text, struct sp_machine **machine);

/* Read the file of this path, if it is not XML.  Returns as sp_tool_text_read; -ENOMSG, too, for a file that cannot be read. */
int sp_tool_text_load(const char *path, struct sp_machine **machine);

/* The readers: inside lib/hardware alone. */

/* A field of a CPU of which the text says nothing. */
#define SP_UNSAID UINT32_MAX

/* Add a CPU of which nothing is known.  NULL: its number is SP_CPUS_MAX or above, or machine->pu is full. */
struct sp_pu *sp_tool_text_add(struct sp_machine *machine, uint64_t cpu);

/*
 * Add the CPUs of a text to a machine, whose pu has room for SP_CPUS_MAX.  Of
 * these CPUs package, core, l3 and l2 are any numbers that are equal for the
 * CPUs of one object; numbers of cores and caches may be used again in another
 * package.  Returns as sp_tool_text_read.
 */
int sp_tool_text_lscpu(const char *text, struct sp_machine *machine);
int sp_tool_text_lstopo(const char *text, struct sp_machine *machine);
int sp_tool_text_nodes(const char *text, struct sp_machine *machine);

/* The next line of a text, or NULL: it was the last. */
const char *sp_tool_text_next_line(const char *line);

#endif
