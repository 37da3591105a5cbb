#include <errno.h>

#include "base/pin.h"
#include "elf/objects.h"
#include "elf/runtimes.h"
#include "engine/mask.h"

/* An array for a mask: the thread may be a fibre with a stack of a page, or a child of vfork. */
#define MASK(name) uint64_t name[sp_pin_words()]
#define NWORDS(mask) (sizeof(mask) / sizeof((mask)[0]))

bool
sp_mask_is(const struct sp_cpus *cpus)
{
	MASK(mine);

	return sp_pin_get_words(0, mine, NWORDS(mine)) == 0 && sp_cpus_equal_mask(cpus, mine, sizeof(mine));
}

bool
sp_mask_is_given(const struct sp_state *self, int slot)
{
	MASK(mine);

	if (sp_pin_get_words(0, mine, NWORDS(mine)) != 0)
		return false;
	if (slot >= 0)
		return sp_workers_are(self->workers, slot, mine, sizeof(mine)) == 1;
	return sp_cpus_equal_mask(self->share, mine, sizeof(mine)) || sp_cpus_equal_mask(self->unpinned, mine, sizeof(mine));
}

bool
sp_mask_is_by_program(const struct sp_state *self, pid_t tid, uint64_t mask)
{
	const void *caller = sp_changes_find(&self->changes, tid, mask);
	struct sp_object object;

	return caller && !(sp_object_of(caller, &object) && sp_runtime_is_any(&object));
}

bool
sp_mask_is_kept(const struct sp_state *self, bool is_bound)
{
	MASK(mine);

	if (sp_pin_get_words(0, mine, NWORDS(mine)) != 0)
		return false;
	if (sp_cpus_equal_mask(self->share, mine, sizeof(mine)))
		return !sp_cpus_equal(self->share, self->unpinned);
	return is_bound && sp_cpus_hold_mask(self->share, mine, sizeof(mine)) &&
	       !sp_mask_is_by_program(self, sp_own_tid(), sp_drift_hash_words(mine, NWORDS(mine)));
}

bool
sp_mask_set_back(const struct sp_state *self, int slot, const void *mask, size_t size)
{
	MASK(own);

	if (!sp_cpus_equal_mask(self->share, mask, size))
		return false;
	if (slot < 0)
		return sp_pin_set(0, self->unpinned) == 0;
	return sp_workers_mask(self->workers, slot, own, NWORDS(own)) == 0 && sp_pin_set_words(0, own, NWORDS(own)) == 0;
}

void
sp_mask_note(struct sp_state *self, pid_t tid, const void *caller)
{
	MASK(now);
	int keep = errno;

	tid = tid ? tid : sp_own_tid();
	if (sp_pin_get_words(tid, now, NWORDS(now)) == 0)
		sp_changes_add(&self->changes, tid, caller, sp_drift_hash_words(now, NWORDS(now)));
	errno = keep;
}

uint64_t
sp_mask_given(const struct sp_state *self, int slot)
{
	MASK(mask);

	if (self->config.dry_run || (sp_workers_mask(self->workers, slot, mask, NWORDS(mask)) != 0 &&
				     sp_pin_get_words(0, mask, NWORDS(mask)) != 0))
		return 0;
	return sp_drift_hash_words(mask, NWORDS(mask));
}

void
sp_mask_leave(const struct sp_state *self, int slot, uint64_t given, pid_t forker)
{
	MASK(mask);

	if (self->config.dry_run)
		return;
	/* It may have been moved since given was noted. */
	int error = slot < 0 ? 0 : sp_workers_mask_at_once(self->workers, slot, mask, NWORDS(mask));
	if (slot >= 0 && !error)
		given = sp_drift_hash_words(mask, NWORDS(mask));
	bool is_known = sp_pin_get_words(0, mask, NWORDS(mask)) == 0;
	uint64_t now = is_known ? sp_drift_hash_words(mask, NWORDS(mask)) : 0;
	if (given && is_known && now != given &&
	    (error != -EBUSY || sp_mask_is_by_program(self, forker, now) || sp_mask_is_by_program(self, sp_own_tid(), now)))
		return;
	if (slot >= 0 || (is_known && sp_cpus_equal_mask(self->share, mask, sizeof(mask))))
		sp_pin_set(0, self->unpinned);
}

int
sp_mask_widen(const struct sp_state *self, int slot, struct sp_widened *widened)
{
	MASK(now);
	int error = self->config.dry_run ? -ECANCELED : sp_pin_get_words(0, widened->before, widened->n);

	if (error)
		return error;
	if (slot >= 0 && sp_workers_are(self->workers, slot, widened->before, widened->n * sizeof(now[0])) == 0)
		return -ECANCELED;
	error = sp_pin_set(0, self->unpinned);
	if (error)
		return error;
	widened->after = sp_pin_get_words(0, now, NWORDS(now)) == 0 ? sp_drift_hash_words(now, NWORDS(now)) :
								      sp_drift_hash(self->unpinned);
	return 0;
}

void
sp_mask_restore(const struct sp_state *self, int slot, const struct sp_widened *widened)
{
	MASK(mask);

	if (sp_pin_get_words(0, mask, NWORDS(mask)) != 0 || sp_drift_hash_words(mask, NWORDS(mask)) != widened->after)
		return;
	if (slot >= 0 && sp_workers_mask(self->workers, slot, mask, NWORDS(mask)) == 0)
		sp_pin_set_words(0, mask, NWORDS(mask));
	else
		sp_pin_set_words(0, widened->before, widened->n);
}
