#include <errno.h>

#include "base/pin.h"
#include "engine/mask.h"

uint64_t
sp_mask_given(const struct sp_state *self, int slot)
{
	struct sp_cpus cpus;

	if (self->config.dry_run || (sp_workers_cpus(self->workers, slot, &cpus) != 0 && sp_pin_get(0, &cpus) != 0))
		return 0;
	return sp_drift_hash(&cpus);
}

void
sp_mask_leave(const struct sp_state *self, int slot, uint64_t given)
{
	struct sp_cpus cpus;

	if (self->config.dry_run)
		return;
	/* It may have been moved since given was noted. */
	if (slot >= 0 && sp_workers_cpus_at_once(self->workers, slot, &cpus) == 0)
		given = sp_drift_hash(&cpus);
	if (given && sp_pin_get(0, &cpus) == 0 && sp_drift_hash(&cpus) != given)
		return;
	if (slot >= 0 || (sp_pin_get(0, &cpus) == 0 && sp_cpus_equal(&cpus, self->share)))
		sp_pin_set(0, self->unpinned);
}

int
sp_mask_widen(const struct sp_state *self, int slot, struct sp_widened *widened)
{
	struct sp_cpus cpus;
	int error = self->config.dry_run ? -ECANCELED : sp_pin_get(0, &widened->before);

	if (error)
		return error;
	if (slot >= 0 && sp_workers_cpus(self->workers, slot, &cpus) == 0 && !sp_cpus_equal(&widened->before, &cpus))
		return -ECANCELED;
	error = sp_pin_set(0, self->unpinned);
	if (error)
		return error;
	widened->after = sp_drift_hash(sp_pin_get(0, &cpus) == 0 ? &cpus : self->unpinned);
	return 0;
}

void
sp_mask_restore(const struct sp_state *self, int slot, const struct sp_widened *widened)
{
	struct sp_cpus cpus;	/* a single set: in a child the stack may be a page */

	if (sp_pin_get(0, &cpus) != 0 || sp_drift_hash(&cpus) != widened->after)
		return;
	bool known = slot >= 0 && sp_workers_cpus(self->workers, slot, &cpus) == 0;
	sp_pin_set(0, known ? &cpus : &widened->before);
}
