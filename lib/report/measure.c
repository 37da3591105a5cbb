#include "report/measure.h"

#include <dirent.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/pin.h"
#include "process/process.h"

#define THREADS_MAX 512	/* with more threads, no crowd is looked for */
#define SHARE 10		/* a thread that needs less than this part of a CPU is not busy */
#define BUSY 4		/* one that needs this part of a CPU has work to do */
#define OFTEN 50		/* children that had this part of a CPU are not worth a word */
#define TURNS 50		/* in a second of a CPU: Linux gives each of two processes 12 ms at most, and 3 ms since 6.6 */
#define PERCENT 125		/* of the CPU time there is; less excess is spinning while other threads end */

struct task {
	pid_t tid;
	struct sp_cpus cpus;
	uint64_t ran, waited;	/* ns */
};

struct tasks {
	struct task *task;
	size_t n, room;
};

static uint64_t
age_ns(void)
{
	struct sp_process self;

	return sp_process_read(getpid(), &self) == 0 ? sp_process_age_ns(&self) : 0;
}

static void
add(struct tasks *tasks, const struct task *task)
{
	if (tasks->n == tasks->room) {
		size_t room = tasks->room ? 2 * tasks->room : 16;
		struct task *more = realloc(tasks->task, room * sizeof(*more));	/* no overflow: tasks have pids */

		if (!more)
			return;
		tasks->task = more;
		tasks->room = room;
	}
	tasks->task[tasks->n++] = *task;
}

static void
read_tasks(struct tasks *tasks)
{
	DIR *folder = opendir("/proc/self/task");

	if (!folder)
		return;
	for (struct dirent *entry; tasks->n < THREADS_MAX && (entry = readdir(folder)); ) {
		struct task task = { .tid = sp_process_number(entry->d_name) };

		if (task.tid && sp_process_account(dirfd(folder), task.tid, &task.ran, &task.waited) && sp_pin_get(task.tid, &task.cpus) == 0)
			add(tasks, &task);
	}
	closedir(folder);
}

/* Of those that may run on these CPUs alone; NULL: of all. */
static unsigned
percent_waited(const struct tasks *tasks, const struct sp_cpus *cpus)
{
	uint64_t ran = 0, waited = 0;

	for (size_t i = 0; i < tasks->n; i++) {
		if (cpus && !sp_cpus_within(&tasks->task[i].cpus, cpus))
			continue;
		ran += tasks->task[i].ran;
		waited += tasks->task[i].waited;
	}
	return ran + waited ? (unsigned)(100 * waited / (ran + waited)) : 0;
}

static uint64_t
need_of(const struct task *task, uint64_t age)
{
	uint64_t need = task->ran + task->waited;

	return need >= age / SHARE ? need : 0;
}

static bool
find_crowd(const struct tasks *tasks, const struct sp_cpus *share, uint64_t age, struct sp_measured *measured)
{
	struct sp_busy *busy = calloc(tasks->n, sizeof(*busy));
	uint64_t each = age / 100 * PERCENT;

	for (size_t i = 0; busy && i < tasks->n; i++)
		busy[i] = (struct sp_busy){ .cpus = &tasks->task[i].cpus, .need = need_of(&tasks->task[i], age) };
	bool found = busy && (sp_crowding_on(busy, tasks->n, each, share, SP_ANY_GROUP, &measured->crowding) ||
			      sp_crowding_find(busy, tasks->n, each, SP_ANY_GROUP, &measured->crowding));

	free(busy);
	if (found)
		measured->waited = percent_waited(tasks, &measured->crowding.cpus);
	return found;
}

static bool
is_busy(const struct tasks *tasks, uint64_t age)
{
	for (size_t i = 0; i < tasks->n; i++)
		if (need_of(&tasks->task[i], age) >= age / BUSY)
			return true;
	return false;
}

static unsigned
percent_first_waited(const struct tasks *tasks, uint64_t age)
{
	for (size_t i = 0; i < tasks->n; i++)
		if (tasks->task[i].tid == getpid() && need_of(&tasks->task[i], age) >= age / BUSY)
			return (unsigned)(100 * tasks->task[i].waited / (tasks->task[i].ran + tasks->task[i].waited));
	return 0;
}

static uint64_t
ran_ns(const struct rusage *usage)
{
	const struct timeval *user = &usage->ru_utime, *system = &usage->ru_stime;

	return (uint64_t)(user->tv_sec + system->tv_sec) * 1000000000 + (uint64_t)(user->tv_usec + system->tv_usec) * 1000;
}

bool
sp_measure_took_turns(const struct rusage *own, const struct rusage *children, uint64_t age_ns)
{
	uint64_t ran = ran_ns(children);

	return ran >= (uint64_t)SP_MEASURE_SECONDS * 1000000000 && ran >= ran_ns(own) && ran >= age_ns / OFTEN &&
	       (uint64_t)children->ru_nivcsw >= ran / 1000000000 * TURNS;
}

static bool
took_turns(uint64_t age)
{
	struct rusage own, children;

	return getrusage(RUSAGE_SELF, &own) == 0 && getrusage(RUSAGE_CHILDREN, &children) == 0 && sp_measure_took_turns(&own, &children, age);
}

void
sp_measure(const struct sp_cpus *share, struct sp_measured *measured)
{
	struct tasks tasks = { .n = 0 };
	uint64_t age = age_ns();

	*measured = (struct sp_measured){ .threads = 0 };
	if (age < (uint64_t)SP_MEASURE_SECONDS * 1000000000)
		return;
	measured->took_turns = took_turns(age);
	read_tasks(&tasks);
	measured->threads = tasks.n < THREADS_MAX ? (uint32_t)tasks.n : 0;
	measured->is_busy = is_busy(&tasks, age);
	measured->first_waited = percent_first_waited(&tasks, age);
	measured->all_waited = percent_waited(&tasks, NULL);
	measured->is_crowded = tasks.n > 1 && tasks.n < THREADS_MAX && find_crowd(&tasks, share, age, measured);
	free(tasks.task);
}
