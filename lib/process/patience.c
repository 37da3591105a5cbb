#include "process/patience.h"

#include <errno.h>
#include <poll.h>
#include <unistd.h>

#include "base/order.h"
#include "process/process.h"

#define FIRST_NAP_NS 200000L
#define LAST_NAP_NS 5000000L
#define NS_A_MS 1000000u

struct sp_patience
sp_patience_begin(pid_t pid, uint32_t idle_ms)
{
	struct sp_patience patience = { .pid = pid, .nap = { FIRST_NAP_NS, LAST_NAP_NS }, .end = -1 };

	sp_patience_limit(&patience, idle_ms);
	return patience;
}

/* Each look takes some 30 us of CPU time. */
#define NAP_NS_EACH 100000
#define LONGEST_NAP_NS 100000000

void
sp_patience_of_many(struct sp_patience *patience, uint32_t processes)
{
	uint64_t longest = sp_smaller((uint64_t)processes * NAP_NS_EACH, LONGEST_NAP_NS);

	patience->nap.max_ns = (long)sp_larger((uint64_t)patience->nap.max_ns, longest);
}

#define FIRST_LONG_NAP_NS 200000000L
#define LAST_LONG_NAP_NS 2000000000L

void
sp_patience_until(struct sp_patience *patience, int end)
{
	sp_patience_end(patience);
	patience->end = end;
	patience->long_nap = (struct sp_nap){ FIRST_LONG_NAP_NS, LAST_LONG_NAP_NS };
}

void
sp_patience_end(struct sp_patience *patience)
{
	if (patience->end >= 0)
		close(patience->end);
	patience->end = -1;
}

void
sp_patience_limit(struct sp_patience *patience, uint32_t idle_ms)
{
	patience->idle_max_ns = (uint64_t)idle_ms * NS_A_MS;
}

void
sp_patience_count(struct sp_patience *patience, uint32_t count)
{
	if (count > patience->count) {
		patience->idle_ns = 0;
		patience->news_ticks = patience->ticks;
	}
	patience->count = count;
}

enum progress { ENDED, NONE, SOME };

/* In clock ticks of 10 ms: a launcher needs less than one tick to fork, but may have to answer other ranks first. */
#define LAUNCHER_TICKS 20

/* Whether the CPU time of the process may be spent on what it is waited for. */
static bool
is_work_for_us(const struct sp_patience *patience, const struct sp_activity *activity)
{
	return !patience->is_launcher || activity->ticks - patience->news_ticks < LAUNCHER_TICKS;
}

static enum progress
progress_of(struct sp_patience *patience)
{
	struct sp_activity activity;

	if (patience->pid <= 0)
		return NONE;
	if (sp_process_activity(patience->pid, &activity) != 0 || activity.state == 'Z' || activity.state == 'X')
		return ENDED;
	/* Of a process that was not seen before only its state is known, not whether it has used CPU time. */
	bool has_run = patience->seen == patience->pid && activity.ticks != patience->ticks;
	if (patience->seen != patience->pid)
		patience->news_ticks = activity.ticks;
	patience->seen = patience->pid;
	patience->ticks = activity.ticks;
	if (activity.state == 'D')
		return SOME;
	/* It runs, or waits for a CPU. */
	return (has_run || activity.state == 'R') && is_work_for_us(patience, &activity) ? SOME : NONE;
}

static uint64_t
ns_since(const struct timespec *begin)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	int64_t ns = (int64_t)(now.tv_sec - begin->tv_sec) * SP_NS_A_SECOND + (now.tv_nsec - begin->tv_nsec);
	return ns > 0 ? (uint64_t)ns : 0;
}

/*
 * Sleep for so long, or until the work is done: then, and where that cannot be
 * seen any more, there is no end.  Returns as sp_nap.
 */
static uint64_t
sleep_until_end(struct sp_patience *patience, uint64_t ns)
{
	struct pollfd end = { .fd = patience->end };
	uint64_t passed_ns = 0;
	struct timespec begin;
	int n;

	clock_gettime(CLOCK_MONOTONIC, &begin);
	do {
		n = poll(&end, 1, (int)((ns - passed_ns + NS_A_MS - 1) / NS_A_MS));
		passed_ns = ns_since(&begin);
	} while (n < 0 && errno == EINTR && passed_ns < ns);
	if (n > 0 || (n < 0 && errno != EINTR))
		sp_patience_end(patience);
	return sp_smaller(passed_ns, ns);
}

/* A long nap is no longer than what is left of the wait. */
static uint64_t
rest(struct sp_patience *patience, uint64_t left_ns)
{
	struct sp_nap *nap = &patience->long_nap;

	if (patience->end < 0)
		return sp_nap(&patience->nap);
	uint64_t ns = sp_smaller((uint64_t)nap->ns, left_ns);
	nap->ns = (long)sp_smaller((uint64_t)nap->ns * 2, (uint64_t)nap->max_ns);
	return sleep_until_end(patience, ns);
}

/* After the process that is waited for has ended, some naps remain, in which its last actions become visible. */
#define AFTER_END_NS (30u * NS_A_MS)

bool
sp_patience_nap(struct sp_patience *patience)
{
	enum progress progress = progress_of(patience);
	uint64_t most = patience->idle_max_ns;

	if (progress == SOME)
		patience->idle_ns = 0;
	if (progress == ENDED)
		most = sp_smaller(most, AFTER_END_NS);
	if (patience->idle_ns >= most || patience->all_ns >= (uint64_t)SP_PATIENCE_MAX_MS * NS_A_MS)
		return false;
	uint64_t passed_ns = rest(patience, most - patience->idle_ns);
	patience->idle_ns += passed_ns;
	patience->all_ns += passed_ns;
	return true;
}
