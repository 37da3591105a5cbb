#include <check.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

#include "kept_lock.h"

static pthread_t keeper;
static struct {
	struct sp_workers *workers;
	int slot;
} visited;
static atomic_int holding;	/* 1: the visitor holds the lock; 2: it may return */

static void
hold(void *data, int slot, const struct sp_assignment *assignment)
{
	(void)data;
	(void)slot;
	(void)assignment;
	holding = 1;
	while (holding != 2)
		sched_yield();
}

static void *
visit_for_long(void *unused)
{
	struct sp_assignment assignment;

	sp_workers_visit(visited.workers, visited.slot, hold, NULL, &assignment);
	return unused;
}

void
kept_lock_begin(struct sp_workers *workers, int slot)
{
	visited.workers = workers;
	visited.slot = slot;
	holding = 0;
	ck_assert_int_eq(pthread_create(&keeper, NULL, visit_for_long, NULL), 0);
	while (holding != 1)
		sched_yield();
}

void
kept_lock_end(void)
{
	holding = 2;
	pthread_join(keeper, NULL);
}
