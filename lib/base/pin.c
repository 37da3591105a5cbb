#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/pin.h"

enum { WORDS = SP_CPUS_MAX / 64 };

/* Words of the kernel's masks, as it last said; 0: not known. */
static _Atomic size_t words;

size_t
sp_pin_words(void)
{
	return words ? words : WORDS;
}

/* The kernel writes nothing on error, else as many bytes as it returns, and no more than there is room for. */
int
sp_pin_get_words(pid_t tid, uint64_t *mask, size_t n)
{
	long size = syscall(SYS_sched_getaffinity, tid, n * sizeof(*mask), mask);

	if (size == -1) {
		words = errno == EINVAL ? 0 : words;
		return errno == EINVAL ? -E2BIG : -errno;	/* that is all that the kernel may find wrong with the arguments */
	}
	size_t got = ((size_t)size + sizeof(*mask) - 1) / sizeof(*mask);
	if (got < n)
		memset((char *)mask + size, 0, n * sizeof(*mask) - (size_t)size);
	if (got <= n && words != got)
		words = got;
	return 0;
}

int
sp_pin_set_words(pid_t tid, const uint64_t *mask, size_t n)
{
	return syscall(SYS_sched_setaffinity, tid, n * sizeof(*mask), mask) < 0 ? -errno : 0;
}

int
sp_pin_get(pid_t tid, struct sp_cpus *cpus)
{
	return sp_pin_get_words(tid, cpus->word, WORDS);
}

int
sp_pin_set(pid_t tid, const struct sp_cpus *cpus)
{
	return sp_pin_set_words(tid, cpus->word, WORDS);
}

/* The kernel reads the mask before it looks for the thread, and there is none of this number. */
bool
sp_pin_is_readable(const void *mask, size_t size)
{
	int keep = errno;
	bool is_readable = syscall(SYS_sched_setaffinity, -1, size, mask) < 0 && errno == ESRCH;

	errno = keep;
	return is_readable;
}

int
sp_pin_allowed(struct sp_cpus *allowed)
{
	struct sp_cpus before, all;
	int error = sp_pin_get(0, &before);

	if (error)
		return error;
	memset(&all, 0xff, sizeof(all));
	error = sp_pin_set(0, &all);
	if (error)
		return error;
	error = sp_pin_get(0, allowed);
	int back = sp_pin_set(0, &before);
	return error ? error : back;
}

/* Whether it was one to move, and has been moved. */
static bool
move_thread(pid_t tid, const struct sp_cpus *from, const struct sp_cpus *to)
{
	struct sp_cpus has;

	return sp_pin_get(tid, &has) == 0 && sp_cpus_equal(&has, from) && sp_pin_set(tid, to) == 0;
}

static bool
move_others(DIR *tasks, const struct sp_cpus *from, const struct sp_cpus *to)
{
	bool moved = false;

	for (struct dirent *entry; (entry = readdir(tasks)); ) {
		pid_t tid = (pid_t)atol(entry->d_name);

		if (tid > 0 && tid != sp_own_tid())
			moved |= move_thread(tid, from, to);
	}
	return moved;
}

/*
 * The kernel goes by positions in its list of threads: where one ends meanwhile,
 * a new one may be passed over.  So they are looked at until all are moved.
 */
#define LOOKS 16

int
sp_pin_process(const struct sp_cpus *from, const struct sp_cpus *to)
{
	struct sp_cpus own;
	int error = sp_pin_get(0, &own);

	if (!error && sp_cpus_equal(&own, from))
		error = sp_pin_set(0, to);
	if (error || sp_cpus_equal(from, to))
		return error;
	/* Without /proc there is most likely no other thread either. */
	DIR *tasks = opendir("/proc/self/task");
	if (!tasks)
		return 0;
	for (int i = 0; i < LOOKS && move_others(tasks, from, to); i++)
		rewinddir(tasks);
	closedir(tasks);
	return 0;
}
