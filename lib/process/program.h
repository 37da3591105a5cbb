/* What a process runs, for a person who reads of it. */
#ifndef SP_PROGRAM_H
#define SP_PROGRAM_H

#include <stddef.h>
#include <sys/types.h>

/*
 * The file name of its executable, or where that may not be read the name in
 * /proc/PID/comm, of 15 characters at most; "?" if it has ended.  Cut to size,
 * with '?' for control characters.  Never waits for the process.
 */
void sp_process_program(pid_t pid, char name[], size_t size);

#endif
