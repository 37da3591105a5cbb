/* Facts about the numbers of files that are opened beside a program's own. */
#include <check.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/descriptor.h"
#include "calls.h"
#include "suites.h"

#define STREAMS 3

/* Each test is a process of its own. */
static void
close_streams(int which)
{
	for (int fd = 0; fd < STREAMS; fd++)
		if (which & 1 << fd)
			close(fd);
}

/* Whether the program finds fd as a closed one is. */
static bool
is_as_closed(int fd)
{
	char byte = 0;

	return write(fd, &byte, 1) == -1 && errno == EBADF && read(fd, &byte, 1) == -1 && errno == EBADF;
}

static int closed, looks;

/* What another thread of the program sees at each call. */
static int
look(void)
{
	for (int fd = 0; fd < STREAMS; fd++)
		if (closed & 1 << fd && !is_as_closed(fd))
			return EXDEV;
	looks++;
	return 0;
}

static int
open_it(void)
{
	return sp_descriptor_open("/dev/null", O_RDWR | O_CLOEXEC, 0);
}

/* _i: which of the streams are closed. */
START_TEST(none_has_the_number_of_a_stream)
{
	closed = _i | 1;	/* as a test begins */
	close_streams(_i & ~1);
	int fd = open_it();

	ck_assert_int_ge(fd, STREAMS);
	ck_assert_int_eq(write(fd, "x", 1), 1);
	close(fd);
	for (int i = 0; i < STREAMS; i++)
		if (closed & 1 << i)
			ck_assert_int_eq(fcntl(i, F_GETFD), -1);
	for (int nth = 0, reached = 1; reached; nth++) {
		calls_at(nth, look);
		fd = open_it();
		reached = calls_were_reached();
		ck_assert_int_ge(fd, STREAMS);
		close(fd);
	}
	ck_assert_int_gt(looks, 0);
}
END_TEST

static int
refuse(void)
{
	return EMFILE;
}

/* Nothing is left open then, neither is a number taken that is a stream's. */
START_TEST(without_room_there_is_none)
{
	for (int nth = 0, reached = 1; reached; nth++) {
		calls_at(nth, refuse);
		int fd = open_it(), error = errno;
		reached = calls_were_reached();
		ck_assert(fd >= STREAMS || (fd == -1 && error == EMFILE));
		if (fd >= 0)
			close(fd);
		ck_assert_int_eq(fcntl(STDIN_FILENO, F_GETFD), -1);
	}
}
END_TEST

static int
close_error(void)
{
	close(STDERR_FILENO);
	return 0;
}

/* By another thread, after it was looked at. */
START_TEST(a_stream_is_closed_meanwhile)
{
	ck_assert_int_eq(open("/dev/null", O_RDONLY | O_CLOEXEC), STDIN_FILENO);
	calls_at(0, close_error);
	int fd = open_it();
	ck_assert(calls_were_reached());
	ck_assert_int_ge(fd, STREAMS);
	close(fd);
	ck_assert_int_eq(fcntl(STDERR_FILENO, F_GETFD), -1);
	close(STDIN_FILENO);
}
END_TEST

START_TEST(flags_mode_and_error_are_those_of_open)
{
	char path[] = "/dev/shm/splitpin-test-descriptor-XXXXXX";
	struct stat file;

	close(mkostemp(path, O_CLOEXEC));
	unlink(path);
	ck_assert_int_eq(sp_descriptor_open(path, O_RDWR | O_CLOEXEC, 0), -1);
	ck_assert_int_eq(errno, ENOENT);
	int fd = sp_descriptor_open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, S_IRUSR);
	ck_assert_int_ge(fd, STREAMS);
	ck_assert_int_eq(fstat(fd, &file), 0);
	ck_assert_uint_eq(file.st_mode & 0777, S_IRUSR);
	ck_assert_int_eq(fcntl(fd, F_GETFD), FD_CLOEXEC);
	close(fd);
	ck_assert_int_eq(sp_descriptor_open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, S_IRUSR), -1);
	ck_assert_int_eq(errno, EEXIST);
	unlink(path);
}
END_TEST

Suite *
suite_descriptor(void)
{
	Suite *suite = suite_create("descriptor");
	TCase *facts = tcase_create("facts");

	tcase_add_loop_test(facts, none_has_the_number_of_a_stream, 0, 1 << STREAMS);
	tcase_add_test(facts, without_room_there_is_none);
	tcase_add_test(facts, a_stream_is_closed_meanwhile);
	tcase_add_test(facts, flags_mode_and_error_are_those_of_open);
	suite_add_tcase(suite, facts);
	return suite;
}
