#include "slots/omp_places.h"

#include <errno.h>
#include <stdlib.h>

#include "base/order.h"
#include "base/text.h"

/* A CPU has at most four digits. */
#define CPU_TEXT 5		/* "8191," */
#define PLACE_TEXT 3		/* "{},", whose last CPU has no comma */

struct list {
	struct sp_slots *slots;
	struct sp_text text;
	struct sp_cpus named;	/* CPUs that the text has */
};

static void
add_place(struct list *list, const struct sp_cpus *cpus)
{
	uint32_t first = sp_cpus_next(cpus, 0);

	/* With SPLITPIN_BIND=spread:core several slots are one core. */
	if (first == SP_NO_CPU || sp_cpus_has(&list->named, first))
		return;
	sp_cpus_or(&list->named, cpus);
	sp_text_add(&list->text, "%s{", list->text.length ? "," : "");
	for (uint32_t cpu = first; cpu != SP_NO_CPU; cpu = sp_cpus_next(cpus, cpu + 1))
		sp_text_add(&list->text, cpu == first ? "%u" : ",%u", cpu);
	sp_text_add(&list->text, "}");
}

/* Add the slots of the threads `from` to team - 1. */
static int
add_team(struct list *list, uint32_t from, uint32_t team)
{
	for (uint32_t i = from; i < team; i++) {
		struct sp_request request = { .thread = (int)i, .team = team, .near = -1 };
		struct sp_cpus cpus;
		int slot = sp_slots_take(list->slots, &request, &cpus);

		if (slot < 0)
			return slot;
		add_place(list, &cpus);
	}
	return 0;
}

static uint32_t
cores_of(struct list *list)
{
	struct sp_slot_facts facts;

	return sp_slots_facts(list->slots, 0, &facts) == 0 ? facts.ncores : 0;
}

/*
 * For a team of at most one thread a core its places come first and those of the
 * other cores follow: "close" assigns them in order.  For any other team there
 * are no more places than threads: then "spread" assigns them in order, too,
 * gives a smaller team every second or third place, and an inner team the places
 * around its outer thread.
 */
static int
fill(struct list *list, enum sp_bind bind, uint32_t team, bool nested, const char **proc_bind)
{
	int error = add_team(list, 0, team);
	if (error)
		return error;
	uint32_t ncores = cores_of(list);

	*proc_bind = nested || (team > ncores && bind == SP_SPREAD) ? "spread" : "close";
	return nested ? 0 : add_team(list, team, ncores);
}

static uint32_t
threads_of(struct sp_omp_teams teams, uint32_t ncpus)
{
	uint64_t n = (uint64_t)(teams.team ? teams.team : ncpus) * sp_larger(teams.nested, 1);

	return (uint32_t)sp_smaller(n, UINT32_MAX);
}

int
sp_omp_places(const struct sp_machine *machine, const struct sp_cpus *share, enum sp_bind bind,
	      enum sp_granularity granularity, struct sp_omp_teams teams, struct sp_omp_places *places)
{
	uint32_t ncpus = sp_cpus_count(share);
	size_t size = (size_t)ncpus * (CPU_TEXT + PLACE_TEXT) + 1;
	char *text = bind == SP_NO_BIND ? NULL : malloc(size);
	struct list list = { .slots = text ? sp_slots_create(machine, share, bind) : NULL };
	int error = bind == SP_NO_BIND || (text && !list.slots) ? -EINVAL : text ? 0 : -ENOMEM;
	const char *proc_bind = NULL;

	if (!error) {
		list.text = sp_text_begin(text, size);
		sp_slots_granularity(list.slots, granularity);
		uint32_t threads = threads_of(teams, ncpus);

		error = !sp_slots_fit(list.slots, threads) ? -EINVAL :
			fill(&list, bind, (uint32_t)sp_smaller(threads, ncpus), teams.nested > 1, &proc_bind);
	}
	sp_slots_destroy(list.slots);
	if (error) {
		free(text);
		return error;
	}
	*places = (struct sp_omp_places){ .places = text, .proc_bind = proc_bind };
	return 0;
}
