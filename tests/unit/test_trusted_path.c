/* Facts about links to a file that only root may have laid; as root. */
#include <check.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "copies.h"
#include "ranks.h"
#include "settings/trusted_path.h"
#include "suites.h"

static char why[256];

static const char *
at(const char *path)
{
	static char whole[2][PATH_MAX];
	static unsigned turn;
	char *to = whole[turn++ % 2];

	snprintf(to, PATH_MAX, "%s%s", copies_root, path);
	return to;
}

static void
link_to(const char *target, const char *path)
{
	ck_assert_int_eq(symlink(target, at(path)), 0);
}

/* The file that lies at "/etc/real". */
static void
expect_file(const char *path)
{
	char text[8] = "";
	int lowest = dup(1);

	close(lowest);
	errno = ELOOP;	/* of an earlier call: it means nothing where there is no error */
	int fd = sp_trusted_open(at(path), why, sizeof(why));
	ck_assert_msg(fd >= 0, "%s: %d %s", path, fd, why);
	ck_assert_int_eq(fcntl(fd, F_GETFD), FD_CLOEXEC);
	ck_assert_int_eq(read(fd, text, sizeof(text) - 1), 4);
	ck_assert_str_eq(text, "real");
	close(fd);
	ck_assert_str_eq(why, "");
	fd = dup(1);	/* and no other descriptor is left */
	ck_assert_int_le(fd, lowest);
	close(fd);
}

static void
expect_error(const char *path, int error, const char *sentence)
{
	int lowest = dup(1);

	close(lowest);
	ck_assert_int_eq(sp_trusted_open(at(path), why, sizeof(why)), error);
	ck_assert_str_eq(why, sentence);
	int fd = dup(1);
	ck_assert_int_eq(fd, lowest);
	close(fd);
}

static void
setup(void)
{
	umask(022);
	copies_make();
	chmod(copies_root, 0755);
	copies_put("/etc/real", "real");
	copies_put("/own/x", "");
	ck_assert_int_eq(chmod(at("/etc"), 0755), 0);
	ck_assert_int_eq(chmod(at("/own"), 0755), 0);
}

#define AS_ROOT if (geteuid() != 0) return

START_TEST(what_is_no_link_is_opened)
{
	expect_file("/etc/real");
	expect_error("/etc/none", -ENOENT, "");
	expect_error("/etc/real/x", -ENOTDIR, "");
}
END_TEST

START_TEST(links_of_root_are_followed)
{
	AS_ROOT;
	link_to(at("/etc/real"), "/own/whole");
	link_to("../etc/real", "/own/part");
	link_to("../etc//real", "/own/slashes");
	link_to("../own/part", "/etc/twice");
	link_to("etc", "/folder");
	link_to("../folder/real", "/own/through");
	expect_file("/own/whole");
	expect_file("/own/part");
	expect_file("/own/slashes");
	expect_file("/etc/twice");
	expect_file("/own/through");
	expect_error("/own/none", -ENOENT, "");
}
END_TEST

#define WAY "it is a symbolic link, and on the way to its target "

START_TEST(ways_that_others_may_change_are_refused)
{
	AS_ROOT;
	link_to("../etc/real", "/own/link");
	ck_assert_int_eq(chmod(at("/etc"), 0775), 0);
	expect_error("/own/link", -EPERM, WAY "\"etc\" can be written to by users other than root");
	ck_assert_int_eq(chmod(at("/etc"), 0757), 0);
	expect_error("/own/link", -EPERM, WAY "\"etc\" can be written to by users other than root");
	/* Where only owners can remove files, as in /tmp, the file's owner counts. */
	ck_assert_int_eq(chmod(at("/etc"), 01777), 0);
	expect_file("/own/link");
	ck_assert_int_eq(chmod(at("/etc"), 0755), 0);
	ck_assert_int_eq(lchown(at("/etc/real"), 12345, 0), 0);
	expect_error("/own/link", -EPERM, WAY "\"real\" is not root's");
	ck_assert_int_eq(lchown(at("/etc/real"), 0, 0), 0);
	ck_assert_int_eq(lchown(at("/own/link"), 12345, 0), 0);
	expect_error("/own/link", -EPERM, WAY "\"link\" is not root's");
}
END_TEST

START_TEST(links_that_lead_nowhere)
{
	AS_ROOT;
	link_to("../etc/none", "/own/none");
	expect_error("/own/none", -EPERM, WAY "\"none\" is not there");
	link_to("round", "/own/round");
	expect_error("/own/round", -ELOOP, "");
	link_to("/", "/own/root");
	expect_error("/own/root", -ENOENT, "");
	ck_assert_int_eq(mknod(at("/etc/socket"), S_IFSOCK | 0600, 0), 0);
	link_to("../etc/socket", "/own/socket");
	expect_error("/own/socket", -ENXIO, "");
	link_to("../etc/real/x", "/own/below");
	expect_error("/own/below", -ENOTDIR, "");
}
END_TEST

/* What this user may not look into; root may. */
static int
expect_no_access(int rank, void *data)
{
	(void)rank;
	(void)data;
	if (setgid(4711) == 0 && setuid(4711) == 0)
		expect_error("/own/hidden", -EACCES, "");
	return 0;
}

START_TEST(links_into_what_may_not_be_searched)
{
	AS_ROOT;
	copies_put("/etc/private/x", "");
	ck_assert_int_eq(chmod(at("/etc/private"), 0700), 0);
	link_to("../etc/private/x", "/own/hidden");
	ck_assert_int_eq(status_of(start_rank(0, expect_no_access, NULL)), 0);
}
END_TEST

/* A link to a path, after so many slashes that the text has this length; false where the file system has no such links. */
static bool
link_long(size_t length, const char *target, const char *path)
{
	char text[PATH_MAX];
	size_t rest = strlen(at(target));

	memset(text, '/', length);
	strcpy(text + length - rest, at(target));
	unlink(at(path));
	return symlink(text, at(path)) == 0;
}

/* A path on which the next names do not fit behind it either. */
START_TEST(the_longest_links)
{
	AS_ROOT;
	if (!link_long(PATH_MAX - 2, "/etc/real", "/own/file"))
		return;
	expect_file("/own/file");
	link_long(PATH_MAX - 1, "/etc/real", "/own/file");
	expect_error("/own/file", -ENAMETOOLONG, "");
	link_to("../folder/real", "/own/through");
	link_long(PATH_MAX - 2 - strlen("/real/"), "/etc", "/folder");
	expect_file("/own/through");
	link_long(PATH_MAX - 1 - strlen("/real/"), "/etc", "/folder");
	expect_error("/own/through", -ENAMETOOLONG, "");
}
END_TEST

START_TEST(the_longest_names)
{
	char name[NAME_MAX + 2] = "", file[NAME_MAX + 8], target[NAME_MAX + 16];

	AS_ROOT;
	memset(name, 'x', NAME_MAX);
	snprintf(file, sizeof(file), "/etc/%s", name);
	copies_put(file, "real");
	snprintf(target, sizeof(target), "..%s", file);
	link_to(target, "/own/name");
	expect_file("/own/name");
	name[NAME_MAX] = 'x';
	snprintf(target, sizeof(target), "../etc/%s", name);
	link_to(target, "/own/longer");
	expect_error("/own/longer", -ENOENT, "");
}
END_TEST

/* As many as the kernel follows: 40. */
START_TEST(links_are_counted)
{
	char name[32], target[32];

	AS_ROOT;
	link_to("../etc/real", "/own/1");
	for (int i = 2; i <= 41; i++) {
		snprintf(target, sizeof(target), "%d", i - 1);
		snprintf(name, sizeof(name), "/own/%d", i);
		link_to(target, name);
	}
	expect_file("/own/40");
	expect_error("/own/41", -ELOOP, "");
}
END_TEST

Suite *
suite_trusted_path(void)
{
	Suite *suite = suite_create("trusted_path");
	TCase *facts = tcase_create("facts");

	tcase_add_checked_fixture(facts, setup, copies_remove);
	tcase_add_test(facts, what_is_no_link_is_opened);
	tcase_add_test(facts, links_of_root_are_followed);
	tcase_add_test(facts, ways_that_others_may_change_are_refused);
	tcase_add_test(facts, links_that_lead_nowhere);
	tcase_add_test(facts, links_into_what_may_not_be_searched);
	tcase_add_test(facts, the_longest_links);
	tcase_add_test(facts, the_longest_names);
	tcase_add_test(facts, links_are_counted);
	suite_add_tcase(suite, facts);
	return suite;
}
