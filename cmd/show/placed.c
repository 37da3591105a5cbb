#include "cmd/show/placed.h"

bool
placed_is_pinned(const struct sp_machine *machine, const struct sp_seat *seat, const struct sp_cpus *mask)
{
	return sp_machine_cores(machine, mask) == 1 && !(sp_cpus_within(&seat->share, mask) && sp_cpus_within(&seat->unpinned, mask));
}

bool
placed_is_right(const struct sp_seat *seat, const struct sp_cpus *mask)
{
	return sp_cpus_within(mask, &seat->share) || sp_cpus_equal(mask, &seat->unpinned);
}

enum reason { NO_ROOM, NOT_ALONE, USER, MANY, NO_TEAM };

static const char *const reasons[] = {
	[NO_ROOM] = "too few cores are free for a core each",
	[NOT_ALONE] = "other ranks may have the same CPUs",
	[USER] = "by the user's settings",
	[MANY] = "more threads than cores of the rank's own",
	[NO_TEAM] = "not in an OpenMP team, or another of your jobs has too few cores",
};

const char *
placed_why(const struct sp_seat *seat, const struct sp_cpus *mask, uint32_t threads, uint32_t cores)
{
	/* Threads that leave the share have too few places there. */
	const bool is_user = seat->is_bound && sp_cpus_within(mask, &seat->share);
	enum reason reason = seat->ownership == SP_NODE_SHARED ? NO_ROOM : seat->ownership == SP_MAY_BE_OTHERS ? NOT_ALONE :
			     is_user ? USER : threads > cores ? MANY : NO_TEAM;

	return reasons[reason];
}
