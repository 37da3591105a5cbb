/* Facts about the text of the site's file. */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "settings/site.h"
#include "suites.h"

#define PROGRAM "/opt/app/1.2/bin/solver"

static struct sp_site site;

static void
parse_for(const char *program, const char *text)
{
	sp_site_parse(&site, "F", text, strlen(text), &(struct sp_subject){ .program = program });
}

static void
parse(const char *text)
{
	parse_for(PROGRAM, text);
}

static void
release(void)
{
	sp_site_release(&site);
	ck_assert_int_eq(site.state, SP_SITE_ABSENT);
	ck_assert_uint_eq(site.nsettings, 0);
	ck_assert_ptr_null(site.entries);
}

/* The entries, parted by blanks, in the order of their lines. */
static const char *
held(void)
{
	static char text[1024];
	size_t n = 0;

	text[0] = '\0';
	for (size_t i = 0; i < site.nsettings; i++)
		n += (size_t)snprintf(text + n, sizeof(text) - n, "%s%s", i ? " " : "", site.setting[i].entry);
	return text;
}

static const struct {
	const char *text, *held;
} texts[] = {
	{ "", "" },
	{ "\n\n \t\n", "" },
	{ "# smt = 1\n  # cores = 2", "" },
	{ "smt = 1", "SPLITPIN_SMT=1" },
	{ "smt=1\n", "SPLITPIN_SMT=1" },
	{ "\t smt \t=\t 1 \t\r\n", "SPLITPIN_SMT=1" },
	{ "SMT = 1", "SPLITPIN_SMT=1" },
	{ "SPLITPIN_SMT = 1", "SPLITPIN_SMT=1" },
	{ "memory = bind:move", "SPLITPIN_MEMORY=bind:move" },
	{ "smt = 1 # of two", "SPLITPIN_SMT=1" },
	{ "#smt = 2\nsmt = 1#of two\nsmt = 3", "SPLITPIN_SMT=3" },
	{ "reserve = 0, 68\n", "SPLITPIN_RESERVE=0, 68" },
	{ "splitpin = off", "SPLITPIN=off" },
	{ "splitpin = Never", "SPLITPIN=off" },
	{ "splitpin = never\n[solver]\nsplitpin = on", "SPLITPIN=on" },
	{ "dryrun = yes", "SPLITPIN_DRYRUN=yes" },
	/* The last line holds. */
	{ "smt = 1\ncores = 2\nsmt = 3", "SPLITPIN_CORES=2 SPLITPIN_SMT=3" },
	{ "memory = local\nbind = close\nmemory = bind", "SPLITPIN_BIND=close SPLITPIN_MEMORY=bind" },
	{ "bind = close\nmemory = bind", "SPLITPIN_BIND=close SPLITPIN_MEMORY=bind" },
	/* A wrong one is as if it were not there. */
	{ "smt = 1\nsmt = x", "SPLITPIN_SMT=1" },
	{ "smt = 1\nsmt =", "SPLITPIN_SMT=1" },
	/* Sections. */
	{ "smt = 1\n[/opt/app/*]\nsmt = 2", "SPLITPIN_SMT=2" },
	{ "smt = 1\n[/opt/other/*]\nsmt = 2", "SPLITPIN_SMT=1" },
	{ "smt = 1\n[/opt/*]\nsmt = 2\n[*/bin/*]\nsmt = 3\n[/usr/*]\nsmt = 4", "SPLITPIN_SMT=3" },
	{ "[ /opt/* ] # ours\nsmt = 2", "SPLITPIN_SMT=2" },
	{ "[opt/*]\nsmt = 2", "" },
	{ "[/opt/*\nsmt = 2", "" },
	{ "[]\nsmt = 2\n[*]\ncores = 1", "SPLITPIN_CORES=1" },
	/* Programs that are left alone. */
	{ "leave_alone = solver", "SPLITPIN=off" },
	{ "leave_alone = other /opt/app/*\nsmt = 1", "SPLITPIN=off SPLITPIN_SMT=1" },
	{ "leave_alone = other\nleave_alone = another", "" },
	{ "leave_alone = *\n[solver]\nsplitpin = on", "SPLITPIN=on" },
	{ "leave_alone = *\nsplitpin = on", "SPLITPIN=on" },
	{ "[*]\nleave_alone = *", "" },
};

START_TEST(what_holds)
{
	parse(texts[_i].text);
	ck_assert_str_eq(held(), texts[_i].held);
	ck_assert_int_eq(site.state, SP_SITE_READ);
	for (size_t i = 0; i < site.nsettings; i++)
		ck_assert_ptr_eq(site.entries[i], site.setting[i].entry);
	ck_assert_ptr_null(site.entries[site.nsettings]);
	release();
}
END_TEST

static const struct {
	const char *text, *record;
	size_t nfaults;
} records[] = {
	{ "", NULL, 0 }, { "record = syslog", "syslog", 0 }, { "record = /var/x/%u.jsonl # all", "/var/x/%u.jsonl", 0 },
	{ "record = syslog\n[solver]\nrecord = off", NULL, 0 }, { "[other]\nrecord = syslog", NULL, 0 },
	{ "record = log", NULL, 1 }, { "record = /x/%y", NULL, 1 }, { "record =", NULL, 1 }, { "record = /a\nrecord = b", "/a", 1 },
};

START_TEST(where_records_go)
{
	parse(records[_i].text);
	if (records[_i].record)
		ck_assert_str_eq(site.record, records[_i].record);
	else
		ck_assert_ptr_null(site.record);
	ck_assert_uint_eq(site.record_line, records[_i].record ? 1 : 0);
	ck_assert_uint_eq(site.nfaults, records[_i].nfaults);
	ck_assert_uint_eq(site.nsettings, 0);
	release();
}
END_TEST

/* What turns splitpin off in a part of the jobs.  The subject is user 0, its job 4711 with 8 of 8 CPUs; of 5 % it is not. */
static const struct {
	const char *text, *held;
	enum sp_site_line by;
	bool is_not_known;
	const char *origin;
} limits[] = {
	{ "percent = 100", "", 0, false, NULL },
	{ "percent = 5", "SPLITPIN=off", SP_SITE_PERCENT, false, "F:1  percent = 5: this job is not among them" },
	{ "percent = 5\nsplitpin = on", "SPLITPIN=off", SP_SITE_PERCENT, false, "F:1  percent = 5: this job is not among them" },
	{ "percent = 0\n[user=0]\npercent = 100", "", 0, false, NULL },
	{ "percent = 100\n[user=0]\npercent = 0", "SPLITPIN=off", SP_SITE_PERCENT, false, "F:3  percent = 0: this job is not among them" },
	{ "percent = 100\n[user=1]\npercent = 0", "", 0, false, NULL },
	/* What is off already keeps its own reason. */
	{ "splitpin = never\npercent = 5", "SPLITPIN=off", SP_SITE_NEVER, false, "F:1" },
	{ "percent = 5\n[user=0]\nsplitpin = never", "SPLITPIN=off", SP_SITE_NEVER, false, "F:3  [user=0]" },
	{ "leave_alone = solver\nexclusive_only = 1\npercent = 5", "SPLITPIN=off", SP_SITE_LEAVE_ALONE, false, "F:1  leave_alone = solver" },
	{ "percent = 5\nexclusive_only = on", "SPLITPIN=off", SP_SITE_PERCENT, false, "F:1  percent = 5: this job is not among them" },
	/* Of the partition nothing is known, of the account that it is phys. */
	{ "[partition=*]\nsplitpin = off", "", 0, false, NULL },
	{ "[account=phys]\nsplitpin = off", "SPLITPIN=off", SP_SITE_SET, false, "F:2  [account=phys]" },
	{ "exclusive_only = 1", "", 0, false, NULL },
	{ "exclusive_only = 0", "", 0, false, NULL },
	{ "exclusive_only = no", "", 0, false, NULL },
	{ "percent = 5\nexclusive_only = True", "SPLITPIN=off", SP_SITE_PERCENT, false, "F:1  percent = 5: this job is not among them" },
};

START_TEST(what_narrows)
{
	static const struct sp_subject subject = { .program = PROGRAM, .account = "phys", .job = "4711", .cpus = "8(x2)", .online = 8 };
	char origin[SP_SITE_ORIGIN];

	sp_site_parse(&site, "F", limits[_i].text, strlen(limits[_i].text), &subject);
	ck_assert_uint_eq(site.nfaults, 0);
	ck_assert_msg(strstr(held(), "SPLITPIN=off") ? *limits[_i].held != '\0' : *limits[_i].held == '\0', "%s", limits[_i].text);
	if (limits[_i].origin) {
		ck_assert_uint_eq(site.nsettings, 1);
		ck_assert_str_eq(held(), limits[_i].held);
		ck_assert_int_eq(site.setting[0].by, limits[_i].by);
		ck_assert_str_eq(sp_site_origin(&site, &site.setting[0], "  ", origin), limits[_i].origin);
	}
	release();
}
END_TEST

/* Where nobody knows, it is off. */
START_TEST(what_narrows_what_is_not_known)
{
	static const struct {
		const char *text, *cpus, *origin;
	} cases[] = {
		{ "percent = 99", NULL, "F:1, percent = 99: this job is not known, since no batch system has numbered it" },
		{ "exclusive_only = 1", NULL, "F:1, exclusive_only: Slurm has not given the CPUs of this job" },
		{ "exclusive_only = 1", "7", "F:1, exclusive_only: this job has only some CPUs of the node" },
	};
	char origin[SP_SITE_ORIGIN];

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		sp_site_parse(&site, "F", cases[i].text, strlen(cases[i].text), &(struct sp_subject){ .cpus = cases[i].cpus, .online = 8 });
		ck_assert_str_eq(held(), "SPLITPIN=off");
		ck_assert_int_eq(site.setting[0].is_not_known, !cases[i].cpus);
		ck_assert_str_eq(sp_site_origin(&site, &site.setting[0], ", ", origin), cases[i].origin);
		release();
	}
}
END_TEST

/* '*' matches slashes; a glob without a slash is a file's name. */
static const struct {
	const char *glob;
	bool matches;
} globs[] = {
	{ PROGRAM, true }, { "/opt/app/*", true }, { "/opt/*", true }, { "/*", true }, { "*", true },
	{ "/opt/app/*/bin/solver", true }, { "*/bin/*", true }, { "solver", true }, { "sol*", true },
	{ "[rst]olver", true }, { "/opt/ap[opq]/*", true }, { "?opt/*", true }, { "\\/opt/*", true },
	{ "/opt/app", false }, { "/opt/app/", false }, { "/opt/app/1.2/bin", false }, { "/app/*", false },
	{ "bin", false }, { "olver", false }, { "Solver", false }, { "opt*", false }, { "*/solver/*", false },
};

START_TEST(what_a_section_matches)
{
	char text[128];

	snprintf(text, sizeof(text), "[%s]\nsmt = 1\n", globs[_i].glob);
	parse(text);
	ck_assert_uint_eq(site.nfaults, 0);
	ck_assert_uint_eq(site.nsections, 1);
	ck_assert_str_eq(site.section[0].text, globs[_i].glob);
	ck_assert_msg((site.section[0].matches == SP_YES) == globs[_i].matches, "%s", globs[_i].glob);
	ck_assert_uint_eq(site.nsettings, globs[_i].matches);
	release();
	snprintf(text, sizeof(text), "leave_alone = /no /where %s\n", globs[_i].glob);
	parse(text);
	ck_assert_uint_eq(site.nfaults, 0);
	ck_assert_uint_eq(site.nsettings, globs[_i].matches);
	release();
}
END_TEST

START_TEST(no_program_matches_nothing)
{
	parse_for(NULL, "smt = 1\nleave_alone = *\n[*]\ncores = 2\n");
	ck_assert_str_eq(held(), "SPLITPIN_SMT=1");
	ck_assert_uint_eq(site.nfaults, 0);
	ck_assert_uint_eq(site.nsections, 1);
	release();
}
END_TEST

START_TEST(each_setting_knows_its_line)
{
	parse("# one\nsmt = 1\nleave_alone = x solver\n\n[/opt/*]\ncores = 2\n");
	ck_assert_str_eq(held(), "SPLITPIN_SMT=1 SPLITPIN=off SPLITPIN_CORES=2");
	ck_assert_uint_eq(site.setting[0].line, 2);
	ck_assert_ptr_null(site.setting[0].section);
	ck_assert_uint_eq(site.setting[1].line, 3);
	ck_assert_str_eq(site.setting[1].section, "solver");
	ck_assert_int_eq(site.setting[1].by, SP_SITE_LEAVE_ALONE);
	ck_assert_uint_eq(site.setting[2].line, 6);
	ck_assert_str_eq(site.setting[2].section, "/opt/*");
	ck_assert_int_eq(site.setting[2].by, SP_SITE_SET);
	ck_assert_uint_eq(site.section[0].line, 5);
	ck_assert_ptr_eq(sp_site_find(&site, site.entries[1]), &site.setting[1]);
	ck_assert_ptr_null(sp_site_find(&site, "SPLITPIN_SMT=1"));
	release();
}
END_TEST

/* Each is the second line of a file. */
static const struct {
	const char *line, *sentence;
} faults[] = {
	{ "smt = x", "F:2: smt=x is wrong: use all, or a number from 1" },
	{ "reserve = 0,8192", "F:2: reserve=0,8192 is wrong: use CPU numbers from 0 to 8191" },
	{ "Debug = 2", "F:2: debug=2 is wrong: use 0 or 1" },
	{ "splitpin =", "F:2: splitpin= is wrong: use on, off, observe or never" },
	{ "dryrun = 3", "F:2: dryrun=3 is wrong: use 0, 1, or a machine in hwloc's XML or synthetic syntax" },
	{ "smt = # 1", "F:2: smt= is wrong: use all, or a number from 1" },
	{ "memroy = local", "F:2: memroy is not a setting of splitpin: did you mean memory?" },
	{ "splitpin = of", "F:2: splitpin=of is wrong: use on, off, observe or never" },
	{ "smt = never", "F:2: smt=never is wrong: use all, or a number from 1" },
	{ "colour = red", "F:2: colour is not a setting of splitpin: see splitpin.conf(5)" },
	{ "= 1", "F:2:  is not a setting of splitpin: see splitpin.conf(5)" },
	{ "Local-Rank = 0", "F:2: local_rank cannot be set in a site's file: every rank has its own" },
	{ "local_size = 1", "F:2: local_size cannot be set in a site's file: every job has its own" },
	{ "dryrun = core:2", "F:2: dryrun cannot be set in a site's file: a machine is only for a user's dry run" },
	{ "smt", "F:2: smt is wrong: a line is NAME = VALUE, [GLOB] or a comment after #" },
	{ "\x1b[31m smt", "F:2: ?[31m smt is wrong: a line is NAME = VALUE, [GLOB] or a comment after #" },
	{ "[/x", "F:2: section [/x is wrong: it does not end in ]" },
	{ "[/x] y", "F:2: section [/x] y is wrong: it does not end in ]" },
	{ "[", "F:2: section [ is wrong: it does not end in ]" },
	{ "[ ]", "F:2: section [ ] is wrong: it has no glob" },
	{ "[a/b]", "F:2: section [a/b] is wrong: it matches no path: a glob begins with / or *, or is a file's name without any /" },
	{ "[user=alice]", "F:2: section [user=alice] is wrong: users and groups are numbers (id NAME shows them)" },
	{ "[users=1]", "F:2: section [users=1] is wrong: before = stands user, group, account or partition" },
	{ "[account=]", "F:2: section [account=] is wrong: behind = stand values, separated by blanks or commas" },
	{ "percent = 101", "F:2: percent=101 is wrong: use a number from 0 to 100" },
	{ "percent = 5 %", "F:2: percent=5 % is wrong: use a number from 0 to 100" },
	{ "exclusive_only = maybe", "F:2: exclusive_only=maybe is wrong: use 0 or 1" },
	{ "leave_alone =", "F:2: leave_alone= is wrong: use globs separated by blanks" },
	{ "leave_alone = x a/b", "F:2: leave_alone=a/b is wrong: it matches no path: a glob begins with / or *, or is a file's name without any /" },
};

START_TEST(a_wrong_line_is_one_sentence)
{
	char text[256];

	snprintf(text, sizeof(text), "cores = 3\n%s\n", faults[_i].line);
	parse(text);
	ck_assert_uint_eq(site.nfaults, 1);
	ck_assert_uint_eq(site.nkept, 1);
	ck_assert_str_eq(site.fault[0], faults[_i].sentence);
	ck_assert_str_eq(held(), "SPLITPIN_CORES=3");
	release();
}
END_TEST

START_TEST(leave_alone_stands_before_sections)
{
	parse("[/no/such/*]\nleave_alone = solver\n");
	ck_assert_uint_eq(site.nfaults, 1);
	ck_assert_str_eq(site.fault[0], "F:2: leave_alone is wrong here: it belongs before the first section; in a section use splitpin = off");
	ck_assert_uint_eq(site.nsettings, 0);
	release();
}
END_TEST

/* A file is checked as a whole, whichever program reads it. */
START_TEST(faults_of_other_sections_are_told)
{
	parse("[/no/such/*]\nsmt = x\n[/no/such/thing]\ncolour = red\n");
	ck_assert_uint_eq(site.nfaults, 2);
	release();
}
END_TEST

START_TEST(many_faults_are_counted)
{
	char text[1024] = "";

	for (int i = 0; i < 100; i++)
		strcat(text, "x\n");
	strcat(text, "smt = 1\n");
	parse(text);
	ck_assert_uint_eq(site.nfaults, 100);
	ck_assert_uint_eq(site.nkept, SP_SITE_FAULTS);
	ck_assert_str_eq(held(), "SPLITPIN_SMT=1");
	release();
}
END_TEST

/* What keeps splitpin off, whatever the environment says; NULL: nothing does. */
static const struct {
	const char *text, *why;
} switches[] = {
	{ "", NULL },
	{ "splitpin = off\nsmt = 1", NULL },
	{ "leave_alone = solver", NULL },
	{ "smt = 1\nsplitpin = never", "F:2, splitpin = never" },
	{ "splitpin = on\n[solver]\nsplitpin = never", "F:3, splitpin = never" },
	{ "splitpin = never\n[solver]\nsplitpin = off", NULL },
	{ "[other]\nsplitpin = never", NULL },
	{ "splitpin = of", "an error in F" },
	{ "smtt = 1", "an error in F" },
	{ "[other]\nsmt = x", "an error in F" },
	{ "[solver\nsplitpin = never", "an error in F" },
	{ "[other]\nleave_alone = solver", "an error in F" },
	{ "record = log", "an error in F" },
};

START_TEST(what_the_environment_cannot_change)
{
	char why[SP_SITE_WHY] = "";

	parse(switches[_i].text);
	ck_assert_int_eq(sp_site_forbids(&site, why), switches[_i].why != NULL);
	ck_assert_str_eq(why, switches[_i].why ? switches[_i].why : "");
	release();
}
END_TEST

START_TEST(a_switch_beside_the_file)
{
	struct sp_site off = { .state = SP_SITE_OFF };
	char why[SP_SITE_WHY];

	ck_assert(sp_site_forbids(&off, why));
	ck_assert_str_eq(why, sp_site_off_file());
}
END_TEST

struct told {
	char sentence[4][128];
	unsigned n;
};

static void
keep(void *data, const char *sentence)
{
	struct told *told = data;

	ck_assert_uint_lt(told->n, 4);
	snprintf(told->sentence[told->n++], sizeof(told->sentence[0]), "%s", sentence);
}

START_TEST(faults_that_were_counted_alone_are_one_sentence)
{
	static char first[] = "F:1: x", second[] = "F:2: y";
	struct sp_site some = { .file = "F", .fault = { first, second }, .nkept = 2, .nfaults = 2 };
	struct told told = { .n = 0 };

	sp_site_complain(&some, keep, &told);
	ck_assert_uint_eq(told.n, 2);
	ck_assert_str_eq(told.sentence[0], first);
	ck_assert_str_eq(told.sentence[1], second);
	some.nfaults = 5;
	told.n = 0;
	sp_site_complain(&some, keep, &told);
	ck_assert_uint_eq(told.n, 3);
	ck_assert_str_eq(told.sentence[2], "F: 3 more lines are wrong");
	/* Where memory was short for all of them. */
	some.nkept = told.n = 0;
	sp_site_summarise(&some, keep, &told);
	ck_assert_uint_eq(told.n, 1);
	ck_assert_str_eq(told.sentence[0], "F: out of memory; splitpin is off");
}
END_TEST

START_TEST(a_long_name_is_cut)
{
	const struct sp_setting setting = { .name = "SPLITPIN_ABCDEFGHIJKLMNOPQRSTUVWXYZ_ABCDEFGH" };
	char name[SP_SITE_NAME];

	ck_assert_str_eq(sp_site_name(&setting, name), "abcdefghijklmnopqrstuvwxyz_abcd");
}
END_TEST

static char summary[512];
static unsigned summaries;

static void
keep_summary(void *data, const char *sentence)
{
	(void)data;
	snprintf(summary, sizeof(summary), "%s", sentence);
	summaries++;
}

/* What a job is told is one warning, however many lines are wrong. */
START_TEST(faults_are_one_sentence)
{
	static const struct {
		const char *text, *summary;
	} cases[] = {
		{ "smt = 1\n", "" },
		{ "smt = x\n", "F:1: smt=x is wrong: use all, or a number from 1; splitpin is off" },
		{ "cores\nsmt = 1\nx = 1\n",
		  "F:1: cores is wrong: a line is NAME = VALUE, [GLOB] or a comment after #; 1 more line is wrong: see splitpin config; splitpin is off" },
		{ "x = 1\nx = 2\nx = 3\n", "F:1: x is not a setting of splitpin: see splitpin.conf(5); 2 more lines are wrong: see splitpin config; splitpin is off" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		summary[0] = '\0';
		summaries = 0;
		parse(cases[i].text);
		sp_site_summarise(&site, keep_summary, NULL);
		ck_assert_str_eq(summary, cases[i].summary);
		ck_assert_uint_eq(summaries, i > 0);
		release();
	}
}
END_TEST

START_TEST(a_zero_byte_is_no_text)
{
	static const char text[] = "smt = 1\n\0\nsmt = x\n";

	sp_site_parse(&site, "F", text, sizeof(text) - 1, &(struct sp_subject){ .program = PROGRAM });
	ck_assert_int_eq(site.state, SP_SITE_REFUSED);
	ck_assert_uint_eq(site.nsettings, 0);
	ck_assert_uint_eq(site.nfaults, 1);
	ck_assert_str_eq(site.fault[0], "F: it is not text: it contains a zero byte");
	release();
}
END_TEST

START_TEST(text_need_not_end)
{
	static const char text[] = "smt = 12";

	sp_site_parse(&site, "F", text, sizeof(text) - 2, &(struct sp_subject){ .program = PROGRAM });
	ck_assert_str_eq(held(), "SPLITPIN_SMT=1");
	release();
}
END_TEST

/* Bytes of all kinds, and pieces of right lines among them. */
START_TEST(garbage_does_no_harm)
{
	static const char *const pieces[] = {
		"smt = 1\n", "[", "]", "\n[*]\n", "\nleave_alone = ", "#", "=", "memory = ", "*?[a-", "\\", "\r\n", "SPLITPIN_"
	};
	char text[2048];
	unsigned state = (unsigned)_i + 1;

	for (int round = 0; round < 200; round++) {
		size_t n = 0;

		while (n < sizeof(text) - 16) {
			state = state * 1664525u + 1013904223u;
			unsigned what = state >> 16;

			if (what % 3)
				n += (size_t)sprintf(text + n, "%s", pieces[what / 3 % (sizeof(pieces) / sizeof(pieces[0]))]);
			else
				text[n++] = (char)(1 + what / 3 % 255);
		}
		sp_site_parse(&site, "F", text, n, &(struct sp_subject){ .program = PROGRAM });
		for (size_t i = 0; i < site.nkept; i++)
			ck_assert(strncmp(site.fault[i], "F:", 2) == 0 && !strchr(site.fault[i], '\n'));
		ck_assert_uint_eq(site.nkept, site.nfaults < SP_SITE_FAULTS ? site.nfaults : SP_SITE_FAULTS);
		release();
	}
}
END_TEST

/* Every setting that has words takes its initial one from a file, unless it is refused. */
START_TEST(every_setting_is_known)
{
	const struct sp_setting *row;
	char text[256], name[SP_SITE_NAME];
	unsigned taken = 0, refused = 0, n = 0;

	for (; (row = sp_config_setting(n)); n++) {
		snprintf(text, sizeof(text), "%s = %s", sp_site_name(row, name), row->initial);
		parse(text);
		taken += site.nsettings == 1 && strncmp(site.entries[0], row->name, strlen(row->name)) == 0;
		refused += site.nfaults == 1 && strstr(site.fault[0], "cannot be set in a site's file");
		release();
	}
	ck_assert_uint_eq(refused, 2);
	ck_assert_uint_eq(taken, n - refused);
}
END_TEST

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

Suite *
suite_site(void)
{
	Suite *suite = suite_create("site");
	TCase *tcase = tcase_create("facts");

	tcase_add_loop_test(tcase, what_holds, 0, COUNT(texts));
	tcase_add_loop_test(tcase, where_records_go, 0, sizeof(records) / sizeof(records[0]));
	tcase_add_loop_test(tcase, what_narrows, 0, sizeof(limits) / sizeof(limits[0]));
	tcase_add_test(tcase, what_narrows_what_is_not_known);
	tcase_add_loop_test(tcase, what_a_section_matches, 0, COUNT(globs));
	tcase_add_test(tcase, no_program_matches_nothing);
	tcase_add_test(tcase, each_setting_knows_its_line);
	tcase_add_loop_test(tcase, a_wrong_line_is_one_sentence, 0, COUNT(faults));
	tcase_add_test(tcase, leave_alone_stands_before_sections);
	tcase_add_test(tcase, faults_of_other_sections_are_told);
	tcase_add_test(tcase, many_faults_are_counted);
	tcase_add_loop_test(tcase, what_the_environment_cannot_change, 0, COUNT(switches));
	tcase_add_test(tcase, a_switch_beside_the_file);
	tcase_add_test(tcase, faults_that_were_counted_alone_are_one_sentence);
	tcase_add_test(tcase, a_long_name_is_cut);
	tcase_add_test(tcase, faults_are_one_sentence);
	tcase_add_test(tcase, a_zero_byte_is_no_text);
	tcase_add_test(tcase, text_need_not_end);
	tcase_add_loop_test(tcase, garbage_does_no_harm, 0, 4);
	tcase_add_test(tcase, every_setting_is_known);
	suite_add_tcase(suite, tcase);
	return suite;
}
