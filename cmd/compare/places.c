#include "cmd/compare/places.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "process/process.h"
#include "board/board.h"
#include "cmd/cmd.h"
#include "cmd/show/process_threads.h"
#include "launcher/job.h"
#include "launcher/nearest.h"

#define NO_RANK UINT32_MAX
#define SELDOM 0.1
#define GENERATIONS 64

/* A process of a rank. */
struct places_known {
	struct sp_process process;
	uint32_t rank;
};

/* One look. */
struct look {
	struct places *places;
	double since;				/* seconds */
	struct sp_cpus now;			/* CPUs with running threads */
	uint32_t running;
};

static struct place *
place_of(struct places *places, uint32_t rank)
{
	if (rank >= places->nranks) {
		places->rank = cmd_enlarge(places->rank, rank + 1, sizeof(*places->rank));
		memset(places->rank + places->nranks, 0, (rank + 1 - places->nranks) * sizeof(*places->rank));
		places->nranks = rank + 1;
	}
	return &places->rank[rank];
}

/* By the environment with which it was started. */
static uint32_t
read_rank(struct places *places, pid_t pid)
{
	char **environment = sp_process_environment(pid);
	struct sp_rank rank;
	bool is = environment && sp_nearest_find(pid, environment, &rank) == 0;

	if (is)
		places->has_other_nodes |= sp_job_has_other_nodes(&rank, environment);
	free(environment);
	return is && rank.local_rank < SP_CPUS_MAX ? rank.local_rank : NO_RANK;
}

static const struct places_known *
find_known(const struct places *places, const struct sp_process *process)
{
	for (size_t i = 0; i < places->nknown; i++)
		if (places->known[i].process.pid == process->pid && places->known[i].process.started == process->started)
			return &places->known[i];
	return NULL;
}

/* A rank is read once; a process that is not a rank may become one by exec. */
static uint32_t
rank_of(struct places *places, const struct sp_process *process)
{
	const struct places_known *known = find_known(places, process);
	uint32_t rank = known ? known->rank : read_rank(places, process->pid);

	if (known || rank == NO_RANK)
		return rank;
	places->known = cmd_enlarge(places->known, places->nknown + 1, sizeof(*places->known));
	places->known[places->nknown++] = (struct places_known){ .process = *process, .rank = rank };
	return rank;
}

/* The CPU of a thread that is running or ready to run; SP_NO_CPU if it is neither. */
static uint32_t
running_on(pid_t pid, pid_t tid)
{
	struct show_thread thread;

	return threads_read_stat(pid, tid, &thread) && thread.state == 'R' && thread.last < SP_CPUS_MAX ? thread.last : SP_NO_CPU;
}

static void
look_at_threads(struct look *look, pid_t pid, struct sp_cpus *of_rank)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/task", (int)pid);
	DIR *tasks = opendir(path);
	for (struct dirent *entry; tasks && (entry = readdir(tasks)); ) {
		uint32_t cpu = entry->d_name[0] == '.' ? SP_NO_CPU : running_on(pid, (pid_t)atol(entry->d_name));

		if (cpu == SP_NO_CPU)
			continue;
		sp_cpus_add(of_rank, cpu);
		sp_cpus_add(&look->now, cpu);
		look->running++;
	}
	if (tasks)
		closedir(tasks);
}

static void
add_to_rank(struct place *place, const struct sp_cpus *cpus, double since)
{
	if (!place->on)
		place->on = cmd_allocate(SP_CPUS_MAX, sizeof(*place->on));
	place->seconds += since;
	for (uint32_t cpu = sp_cpus_next(cpus, 0); cpu != SP_NO_CPU; cpu = sp_cpus_next(cpus, cpu + 1))
		place->on[cpu] += since;
}

/* Whether the rank has no share yet in this run, though it had one before. */
static bool
is_on_its_way(const struct places *places, const struct place *place)
{
	return places->has_board && place->has_share && !place->is_settled;
}

/* Processes that a rank has started count as the rank. */
static void
look_at(struct look *look, pid_t pid, uint32_t parents_rank, int generation)
{
	struct sp_cpus cpus = { { 0 } };
	struct sp_process process;
	pid_t *children;

	if (sp_process_read(pid, &process) != 0)
		return;
	uint32_t own = rank_of(look->places, &process), rank = own != NO_RANK ? own : parents_rank;
	if (rank != NO_RANK && !is_on_its_way(look->places, place_of(look->places, rank)))
		look_at_threads(look, pid, &cpus);
	if (!sp_cpus_empty(&cpus))
		add_to_rank(&look->places->rank[rank], &cpus, look->since);
	ssize_t n = generation < GENERATIONS ? sp_process_children(pid, &children) : -1;
	for (ssize_t i = 0; i < n; i++)
		look_at(look, children[i], rank, generation + 1);
	if (n >= 0)
		free(children);
}

/* What was seen before the first share is forgotten. */
static void
settle(struct place *place, const struct sp_cpus *share)
{
	if (!place->has_share) {
		free(place->on);
		place->on = NULL;
		place->seconds = 0;
	}
	place->has_share = place->is_settled = true;
	place->share = *share;
}

/* A board belongs to the job if the job's processes have its seats. */
static void
look_at_board(const struct sp_board_found *found, struct sp_board *board, void *data)
{
	struct places *places = data;
	struct sp_seat seat;

	if (found->error || !found->is_alive)
		return;
	for (uint32_t i = 0; i < found->local_size && i < SP_CPUS_MAX; i++) {
		if (sp_board_read(board, i, &seat) != 0 || !find_known(places, &seat.process))
			continue;
		if (seat.state != SP_SEAT_SETTLED && seat.state != SP_SEAT_READY)
			continue;
		settle(place_of(places, i), &seat.share);
	}
}

static bool
are_settled(const struct places *places)
{
	for (uint32_t i = 0; i < places->nranks; i++)
		if (!places->rank[i].is_settled)
			return false;
	return places->nranks > 0;
}

void
places_look(struct places *places, pid_t pid, double since)
{
	struct look look = { .places = places, .since = since };
	const uid_t self = geteuid();

	look_at(&look, pid, places->is_lone ? 0 : NO_RANK, 0);
	places->running += since * look.running;
	places->cpus += since * sp_cpus_count(&look.now);
	if (places->has_board && !are_settled(places))
		sp_board_each(&self, look_at_board, places);
}

void
places_forget(struct places *places)
{
	places->nknown = 0;
	for (uint32_t i = 0; i < places->nranks; i++)
		places->rank[i].is_settled = false;
}

void
places_release(struct places *places)
{
	for (uint32_t i = 0; i < places->nranks; i++)
		free(places->rank[i].on);
	free(places->rank);
	free(places->known);
	*places = (struct places){ .rank = NULL };
}

struct sp_cpus
places_cpus(const struct places *places, uint32_t rank)
{
	const struct place *place = rank < places->nranks ? &places->rank[rank] : NULL;
	struct sp_cpus cpus = { { 0 } };

	for (uint32_t cpu = 0; place && place->on && cpu < SP_CPUS_MAX; cpu++)
		if (place->on[cpu] > 0 && place->on[cpu] >= SELDOM * place->seconds)
			sp_cpus_add(&cpus, cpu);
	return cpus;
}

struct sp_cpus
places_all(const struct places *places)
{
	struct sp_cpus all = { { 0 } };

	for (uint32_t i = 0; i < places->nranks; i++) {
		struct sp_cpus one = places_cpus(places, i);

		sp_cpus_or(&all, &one);
	}
	return all;
}

double
places_crowding(const struct places *places)
{
	return places->cpus > 0 ? places->running / places->cpus : 0;
}

uint32_t
places_seen(const struct places *places)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < places->nranks; i++)
		n += places->rank[i].on != NULL;
	return n;
}

uint32_t
places_with_share(const struct places *places)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < places->nranks; i++)
		n += places->rank[i].has_share;
	return n;
}
