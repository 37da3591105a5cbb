#include "pinned.h"

#include "process/pinned.h"

int __real_sp_pinned_by_others(const struct sp_machine *machine, const struct sp_cpus *allowed, pid_t own_launcher,
			    bool (*is_rank)(pid_t pid), struct sp_pinned *pinned);
int __wrap_sp_pinned_by_others(const struct sp_machine *machine, const struct sp_cpus *allowed, pid_t own_launcher,
			    bool (*is_rank)(pid_t pid), struct sp_pinned *pinned);

bool pinned_is_looked_for;

int
__wrap_sp_pinned_by_others(const struct sp_machine *machine, const struct sp_cpus *allowed, pid_t own_launcher,
			    bool (*is_rank)(pid_t pid), struct sp_pinned *pinned)
{
	static const struct sp_pinned nothing;

	if (pinned_is_looked_for)
		return __real_sp_pinned_by_others(machine, allowed, own_launcher, is_rank, pinned);
	*pinned = nothing;
	return 0;
}
