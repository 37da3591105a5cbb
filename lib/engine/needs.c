#include "engine/needs.h"

#include <stdio.h>
#include <string.h>

#include "launcher/launcher.h"
#include "launcher/parts.h"
#include "launcher/siblings.h"
#include "settings/omp_env.h"

/* A value of OMP_NUM_THREADS as a rank would read it. */
static uint32_t
threads_of(const char *value)
{
	char entry[128];	/* a longer one is cut */
	char *const environment[] = { entry, NULL };
	struct sp_omp_env omp_env;

	snprintf(entry, sizeof(entry), "OMP_NUM_THREADS=%s", value);
	sp_omp_env_read(&omp_env, environment);
	return omp_env.threads;
}

/* Without one of its own a part has what the launcher found in its environment. */
static uint32_t
threads_of_launcher(const struct sp_ancestor *launcher)
{
	struct sp_omp_env omp_env;

	sp_omp_env_read(&omp_env, launcher->environment);
	return omp_env.threads;
}

/* Ranks are numbered in the order of the parts; on several nodes it is not known which lie here. */
static void
take_from_line(const struct sp_ancestor *launcher, const struct sp_part_of_launch part[], size_t nparts, uint32_t nranks, uint32_t need[])
{
	uint32_t otherwise = threads_of_launcher(launcher);
	uint64_t ranks = 0;
	uint32_t next = 0;

	for (size_t i = 0; i < nparts; i++)
		ranks += part[i].ranks ? part[i].ranks : 1;
	for (size_t i = 0; i < nparts && ranks == nranks; i++) {
		uint32_t threads = part[i].threads ? threads_of(part[i].threads) : otherwise;

		for (uint32_t k = part[i].ranks ? part[i].ranks : 1; k; k--)
			need[next++] = threads;
	}
}

static bool
take_from_sibling(const struct sp_sibling *sibling, void *data)
{
	struct sp_omp_env omp_env;
	uint32_t *need = data;

	sp_omp_env_read(&omp_env, sibling->environment);
	need[sibling->local_rank] = omp_env.threads;
	return true;
}

/* The launcher that has the user's line: the outermost, of which others are daemons. */
static size_t
read_line(const struct sp_ancestor ancestor[], size_t n, struct sp_part_of_launch part[SP_PARTS_MAX], const struct sp_ancestor **of)
{
	static const char *const daemons[] = { "orted", "prted", "hydra_pmi_proxy", "hydra_bstrap_proxy", "slurmstepd", "mpispawn", "flux-shell", "palsd", "jsmd" };

	for (size_t i = 0; i < n; i++) {
		const char *name = sp_ancestors_name(ancestor[i].arguments, ancestor[i].length);
		bool is_daemon = !name;

		for (size_t k = 0; name && k < sizeof(daemons) / sizeof(daemons[0]); k++)
			is_daemon |= strcmp(name, daemons[k]) == 0;
		*of = &ancestor[i];
		if (!is_daemon)
			return sp_parts_read(ancestor[i].arguments, ancestor[i].length, part);
	}
	return 0;
}

void
sp_needs_guess(const struct sp_rank *rank, uint32_t threads, const struct sp_ancestor ancestor[], size_t n,
	       const char *job, uint32_t need[])
{
	struct sp_part_of_launch part[SP_PARTS_MAX] = { 0 };
	const struct sp_ancestor *launcher = sp_ancestors_launcher(ancestor, n), *of = NULL;
	size_t nparts = rank->local_size > 1 && launcher ? read_line(ancestor, n, part, &of) : 1;

	for (uint32_t i = 0; i < rank->local_size; i++)
		need[i] = threads;
	if (nparts == 1 || !launcher)
		return;
	if (nparts && of)
		take_from_line(of, part, nparts, rank->local_size, need);
	sp_siblings_visit(launcher->pid, job, rank->local_size, NULL, take_from_sibling, need);
	need[rank->local_rank] = threads;
}
