/*
 * The interposed _exit.
 *
 * A rank leaves the others in a destructor.  A shell that is a rank from its
 * start (dash) ends without destructors, and would leave the file of its job
 * behind.  Other ranks that call _exit may do so in a signal handler: there
 * nothing is done.
 */
#include <sys/syscall.h>
#include <unistd.h>

#include "shim/export.h"
#include "shim/next.h"
#include "shim/settle.h"

typedef void exit_fn(int);

static __attribute__((noinline)) void
leave(const struct sp_engine *engine)
{
	engine->leave();
}

SP_EXPORT_AT(_exit, SP_GLIBC) __attribute__((noreturn)) void
sp_at__exit(int status)
{
	exit_fn *next = (exit_fn *)sp_next(SP_EXIT);
	const struct sp_engine *engine = sp_only_started();

	if (engine)
		leave(engine);
	next(status);
	for (;;)
		syscall(SYS_exit_group, status);
}
