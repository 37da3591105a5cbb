/* The settings that hold: the environment over the site's file. */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "settings/settings.h"
#include "suites.h"

#define PROGRAM "/opt/app/bin/solver"

/* What complain was called with. */
struct faults {
	char sentence[2 * SP_SITE_FAULTS][256];
	unsigned n;
};

static void
remember(void *data, const char *sentence)
{
	struct faults *faults = data;

	ck_assert_uint_lt(faults->n, 2 * SP_SITE_FAULTS);
	snprintf(faults->sentence[faults->n++], sizeof(faults->sentence[0]), "%s", sentence);
}

/* As sp_settings_read, with the text of a file. */
static void
combine(struct sp_settings *settings, const char *text, char *const environment[], struct faults *faults)
{
	memset(settings, 0xa5, sizeof(*settings));
	sp_site_parse(&settings->site, "F", text, strlen(text), &(struct sp_subject){ .program = PROGRAM });
	settings->is_site_read = true;
	*faults = (struct faults){ .n = 0 };
	sp_settings_combine(settings, environment, remember, faults);
	sp_site_summarise(&settings->site, remember, faults);
}

static unsigned
row_of(const char *name)
{
	unsigned i = 0;

	while (sp_config_setting(i) && strcmp(sp_config_setting(i)->name, name) != 0)
		i++;
	ck_assert_ptr_nonnull(sp_config_setting(i));
	return i;
}

START_TEST(environment_over_file_over_initial_value)
{
	char *environment[] = { "PATH=/bin", "SPLITPIN_SMT=1", NULL };
	struct sp_settings settings;
	struct faults faults;

	combine(&settings, "smt = 2\n\ncores = 3\n", environment, &faults);
	ck_assert_uint_eq(faults.n, 0);
	ck_assert_uint_eq(settings.config.policy.smt, 1);
	ck_assert_uint_eq(settings.config.policy.cores, 3);
	ck_assert_int_eq(settings.config.bind, SP_SPREAD);
	ck_assert_ptr_eq(settings.origin[row_of("SPLITPIN_SMT")], environment[1]);
	ck_assert_ptr_null(sp_settings_line(&settings, row_of("SPLITPIN_SMT")));
	ck_assert_uint_eq(sp_settings_line(&settings, row_of("SPLITPIN_CORES"))->line, 3);
	ck_assert_ptr_null(settings.origin[row_of("SPLITPIN_BIND")]);
	ck_assert_ptr_null(sp_settings_line(&settings, row_of("SPLITPIN_BIND")));
	sp_settings_release(&settings);
}
END_TEST

START_TEST(past_the_table_nothing_has_an_origin)
{
	struct sp_settings settings;
	struct faults faults;

	combine(&settings, "", NULL, &faults);
	for (unsigned i = 0; i < SP_SETTINGS_MAX; i++)
		ck_assert_ptr_null(sp_settings_line(&settings, i));
	sp_settings_release(&settings);
}
END_TEST

START_TEST(a_program_left_alone_is_off_by_the_file)
{
	struct sp_settings settings;
	struct faults faults;

	combine(&settings, "leave_alone = solver", NULL, &faults);
	ck_assert(!settings.config.on);
	ck_assert(sp_settings_line(&settings, 0)->by == SP_SITE_LEAVE_ALONE);
	sp_settings_release(&settings);
}
END_TEST

START_TEST(the_environment_turns_on_what_the_file_has_off)
{
	struct sp_settings settings;
	struct faults faults;

	combine(&settings, "splitpin = off", (char *[]){ "SPLITPIN=on", NULL }, &faults);
	ck_assert(settings.config.on);
	ck_assert_ptr_null(sp_settings_line(&settings, 0));
	sp_settings_release(&settings);
}
END_TEST

START_TEST(the_environment_cannot_turn_on_what_the_file_forbids)
{
	static const char *const texts[] = { "splitpin = never", "splitpin = of", "smtt = 1", "[other]\nleave_alone = solver" };
	struct sp_settings settings;
	struct faults faults;

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		combine(&settings, texts[i], (char *[]){ "SPLITPIN=on", NULL }, &faults);
		ck_assert_msg(!settings.config.on, "%s", texts[i]);
		ck_assert_uint_eq(faults.n, i > 0);
		sp_settings_release(&settings);
	}
}
END_TEST

START_TEST(a_wrong_value_leaves_the_files)
{
	struct sp_settings settings;
	struct faults faults;

	combine(&settings, "smt = 2", (char *[]){ "SPLITPIN_SMT=x", NULL }, &faults);
	ck_assert_uint_eq(settings.config.policy.smt, 2);
	ck_assert_uint_eq(faults.n, 1);
	ck_assert_str_eq(faults.sentence[0], "SPLITPIN_SMT=x is wrong: use all, or a number from 1; 2 is used instead");
	sp_settings_release(&settings);
}
END_TEST

START_TEST(faults_of_the_environment_come_before_the_files)
{
	struct sp_settings settings;
	struct faults faults;

	combine(&settings, "smt = x", (char *[]){ "SPLITPIN_CORES=x", NULL }, &faults);
	ck_assert_uint_eq(faults.n, 2);
	ck_assert_str_eq(faults.sentence[0], "SPLITPIN_CORES=x is wrong: use equal, all, or a number from 1; equal is used instead");
	ck_assert_str_eq(faults.sentence[1], "F:1: smt=x is wrong: use all, or a number from 1; splitpin is off");
	sp_settings_release(&settings);
}
END_TEST

static void
keep_fault(void *data, const char *sentence)
{
	snprintf(data, 512, "%s", sentence);
}

/* In one sentence for a job; by sp_site_complain as one sentence behind those that are kept. */
START_TEST(faults_that_are_not_kept_are_counted)
{
	struct sp_settings settings;
	struct faults faults;
	char text[1024] = "", last[512], expected[512];

	for (int i = 0; i < SP_SITE_FAULTS + 3; i++)
		strcat(text, "smt = x\n");
	combine(&settings, text, NULL, &faults);
	ck_assert_uint_eq(faults.n, 1);
	snprintf(expected, sizeof(expected), "; %d more lines are wrong: see splitpin config", SP_SITE_FAULTS + 2);
	ck_assert_ptr_nonnull(strstr(faults.sentence[0], expected));
	sp_site_complain(&settings.site, keep_fault, last);
	ck_assert_str_eq(last, "F: 3 more lines are wrong");
	sp_settings_release(&settings);
}
END_TEST

START_TEST(what_is_kept_points_nowhere_into_the_file)
{
	struct sp_settings settings;
	struct faults faults;

	combine(&settings, "domain = 0-3:4-7\nlog = /tmp/%h\n", NULL, &faults);
	ck_assert_uint_eq(faults.n, 0);
	ck_assert_str_eq(settings.config.log, "/tmp/%h");
	const char *lists = settings.config.policy.lists;
	struct sp_config config = sp_settings_keep(&settings);
	ck_assert_ptr_ne(config.policy.lists, lists);
	ck_assert_str_eq(config.policy.lists, "0-3:4-7");
	ck_assert_int_eq(config.policy.domain, SP_DOMAIN_LISTS);
	ck_assert_ptr_null(config.log);
	free((void *)config.policy.lists);
	sp_settings_release(&settings);
	combine(&settings, "domain = numa\n", NULL, &faults);
	ck_assert_int_eq(sp_settings_keep(&settings).policy.domain, SP_DOMAIN_NUMA);
	sp_settings_release(&settings);
}
END_TEST

START_TEST(complain_may_be_null)
{
	struct sp_settings settings;

	sp_site_parse(&settings.site, "F", "smt = x", strlen("smt = x"), &(struct sp_subject){ .program = NULL });
	sp_settings_combine(&settings, (char *[]){ "SPLITPIN_SMT=x", NULL }, NULL, NULL);
	ck_assert_uint_eq(settings.config.policy.smt, 0);
	sp_settings_release(&settings);
}
END_TEST

START_TEST(off_in_the_environment_leaves_the_file_unread)
{
	struct sp_settings settings;

	memset(&settings, 0xa5, sizeof(settings));
	sp_settings_read(&settings, (char *[]){ "SPLITPIN=off", NULL }, PROGRAM, NULL, NULL);
	ck_assert(!settings.config.on);
	ck_assert(!settings.is_site_read);
	ck_assert_int_eq(settings.site.state, SP_SITE_ABSENT);
	ck_assert_ptr_null(settings.site.entries);
	sp_settings_release(&settings);
}
END_TEST

Suite *
suite_settings(void)
{
	Suite *suite = suite_create("settings");
	TCase *tcase = tcase_create("facts");

	tcase_add_test(tcase, environment_over_file_over_initial_value);
	tcase_add_test(tcase, past_the_table_nothing_has_an_origin);
	tcase_add_test(tcase, a_program_left_alone_is_off_by_the_file);
	tcase_add_test(tcase, the_environment_turns_on_what_the_file_has_off);
	tcase_add_test(tcase, the_environment_cannot_turn_on_what_the_file_forbids);
	tcase_add_test(tcase, a_wrong_value_leaves_the_files);
	tcase_add_test(tcase, faults_of_the_environment_come_before_the_files);
	tcase_add_test(tcase, faults_that_are_not_kept_are_counted);
	tcase_add_test(tcase, what_is_kept_points_nowhere_into_the_file);
	tcase_add_test(tcase, complain_may_be_null);
	tcase_add_test(tcase, off_in_the_environment_leaves_the_file_unread);
	suite_add_tcase(suite, tcase);
	return suite;
}
