#include "threads/native_entries.h"

#include <stdio.h>
#include <stdlib.h>

#include "slots/omp_places.h"

static int
make(struct sp_native *native, const struct sp_machine *machine, const struct sp_cpus *share,
     const struct sp_config *config, const struct sp_omp_env *omp_env)
{
	struct sp_omp_teams teams = { .team = omp_env->team, .nested = omp_env->nested };
	struct sp_omp_places places;
	char *list, *bind;
	int error = sp_omp_places(machine, share, config->bind, config->granularity, teams, &places);

	if (error)
		return error;
	if (asprintf(&list, "OMP_PLACES=%s", places.places) < 0)
		list = NULL;
	if (asprintf(&bind, "OMP_PROC_BIND=%s", places.proc_bind) < 0)
		bind = NULL;
	free(places.places);
	if (!list || !bind) {
		free(list);
		free(bind);
		return -1;
	}
	native->entries[1] = bind;
	native->entries[0] = list;
	return 0;
}

char *const *
sp_native_entries(struct sp_native *native, const struct sp_machine *machine, const struct sp_cpus *share,
		  const struct sp_config *config, const struct sp_omp_env *omp_env)
{
	pthread_mutex_lock(&native->lock);
	int error = native->entries[0] ? 0 : make(native, machine, share, config, omp_env);
	pthread_mutex_unlock(&native->lock);
	return error ? NULL : native->entries;
}
