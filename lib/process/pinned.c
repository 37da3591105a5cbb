#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/pin.h"
#include "process/mount.h"
#include "process/pinned.h"
#include "process/process.h"

#define PIDS_MAX ((1 << 22) + 1)	/* of Linux on 64 bits, for as many as it can have */

/* What has been read of a process: others may have thousands of them, each the child of the one before. */
struct known {
	unsigned parent : 24;
	unsigned has_parent : 1;
	unsigned is_launcher : 1;
	unsigned has_name : 1;
};

struct scan {
	const struct sp_pinned_search *search;
	struct sp_pinned *pinned;
	int narrow, threads;	/* processes and threads examined so far */
	struct known *known;	/* by pid, of which few pages are touched; NULL: memory is short */
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
is_busy(const struct sp_activity *activity, const struct sp_process *thread)
{
	if (activity->is_ending)
		return false;
	if (activity->state == 'S' || activity->state == 'D')
		return has_run_much(activity->ticks, thread);
	return activity->state == 'R';
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

/* Whether a thread with this mask would take a core that does not count yet; if so, fill in what is allowed of it. */
static bool
may_take(const struct scan *scan, const struct sp_cpus *mask, struct sp_cpus *core)
{
	if (!sp_cpus_intersect(mask, scan->search->allowed) || !is_one_core(scan->search->machine, mask, core))
		return false;
	sp_cpus_and(core, scan->search->allowed);
	return !is_counted(scan, core);
}

/* Examine another thread than the first.  What it does is read only where that matters. */
static void
look_at_thread(const struct scan *scan, pid_t pid, pid_t tid, struct occupied *occupied)
{
	struct sp_activity activity;
	struct sp_process thread;
	struct sp_cpus mask, core;

	if (sp_pin_get(tid, &mask) != 0 || !may_take(scan, &mask, &core) ||
	    sp_process_thread(pid, tid, &activity, &thread) != 0 || !is_busy(&activity, &thread))
		return;
	sp_cpus_or(&occupied->cores, &core);
	occupied->by_others = true;
}

static void
look_at_threads(struct scan *scan, pid_t pid, struct occupied *occupied)
{
	char path[32];
	int n = 0;

	snprintf(path, sizeof(path), "/proc/%d/task", (int)pid);
	DIR *threads = opendir(path);
	if (!threads)
		return;
	for (struct dirent *entry; n < SP_PINNED_THREADS_EACH && scan->threads < SP_PINNED_THREADS_MAX && (entry = readdir(threads)); ) {
		pid_t tid = sp_process_number(entry->d_name);

		if (!tid || tid == pid)
			continue;
		n++;
		scan->threads++;
		look_at_thread(scan, pid, tid, occupied);
	}
	closedir(threads);
	scan->pinned->is_part |= n == SP_PINNED_THREADS_EACH || scan->threads == SP_PINNED_THREADS_MAX;
}

/* Whether a process only visits a core, on its way over all of them. */
static bool
is_passing(const struct scan *scan, pid_t pid, const struct occupied *occupied)
{
	return !occupied->by_others && scan->search->is_passing && scan->search->is_passing(pid, scan->search->data);
}

static struct known *
known_of(const struct scan *scan, pid_t pid)
{
	return scan->known && pid < PIDS_MAX ? &scan->known[pid] : NULL;
}

static void
remember_parent(struct scan *scan, pid_t pid, pid_t parent)
{
	struct known *known = known_of(scan, pid);

	if (known && parent >= 0 && parent < PIDS_MAX) {
		known->parent = (unsigned)parent;
		known->has_parent = 1;
	}
}

/* The parent of a process, read once; 0 or less: none that can be seen. */
static pid_t
parent_of(struct scan *scan, pid_t pid)
{
	const struct known *known = known_of(scan, pid);

	if (known && known->has_parent)
		return (pid_t)known->parent;
	pid_t parent = sp_process_parent(pid);
	remember_parent(scan, pid, parent < 0 ? 0 : parent);
	return parent;
}

static bool
is_launcher(struct scan *scan, pid_t pid)
{
	struct known *known = known_of(scan, pid);

	if (!known)
		return scan->search->is_launcher(pid);
	if (!known->has_name)
		known->is_launcher = scan->search->is_launcher(pid);
	known->has_name = 1;
	return known->is_launcher;
}

static bool
is_own(struct scan *scan, pid_t pid)
{
	for (int i = 0; i <= SP_GENERATIONS_MAX && pid > 1; i++, pid = parent_of(scan, pid))
		if (pid == scan->search->own_launcher)
			return true;
	return false;
}

/* Whether a launcher is among the ancestors of a process: it may be a rank, of any job. */
static bool
is_below_launcher(struct scan *scan, pid_t pid)
{
	pid = parent_of(scan, pid);
	for (int i = 0; i < SP_GENERATIONS_MAX && pid > 0; i++, pid = parent_of(scan, pid))
		if (is_launcher(scan, pid))
			return true;
	return false;
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
is_starting(struct scan *scan, const struct sp_process *process, const struct sp_cpus *mask)
{
	struct sp_cpus core;

	return !is_one_core(scan->search->machine, mask, &core) && !has_board_here(process->pid) &&
	       sp_process_age_ns(process) < SP_PINNED_START_S * UINT64_C(1000000000) && is_below_launcher(scan, process->pid);
}

/* Examine a process, whose first thread has a narrow mask. */
static void
look_at_narrow(struct scan *scan, pid_t pid, const struct sp_cpus *mask)
{
	struct occupied occupied = { .by_others = false };
	struct sp_activity activity;
	struct sp_process process;
	struct sp_cpus core;

	if (sp_process_thread(pid, pid, &activity, &process) != 0)
		return;
	bool is_first_busy = is_busy(&activity, &process);
	remember_parent(scan, pid, process.parent);
	if ((activity.threads <= 1 && !is_first_busy) || is_own(scan, pid))
		return;
	if (is_first_busy && may_take(scan, mask, &core))
		occupied.cores = core;
	if (activity.threads > 1)
		look_at_threads(scan, pid, &occupied);
	if (!sp_cpus_empty(&occupied.cores) && !is_passing(scan, pid, &occupied)) {
		sp_cpus_or(&scan->pinned->cores, &occupied.cores);
		if (scan->search->found)
			scan->search->found(pid, &occupied.cores, scan->search->data);
	}
	core = *mask;
	sp_cpus_and(&core, scan->search->allowed);
	if (!is_first_busy || sp_cpus_within(&core, &scan->pinned->starting) || !is_starting(scan, &process, &core))
		return;
	if (!scan->pinned->starter)
		scan->pinned->starter = pid;
	sp_cpus_or(&scan->pinned->starting, &core);
}

/* Returns whether the search has reached its limit. */
static bool
look_at_process(pid_t pid, void *data)
{
	struct scan *scan = data;
	const struct sp_cpus *allowed = scan->search->allowed;
	struct sp_cpus mask;

	if (sp_pin_get(pid, &mask) != 0 || sp_cpus_within(allowed, &mask) || !sp_cpus_intersect(allowed, &mask))
		return false;
	/* Skip kernel threads, some of which are pinned to each CPU. */
	if (getpgid(pid) <= 0)
		return false;
	if (scan->narrow == SP_PINNED_NARROW_MAX || scan->threads == SP_PINNED_THREADS_MAX)
		return scan->pinned->is_part = true;
	scan->narrow++;
	look_at_narrow(scan, pid, &mask);
	return false;
}

int
sp_pinned_by_others(const struct sp_pinned_search *search, struct sp_pinned *pinned)
{
	static const struct sp_pinned nothing;
	struct scan scan = { .search = search, .pinned = pinned };
	int saved = errno, error = 0;

	*pinned = nothing;
	/* If the launcher is the first process of a container, all processes are its descendants. */
	if (search->own_launcher != 1) {
		scan.known = calloc(PIDS_MAX, sizeof(*scan.known));
		error = sp_process_each(look_at_process, &scan);
		free(scan.known);
	}
	if (error == -E2BIG) {
		pinned->is_part = true;
		error = 0;
	}
	errno = saved;
	return error ? error : (int)sp_machine_cores(search->machine, &pinned->cores);
}
