#include "shim/progress.h"

#include <stdatomic.h>
#include <unistd.h>

#include "base/environment.h"
#include "elf/objects.h"

/* Written while MPI_Init runs; those beyond keep their pins. */
static _Atomic pid_t pinned[8];

enum { NPINNED = sizeof(pinned) / sizeof(pinned[0]) };

static bool
is_default(const void *caller)
{
	struct sp_object object;

	return sp_environment_value(__environ, "I_MPI_ASYNC_PROGRESS") && !sp_environment_value(__environ, "I_MPI_ASYNC_PROGRESS_PIN") &&
	       sp_object_of(caller, &object) && sp_object_export(&object, "MPI_Init");
}

bool
sp_progress_pinned(pid_t tid, const void *caller)
{
	pid_t none = 0;
	int i = 0;

	if (tid <= 0 || !is_default(caller))
		return false;
	while (i < NPINNED && !atomic_compare_exchange_strong(&pinned[i], &none, tid)) {
		none = 0;
		i++;
	}
	return i < NPINNED;
}

/* Without room for them the last CPUs of the node are as good as any. */
void
sp_progress_release(const struct sp_engine *engine)
{
	for (int i = 0; i < NPINNED; i++) {
		pid_t tid = atomic_exchange(&pinned[i], 0);

		if (tid && engine->release(tid))
			engine->note("a progress thread of Intel MPI is not left on the CPU that the library chose, since I_MPI_ASYNC_PROGRESS_PIN is not set");
	}
}
