/* Facts about the settings. */
#include <check.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "settings/config.h"
#include "settings/parse.h"
#include "suites.h"

static char said[8][512];
static int nsaid;

static void
hear(void *data, const char *sentence)
{
	ck_assert_ptr_eq(data, said);
	ck_assert_int_lt(nsaid, 8);
	snprintf(said[nsaid++], sizeof(said[0]), "%s", sentence);
}

/* Read a NULL-terminated list of variables; what is complained of is in said. */
#define READ(config, ...) \
	read_all(config, (const char *const[]){ __VA_ARGS__, NULL })

static void
read_all(struct sp_config *config, const char *const variables[])
{
	nsaid = 0;
	memset(config, 0xa5, sizeof(*config));
	sp_config_read(config, (char *const *)variables, hear, said);
}

static void
check_initial(const struct sp_config *config)
{
	ck_assert(config->on);
	ck_assert(!config->debug);
	ck_assert(!config->dry_run);
	ck_assert_ptr_null(config->topology);
	ck_assert_uint_eq(config->wait_ms, 2000);
	ck_assert_int_eq(config->inherited, SP_INHERITED_AUTO);
	ck_assert_int_eq(config->neighbours, SP_NEIGHBOURS_AVOID);
	ck_assert_int_eq(config->granularity, SP_GRANULARITY_AUTO);
	ck_assert_int_eq(config->pin, SP_PIN_AUTO);
	ck_assert_int_eq(config->answer, SP_ANSWER_SHARE);
	ck_assert_int_eq(config->guard, SP_GUARD_AUTO);
	ck_assert_int_eq(config->visible, SP_VISIBLE_OFF);
	ck_assert_int_eq(config->bind, SP_SPREAD);
	ck_assert_int_eq(config->memory, SP_MEMORY_DEFAULT);
	ck_assert(!config->memory_move);
	ck_assert(!config->memory_check);
	ck_assert_int_eq(config->policy.domain, SP_DOMAIN_AUTO);
	ck_assert_ptr_null(config->policy.lists);
	ck_assert_int_eq(config->policy.share, SP_SHARE_EQUAL);
	ck_assert_int_eq(config->policy.distribution, SP_BLOCK);
	ck_assert_int_eq(config->policy.kinds, SP_KINDS_AUTO);
	ck_assert_int_eq(config->policy.devices, SP_DEVICES_AUTO);
	ck_assert_uint_eq(config->policy.smt, 0);
	ck_assert_uint_eq(config->policy.cores, 0);
	ck_assert_uint_eq(config->policy.reserve, 0);
	ck_assert(sp_cpus_empty(&config->policy.reserved));
}

START_TEST(nothing_set)
{
	struct sp_config config;

	READ(&config, "PATH=/bin", "SPLITPINX=1", "SPLIT=2", "SPLITPIN", "SPLITPIN_SMT");
	check_initial(&config);
	ck_assert(!config.report);
	ck_assert_ptr_null(config.log);
	ck_assert_int_eq(nsaid, 0);
	sp_config_read(&config, NULL, NULL, NULL);
	check_initial(&config);
}
END_TEST

START_TEST(everything_set)
{
	struct sp_config config;

	READ(&config, "SPLITPIN=off", "SPLITPIN_DEBUG=1", "SPLITPIN_INHERITED=ignore",
	     "SPLITPIN_DISTRIBUTION=cyclic", "SPLITPIN_SMT=2",
	     "SPLITPIN_CORES=3", "SPLITPIN_RESERVE=1", "SPLITPIN_BIND=close:thread",
	     "SPLITPIN_KINDS=efficiency", "SPLITPIN_DEVICES=nic",
	     "SPLITPIN_MEMORY=bind:move", "SPLITPIN_REPORT=memory", "SPLITPIN_GUARD=keep", "SPLITPIN_ANSWER=pin",
	     "SPLITPIN_LOCAL_RANK=0",
	     "SPLITPIN_LOCAL_SIZE=1");
	ck_assert_int_eq(nsaid, 0);
	ck_assert(!config.on);
	ck_assert(config.debug);
	ck_assert_int_eq(config.inherited, SP_INHERITED_IGNORE);
	ck_assert_int_eq(config.policy.share, SP_SHARE_EQUAL);
	ck_assert_int_eq(config.policy.distribution, SP_CYCLIC);
	ck_assert_uint_eq(config.policy.smt, 2);
	ck_assert_uint_eq(config.policy.cores, 3);
	ck_assert_uint_eq(config.policy.reserve, 1);
	ck_assert_int_eq(config.bind, SP_CLOSE);
	ck_assert_int_eq(config.policy.kinds, SP_KINDS_EFFICIENCY);
	ck_assert_int_eq(config.policy.devices, SP_DEVICES_NIC);
	ck_assert_int_eq(config.granularity, SP_GRANULARITY_THREAD);
	ck_assert_int_eq(config.memory, SP_MEMORY_BIND);
	ck_assert(config.memory_move);
	ck_assert(config.report && config.memory_check);
	ck_assert_int_eq(config.guard, SP_GUARD_KEEP);
	ck_assert_int_eq(config.answer, SP_ANSWER_PIN);
	READ(&config, "SPLITPIN_REPORT=1", "SPLITPIN_DEVICES=GPU:own");
	ck_assert(config.report && !config.memory_check);
	ck_assert_int_eq(config.policy.devices, SP_DEVICES_AUTO);
	ck_assert_int_eq(config.visible, SP_VISIBLE_SET);
}
END_TEST

/* A log has the report in it unless the user says what is to be there. */
START_TEST(log_has_a_report)
{
	struct sp_config config;

	READ(&config, "SPLITPIN_LOG= a/%h.%%");
	ck_assert_str_eq(config.log, "a/%h.%%");
	ck_assert(config.report && !config.debug);
	READ(&config, "SPLITPIN_LOG=a", "SPLITPIN_REPORT=0");
	ck_assert(!config.report);
	READ(&config, "SPLITPIN_DEBUG=1", "SPLITPIN_LOG=a");
	ck_assert(!config.report && config.debug);
	ck_assert_int_eq(nsaid, 0);
	READ(&config, "SPLITPIN_LOG=a%x");
	ck_assert_ptr_null(config.log);
	ck_assert(!config.report);
	ck_assert_int_eq(nsaid, 1);
}
END_TEST

static const struct {
	const char *text;
	bool on;
} truths[] = {
	{ "on", true }, { "1", true }, { "yes", true }, { "true", true }, { "TRUE", true },
	{ " On\t", true }, { "off", false }, { "0", false }, { "no", false },
	{ "False", false }, { "OFF ", false },
};

START_TEST(truth_has_many_words)
{
	char on[64], debug[64];
	struct sp_config config;

	snprintf(on, sizeof(on), "SPLITPIN=%s", truths[_i].text);
	snprintf(debug, sizeof(debug), "SPLITPIN_DEBUG=%s", truths[_i].text);
	READ(&config, on, debug);
	ck_assert_int_eq(nsaid, 0);
	ck_assert_int_eq(config.on, truths[_i].on);
	ck_assert_int_eq(config.debug, truths[_i].on);
}
END_TEST

static const struct {
	const char *text;
	enum sp_memory memory;
} memories[] = {
	{ "default", SP_MEMORY_DEFAULT }, { "local", SP_MEMORY_LOCAL },
	{ "interleave", SP_MEMORY_INTERLEAVE }, { "Interleave:ALL", SP_MEMORY_INTERLEAVE_ALL },
	{ "bind", SP_MEMORY_BIND }, { "preferred", SP_MEMORY_PREFERRED },
	{ "hbm", SP_MEMORY_HBM }, { "HBM:bind", SP_MEMORY_HBM_BIND },
};

START_TEST(memory_words)
{
	struct sp_config config;
	char text[64];

	snprintf(text, sizeof(text), "SPLITPIN_MEMORY=%s", memories[_i].text);
	READ(&config, text);
	ck_assert_int_eq(nsaid, 0);
	ck_assert_int_eq(config.memory, memories[_i].memory);
	ck_assert(!config.memory_move);
	snprintf(text, sizeof(text), "SPLITPIN_MEMORY=%s:Move", memories[_i].text);
	READ(&config, text);
	ck_assert_int_eq(nsaid, memories[_i].memory == SP_MEMORY_DEFAULT);
	ck_assert_int_eq(config.memory, memories[_i].memory);
	ck_assert_int_eq(config.memory_move, memories[_i].memory != SP_MEMORY_DEFAULT);
}
END_TEST

START_TEST(bind_words)
{
	struct sp_config config;

	READ(&config, "SPLITPIN_BIND=none");
	ck_assert_int_eq(config.bind, SP_NO_BIND);
	READ(&config, "SPLITPIN_BIND= Spread ");
	ck_assert_int_eq(config.bind, SP_SPREAD);
	ck_assert_int_eq(config.granularity, SP_GRANULARITY_AUTO);
	READ(&config, "SPLITPIN_BIND=spread:Thread");
	ck_assert_int_eq(config.bind, SP_SPREAD);
	ck_assert_int_eq(config.granularity, SP_GRANULARITY_THREAD);
	READ(&config, "SPLITPIN_BIND=close:core");
	ck_assert_int_eq(config.bind, SP_CLOSE);
	ck_assert_int_eq(config.granularity, SP_GRANULARITY_CORE);
	ck_assert_int_eq(nsaid, 0);
}
END_TEST

START_TEST(a_dry_run_may_be_for_another_machine)
{
	static const char *const machines[] = { "pack:2 core:4 pu:2", "/tmp/knl.xml", "knl.xml", "./knl", "nothing:3", "a.b.xml" };
	static const char *const wrong[] = { "knl", "2", "knl.xml2", "core 2", ".", "memory" };
	struct sp_config config;
	char text[64];

	READ(&config, "SPLITPIN_DRYRUN=yes");
	ck_assert(config.dry_run);
	ck_assert_ptr_null(config.topology);
	for (size_t i = 0; i < sizeof(machines) / sizeof(machines[0]); i++) {
		snprintf(text, sizeof(text), "SPLITPIN_DRYRUN= %s", machines[i]);
		READ(&config, text);
		ck_assert(nsaid == 0 && config.dry_run);
		ck_assert_str_eq(config.topology, machines[i]);
	}
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		snprintf(text, sizeof(text), "SPLITPIN_DRYRUN=%s", wrong[i]);
		READ(&config, text);
		ck_assert_msg(nsaid == 1 && !config.dry_run && !config.topology, "%s was taken", wrong[i]);
	}
}
END_TEST

START_TEST(all_is_said_as_a_word)
{
	struct sp_config config;

	READ(&config, "SPLITPIN_SMT=ALL", "SPLITPIN_CORES= all");
	ck_assert_int_eq(nsaid, 0);
	ck_assert_uint_eq(config.policy.smt, 0);
	ck_assert_uint_eq(config.policy.cores, 0);
	ck_assert_int_eq(config.policy.share, SP_SHARE_ALL);
	READ(&config, "SPLITPIN_CORES=Equal");
	ck_assert_int_eq(nsaid, 0);
	ck_assert_uint_eq(config.policy.cores, 0);
	ck_assert_int_eq(config.policy.share, SP_SHARE_EQUAL);
	READ(&config, "SPLITPIN_CORES= 4 ");
	ck_assert_int_eq(nsaid, 0);
	ck_assert_uint_eq(config.policy.cores, 4);
	ck_assert_int_eq(config.policy.share, SP_SHARE_EQUAL);
}
END_TEST

/* A list has a comma or a dash. */
static const struct {
	const char *text;
	unsigned cores;
	const char *cpus;
} reserves[] = {
	{ "0", 0, "" }, { "2", 2, "" }, { " 4 ", 4, "" },
	{ "5-5", 0, "5" }, { "0,68", 0, "0,68" }, { "0-1,8", 0, "0-1,8" }, { "0, 3", 0, "0,3" },
};

START_TEST(reserve_is_a_number_or_a_list)
{
	char text[64], cpus[SP_CPUS_TEXT];
	struct sp_config config;

	snprintf(text, sizeof(text), "SPLITPIN_RESERVE=%s", reserves[_i].text);
	READ(&config, text);
	ck_assert_int_eq(nsaid, 0);
	ck_assert_uint_eq(config.policy.reserve, reserves[_i].cores);
	ck_assert_str_eq(sp_cpus_format(&config.policy.reserved, cpus, sizeof(cpus)), reserves[_i].cpus);
}
END_TEST

static const struct {
	const char *variable, *sentence;
} faults[] = {
	{ "SPLITPIN_SMT=zero", "SPLITPIN_SMT=zero is wrong: use all, or a number from 1; all is used instead" },
	{ "SPLITPIN_SMT=0", "SPLITPIN_SMT=0 is wrong: use all, or a number from 1; all is used instead" },
	{ "SPLITPIN_CORES=-1", "SPLITPIN_CORES=-1 is wrong: use equal, all, or a number from 1; equal is used instead" },
	{ "SPLITPIN_CORES=4294967296", "SPLITPIN_CORES=4294967296 is wrong: use equal, all, or a number from 1; equal is used instead" },
	{ "SPLITPIN_CORES=2 3", "SPLITPIN_CORES=2 3 is wrong: use equal, all, or a number from 1; equal is used instead" },
	{ "SPLITPIN=maybe", "SPLITPIN=maybe is wrong: use on, off or observe; on is used instead" },
	{ "SPLITPIN_DEBUG=2", "SPLITPIN_DEBUG=2 is wrong: use 0 or 1; 0 is used instead" },
	{ "SPLITPIN_BIND=clos", "SPLITPIN_BIND=clos is wrong: use spread, close, none, spread:core, spread:thread, close:core or close:thread; spread is used instead" },
	{ "SPLITPIN_BIND=none:core", "SPLITPIN_BIND=none:core is wrong: use spread, close, none, spread:core, spread:thread, close:core or close:thread; spread is used instead" },
	{ "SPLITPIN_BIND=close-by", "SPLITPIN_BIND=close-by is wrong: use spread, close, none, spread:core, spread:thread, close:core or close:thread; spread is used instead" },
	{ "SPLITPIN_BIND=a\nb", "SPLITPIN_BIND=a?b is wrong: use spread, close, none, spread:core, spread:thread, close:core or close:thread; spread is used instead" },
	{ "SPLITPIN_DOMAIN=4", "SPLITPIN_DOMAIN=4 is wrong: use auto, node, package, numa, l3, core, or one CPU list per rank, such as 0-3:4-7 (0-0: CPU 0 alone); auto is used instead" },
	{ "SPLITPIN_RESERVE=0,", "SPLITPIN_RESERVE=0, is wrong: use a number of cores, or a CPU list such as 0-1 or 0,68; 0 is used instead" },
	{ "SPLITPIN_RESERVE=8192-8193", "SPLITPIN_RESERVE=8192-8193 is wrong: use CPU numbers from 0 to 8191; 0 is used instead" },
	{ "SPLITPIN_DOMAIN=0-3:9000-9003", "SPLITPIN_DOMAIN=0-3:9000-9003 is wrong: use CPU numbers from 0 to 8191; auto is used instead" },
	{ "SPLITPIN_MEMORY=hmb", "SPLITPIN_MEMORY=hmb is wrong: use default, local, interleave, interleave:all, bind, preferred, hbm or hbm:bind, each but default also with :move; default is used instead" },
	{ "SPLITPIN_DISTRIBUTON=cyclic", "SPLITPIN_DISTRIBUTON is not a setting of splitpin: did you mean SPLITPIN_DISTRIBUTION?" },
	{ "SPLITPIN_smt=2", "SPLITPIN_smt is not a setting of splitpin: did you mean SPLITPIN_SMT?" },
	{ "SPLITPIN_CORE=2", "SPLITPIN_CORE is not a setting of splitpin: did you mean SPLITPIN_CORES?" },
	{ "SPLITPIN_MEM=local", "SPLITPIN_MEM is not a setting of splitpin: did you mean SPLITPIN_MEMORY?" },
	{ "SPLITPIN_LOCALRANK=2", "SPLITPIN_LOCALRANK is not a setting of splitpin: did you mean SPLITPIN_LOCAL_RANK?" },
	{ "SPLITPINDEBUG=1", "SPLITPINDEBUG is not a setting of splitpin: did you mean SPLITPIN_DEBUG?" },
	{ "SPLIT_PIN_DEBUG=1", "SPLIT_PIN_DEBUG is not a setting of splitpin: did you mean SPLITPIN_DEBUG?" },
	{ "splitpin_debug=1", "splitpin_debug is not a setting of splitpin: did you mean SPLITPIN_DEBUG?" },
	{ "SplitPin_Memroy=hbm", "SplitPin_Memroy is not a setting of splitpin: did you mean SPLITPIN_MEMORY?" },
	{ "SPLIT_PIN=off", "SPLIT_PIN is not a setting of splitpin: did you mean SPLITPIN?" },
	{ "SPLITPIN_COLOUR=red", "SPLITPIN_COLOUR is not a setting of splitpin: see splitpin(7)" },
	{ "SPLITPIN_=1", "SPLITPIN_ is not a setting of splitpin: see splitpin(7)" },
};

START_TEST(a_fault_is_one_sentence)
{
	struct sp_config config;

	READ(&config, faults[_i].variable);
	ck_assert_int_eq(nsaid, 1);
	ck_assert_str_eq(said[0], faults[_i].sentence);
	check_initial(&config);
	sp_config_read(&config, (char *[]){ (char *)faults[_i].variable, NULL }, NULL, NULL);
	check_initial(&config);
}
END_TEST

START_TEST(names_of_others_are_left_alone)
{
	static const char *const others[] = {
		"splitpin=/opt/splitpin", "splitpin_home=/opt/splitpin", "splitpin_root=/opt/splitpin", "SPLIT_PINS=1", "split_pin_colour=red",
		"SPLITPINNER=1", "SPLIT=1", "splitpin_debug", "split_pin_0123456789012345678901234567890123456789012345678901234567890123456789012345678901234567890123456789=1",
	};
	struct sp_config config;

	READ(&config, others[_i]);
	ck_assert_int_eq(nsaid, 0);
	check_initial(&config);
}
END_TEST

/* Whoever asks a parser is told why, and has what was there. */
START_TEST(what_is_wrong_is_an_error)
{
	static const struct sp_word words[] = { { "on", 1 }, { NULL, 0 } };
	static const struct {
		sp_parser *parse;
		const char *text;
		int error;
	} wrong[] = {
		{ sp_parse_flag, "x", -EINVAL }, { sp_parse_word, "x", -EINVAL }, { sp_parse_count, "0", -EINVAL },
		{ sp_parse_domain, "x", -EINVAL }, { sp_parse_domain, "9000-9003", -ERANGE }, { sp_parse_reserve, "x", -EINVAL },
		{ sp_parse_report, "x", -EINVAL }, { sp_parse_dry_run, "x", -EINVAL }, { sp_parse_cores, "x", -EINVAL }, { sp_parse_cores, "0", -EINVAL }, { sp_parse_devices, "x", -EINVAL }, { sp_parse_bind, "x", -EINVAL }, { sp_parse_memory, "x", -EINVAL }, { sp_parse_reserve, "0,", -EINVAL }, { sp_parse_reserve, "0,9000", -ERANGE }, { sp_parse_seconds, "61", -EINVAL },
		{ sp_parse_seconds, "x", -EINVAL }, { sp_parse_pattern, "%x", -EINVAL },
	};
	struct sp_policy field, before;

	memset(&field, 0xa5, sizeof(field));
	before = field;
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		ck_assert_int_eq(wrong[i].parse(wrong[i].text, &field, words), wrong[i].error);
		ck_assert_mem_eq(&field, &before, sizeof(field));
	}
}
END_TEST

START_TEST(a_fault_spoils_no_other_setting)
{
	struct sp_config config;

	READ(&config, "SPLITPIN_SMT=2", "SPLITPIN_BIND=many", "SPLITPIN_CORES=all", "SPLITPIN_X=1");
	ck_assert_int_eq(nsaid, 2);
	ck_assert_uint_eq(config.policy.smt, 2);
	ck_assert_int_eq(config.policy.share, SP_SHARE_ALL);
}
END_TEST

START_TEST(empty_is_not_set)
{
	struct sp_config config;

	READ(&config, "SPLITPIN=", "SPLITPIN_SMT= \t", "SPLITPIN_UNKNOWN=");
	ck_assert_int_eq(nsaid, 0);
	check_initial(&config);
}
END_TEST

START_TEST(the_first_of_two_counts)
{
	struct sp_config config;

	READ(&config, "SPLITPIN_SMT=2", "SPLITPIN_SMT=wrong", "SPLITPIN_CORES=", "SPLITPIN_CORES=3");
	ck_assert_int_eq(nsaid, 0);
	ck_assert_uint_eq(config.policy.smt, 2);
	ck_assert_uint_eq(config.policy.cores, 0);
}
END_TEST

START_TEST(a_long_value_is_cut)
{
	char value[10000], name[10000];
	struct sp_config config;

	memset(value, 'x', sizeof(value) - 1);
	value[sizeof(value) - 1] = '\0';
	memcpy(value, "SPLITPIN_SMT=", 13);
	memset(name, 'X', sizeof(name) - 1);
	name[sizeof(name) - 1] = '\0';
	memcpy(name, "SPLITPIN_", 9);
	name[9990] = '=';
	READ(&config, value, name);
	ck_assert_int_eq(nsaid, 2);
	ck_assert_uint_lt(strlen(said[0]), 250);
	ck_assert_ptr_nonnull(strstr(said[0], "xxx... is wrong: use all, or a number from 1; all is used instead"));
	ck_assert_ptr_nonnull(strstr(said[1], "XXX... is not a setting of splitpin: see splitpin(7)"));
	check_initial(&config);
}
END_TEST

/* A long list is no long word. */
START_TEST(a_long_list_is_read)
{
	char list[SP_CPUS_MAX * 5 + 32] = "SPLITPIN_RESERVE=0";
	struct sp_config config;
	size_t length = strlen(list);

	for (int cpu = 2; cpu < SP_CPUS_MAX; cpu += 2)
		length += (size_t)sprintf(list + length, ",%d", cpu);
	READ(&config, list);
	ck_assert_int_eq(nsaid, 0);
	ck_assert_uint_eq(sp_cpus_count(&config.policy.reserved), SP_CPUS_MAX / 2);
}
END_TEST

START_TEST(the_table_is_complete)
{
	unsigned n = 0;

	for (const struct sp_setting *row; (row = sp_config_setting(n)); n++) {
		ck_assert(strncmp(row->name, "SPLITPIN", 8) == 0);
		ck_assert(row->values && row->initial && row->help);
		ck_assert(row->help[0] != '\0' && row->help[strlen(row->help) - 1] != '.');
	}
	ck_assert_ptr_null(sp_config_setting(n));
	ck_assert_ptr_null(sp_config_setting(~0u));
}
END_TEST

START_TEST(seconds_are_read_with_three_digits)
{
	struct sp_config config;

	READ(&config, "SPLITPIN_WAIT=0.25");
	ck_assert_uint_eq(config.wait_ms, 250);
	READ(&config, "SPLITPIN_WAIT= 10 ");
	ck_assert_uint_eq(config.wait_ms, 10000);
	READ(&config, "SPLITPIN_WAIT=.0019");
	ck_assert_uint_eq(config.wait_ms, 1);
	READ(&config, "SPLITPIN_WAIT=1.2345");
	ck_assert_uint_eq(config.wait_ms, 1234);
	READ(&config, "SPLITPIN_WAIT=7.");
	ck_assert_uint_eq(config.wait_ms, 7000);
	READ(&config, "SPLITPIN_WAIT=60.000");
	ck_assert_uint_eq(config.wait_ms, 60000);
	READ(&config, "SPLITPIN_WAIT=0");
	ck_assert_uint_eq(config.wait_ms, 0);
	ck_assert_int_eq(nsaid, 0);
}
END_TEST

START_TEST(seconds_that_are_none_are_told)
{
	static const char *const wrong[] = { ".", "1.2.3", "-1", "61", "2s", "99999999999", "60.001" };
	struct sp_config config;
	char text[64];

	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		snprintf(text, sizeof(text), "SPLITPIN_WAIT=%s", wrong[i]);
		READ(&config, text);
		ck_assert_msg(nsaid == 1 && config.wait_ms == 2000, "%s was taken", wrong[i]);
	}
}
END_TEST

/* Site first, then environment, each a list that ends in NULL. */
static void
read_over(struct sp_config *config, const char *const site[], const char *const environment[],
	  const char *origin[])
{
	nsaid = 0;
	memset(config, 0xa5, sizeof(*config));
	sp_config_read_over(config, (char *const *)site, (char *const *)environment, hear, said, origin);
}

static unsigned
row_of(const char *name)
{
	unsigned i = 0;

	while (strcmp(sp_config_setting(i)->name, name) != 0)
		i++;
	return i;
}

START_TEST(the_environment_is_above_the_site)
{
	const char *site[] = { "SPLITPIN_SMT=1", "SPLITPIN_CORES=3", "SPLITPIN=off", NULL };
	const char *environment[] = { "SPLITPIN_SMT=2", "SPLITPIN=on", "SPLITPIN_BIND=close", NULL };
	const char *origin[SP_SETTINGS_MAX];
	struct sp_config config;

	read_over(&config, site, environment, origin);
	ck_assert_int_eq(nsaid, 0);
	ck_assert(config.on);
	ck_assert_uint_eq(config.policy.smt, 2);
	ck_assert_uint_eq(config.policy.cores, 3);
	ck_assert_int_eq(config.bind, SP_CLOSE);
	ck_assert_ptr_eq(origin[row_of("SPLITPIN_SMT")], environment[0]);
	ck_assert_ptr_eq(origin[row_of("SPLITPIN")], environment[1]);
	ck_assert_ptr_eq(origin[row_of("SPLITPIN_BIND")], environment[2]);
	ck_assert_ptr_eq(origin[row_of("SPLITPIN_CORES")], site[1]);
	ck_assert_ptr_null(origin[row_of("SPLITPIN_MEMORY")]);
}
END_TEST

START_TEST(what_is_wrong_or_empty_leaves_the_sites_value)
{
	const char *site[] = { "SPLITPIN_SMT=1", "SPLITPIN_CORES=3", NULL };
	const char *environment[] = { "SPLITPIN_SMT=x", "SPLITPIN_CORES=", "SPLITPIN_CORES=4", NULL };
	const char *origin[SP_SETTINGS_MAX];
	struct sp_config config;

	read_over(&config, site, environment, origin);
	ck_assert_int_eq(nsaid, 1);
	ck_assert_str_eq(said[0], "SPLITPIN_SMT=x is wrong: use all, or a number from 1; 1 is used instead");
	ck_assert_uint_eq(config.policy.smt, 1);
	ck_assert_uint_eq(config.policy.cores, 3);
	ck_assert_ptr_eq(origin[row_of("SPLITPIN_SMT")], site[0]);
	ck_assert_ptr_eq(origin[row_of("SPLITPIN_CORES")], site[1]);
	read_over(&config, NULL, NULL, NULL);
	check_initial(&config);
}
END_TEST

static const struct {
	const char *name, *variable;
} spellings[] = {
	{ "smt", "SPLITPIN_SMT" }, { "SMT", "SPLITPIN_SMT" }, { "local-rank", "SPLITPIN_LOCAL_RANK" },
	{ "SPLITPIN_SMT", "SPLITPIN_SMT" }, { "splitpin-smt", "SPLITPIN_SMT" }, { "splitpin", "SPLITPIN" },
	{ "splitpinx", "SPLITPIN_SPLITPINX" }, { "", "SPLITPIN_" }, { "splitpi", "SPLITPIN_SPLITPI" },
	{ "az-AZ_`{@[", "SPLITPIN_AZ_AZ_`{@[" }, { "_smt", "SPLITPIN__SMT" },
};

START_TEST(names_may_be_written_otherwise)
{
	char variable[64];
	const char *name = spellings[_i].name;

	ck_assert_uint_eq(sp_config_name(name, strlen(name), variable, sizeof(variable)), strlen(spellings[_i].variable));
	ck_assert_str_eq(variable, spellings[_i].variable);
	sp_config_name("splitpin_smt", 5, variable, sizeof(variable));
	ck_assert_str_eq(variable, "SPLITPIN_SPLIT");
	ck_assert_uint_eq(sp_config_name("smt = 1", 3, variable, 4), strlen("SPLITPIN_SMT"));
	ck_assert_str_eq(variable, "SPL");
}
END_TEST

START_TEST(a_value_can_be_asked_for)
{
	const struct sp_setting *smt = sp_config_find("SPLITPIN_SMT");

	ck_assert_ptr_nonnull(smt);
	ck_assert_ptr_null(sp_config_find("SPLITPIN_SM"));
	ck_assert_ptr_null(sp_config_find("smt"));
	ck_assert(!sp_config_expects(smt, "all") && !sp_config_expects(smt, " 2 "));
	ck_assert_str_eq(sp_config_expects(smt, "x"), smt->values);
	ck_assert(sp_config_expects(smt, "") && sp_config_expects(smt, " "));
	ck_assert_ptr_eq(sp_config_nearest("SPLITPIN_SMTT", 13), smt);
	ck_assert_ptr_null(sp_config_nearest("SPLITPIN_COLOUR", 15));
}
END_TEST

/* The letters behind SPLITPIN count, and as many of them may be wrong as are right. */
START_TEST(half_of_a_name_may_be_misspelt)
{
	ck_assert_str_eq(sp_config_nearest("SPLITPIN_SXX", 12)->name, "SPLITPIN_SMT");
	ck_assert_ptr_null(sp_config_nearest("SPLITPIN_XXX", 12));
	ck_assert_str_eq(sp_config_nearest("SPLITPIN_DISTRIBUTIONXXXXXX=", 27)->name, "SPLITPIN_DISTRIBUTION");
	/* Of two that are as near the first. */
	ck_assert_str_eq(sp_config_nearest("SPLITPIN_LOCAL_RAZE", 19)->name, "SPLITPIN_LOCAL_RANK");
}
END_TEST

START_TEST(a_quoted_text_has_no_control_characters)
{
	char text[2 * SP_QUOTED], quoted[SP_QUOTED];

	ck_assert_str_eq(sp_config_quote("\x01 \x1f~\x7f\x80", 6, quoted), "? ?~?\x80");
	ck_assert_str_eq(sp_config_quote("smt = 1", 3, quoted), "smt");
	/* Which need not end. */
	char *open_text = malloc(3);
	ck_assert_str_eq(sp_config_quote(memcpy(open_text, "smt", 3), 3, quoted), "smt");
	free(open_text);
	memset(text, 'x', sizeof(text));
	ck_assert_uint_eq(strlen(sp_config_quote(text, SP_QUOTED - 1, quoted)), SP_QUOTED - 1);
	ck_assert_int_eq(quoted[SP_QUOTED - 2], 'x');
	ck_assert_uint_eq(strlen(sp_config_quote(text, SP_QUOTED, quoted)), SP_QUOTED - 1);
	ck_assert_str_eq(quoted + SP_QUOTED - 5, "x...");
}
END_TEST

START_TEST(memory_policies_have_a_name)
{
	for (size_t i = 0; i < sizeof(memories) / sizeof(memories[0]); i++)
		ck_assert_int_eq(strcasecmp(sp_config_memory_name(memories[i].memory), memories[i].text), 0);
	ck_assert_ptr_null(sp_config_memory_name((enum sp_memory)99));
}
END_TEST

/* The initial texts are what a user could have written. */
START_TEST(initial_texts_are_legal)
{
	const struct sp_setting *row;
	struct sp_config config;
	char text[128];

	for (unsigned i = 0; (row = sp_config_setting(i)); i++) {
		snprintf(text, sizeof(text), "%s=%s", row->name, row->initial);
		READ(&config, text);
		ck_assert_int_eq(nsaid, 0);
		check_initial(&config);
	}
}
END_TEST

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

Suite *
suite_config(void)
{
	Suite *suite = suite_create("config");
	TCase *tcase = tcase_create("facts");

	tcase_add_test(tcase, nothing_set);
	tcase_add_test(tcase, everything_set);
	tcase_add_test(tcase, log_has_a_report);
	tcase_add_loop_test(tcase, truth_has_many_words, 0, COUNT(truths));
	tcase_add_loop_test(tcase, memory_words, 0, COUNT(memories));
	tcase_add_test(tcase, bind_words);
	tcase_add_test(tcase, a_dry_run_may_be_for_another_machine);
	tcase_add_test(tcase, all_is_said_as_a_word);
	tcase_add_loop_test(tcase, reserve_is_a_number_or_a_list, 0, COUNT(reserves));
	tcase_add_loop_test(tcase, a_fault_is_one_sentence, 0, COUNT(faults));
	tcase_add_loop_test(tcase, names_of_others_are_left_alone, 0, 9);
	tcase_add_test(tcase, what_is_wrong_is_an_error);
	tcase_add_test(tcase, a_fault_spoils_no_other_setting);
	tcase_add_test(tcase, empty_is_not_set);
	tcase_add_test(tcase, the_first_of_two_counts);
	tcase_add_test(tcase, a_long_value_is_cut);
	tcase_add_test(tcase, a_long_list_is_read);
	tcase_add_test(tcase, the_table_is_complete);
	tcase_add_test(tcase, seconds_are_read_with_three_digits);
	tcase_add_test(tcase, seconds_that_are_none_are_told);
	tcase_add_test(tcase, the_environment_is_above_the_site);
	tcase_add_test(tcase, what_is_wrong_or_empty_leaves_the_sites_value);
	tcase_add_loop_test(tcase, names_may_be_written_otherwise, 0, COUNT(spellings));
	tcase_add_test(tcase, a_value_can_be_asked_for);
	tcase_add_test(tcase, half_of_a_name_may_be_misspelt);
	tcase_add_test(tcase, a_quoted_text_has_no_control_characters);
	tcase_add_test(tcase, memory_policies_have_a_name);
	tcase_add_test(tcase, initial_texts_are_legal);
	suite_add_tcase(suite, tcase);
	return suite;
}
