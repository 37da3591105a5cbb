#include "slots/explain.h"

#include "base/text.h"

static void
say_how(struct sp_text *s, const struct sp_slot_facts *f)
{
	if (f->team > f->ncpus)
		sp_text_add(s, ": %u on this core, more threads than CPUs", f->on_core);
	else if (f->on_core > 1)
		sp_text_add(s, ": %u on this core, each on a CPU of its own, %s", f->on_core,
			    f->in_turn ? "after each core had one" : "neighbours together");
	else if (f->team > f->ncores)
		sp_text_add(s, ": alone on this core");
	else if (f->team == f->ncores)
		sp_text_add(s, ": one a core");
	else
		sp_text_add(s, f->bind == SP_CLOSE ? ": one a core, on the first ones (SPLITPIN_BIND=close)" :
						     ": one a core, spread evenly");
}

char *
sp_explain_slot(const struct sp_slot_facts *f, char *text, size_t size)
{
	struct sp_text s = sp_text_begin(text, size);

	if (f->bind == SP_NO_BIND) {
		sp_text_add(&s, "not pinned: may use the whole share (SPLITPIN_BIND=none)");
		return text;
	}
	sp_text_add(&s, "%u thread%s on %u core%s", f->team, sp_plural(f->team), f->ncores, sp_plural(f->ncores));
	say_how(&s, f);
	if (f->makeshift)
		sp_text_add(&s, "; its own place was taken, and this core had the fewest threads");
	if (f->granularity == SP_BY_CORE)
		sp_text_add(&s, "; it may use all CPUs of the core (SPLITPIN_GRANULARITY=core)");
	else if (f->granularity == SP_BY_THREAD)
		sp_text_add(&s, "; it has one CPU of the core (SPLITPIN_GRANULARITY=thread)");
	else if (f->whole && f->core_cpus > 1)
		sp_text_add(&s, ", with all %u CPUs of it", f->core_cpus);
	return text;
}
