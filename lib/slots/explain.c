#include "slots/explain.h"

#include <stdbool.h>

#include "base/text.h"

/* How the team lies on the cores: "2 per core" where that holds for all, else this core alone. */
static void
say_sharing(struct sp_text *s, const struct sp_slot_facts *f)
{
	bool even = f->on_core * f->ncores == f->team;

	sp_text_add(s, ": %u %s core%s%s", f->on_core, even ? "per" : "on this",
		    f->granularity == SP_GRANULARITY_CORE ? "" : ", one per hardware thread",
		    f->in_turn ? "" : ", neighbouring threads together");
}

static void
say_how(struct sp_text *s, const struct sp_slot_facts *f)
{
	if (f->team > f->ncpus)
		sp_text_add(s, ": %u on this core, since there are more threads than CPUs", f->on_core);
	else if (f->core_cpus && f->on_core > f->core_cpus)
		sp_text_add(s, ": %u on this core, with those of other teams", f->on_core);
	else if (f->on_core > 1)
		say_sharing(s, f);
	else if (f->team > f->ncores)
		sp_text_add(s, ": alone on this core");
	else if (f->team == f->ncores)
		sp_text_add(s, ": one per core");
	else
		sp_text_add(s, f->bind == SP_CLOSE ? ": one per core, on the first cores (SPLITPIN_BIND=close)" :
						     ": one per core, spread evenly");
}

char *
sp_explain_slot(const struct sp_slot_facts *f, char *text, size_t size)
{
	struct sp_text s = sp_text_begin(text, size);

	if (f->bind == SP_NO_BIND) {
		sp_text_add(&s, "not pinned: may use the whole share (SPLITPIN_BIND=none)");
		return text;
	}
	if (f->is_unpinned && f->is_stopped) {
		sp_text_add(&s, "left to the kernel: another of your jobs has too few cores");
		return text;
	}
	if (f->is_unpinned) {
		sp_text_add(&s, "left to the kernel: more threads in all than this rank has cores of its own (%u)%s", f->claimed,
			    f->is_uneven ? ", and other cores would have fewer" : "");
		return text;
	}
	sp_text_add(&s, "%u thread%s on %u core%s", f->team, sp_plural(f->team), f->ncores, sp_plural(f->ncores));
	say_how(&s, f);
	if (f->provisional)
		sp_text_add(&s, "; its own place was taken, and this core has the fewest threads");
	const char *bind = f->bind == SP_CLOSE ? "close" : "spread";

	if (f->granularity == SP_GRANULARITY_CORE)
		sp_text_add(&s, "; it may use all CPUs of the core (SPLITPIN_BIND=%s:core)", bind);
	else if (f->granularity == SP_GRANULARITY_THREAD)
		sp_text_add(&s, "; it has one CPU of the core (SPLITPIN_BIND=%s:thread)", bind);
	else if (f->whole && f->core_cpus < f->core_threads)
		sp_text_add(&s, ", pinned to %u of its %u CPUs", f->core_cpus, f->core_threads);
	else if (f->whole && f->core_cpus > 1)
		sp_text_add(&s, ", pinned to its %u CPUs", f->core_cpus);
	return text;
}
