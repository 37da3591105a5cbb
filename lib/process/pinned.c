#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/pin.h"
#include "process/mount.h"
#include "process/pinned.h"
#include "process/process.h"

struct scan {
	const struct sp_pinned_search *search;
	struct sp_pinned *pinned;
	int threads;		/* threads examined so far */
	struct {		/* cached from the last process: siblings are often neighbours in /proc */
		pid_t pid;
		bool is_own;
	} parent;
};

/* Whether a mask has CPUs of one core only; if so, fill in that core's CPUs. */
static bool
is_one_core(const struct sp_machine *machine, const struct sp_cpus *mask, struct sp_cpus *core)
{
	*core = (struct sp_cpus){ 0 };
	sp_cpus_add(core, sp_cpus_next(mask, 0));
	sp_machine_fill_cores(machine, core);
	return sp_cpus_within(mask, core);
}

static bool
has_run_much(uint64_t ticks, const struct sp_process *thread)
{
	long per_second = sysconf(_SC_CLK_TCK);

	return ticks > 0 && per_second > 0 &&
	       ticks * (1000000000 / (uint64_t)per_second) >= sp_process_age_ns(thread) / SP_PINNED_BUSY_PART;
}

static bool
is_busy(pid_t pid, pid_t tid)
{
	struct sp_activity activity;
	struct sp_process thread;

	if (sp_process_thread(pid, tid, &activity, &thread) != 0 || activity.is_ending)
		return false;
	if (activity.state == 'S' || activity.state == 'D')
		return has_run_much(activity.ticks, &thread);
	return activity.state == 'R';
}

/* What the threads of a process occupy. */
struct occupied {
	struct sp_cpus cores;
	bool by_others;		/* by other threads than the first, too */
};

static bool
is_counted(const struct scan *scan, const struct sp_cpus *core)
{
	return sp_cpus_within(core, &scan->pinned->cores) || (scan->search->known && sp_cpus_within(core, scan->search->known));
}

/* Examine a thread.  On a core that counts already, what the thread does is not read. */
static void
look_at_thread(const struct scan *scan, pid_t pid, pid_t tid, struct occupied *occupied)
{
	struct sp_cpus mask, core;

	if (sp_pin_get(tid, &mask) != 0 || !sp_cpus_intersect(&mask, scan->search->allowed) ||
	    !is_one_core(scan->search->machine, &mask, &core))
		return;
	sp_cpus_and(&core, scan->search->allowed);
	if (is_counted(scan, &core) || !is_busy(pid, tid))
		return;
	sp_cpus_or(&occupied->cores, &core);
	occupied->by_others |= tid != pid;
}

static void
look_at_threads(struct scan *scan, pid_t pid, struct occupied *occupied)
{
	char path[32];

	snprintf(path, sizeof(path), "/proc/%d/task", (int)pid);
	DIR *threads = opendir(path);
	if (!threads)
		return;
	for (struct dirent *entry; scan->threads < SP_PINNED_THREADS_MAX && (entry = readdir(threads)); ) {
		pid_t tid = sp_process_number(entry->d_name);

		if (!tid)
			continue;
		scan->threads++;
		look_at_thread(scan, pid, tid, occupied);
	}
	closedir(threads);
}

/* Whether a process only visits a core, on its way over all of them. */
static bool
is_passing(const struct scan *scan, pid_t pid, const struct occupied *occupied)
{
	return !occupied->by_others && scan->search->is_passing && scan->search->is_passing(pid, scan->search->data);
}

/* Whether a process is the caller's own job; one that has ended counts as own, so that it is not examined. */
static bool
is_own_or_gone(struct scan *scan, pid_t pid, struct sp_process *process)
{
	if (pid == scan->search->own_launcher || sp_process_read(pid, process) != 0)
		return true;
	if (process->parent != scan->parent.pid) {
		scan->parent.pid = process->parent;
		scan->parent.is_own = sp_process_is_ancestor(scan->search->own_launcher, process);
	}
	return scan->parent.is_own;
}

/* Whether a process's board, if it has one, is where this process finds boards: where this user's own are. */
static bool
has_board_here(pid_t pid)
{
	char path[32];
	struct stat its;

	snprintf(path, sizeof(path), "/proc/%d", (int)pid);
	return stat(path, &its) == 0 && its.st_uid == geteuid() && !sp_mount_differs(pid, SP_SHM);
}

static bool
is_starting(const struct scan *scan, const struct sp_process *process, const struct sp_cpus *mask)
{
	struct sp_cpus core;

	return !is_one_core(scan->search->machine, mask, &core) && !has_board_here(process->pid) &&
	       sp_process_age_ns(process) < SP_PINNED_START_S * UINT64_C(1000000000) && is_busy(process->pid, process->pid) &&
	       scan->search->is_rank(process->pid);
}

static void
look_at_process(struct scan *scan, pid_t pid)
{
	const struct sp_cpus *allowed = scan->search->allowed;
	struct occupied occupied = { .by_others = false };
	struct sp_cpus mask;
	struct sp_process process;

	/* Skip kernel threads, some of which are pinned to each CPU. */
	if (getpgid(pid) <= 0)
		return;
	if (sp_pin_get(pid, &mask) != 0 || sp_cpus_within(allowed, &mask) || !sp_cpus_intersect(allowed, &mask))
		return;
	if (is_own_or_gone(scan, pid, &process))
		return;
	look_at_threads(scan, pid, &occupied);
	if (!sp_cpus_empty(&occupied.cores) && !is_passing(scan, pid, &occupied))
		sp_cpus_or(&scan->pinned->cores, &occupied.cores);
	sp_cpus_and(&mask, allowed);
	if (!sp_cpus_within(&mask, &scan->pinned->starting) && is_starting(scan, &process, &mask))
		sp_cpus_or(&scan->pinned->starting, &mask);
}

static int
look_at_all(struct scan *scan)
{
	int processes = 0;
	DIR *all = opendir("/proc");

	if (!all)
		return -errno;
	for (struct dirent *entry; processes < SP_PINNED_PROCESSES_MAX && (entry = readdir(all)); ) {
		pid_t pid = sp_process_number(entry->d_name);

		if (!pid)
			continue;
		processes++;
		look_at_process(scan, pid);
	}
	closedir(all);
	return 0;
}

int
sp_pinned_by_others(const struct sp_pinned_search *search, struct sp_pinned *pinned)
{
	static const struct sp_pinned nothing;
	struct scan scan = { .search = search, .pinned = pinned };
	int saved = errno, error = 0;

	*pinned = nothing;
	/* If the launcher is the first process of a container, all processes are its descendants. */
	if (search->own_launcher != 1)
		error = look_at_all(&scan);
	errno = saved;
	return error ? error : (int)sp_machine_cores(search->machine, &pinned->cores);
}
