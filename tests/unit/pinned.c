#include "pinned.h"

#include "process/pinned.h"

int __real_sp_pinned_by_others(const struct sp_machine *machine, const struct sp_cpus *allowed, pid_t own_launcher, struct sp_cpus *cores);
int __wrap_sp_pinned_by_others(const struct sp_machine *machine, const struct sp_cpus *allowed, pid_t own_launcher, struct sp_cpus *cores);

bool pinned_is_looked_for;

int
__wrap_sp_pinned_by_others(const struct sp_machine *machine, const struct sp_cpus *allowed, pid_t own_launcher, struct sp_cpus *cores)
{
	if (pinned_is_looked_for)
		return __real_sp_pinned_by_others(machine, allowed, own_launcher, cores);
	*cores = (struct sp_cpus){ 0 };
	return 0;
}
