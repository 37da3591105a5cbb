#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/array.h"
#include "base/deadline.h"
#include "slots/explain.h"
#include "base/pin.h"
#include "elf/runtimes.h"
#include "slots/slots.h"
#include "threads/drift.h"
#include "threads/workers.h"

/*
 * How long those wait for the lock who must not wait for ever.  On a busy node
 * the thread that has it may lose its CPU for tens of milliseconds.
 */
#define LOCK_MS 100
#define LOCK_LONG_MS 1000

/* The thread of a slot. */
struct record {
	pid_t tid;		/* 0 before it has started */
	int thread;		/* its number, for messages */
	uint64_t given;		/* hash of the mask that it was given last */
};

struct sp_workers {
	const struct sp_machine *machine;
	const struct sp_config *config;
	const struct sp_who *who;

	pthread_mutex_t lock;	/* guards what follows */
	struct sp_slots *slots;
	struct record *records;
	uint32_t nrecords;
	struct sp_cpus cpus;	/* of the slot at hand, since the stack of a thread may have no room for a set */
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

static void
log_mask(const struct sp_workers *workers, const struct record *record, const struct sp_cpus *cpus,
	 const char *trigger, const char *why)
{
	if (workers->config->debug)
		sp_report_pin(workers->who, workers->machine, &(struct sp_pin_line){
			.thread = record->thread, .tid = record->tid, .cpus = cpus, .trigger = trigger, .why = why });
}

static int
set_mask(const struct sp_workers *workers, pid_t tid, const struct sp_cpus *cpus)
{
	return workers->config->dry_run ? 0 : sp_pin_set(tid, cpus);
}

static bool
has_record(struct sp_workers *workers, int slot)
{
	struct record *all = sp_array_grow(workers->records, &workers->nrecords, (uint32_t)slot, sizeof(*all));

	if (!all)
		return false;
	workers->records = all;
	return true;
}

/*
 * A slot, or -1.  A thread that has these CPUs already keeps its mask, which the
 * program may have set since.  One that has not started yet goes to its new CPUs
 * when it does.
 */
static void
move(struct sp_workers *workers, int slot, const struct sp_cpus *cpus, const char *why)
{
	if (slot < 0 || (uint32_t)slot >= workers->nrecords)
		return;
	struct record *record = &workers->records[slot];
	uint64_t now = sp_drift_hash(cpus);

	if (!record->tid || record->given == now || set_mask(workers, record->tid, cpus) != 0)
		return;
	record->given = now;
	log_mask(workers, record, cpus, NULL, why);
}

#define SIZE_CHANGED "moved for a team of another size: pinned only if there is a core for each thread"

/* Those that have other CPUs now, idle threads, too. */
static void
move_all(struct sp_workers *workers, const char *why)
{
	for (uint32_t slot = 0; slot < workers->nrecords; slot++)
		if (sp_slots_cpus(workers->slots, (int)slot, &workers->cpus) == 0)
			move(workers, (int)slot, &workers->cpus, why);
}

void
sp_workers_give(struct sp_workers *workers, int slot)
{
	pthread_mutex_lock(&workers->lock);
	int moved = sp_slots_give(workers->slots, slot, &workers->cpus);
	move(workers, moved, &workers->cpus, "moved from a shared core to one that became free");
	if (sp_slots_others_moved(workers->slots))
		move_all(workers, SIZE_CHANGED);
	pthread_mutex_unlock(&workers->lock);
}

static struct sp_pool
pool_of(const struct sp_worker *worker)
{
	return (struct sp_pool){ .root = worker->root, .runtime = worker->runtime, .instance = worker->instance };
}

/* A runtime's default team is a guess, unless the user has set the number of threads. */
int
sp_workers_take(struct sp_workers *workers, const struct sp_worker *worker, bool team_announced)
{
	struct sp_request request = { .thread = worker->thread, .team = worker->team, .near = worker->near,
				      .guess = worker->guess && !team_announced, .pool = pool_of(worker) };

	pthread_mutex_lock(&workers->lock);
	int slot = sp_slots_take(workers->slots, &request, &workers->cpus);
	bool recorded = slot >= 0 && has_record(workers, slot);
	struct sp_slot_facts facts = { 0 };
	if (recorded && sp_slots_facts(workers->slots, slot, &facts) == 0)
		workers->records[slot] = (struct record){ .thread = (int)facts.thread };
	int moved = sp_slots_moved(workers->slots, &workers->cpus);
	if (recorded)
		move(workers, moved, &workers->cpus, "moved to make room for an outer thread");
	if (recorded && sp_slots_others_moved(workers->slots))
		move_all(workers, SIZE_CHANGED);
	pthread_mutex_unlock(&workers->lock);
	if (slot >= 0 && !recorded) {
		sp_workers_give(workers, slot);
		return -ENOMEM;
	}
	return slot;
}

static int
mask_within(struct sp_workers *workers, uint32_t ms, int slot, uint64_t *mask, size_t n)
{
	if (!sp_deadline_lock(&workers->lock, ms))
		return -EBUSY;
	int error = sp_slots_cpus(workers->slots, slot, &workers->cpus);
	if (!error)
		memcpy(mask, workers->cpus.word, n * sizeof(*mask));
	pthread_mutex_unlock(&workers->lock);
	return error;
}

int
sp_workers_mask(struct sp_workers *workers, int slot, uint64_t *mask, size_t n)
{
	return mask_within(workers, LOCK_MS, slot, mask, n);
}

int
sp_workers_mask_at_once(struct sp_workers *workers, int slot, uint64_t *mask, size_t n)
{
	return mask_within(workers, 0, slot, mask, n);
}

int
sp_workers_are(struct sp_workers *workers, int slot, const void *mask, size_t size)
{
	if (!sp_deadline_lock(&workers->lock, LOCK_MS))
		return -EBUSY;
	int error = sp_slots_cpus(workers->slots, slot, &workers->cpus);
	int are = error ? error : sp_cpus_equal_mask(&workers->cpus, mask, size);
	pthread_mutex_unlock(&workers->lock);
	return are;
}

int
sp_workers_cpus(struct sp_workers *workers, int slot, struct sp_cpus *cpus)
{
	return sp_workers_mask(workers, slot, cpus->word, sizeof(cpus->word) / sizeof(cpus->word[0]));
}

int
sp_workers_visit(struct sp_workers *workers, int slot, sp_workers_visitor *visitor, void *data,
		 struct sp_assignment *assignment)
{
	int error = 0;

	if (!sp_deadline_lock(&workers->lock, LOCK_LONG_MS))
		return -EBUSY;
	if ((uint32_t)slot >= workers->nrecords)
		error = -ERANGE;
	if (!error)
		error = sp_slots_cpus(workers->slots, slot, &assignment->cpus);
	if (!error && !workers->records[slot].tid)
		error = -EINVAL;
	if (!error) {
		assignment->thread = workers->records[slot].thread;
		assignment->tid = workers->records[slot].tid;
		visitor(data, slot, assignment);
	}
	pthread_mutex_unlock(&workers->lock);
	return error;
}

void
sp_workers_claim(struct sp_workers *workers, uint32_t team)
{
	pthread_mutex_lock(&workers->lock);
	sp_slots_claim(workers->slots, team);
	move_all(workers, SIZE_CHANGED);
	pthread_mutex_unlock(&workers->lock);
}

int
sp_workers_move(struct sp_workers *workers, const struct sp_cpus *share, uint32_t full, const struct sp_cpus *unpinned)
{
	pthread_mutex_lock(&workers->lock);
	struct sp_slots *slots = sp_slots_on(workers->slots, workers->machine, share);
	if (slots) {
		workers->slots = slots;
		sp_slots_release(slots, full, unpinned);
		move_all(workers, "moved with its rank, which has other cores now");
	}
	pthread_mutex_unlock(&workers->lock);
	return slots ? 0 : -ENOMEM;
}

void
sp_workers_release(struct sp_workers *workers, uint32_t full, const struct sp_cpus *unpinned)
{
	pthread_mutex_lock(&workers->lock);
	sp_slots_release(workers->slots, full, unpinned);
	move_all(workers, "moved: threads that are not pinned may use other CPUs now");
	pthread_mutex_unlock(&workers->lock);
}

uint32_t
sp_workers_wanted(struct sp_workers *workers, uint32_t *changes)
{
	pthread_mutex_lock(&workers->lock);
	uint32_t cores = sp_slots_wanted(workers->slots);
	*changes = sp_slots_changes(workers->slots);
	pthread_mutex_unlock(&workers->lock);
	return cores;
}

void
sp_workers_stop(struct sp_workers *workers, bool is_stopped)
{
	pthread_mutex_lock(&workers->lock);
	sp_slots_stop(workers->slots, is_stopped);
	move_all(workers, is_stopped ? "moved: another of your jobs has too few cores" : "moved: no other job of yours is there any more");
	pthread_mutex_unlock(&workers->lock);
}

bool
sp_workers_are_there(struct sp_workers *workers)
{
	pthread_mutex_lock(&workers->lock);
	bool are_there = workers->nrecords > 0;
	pthread_mutex_unlock(&workers->lock);
	return are_there;
}

void
sp_workers_resize(struct sp_workers *workers, const struct sp_worker *worker)
{
	pthread_mutex_lock(&workers->lock);
	if (sp_slots_resize(workers->slots, pool_of(worker), worker->team))
		move_all(workers, "moved for a team of another size: one thread per core first");
	pthread_mutex_unlock(&workers->lock);
}

static void
log_pin(const struct sp_workers *workers, int slot, const struct sp_cpus *cpus, const char *trigger)
{
	struct sp_slot_facts facts;
	char why[SP_TEXT_MAX];

	if (workers->config->debug && sp_slots_facts(workers->slots, slot, &facts) == 0)
		log_mask(workers, &workers->records[slot], cpus, trigger, sp_explain_slot(&facts, why, sizeof(why)));
}

/* Logs under the lock, so that a later move of this thread is logged later. */
int
sp_workers_pin(struct sp_workers *workers, int slot, const struct sp_worker *worker)
{
	pthread_mutex_lock(&workers->lock);
	int error = sp_slots_cpus(workers->slots, slot, &workers->cpus);
	if (!error)
		error = set_mask(workers, 0, &workers->cpus);
	if (!error) {
		workers->records[slot].tid = sp_own_tid();
		workers->records[slot].given = sp_drift_hash(&workers->cpus);
		log_pin(workers, slot, &workers->cpus, sp_runtime_seen_by(worker->when_made ? SP_LIBGOMP : worker->runtime));
	}
	pthread_mutex_unlock(&workers->lock);
	return error;
}

void
sp_workers_repin(struct sp_workers *workers, int slot)
{
	pthread_mutex_lock(&workers->lock);
	if (sp_slots_cpus(workers->slots, slot, &workers->cpus) == 0)
		set_mask(workers, 0, &workers->cpus);
	pthread_mutex_unlock(&workers->lock);
}
