#include "node/release.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/pin.h"
#include "process/process.h"

struct release {
	const char *job;
	const struct sp_machine *machine;
	const struct sp_cpus *cpus;
	uint32_t released;
};

/* Whether this is where splitpin has put a thread of a rank: a whole core of its share, one CPU where it has more threads than cores, or has announced none, or the share. */
static bool
is_given(const struct release *release, const struct sp_seat *seat, const struct sp_cpus *mask)
{
	struct sp_cpus core = { 0 };
	bool may_be_one = sp_cpus_count(mask) == 1 && (!seat->threads || seat->threads > sp_machine_cores(release->machine, &seat->share));

	if (sp_cpus_equal(mask, &seat->unpinned))
		return false;
	sp_cpus_add(&core, sp_cpus_next(mask, 0));
	if (!may_be_one)
		sp_machine_fill_cores(release->machine, &core);
	sp_cpus_and(&core, &seat->share);
	return sp_cpus_equal(mask, &core) || sp_cpus_equal(mask, &seat->share);
}

static void
release_threads(struct release *release, const struct sp_seat *seat, pid_t pid)
{
	char path[32];
	struct sp_cpus mask;

	snprintf(path, sizeof(path), "/proc/%d/task", (int)pid);
	DIR *threads = opendir(path);
	if (!threads)
		return;
	for (struct dirent *entry; (entry = readdir(threads)); ) {
		pid_t tid = sp_process_number(entry->d_name);

		if (tid && sp_pin_get(tid, &mask) == 0 && sp_cpus_intersect(&mask, release->cpus) && is_given(release, seat, &mask))
			release->released += sp_pin_set(tid, &seat->unpinned) == 0;
	}
	closedir(threads);
}

/* Whether ranks of a job pin threads to some of these CPUs, or will. */
static bool
claims(struct sp_board *board, const struct sp_cpus *cpus)
{
	struct sp_terms terms;

	return sp_board_terms(board, &terms, NULL) == 0 && sp_cpus_intersect(&terms.claim, cpus);
}

static void
release_job(const struct sp_board_found *found, struct sp_board *board, void *data)
{
	struct release *release = data;
	struct sp_seat seat;

	if (found->error || !board || found->dry_run || strcmp(found->job, release->job) == 0)
		return;
	if (claims(board, release->cpus))
		sp_board_count_release(board);	/* first: later threads see it, but for those of a team that is just being made */
	for (uint32_t rank = 0; rank < found->local_size; rank++) {
		if (sp_board_read(board, rank, &seat) != 0 || seat.state < SP_SEAT_SETTLED || seat.is_bound || !sp_cpus_intersect(&seat.share, release->cpus))
			continue;
		pid_t pid = sp_process_here(&seat.process);
		if (pid > 0)
			release_threads(release, &seat, pid);
	}
}

uint32_t
sp_release_pinned(const char *job, const struct sp_machine *machine, const struct sp_cpus *cpus)
{
	struct release release = { .job = job, .machine = machine, .cpus = cpus };
	const uid_t self = geteuid();
	int saved = errno;

	sp_board_each(&self, release_job, &release);
	errno = saved;
	return release.released;
}
