/*
 * Native binding: the variables by which libomp and libiomp5 bind their threads
 * to the slots themselves.
 */
#ifndef SP_NATIVE_ENTRIES_H
#define SP_NATIVE_ENTRIES_H

#include <pthread.h>

#include "engine.h"
#include "machine.h"
#include "settings/config.h"
#include "settings/omp_env.h"

struct sp_native {
	pthread_mutex_t lock;	/* held while the entries are made, once */
	char *entries[SP_NATIVE_VARIABLES + 1];	/* OMP_PLACES=..., OMP_PROC_BIND=..., NULL */
};

/*
 * The entries for the environment, made at the first call and valid as long as
 * the process lives.  NULL if memory is short or threads are not to be pinned
 * (sp_omp_places).  Any thread may call it.
 */
char *const *sp_native_entries(struct sp_native *native, const struct sp_machine *machine,
			       const struct sp_cpus *share, const struct sp_config *config,
			       const struct sp_omp_env *omp_env);

#endif
