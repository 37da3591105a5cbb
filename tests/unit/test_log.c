/* Facts about messages. */
#include <check.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include "base/log.h"
#include "base/who.h"
#include "message.h"
#include "suites.h"

START_TEST(one_line_is_one_write)
{
	int reader = message_listen();

	sp_log("host=%s rank=%d/%d", "node", 1, 4);
	ck_assert_str_eq(message_next(reader), "splitpin: host=node rank=1/4\n");
	sp_warn("%s is wrong", "SPLITPIN_SMT");
	ck_assert_str_eq(message_next(reader), "splitpin: warning: SPLITPIN_SMT is wrong\n");
	sp_log("%s", "");
	ck_assert_str_eq(message_next(reader), "splitpin: \n");
	ck_assert_str_eq(message_next(reader), "");
}
END_TEST

START_TEST(a_line_begins_with_who)
{
	const struct sp_who who = { .host = "node17", .local_rank = 2, .local_size = 48 };
	int reader = message_listen();

	sp_log_rank(&who, "note=%d", 1);
	ck_assert_str_eq(message_next(reader), "splitpin: host=node17 rank=2/48 note=1\n");
	sp_warn_rank(&who, "it is %s", "wrong");
	ck_assert_str_eq(message_next(reader), "splitpin: warning: host=node17 rank=2/48 it is wrong\n");
	sp_log_node(&who, "%u ranks", 3);
	ck_assert_str_eq(message_next(reader), "splitpin: host=node17 3 ranks\n");
	sp_warn_node(&who, "%u ranks", 3);
	ck_assert_str_eq(message_next(reader), "splitpin: warning: host=node17 3 ranks\n");
}
END_TEST

/* The longest host, and numbers of ten digits: nothing is cut. */
START_TEST(the_longest_who_is_whole)
{
	struct sp_who who = { .local_rank = UINT32_MAX, .local_size = UINT32_MAX };
	char expected[SP_LOG_MAX];
	int reader = message_listen();

	memset(who.host, 'h', sizeof(who.host) - 1);
	snprintf(expected, sizeof(expected), "splitpin: warning: host=%s rank=4294967295/4294967295 x\n", who.host);
	sp_warn_rank(&who, "x");
	ck_assert_str_eq(message_next(reader), expected);
}
END_TEST

START_TEST(the_launchers_name_of_the_node)
{
	static const struct {
		const char *host, *node, *both;
	} rows[] = {
		{ "box", "n2", "box@n2" },
		{ "n2", "n2", "n2" },
		{ "n2.site", "n2", "n2.site" },
		{ "n2", "n2-ib", "n2" },
		{ "n2", "n20", "n2@n20" },
		{ "n20", "n2", "n20@n2" },
		{ "box", "10.0.0.2", "box" },
		{ "box", "fe80::2", "box" },
		{ "box", "", "box" },
		{ "hhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhh", "n2",
		  "hhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhh@n2" },
		{ "box", "nnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnn",
		  "nnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnn" },
	};
	struct sp_who who;

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		snprintf(who.host, sizeof(who.host), "%s", rows[i].host);
		sp_who_add_node(&who, rows[i].node);
		ck_assert_str_eq(who.host, rows[i].both);
	}
}
END_TEST

START_TEST(the_host_is_this_one)
{
	char host[65] = "";
	struct sp_who who;

	/* One as long as the kernel has them. */
	if (unshare(CLONE_NEWUTS) == 0) {
		memset(host, 'h', sizeof(host) - 1);
		ck_assert_int_eq(sethostname(host, sizeof(host) - 1), 0);
	}
	gethostname(host, sizeof(host));
	sp_who_init(&who, 1, 4);
	ck_assert_str_eq(who.host, host);
	ck_assert_uint_eq(who.local_rank, 1);
	ck_assert_uint_eq(who.local_size, 4);
}
END_TEST

/* Lengths round the limit: the last that fits, and the first that is cut. */
START_TEST(long_message_is_cut)
{
	const size_t prefix = strlen("splitpin: ");
	const size_t length = SP_LOG_MAX - prefix + (size_t)_i;
	char text[2 * SP_LOG_MAX] = { 0 };
	int reader = message_listen();

	memset(text, 'x', length);
	sp_log("%s", text);
	const char *heard = message_next(reader);
	size_t expected = prefix + length < SP_LOG_MAX ? prefix + length : SP_LOG_MAX;
	ck_assert_uint_eq(strlen(heard), expected + 1);
	ck_assert_int_eq(heard[expected], '\n');
	/* What fits is whole. */
	if (prefix + length <= SP_LOG_MAX)
		ck_assert_int_eq(heard[expected - 1], 'x');
	ck_assert_int_eq(strcmp(heard + expected - 3, "...\n") == 0, prefix + length > SP_LOG_MAX);
}
END_TEST

START_TEST(a_message_is_one_line)
{
	int reader = message_listen();

	sp_warn("SPLITPIN_LOCAL_RANK=%s is wrong", "0\nsplitpin: \033[2J");
	ck_assert_str_eq(message_next(reader), "splitpin: warning: SPLITPIN_LOCAL_RANK=0?splitpin: ?[2J is wrong\n");
	sp_warn("\1\037 ~\177\200");
	ck_assert_str_eq(message_next(reader), "splitpin: warning: ?? ~?\200\n");
	close(reader);
}
END_TEST

START_TEST(errno_is_kept)
{
	int reader = message_listen();

	errno = EDOM;
	sp_log("x");
	ck_assert_int_eq(errno, EDOM);
	errno = ENOENT;
	sp_log("%m");
	ck_assert_int_eq(errno, ENOENT);
	message_next(reader);
	ck_assert_str_eq(message_next(reader), "splitpin: No such file or directory\n");
	close(STDERR_FILENO);
	errno = EDOM;
	sp_warn("x");
	ck_assert_int_eq(errno, EDOM);
}
END_TEST

/* In the locale of C there are no such letters. */
START_TEST(a_text_that_cannot_be_written_is_left_out)
{
	int reader = message_listen();

	sp_log("%ls", L"\x20ac");
	ck_assert_str_eq(message_next(reader), "");
	close(reader);
}
END_TEST

static volatile sig_atomic_t signals;

static void
count(int signal)
{
	(void)signal;
	signals = signals + 1;
}

/* Without the care taken in say.c this test is killed. */
START_TEST(reader_has_gone)
{
	int pipes[2];
	sigset_t mask;

	ck_assert_int_eq(pipe2(pipes, O_CLOEXEC), 0);
	close(pipes[0]);
	ck_assert_int_eq(dup2(pipes[1], STDERR_FILENO), STDERR_FILENO);
	close(pipes[1]);
	signal(SIGPIPE, SIG_DFL);
	errno = EDOM;
	sp_log("x");
	ck_assert_int_eq(errno, EDOM);
	signal(SIGPIPE, count);
	sp_log("x");
	ck_assert_int_eq(signals, 0);
	sigprocmask(SIG_SETMASK, NULL, &mask);
	ck_assert_int_eq(sigismember(&mask, SIGPIPE), 0);
}
END_TEST

/* A SIGPIPE of the program's own that waits is not ours to take. */
START_TEST(pending_signal_stays)
{
	sigset_t mask, pending;
	int pipes[2];

	ck_assert_int_eq(pipe2(pipes, O_CLOEXEC), 0);
	close(pipes[0]);
	ck_assert_int_eq(dup2(pipes[1], STDERR_FILENO), STDERR_FILENO);
	close(pipes[1]);
	signal(SIGPIPE, count);
	sigemptyset(&mask);
	sigaddset(&mask, SIGPIPE);
	sigprocmask(SIG_BLOCK, &mask, NULL);
	raise(SIGPIPE);
	sp_log("x");
	sigpending(&pending);
	ck_assert_int_eq(sigismember(&pending, SIGPIPE), 1);
	sigprocmask(SIG_UNBLOCK, &mask, NULL);
	ck_assert_int_eq(signals, 1);
}
END_TEST

START_TEST(writing_fails_with_a_reason)
{
	int file = open("/tmp", O_TMPFILE | O_WRONLY | O_CLOEXEC, 0600);
	struct rlimit limit, small;

	errno = EDOM;
	ck_assert_int_eq(sp_log_write(-1, "x", 1), -EBADF);
	errno = EDOM;
	ck_assert_int_eq(sp_log_write(file, "", 0), 0);
	/* Of a file that may not grow: a part, and then nothing.  (Nor may that with the results of the tests.) */
	signal(SIGXFSZ, SIG_DFL);
	getrlimit(RLIMIT_FSIZE, &limit);
	small = limit;
	small.rlim_cur = 6;
	setrlimit(RLIMIT_FSIZE, &small);
	int whole = sp_log_write(file, "1234", 4), part = sp_log_write(file, "5678", 4), none = sp_log_write(file, "9", 1);
	setrlimit(RLIMIT_FSIZE, &limit);
	ck_assert_int_eq(whole, 0);
	ck_assert_int_eq(part, -ENOSPC);
	ck_assert_int_eq(none, -EFBIG);
	close(file);
}
END_TEST

/* Nobody reads and signals rain: the message is given up. */
START_TEST(interrupted_for_ever)
{
	struct itimerval rain = { { 0, 1000 }, { 0, 1000 } };
	struct sigaction action = { .sa_handler = count };
	int reader = message_listen();
	char block[4096] = { 0 };

	while (send(STDERR_FILENO, block, sizeof(block), MSG_DONTWAIT) > 0)
		;
	sigaction(SIGALRM, &action, NULL);
	setitimer(ITIMER_REAL, &rain, NULL);
	sp_log("x");
	setitimer(ITIMER_REAL, &(struct itimerval){ 0 }, NULL);
	ck_assert_int_ge(signals, 4);
	close(reader);
}
END_TEST

Suite *
suite_log(void)
{
	Suite *suite = suite_create("log");
	TCase *tcase = tcase_create("facts");

	tcase_add_test(tcase, one_line_is_one_write);
	tcase_add_test(tcase, a_line_begins_with_who);
	tcase_add_test(tcase, the_longest_who_is_whole);
	tcase_add_test(tcase, the_host_is_this_one);
	tcase_add_test(tcase, the_launchers_name_of_the_node);
	tcase_add_loop_test(tcase, long_message_is_cut, -1, 5);
	tcase_add_test(tcase, a_message_is_one_line);
	tcase_add_test(tcase, errno_is_kept);
	tcase_add_test(tcase, reader_has_gone);
	tcase_add_test(tcase, pending_signal_stays);
	tcase_add_test(tcase, interrupted_for_ever);
	tcase_add_test(tcase, a_text_that_cannot_be_written_is_left_out);
	tcase_add_test(tcase, writing_fails_with_a_reason);
	suite_add_tcase(suite, tcase);
	return suite;
}
