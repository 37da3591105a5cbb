/* Several processes as the ranks of one node. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "ranks.h"

#define RANKS_MAX 256

static bool
write_text(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);
	bool written = fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text);

	if (fd >= 0)
		close(fd);
	return written;
}

/* Who is not root becomes root of a name space of users. */
static bool
may_mount(void)
{
	char users[64], groups[64];

	if (unshare(CLONE_NEWNS) == 0)
		return true;
	snprintf(users, sizeof(users), "0 %u 1", (unsigned)geteuid());
	snprintf(groups, sizeof(groups), "0 %u 1", (unsigned)getegid());
	return unshare(CLONE_NEWUSER | CLONE_NEWNS) == 0 && write_text("/proc/self/setgroups", "deny") &&
	       write_text("/proc/self/uid_map", users) && write_text("/proc/self/gid_map", groups);
}

bool
shm_of_own(const char *options)
{
	return may_mount() && mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0 &&
	       mount("tmpfs", "/dev/shm", "tmpfs", MS_NOSUID | MS_NODEV, options) == 0;
}

static int
try_shm(int rank, void *data)
{
	(void)rank;
	(void)data;
	return !shm_of_own(NULL);
}

bool
may_have_shm(void)
{
	return status_of(start_rank(0, try_shm, NULL)) == 0;
}

bool
file_instead(const char *path, const void *text, size_t length)
{
	char made[] = "/tmp/splitpin-unit-XXXXXX";
	int fd = mkostemp(made, O_CLOEXEC);
	bool is_there = fd >= 0 && write(fd, text, length) == (ssize_t)length &&
			mount(made, path, NULL, MS_BIND, NULL) == 0;

	if (fd >= 0) {
		close(fd);
		unlink(made);
	}
	return is_there;
}

unsigned
shm_files(void)
{
	DIR *folder = opendir("/dev/shm");
	unsigned n = 0;

	for (struct dirent *entry; folder && (entry = readdir(folder)); )
		n += strncmp(entry->d_name, "splitpin-", 9) == 0;
	if (folder)
		closedir(folder);
	return n;
}

void *
shared_memory(size_t size)
{
	void *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	if (memory == MAP_FAILED)
		abort();
	return memory;
}

pid_t
start_rank(int rank, int (*body)(int rank, void *data), void *data)
{
	fflush(NULL);
	pid_t pid = fork();

	if (pid < 0)
		abort();
	if (pid == 0)
		_exit(body(rank, data));
	return pid;
}

int
pause_for_ever(int rank, void *data)
{
	(void)rank;
	(void)data;
	for (;;)
		pause();
	return 0;
}

int
status_of(pid_t pid)
{
	int status;

	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return -1;
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

int
run_ranks(int n, int (*body)(int rank, void *data), void *data)
{
	pid_t pid[RANKS_MAX];
	int failed = 0;

	for (int rank = 0; rank < n; rank++)
		pid[rank] = start_rank(rank, body, data);
	for (int rank = 0; rank < n; rank++)
		failed += status_of(pid[rank]) != 0;
	return failed;
}

uint64_t
milliseconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

void
sleep_ms(unsigned ms)
{
	const struct timespec time = { ms / 1000, (long)(ms % 1000) * 1000000 };

	nanosleep(&time, NULL);
}
