/* Facts about for whom a site's file is read. */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/chosen.h"
#include "settings/subject.h"
#include "suites.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static const gid_t groups[] = { 100, 4001 };
static const struct sp_subject alice = {
	.program = "/opt/bin/solver", .user = 2001, .group = groups, .ngroups = COUNT(groups),
	.account = "phys-a", .partition = "long", .job = "4711",
};
static const struct sp_subject nobody = { .group = groups };

static const struct {
	const char *section;
	enum sp_answers alice, nobody;
} sections[] = {
	{ "solver", SP_YES, SP_NOT_KNOWN },
	{ "/opt/*", SP_YES, SP_NOT_KNOWN },
	{ "*/a=b", SP_NO, SP_NOT_KNOWN },
	{ "user=2001", SP_YES, SP_NO },
	{ "user = 2000, 2001", SP_YES, SP_NO },
	{ "user=200", SP_NO, SP_NO },
	{ "user=0", SP_NO, SP_YES },
	{ "group=4001", SP_YES, SP_NO },
	{ "group=100 5000", SP_YES, SP_NO },
	{ "group=2001", SP_NO, SP_NO },
	{ "account=phys-*", SP_YES, SP_NOT_KNOWN },
	{ "account=chem,phys-a", SP_YES, SP_NOT_KNOWN },
	{ "account=phys", SP_NO, SP_NOT_KNOWN },
	{ "partition=long", SP_YES, SP_NOT_KNOWN },
	{ "partition=debug short", SP_NO, SP_NOT_KNOWN },
};

START_TEST(whom_a_section_means)
{
	const char *section = sections[_i].section;

	ck_assert_ptr_null(sp_subject_why_wrong(section));
	ck_assert_msg(sp_subject_is_in(&alice, section) == sections[_i].alice, "%s", section);
	ck_assert_msg(sp_subject_is_in(&nobody, section) == sections[_i].nobody, "%s", section);
}
END_TEST

static const struct {
	const char *section, *why;
} wrong[] = {
	{ "", "it has no glob" },
	{ "opt/x", "it matches no path: a glob begins with / or *, or is a file's name without any /" },
	{ "users=2001", "before = stands user, group, account or partition" },
	{ "=2001", "before = stands user, group, account or partition" },
	{ "user=alice", "users and groups are numbers (id NAME shows them)" },
	{ "user=2001,alice", "users and groups are numbers (id NAME shows them)" },
	{ "group=-1", "users and groups are numbers (id NAME shows them)" },
	{ "group=4294967296", "users and groups are numbers (id NAME shows them)" },
	{ "account=", "behind = stand values, separated by blanks or commas" },
	{ "partition= , ", "behind = stand values, separated by blanks or commas" },
};

START_TEST(wrong_sections)
{
	ck_assert_str_eq(sp_subject_why_wrong(wrong[_i].section), wrong[_i].why);
}
END_TEST

START_TEST(a_value_that_is_too_long)
{
	char section[600] = "account=";

	memset(section + strlen(section), 'x', 400);
	ck_assert_str_eq(sp_subject_why_wrong(section), "behind = stand values, separated by blanks or commas");
}
END_TEST

START_TEST(what_is_read)
{
	char *environment[] = { "SLURM_JOB_ACCOUNT=phys", "SLURM_JOB_PARTITION=long", "SLURM_JOB_ID=12", "SLURM_JOB_CPUS_PER_NODE=4(x2)", NULL };
	char *het[] = { "SLURM_JOB_ID=12", "SLURM_HET_JOB_ID=11", "PBS_QUEUE=", NULL };
	struct sp_subject subject;
	char own[32];

	sp_subject_read(&subject, environment, "/x");
	ck_assert_str_eq(subject.program, "/x");
	ck_assert_uint_eq(subject.user, getuid());
	ck_assert_str_eq(subject.account, "phys");
	ck_assert_str_eq(subject.partition, "long");
	ck_assert_str_eq(subject.job, "12");
	ck_assert_str_eq(subject.cpus, "4(x2)");
	snprintf(own, sizeof(own), "group=%u", (unsigned)getgid());
	ck_assert_int_eq(sp_subject_is_in(&subject, own), SP_YES);
	ck_assert_int_eq(sp_subject_is_in(&subject, "group=4294967294"), SP_NO);

	sp_subject_read(&subject, het, NULL);
	ck_assert_str_eq(subject.job, "11");
	ck_assert_ptr_null(subject.account);
	ck_assert_ptr_null(subject.partition);
	sp_subject_read(&subject, NULL, NULL);
	ck_assert_ptr_null(subject.job);
}
END_TEST

/* Numbers of jobs as they come: in a row, every other one, an array's, with a server's name. */
START_TEST(five_per_cent_are_five)
{
	static const struct {
		unsigned first, step;
		const char *format;
	} rows[] = {
		{ 1, 1, "%u" }, { 4711000, 1, "%u" }, { 999500, 1, "%u.server" }, { 0, 2, "%u" }, { 7, 10, "%u" }, { 100, 3, "%u[].pbs" },
		{ 1, 1, "f%u" }, { 52, 1000, "%u" },
	};
	static const uint32_t percents[] = { 1, 5, 20, 50 };
	char job[64];

	for (size_t row = 0; row < COUNT(rows); row++) {
		for (size_t p = 0; p < COUNT(percents); p++) {
			unsigned chosen = 0;

			for (unsigned i = 0; i < 1000; i++) {
				snprintf(job, sizeof(job), rows[row].format, rows[row].first + i * rows[row].step);
				bool is = sp_is_chosen(job, percents[p]);

				chosen += is;
				/* Who was in stays in as the share grows. */
				ck_assert(!is || sp_is_chosen(job, percents[p] + 1));
				ck_assert(sp_is_chosen(job, 100) && !sp_is_chosen(job, 0));
			}
			ck_assert_msg(chosen + 15 >= 10 * percents[p] && chosen <= 10 * percents[p] + 15, "%s: %u of 1000 instead of %u %%",
				      rows[row].format, chosen, percents[p]);
		}
	}
}
END_TEST

START_TEST(a_job_without_a_number_is_not_chosen)
{
	ck_assert_int_eq(sp_subject_is_chosen(&nobody, 99), SP_NOT_KNOWN);
	ck_assert_int_eq(sp_subject_is_chosen(&nobody, 100), SP_YES);
	ck_assert_int_eq(sp_subject_is_chosen(&alice, 0), SP_NO);
	ck_assert_int_eq(sp_subject_is_chosen(&alice, 100), SP_YES);
}
END_TEST

static const struct {
	const char *cpus;
	enum sp_answers has_node;	/* of 48 CPUs */
} allocations[] = {
	{ NULL, SP_NOT_KNOWN }, { "", SP_NOT_KNOWN }, { "x", SP_NOT_KNOWN }, { "48,", SP_NOT_KNOWN },
	{ "48", SP_YES }, { "48(x2)", SP_YES }, { "64(x2),48", SP_YES },
	{ "47", SP_NO }, { "48(x3),24", SP_NO }, { "24(x2),48(x12)", SP_NO },
};

START_TEST(whether_a_job_has_the_node)
{
	struct sp_subject subject = { .cpus = allocations[_i].cpus, .online = 48 };

	ck_assert_int_eq(sp_subject_has_node(&subject), allocations[_i].has_node);
	/* No machine has so many, each has one. */
	subject = (struct sp_subject){ .cpus = "1000000" };
	ck_assert_int_eq(sp_subject_has_node(&subject), SP_YES);
	subject.cpus = "0";
	ck_assert_int_eq(sp_subject_has_node(&subject), SP_NOT_KNOWN);
}
END_TEST

Suite *
suite_subject(void)
{
	Suite *suite = suite_create("subject");
	TCase *tcase = tcase_create("facts");

	tcase_add_loop_test(tcase, whom_a_section_means, 0, COUNT(sections));
	tcase_add_loop_test(tcase, wrong_sections, 0, COUNT(wrong));
	tcase_add_test(tcase, a_value_that_is_too_long);
	tcase_add_test(tcase, what_is_read);
	tcase_add_test(tcase, five_per_cent_are_five);
	tcase_add_test(tcase, a_job_without_a_number_is_not_chosen);
	tcase_add_loop_test(tcase, whether_a_job_has_the_node, 0, COUNT(allocations));
	suite_add_tcase(suite, tcase);
	return suite;
}
