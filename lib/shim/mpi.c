/*
 * The constructor, and the interposed functions of MPI and PMIx.
 *
 * Every interposed function of the shim calls the next definition with the
 * arguments that it was given and returns what that returned; in a process that
 * is not a rank it does nothing else.  In a rank, those here and in threads.c and
 * ompt/tool.c are the signs that the process is parallel: the first settles it.
 */
#include <errno.h>
#include <stdatomic.h>

#include "elf/objects.h"
#include "elf/runtimes.h"
#include "launcher/pmix.h"
#include "shim/export.h"
#include "shim/progress.h"
#include "shim/self.h"
#include "shim/settle.h"

/* Any nonzero value is an error to MPI's callers. */
#define NO_MPI 16
#define NO_PMIX (-1)

typedef int init_fn(int *, char ***);
typedef int init_thread_fn(int *, char ***, int, int *);
typedef int session_init_fn(void *, void *, void *);

__attribute__((constructor)) static void
begin(void)
{
	sp_settle_at_load();
}

static _Atomic int starting;	/* calls that start MPI and have not returned: PMPI_Init within a tool's MPI_Init */

/*
 * MPI.  Narrow first, so that MPI's helper threads and buffers start inside
 * the share; MPI's answer is returned as it is.  Fortran's entry points call
 * PMPI_ names in some libraries and MPI_ names in others.  A program that looks
 * these names up and has no MPI gets an error, not a crash.
 */
static void
begin_start(void)
{
	const struct sp_engine *engine = sp_settle(SP_BY_MPI_INIT);

	if (atomic_fetch_add(&starting, 1) == 0 && engine)
		engine->mpi_starts(true);
}

static int
end_start(int error)
{
	const struct sp_engine *engine = sp_settled();

	/* Once MPI has started, calls that longjmp has left count no more. */
	if ((error ? atomic_fetch_sub(&starting, 1) == 1 : atomic_exchange(&starting, 0) > 0) && engine)
		engine->mpi_starts(false);
	return error;
}

static int
ready(int error)
{
	const struct sp_engine *engine = sp_settled();

	if (!error && engine) {
		int keep = errno;
		engine->ready();
		sp_progress_release(engine);
		errno = keep;
	}
	return error;
}

static int
init(const char *name, int *argc, char ***argv)
{
	init_fn *next = (init_fn *)sp_objects_export_after((void *)begin, name);

	if (!next)
		return NO_MPI;
	begin_start();
	return ready(end_start(next(argc, argv)));
}

static int
init_thread(const char *name, int *argc, char ***argv, int required, int *provided)
{
	init_thread_fn *next = (init_thread_fn *)sp_objects_export_after((void *)begin, name);

	if (!next)
		return NO_MPI;
	begin_start();
	return ready(end_start(next(argc, argv, required, provided)));
}

/* Each rank opens its sessions for itself: others may not have started. */
static int
session_init(const char *name, void *info, void *handler, void *session)
{
	session_init_fn *next = (session_init_fn *)sp_objects_export_after((void *)begin, name);

	if (!next)
		return NO_MPI;
	begin_start();
	return end_start(next(info, handler, session));
}

SP_EXPORT int MPI_Init(int *argc, char ***argv);
SP_EXPORT int PMPI_Init(int *argc, char ***argv);
SP_EXPORT int MPI_Init_thread(int *argc, char ***argv, int required, int *provided);
SP_EXPORT int PMPI_Init_thread(int *argc, char ***argv, int required, int *provided);
SP_EXPORT int MPI_Session_init(void *info, void *handler, void *session);
SP_EXPORT int PMPI_Session_init(void *info, void *handler, void *session);
SP_EXPORT int PMIx_Init(void *process, void *info, size_t ninfo);

int
MPI_Init(int *argc, char ***argv)
{
	return init("MPI_Init", argc, argv);
}

int
PMPI_Init(int *argc, char ***argv)
{
	return init("PMPI_Init", argc, argv);
}

int
MPI_Init_thread(int *argc, char ***argv, int required, int *provided)
{
	return init_thread("MPI_Init_thread", argc, argv, required, provided);
}

int
PMPI_Init_thread(int *argc, char ***argv, int required, int *provided)
{
	return init_thread("PMPI_Init_thread", argc, argv, required, provided);
}

/* Handles are numbers in some libraries and pointers in others: passed on as they come. */
int
MPI_Session_init(void *info, void *handler, void *session)
{
	return session_init("MPI_Session_init", info, handler, session);
}

int
PMPI_Session_init(void *info, void *handler, void *session)
{
	return session_init("PMPI_Session_init", info, handler, session);
}

/*
 * Runtimes that counted CPUs before the rank was known get the default team of
 * the share: each libgomp that is loaded, and those that have looked for a tool.
 * Others count when they start, and calling them would start them.
 */
static void
correct_team(const struct sp_engine *engine)
{
	uint32_t team = engine->default_team();
	struct sp_object libgomp;

	if (!team)
		return;
	for (unsigned i = 0; sp_runtimes_find_nth(SP_LIBGOMP, i, &libgomp); i++)
		sp_runtime_set_team(&libgomp, team);
	sp_self_set_team(team);
}

/*
 * PMIx can be asked once the program's own call has returned, never before.
 * MPI's helper threads may have started by then.
 */
int
PMIx_Init(void *process, void *info, size_t ninfo)
{
	sp_pmix_init_fn *next = (sp_pmix_init_fn *)sp_objects_export_after((void *)begin, "PMIx_Init");
	struct sp_rank rank;

	if (!next)
		return NO_PMIX;
	int error = next(process, info, ninfo);
	int keep = errno;
	if (!error && sp_awaits_pmix() && sp_pmix_rank(process, (void *)begin, &rank) == 0) {
		const struct sp_engine *engine = sp_settle_as(&rank, SP_BY_PMIX_INIT);

		if (engine) {
			correct_team(engine);
			engine->mpi_starts(starting != 0);
		}
	}
	errno = keep;
	return error;
}
