/* Apart from process.c, since the shim has no need for sysconf. */
#include <time.h>
#include <unistd.h>

#include "base/order.h"
#include "process/process.h"

uint64_t
sp_process_age_ns(const struct sp_process *process)
{
	long per_second = sysconf(_SC_CLK_TCK);
	struct timespec time;

	if (per_second <= 0 || clock_gettime(CLOCK_BOOTTIME, &time) != 0)
		return 0;
	uint64_t started = (process->started + (uint64_t)sp_process_clock_ahead()) * (1000000000 / (uint64_t)per_second);
	uint64_t now = (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
	return sp_excess(now, started);
}
