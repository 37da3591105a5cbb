/* Whether boards can be made in /dev/shm, and what lies there. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "board/board.h"
#include "cmd/check/rows.h"
#include "cmd/cmd.h"

#define FOLDER "/dev/shm"
#define BYTES_A_CPU 4096	/* more than the board has for a rank and a CPU of the machine */
#define BYTES_MORE 65536

static void
look_for_folder(struct check *check)
{
	struct stat status;

	if (stat(FOLDER, &status) != 0)
		check_found(check, FOLDER " is not there: %s", strerror(errno));
	else if (!S_ISDIR(status.st_mode))
		check_found(check, FOLDER " is not a folder");
	else if (faccessat(AT_FDCWD, FOLDER, R_OK | W_OK | X_OK, AT_EACCESS) != 0)
		check_found(check, FOLDER " cannot be written: %s", strerror(errno));
}

static void
look_for_room(struct check *check)
{
	struct statvfs room;
	uint64_t needed = BYTES_MORE + (uint64_t)BYTES_A_CPU * sp_cpus_count(&check->allowed);

	if (statvfs(FOLDER, &room) != 0)
		return;
	uint64_t free_bytes = (uint64_t)room.f_bavail * room.f_frsize;
	if (free_bytes < needed)
		check_found(check, FOLDER " is full: it has %llu bytes left, and a board may need %llu",
			    (unsigned long long)free_bytes, (unsigned long long)needed);
	else if (room.f_files && room.f_favail == 0)
		check_found(check, FOLDER " is full: there is no room for another file");
}

static void
tell_strange(const struct sp_board_found *found, struct sp_board *board, void *data)
{
	(void)board;
	if (found->error && found->error != -ESTALE)
		check_found(data, FOLDER "/%s cannot be trusted: %s", found->name,
			    found->problem ? found->problem : strerror(-found->error));
}

static void
look_for_strange(struct check *check)
{
	const uid_t self = geteuid();

	sp_board_each(&self, tell_strange, check);
}

static bool
is_own_lock(const char *path)
{
	struct stat status;

	return lstat(path, &status) != 0 ||
	       (S_ISREG(status.st_mode) && status.st_uid == geteuid() && !(status.st_mode & (S_IRWXG | S_IRWXO)));
}

static void
look_for_lock(struct check *check)
{
	char *path = cmd_format(FOLDER "/splitpin-%u-lock", (unsigned)geteuid());

	if (!is_own_lock(path))
		check_found(check, "%s is not your own lock, so your jobs have no boards", path);
	free(path);
}

const struct check_row check_shm_rows[] = {
	{ "shm-absent", "/dev/shm does not exist or is not writable",
	  "mount a world-writable tmpfs (mode 1777) on /dev/shm, in containers too: without it ranks cannot see each other",
	  look_for_folder },
	{ "shm-full", "/dev/shm is full",
	  "remove what earlier jobs left there, or enlarge it (mount -o remount,size=): without space ranks cannot see each other",
	  look_for_room },
	{ "board-strange", "a file named like a board cannot be trusted",
	  "remove the file, or ask its owner to; until then a job that needs the name has no board", look_for_strange },
	{ "lock-strange", "the lock for creating boards belongs to another user",
	  "remove the lock, or ask its owner to", look_for_lock },
	{ .id = NULL }
};
