/* What the kernel counts: time of threads, idle time of CPUs. */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/order.h"
#include "base/pin.h"
#include "cmd/cmd.h"
#include "cmd/survey/watch.h"
#include "process/process.h"

static const struct survey_thread *
find(const struct survey_thread *thread, size_t n, size_t near, pid_t tid)
{
	for (size_t i = 0; i < n; i++)
		if (thread[(near + i) % n].tid == tid)
			return &thread[(near + i) % n];
	return NULL;
}

/* A thread that has not run since has not been given another mask that counts. */
static bool
read_mask(const struct survey_thread *old, struct survey_thread *now)
{
	if (!old || old->ran_ns != now->ran_ns || old->waited_ns != now->waited_ns)
		return sp_pin_get(now->tid, &now->cpus) == 0;
	now->cpus = old->cpus;
	return true;
}

bool
threads_sample(struct survey_process *process, uint64_t interval_ns)
{
	char path[32];
	size_t n = 0;
	bool is_same = true;
	struct survey_thread *thread = NULL;

	snprintf(path, sizeof(path), "/proc/%d/task", (int)process->pid);
	DIR *tasks = opendir(path);
	for (struct dirent *entry; tasks && (entry = readdir(tasks)); ) {
		struct survey_thread now = { .tid = sp_process_number(entry->d_name) };

		if (!now.tid || !sp_process_account(dirfd(tasks), now.tid, &now.ran_ns, &now.waited_ns))
			continue;
		const struct survey_thread *old = find(process->thread, process->nthreads, n, now.tid);
		is_same &= now.tid != process->pid || !old || old->ran_ns <= now.ran_ns;
		if (!read_mask(old, &now))
			continue;
		/* What a thread did before its first sample counts, unless the survey itself has just begun. */
		uint64_t ran = old ? old->ran_ns : interval_ns ? 0 : now.ran_ns, waited = old ? old->waited_ns : interval_ns ? 0 : now.waited_ns;
		now.lacked_ns = now.waited_ns - sp_smaller(waited, now.waited_ns);
		now.need_ns = now.lacked_ns + now.ran_ns - sp_smaller(ran, now.ran_ns);
		if (n % 8 == 0)
			thread = cmd_enlarge(thread, n + 8, sizeof(*thread));
		thread[n++] = now;
	}
	if (tasks)
		closedir(tasks);
	free(process->thread);
	process->thread = thread;
	process->nthreads = n;
	return is_same;
}

/* Lines "cpu3 user nice system idle iowait ..." come first. */
void
idle_sample(struct survey *survey)
{
	FILE *file = fopen("/proc/stat", "re");
	uint64_t tick = 1000000000u / (uint64_t)sysconf(_SC_CLK_TCK);
	char line[512];

	while (file && fgets(line, sizeof(line), file) && strncmp(line, "cpu", 3) == 0) {
		unsigned long long cpu, idle, waits;

		if (sscanf(line, "cpu%llu %*u %*u %*u %llu %llu", &cpu, &idle, &waits) != 3 || cpu >= SP_CPUS_MAX)
			continue;
		uint64_t now = (idle + waits) * tick, before = survey->idle_ns[cpu];
		survey->idled_ns[cpu] = survey->interval_ns ? now - sp_smaller(before, now) : 0;
		survey->idle_ns[cpu] = now;
	}
	if (file)
		fclose(file);
}
