/*
 * What the library opens, in every test: the link of the unit tests passes
 * close and tcase_create through here.  A test begins without standard input,
 * as a program may be started, so that what is opened first has the number 0,
 * which is one like others.  What is closed has to be such that an exec would
 * have closed it as well, and no file and no folder stays open after a test.
 */
#include <check.h>
#include <fcntl.h>
#include <stdbool.h>
#include <sys/stat.h>
#include <unistd.h>

#include "emulated.h"

#define LOOKED_AT 64		/* the lowest free numbers are used first */

int __real_close(int fd);
int __real_fcntl(int fd, int what, ...);	/* calls.c counts the others */
int __wrap_close(int fd);
int __wrap_dup(int fd);
TCase *__real_tcase_create(const char *name);
TCase *__wrap_tcase_create(const char *name);

static pid_t runner;		/* of all tests; with CK_FORK=no it keeps its standard input */
static bool was_open[LOOKED_AT];

static bool
is_open(int fd)
{
	return __real_fcntl(fd, F_GETFD) >= 0;
}

static void
begin(void)
{
	if (getpid() == runner)
		return;
	__real_close(STDIN_FILENO);
	for (int fd = 0; fd < LOOKED_AT; fd++)
		was_open[fd] = is_open(fd);
}

/* (Sockets are what tests listen at.) */
static void
end(void)
{
	struct stat file;

	for (int fd = 0; getpid() != runner && fd < LOOKED_AT; fd++)
		if (!was_open[fd] && fstat(fd, &file) == 0 && (fd == STDIN_FILENO || !S_ISSOCK(file.st_mode)))
			ck_abort_msg("descriptor %d has been left open", fd);
}

int
__wrap_close(int fd)
{
	int flags = __real_fcntl(fd, F_GETFD);

	/* Standard output and error are the program's, not the library's.  (An emulator opens files without O_CLOEXEC.) */
	if (!is_emulated() && flags >= 0 && !(flags & FD_CLOEXEC) && fd != STDOUT_FILENO && fd != STDERR_FILENO)
		ck_abort_msg("descriptor %d would have stayed open at exec", fd);
	return __real_close(fd);
}

/* So tests look which number is the lowest that is free. */
int
__wrap_dup(int fd)
{
	return __real_fcntl(fd, F_DUPFD_CLOEXEC, 0);
}

TCase *
__wrap_tcase_create(const char *name)
{
	TCase *made = __real_tcase_create(name);

	is_emulated();			/* which is known from now on, whatever a test may open */
	if (!is_open(STDIN_FILENO))
		open("/dev/null", O_RDONLY);	/* the runner's own files are not to have its number */
	runner = getpid();
	tcase_add_checked_fixture(made, begin, end);
	return made;
}
