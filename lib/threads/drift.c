#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include "base/order.h"
#include "base/text.h"
#include "threads/drift.h"

#define LIST 128		/* room for a list of CPUs in a sentence */

uint64_t
sp_drift_hash_words(const uint64_t *word, size_t n)
{
	uint64_t hash = UINT64_C(0xcbf29ce484222325);

	for (size_t i = 0; i < SP_CPUS_MAX / 64; i++) {
		hash = (hash ^ (i < n ? word[i] : 0)) * UINT64_C(0x9e3779b97f4a7c15);
		hash ^= hash >> 29;
	}
	return hash ? hash : 1;
}

uint64_t
sp_drift_hash(const struct sp_cpus *cpus)
{
	return sp_drift_hash_words(cpus->word, SP_CPUS_MAX / 64);
}

/* The entry of a thread, or NULL. */
static struct sp_change *
entry_of(struct sp_changes *changes, pid_t tid)
{
	for (int i = 0; i < SP_CHANGES; i++)
		if (atomic_load_explicit(&changes->change[i].tid, memory_order_acquire) == tid)
			return &changes->change[i];
	return NULL;
}

/* The entry is empty while it is written, so that no reader finds a half of it. */
void
sp_changes_add(struct sp_changes *changes, pid_t tid, const void *caller, uint64_t now)
{
	struct sp_change *change = entry_of(changes, tid);

	if (!change)
		change = &changes->change[atomic_fetch_add(&changes->next, 1) % SP_CHANGES];
	atomic_store(&change->tid, 0);
	atomic_store(&change->caller, (uintptr_t)caller);
	atomic_store(&change->mask, now);
	atomic_store(&change->tid, tid);
}

const void *
sp_changes_find(const struct sp_changes *changes, pid_t tid, uint64_t now)
{
	const struct sp_change *change = entry_of((struct sp_changes *)changes, tid);

	if (!change || change->mask != now)
		return NULL;
	return (const void *)change->caller;
}

void
sp_changes_forget(struct sp_changes *changes, pid_t tid)
{
	struct sp_change *change = entry_of(changes, tid);

	if (change)
		atomic_store(&change->tid, 0);
}

bool
sp_drifted(const struct sp_given *given, const struct sp_cpus *now, bool by_call)
{
	if (sp_cpus_equal(now, given->assigned) || sp_cpus_equal(now, given->pinned))
		return false;
	return by_call || !(sp_cpus_equal(now, given->share) || sp_cpus_equal(now, given->unpinned));
}

char *
sp_drift_format(const struct sp_drift *drift, char *text, size_t size)
{
	char from[LIST], to[LIST], name[32] = "the main thread";

	if (drift->thread >= 0)
		snprintf(name, sizeof(name), "thread %d", drift->thread);
	snprintf(text, size, "mask of %s (tid %d) changed from %s to %s%s%s", name, (int)drift->tid,
		 sp_cpus_format(&drift->assigned, from, sizeof(from)),
		 sp_cpus_format(&drift->now, to, sizeof(to)), *drift->by ? " by " : "", drift->by);
	return text;
}

/* How bad a change is: keys in order of weight, of which the smallest is the worst. */
#define KEYS 4

static void
fill_in_keys(const struct sp_drift *drift, const struct sp_cpus *share, uint64_t key[KEYS])
{
	key[0] = sp_cpus_within(&drift->now, share);
	key[1] = key[0] && sp_cpus_intersect(&drift->now, &drift->assigned);
	key[2] = sp_cpus_count(&drift->now);
	key[3] = (uint64_t)(drift->thread + 1);
}

static bool
is_worse(const struct sp_drift *a, const struct sp_drift *b, const struct sp_cpus *share)
{
	uint64_t x[KEYS], y[KEYS];

	fill_in_keys(a, share, x);
	fill_in_keys(b, share, y);
	return sp_order_all(x, y, KEYS) < 0;
}

static uint32_t
kept(const struct sp_drifts *drifts)
{
	return (uint32_t)sp_smaller(drifts->count, SP_DRIFTS);
}

static bool
is_there(const struct sp_drifts *drifts, pid_t tid)
{
	for (uint32_t i = 0; i < kept(drifts); i++)
		if (drifts->worst[i].tid == tid)
			return true;
	return false;
}

void
sp_drifts_add(struct sp_drifts *drifts, const struct sp_drift *drift, const struct sp_cpus *share)
{
	if (is_there(drifts, drift->tid))
		return;
	uint32_t n = kept(drifts), i = n;

	while (i > 0 && is_worse(drift, &drifts->worst[i - 1], share))
		i--;
	drifts->count++;
	if (i == SP_DRIFTS)
		return;
	if (n == SP_DRIFTS)
		n--;
	memmove(&drifts->worst[i + 1], &drifts->worst[i], (n - i) * sizeof(*drift));
	drifts->worst[i] = *drift;
}

char *
sp_drifts_format(const struct sp_drifts *drifts, char *text, size_t size)
{
	struct sp_text all = sp_text_begin(text, size);
	char one[SP_DRIFT_TEXT];

	for (uint32_t i = 0; i < kept(drifts); i++)
		sp_text_add(&all, "%s%s", i ? ", " : "", sp_drift_format(&drifts->worst[i], one, sizeof(one)));
	if (drifts->count > SP_DRIFTS)
		sp_text_add(&all, "; %u more", drifts->count - SP_DRIFTS);
	return text;
}
