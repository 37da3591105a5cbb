/*
 * What the user has asked of the OpenMP runtime itself: where these settings
 * place threads they win over splitpin's slots.
 *
 * Pure: reads the strings it is given.
 */
#ifndef SP_OMP_ENV_H
#define SP_OMP_ENV_H

#include <stdbool.h>

#include "cpus.h"
#include "places.h"
#include "runtime.h"

struct sp_omp_env {
	/*
	 * The setting that decides the places of the runtime's threads, "binding
	 * off" included, or NULL: there is none.  libgomp reads OMP_PROC_BIND,
	 * OMP_PLACES and GOMP_CPU_AFFINITY; libomp and libiomp5 read these and
	 * KMP_AFFINITY.  A KMP_AFFINITY of modifiers alone (verbose, granularity=,
	 * ...) decides nothing.  KMP_HW_SUBSET and KMP_PLACE_THREADS bind nothing
	 * by themselves, but libomp keeps its threads inside the subset, which
	 * slots would leave: they count, after all others.  Where several are
	 * set, it is the one that takes precedence in the runtime.  Points into
	 * the environment.
	 */
	const char *libgomp;	/* "OMP_PROC_BIND=close", or NULL */
	const char *libomp;	/* "KMP_AFFINITY=scatter", or NULL */

	/*
	 * The runtime binds threads to one hardware thread after the other, two
	 * of a core for two threads: libgomp where it is left to choose the
	 * places, and libomp and libiomp5 by KMP_AFFINITY=compact.
	 */
	bool on_hardware_threads;
	bool is_close;		/* OMP_PROC_BIND=close: threads of a team are side by side */

	bool is_off[SP_RUNTIMES];	/* that setting is OMP_PROC_BIND=false, or KMP_AFFINITY=none: the runtime does not bind its threads */
	bool is_absent[SP_RUNTIMES];	/* the process has no such runtime (sp_omp_env_without) */

	/*
	 * Threads have to stay on their places, since the user has chosen which
	 * CPUs or how many: OMP_PLACES with numbers, GOMP_CPU_AFFINITY,
	 * KMP_HW_SUBSET, KMP_PLACE_THREADS, or the primary thread's place
	 * (OMP_PROC_BIND=primary); or libomp and libiomp5 bind each just once,
	 * before its team is known (KMP_AFFINITY).
	 */
	bool keeps_places;
	bool on_cores;		/* OMP_PLACES=cores: a place has all hardware threads of a core */

	enum sp_places named;	/* what OMP_PLACES names, if no other setting takes precedence over that; else SP_PLACES_SMALL */

	bool team_announced;	/* OMP_NUM_THREADS is set */
	uint32_t team;		/* its first number; 0: not set, or no number */
	uint32_t threads;	/* at most, of any pool: OMP_NUM_THREADS with all levels, within OMP_THREAD_LIMIT, or that of a library; 0: none is announced */
	uint32_t nested;	/* threads inside each of those, from the numbers after the first; 1: no such numbers */
	bool has_uneven_teams;	/* teams may be nested, or smaller than announced: OMP_DYNAMIC and the like are set */
	bool may_use_hwloc;	/* KMP_TOPOLOGY_METHOD is set: libiomp5 may then set masks by hwloc instead of by system calls */
	bool tool_announced;	/* OMP_TOOL_LIBRARIES names a tool of the user's */

	/* CPU numbers that the user wrote out (in GOMP_CPU_AFFINITY, OMP_PLACES
	 * or KMP_AFFINITY's proclist), and the setting that has them, or NULL:
	 * none, or not readable as numbers (names such as cores, exclusions). */
	struct sp_cpus numbers;
	const char *numbers_from;
	uint64_t numbers_sum;	/* of that setting's text, to tell lists apart; 0: none */
};

/* environment: as environ is; NULL is an empty one. */
void sp_omp_env_read(struct sp_omp_env *omp_env, char *const environment[]);

/*
 * The process has no runtime of this family: what the user has set for it
 * decides nothing in the functions below, and numbers that it alone would read
 * are not there.  libgomp and libomp stay, for one that is loaded later.
 */
void sp_omp_env_without(struct sp_omp_env *omp_env, enum sp_runtime runtime);

/* Whether a setting decides the places of the threads of any runtime that may be there. */
static inline bool
sp_omp_env_binds(const struct sp_omp_env *omp_env)
{
	return (omp_env->libgomp && !omp_env->is_absent[SP_LIBGOMP]) || (omp_env->libomp && !omp_env->is_absent[SP_LIBOMP]);
}

/* Whether a runtime that may be there binds its threads to places by such a setting. */
static inline bool
sp_omp_env_has_places(const struct sp_omp_env *omp_env)
{
	return (omp_env->libgomp && !omp_env->is_off[SP_LIBGOMP] && !omp_env->is_absent[SP_LIBGOMP]) ||
	       (omp_env->libomp && !omp_env->is_off[SP_LIBOMP] && !omp_env->is_absent[SP_LIBOMP]);
}

/* To which places; libomp takes cores instead of NUMA nodes, and old ones instead of caches. */
static inline enum sp_places
sp_omp_env_places(const struct sp_omp_env *omp_env)
{
	if (!sp_omp_env_has_places(omp_env))
		return SP_PLACES_NONE;
	return omp_env->named == SP_PLACES_PACKAGE || omp_env->is_absent[SP_LIBOMP] ? omp_env->named : SP_PLACES_SMALL;
}

#endif
