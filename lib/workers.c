/* The OpenMP threads of this process: which sits in which slot. */
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "explain.h"
#include "pin.h"
#include "slots.h"
#include "workers.h"

struct sitter {
	pid_t tid;		/* 0 before it has started */
	int thread;		/* its number, for messages */
};

struct sp_workers {
	const struct sp_machine *machine;
	const struct sp_config *config;
	const struct sp_who *who;

	pthread_mutex_t lock;	/* guards what follows */
	struct sp_slots *slots;
	struct sitter *sitters;
	uint32_t nsitters;
};

struct sp_workers *
sp_workers_create(const struct sp_machine *machine, const struct sp_cpus *share,
		  const struct sp_config *config, const struct sp_who *who)
{
	struct sp_workers *workers = calloc(1, sizeof(*workers));
	struct sp_slots *slots = sp_slots_create(machine, share, config->bind);

	if (!workers || !slots) {
		free(workers);
		sp_slots_destroy(slots);
		return NULL;
	}
	sp_slots_granularity(slots, config->granularity);
	workers->machine = machine;
	workers->config = config;
	workers->who = who;
	workers->slots = slots;
	pthread_mutex_init(&workers->lock, NULL);
	return workers;
}

const char *
sp_workers_seen_by(enum sp_runtime runtime)
{
	return runtime == SP_LIBGOMP ? "pthread" : "ompt";
}

static void
tell(const struct sp_workers *workers, const struct sitter *sitter, const struct sp_cpus *cpus,
     const char *by, const char *why)
{
	if (workers->config->debug)
		sp_report_pin(workers->who, workers->machine, &(struct sp_pin_line){
			.thread = sitter->thread, .tid = sitter->tid, .cpus = cpus, .by = by, .why = why });
}

static int
set_mask(const struct sp_workers *workers, pid_t tid, const struct sp_cpus *cpus)
{
	return workers->config->dry_run ? 0 : sp_pin_set(tid, cpus);
}

static bool
has_seat(struct sp_workers *workers, int slot)
{
	if ((uint32_t)slot < workers->nsitters)
		return true;
	uint32_t n = (uint32_t)slot * 2 + 16;
	struct sitter *more = realloc(workers->sitters, n * sizeof(*more));

	if (!more)
		return false;
	workers->sitters = more;
	workers->nsitters = n;
	return true;
}

/* A thread that has not started yet will find its new place. */
static void
move(struct sp_workers *workers, int slot, const struct sp_cpus *cpus)
{
	const struct sitter *sitter = &workers->sitters[slot];

	if (sitter->tid && set_mask(workers, sitter->tid, cpus) == 0)
		tell(workers, sitter, cpus, "pthread", "a core fell free: moved there from a shared one");
}

void
sp_workers_give(struct sp_workers *workers, int slot)
{
	struct sp_cpus cpus;

	pthread_mutex_lock(&workers->lock);
	int moved = sp_slots_give(workers->slots, slot, &cpus);
	if (moved >= 0)
		move(workers, moved, &cpus);
	pthread_mutex_unlock(&workers->lock);
}

/* What a runtime makes by default is a guess unless the user has announced it. */
int
sp_workers_take(struct sp_workers *workers, const struct sp_worker *worker, bool team_announced)
{
	struct sp_wish wish = { .thread = worker->thread, .team = worker->team, .near = worker->near,
				.guess = worker->guess && !team_announced };
	struct sp_cpus cpus;

	pthread_mutex_lock(&workers->lock);
	int slot = sp_slots_take(workers->slots, &wish, &cpus);
	bool seated = slot >= 0 && has_seat(workers, slot);
	if (seated)
		workers->sitters[slot] = (struct sitter){ .thread = worker->thread >= 0 ? worker->thread : slot };
	pthread_mutex_unlock(&workers->lock);
	if (slot < 0 || seated)
		return slot;
	sp_workers_give(workers, slot);
	return -ENOMEM;
}

int
sp_workers_cpus(struct sp_workers *workers, int slot, struct sp_cpus *cpus)
{
	if (pthread_mutex_trylock(&workers->lock) != 0)
		return -EBUSY;
	int error = sp_slots_cpus(workers->slots, slot, cpus);
	pthread_mutex_unlock(&workers->lock);
	return error;
}

bool
sp_workers_team(struct sp_workers *workers, uint32_t team)
{
	pthread_mutex_lock(&workers->lock);
	bool anew = sp_slots_smaller_team(workers->slots, team);
	pthread_mutex_unlock(&workers->lock);
	return anew;
}

int
sp_workers_sit(struct sp_workers *workers, int slot, const struct sp_worker *worker)
{
	struct sp_slot_facts facts;
	struct sp_cpus cpus;
	char why[SP_EXPLAIN_MAX];

	pthread_mutex_lock(&workers->lock);
	struct sitter *sitter = &workers->sitters[slot];
	int error = sp_slots_cpus(workers->slots, slot, &cpus);
	if (!error)
		error = set_mask(workers, 0, &cpus);
	if (!error) {
		sitter->tid = gettid();
		sp_slots_facts(workers->slots, slot, &facts);
	}
	struct sitter now = *sitter;
	pthread_mutex_unlock(&workers->lock);
	if (!error)
		tell(workers, &now, &cpus, sp_workers_seen_by(worker->runtime),
		     sp_explain_slot(&facts, why, sizeof(why)));
	return error;
}
