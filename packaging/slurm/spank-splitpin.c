/*
 * A SPANK plugin for Slurm: preloads splitpin into the tasks of steps, and into
 * nothing else, and gives srun, sbatch and salloc the option --splitpin.
 *
 * In plugstack.conf:
 *
 *   optional spank-splitpin.so [library=PATH] [default=on|off|never|observe|debug|report]
 *       [user=UID,...] [group=GID,...] [account=GLOB,...] [partition=GLOB,...]
 *       [percent=N] [exclusive_only]
 *
 * library  libsplitpin.so on the nodes; where it was installed, without it.  A task
 *          on a node without it starts as if there were no plugin.
 * default  for whoever does not give the option; on without it.  never: off, also
 *          with the option, and taken out of LD_PRELOAD.
 *
 * The others, of which each has to hold, say in which jobs it is on by default;
 * elsewhere it is as with default=off.  What they mean is in splitpin.conf(5).
 * exclusive_only counts cores, as Slurm has allocated them to the job.
 *
 * A word that is not known means never, since nobody can say what it was to prevent.
 *
 * The option's values: on; off, which also takes the library out of the LD_PRELOAD
 * of the tasks; observe, debug and report, which are on with SPLITPIN=observe,
 * SPLITPIN_DEBUG=1 or SPLITPIN_REPORT=1.  By default, SPLITPIN that a user has set
 * stays.
 *
 * Nothing here makes a job fail but a value of the option that there is not.  Slurm
 * loads plugins of its own release alone: build it once for each.
 */
#include <ctype.h>
#include <fnmatch.h>
#include <slurm/spank.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/chosen.h"

#ifndef SP_LIBDIR
#define SP_LIBDIR "/usr/local/lib"
#endif

#define LIST_SIZE 32768	/* longest LD_PRELOAD that is touched */
#define NAME_SIZE 512	/* longest list of names or numbers */

SPANK_PLUGIN(splitpin, 1);

enum mode { OFF, ON, OBSERVE, DEBUG, REPORT, NMODES };
static const struct {
	const char *word;
	const char *variable, *value;	/* that tasks are given; NULL: none */
} modes[] = {
	[OFF] = { "off", NULL, NULL }, [ON] = { "on", NULL, NULL }, [OBSERVE] = { "observe", "SPLITPIN", "observe" },
	[DEBUG] = { "debug", "SPLITPIN_DEBUG", "1" }, [REPORT] = { "report", "SPLITPIN_REPORT", "1" },
};

/* Written by init and by the option, in one thread, before any task starts. */
static const char *library = SP_LIBDIR "/libsplitpin.so";
static enum mode mode = ON;
static bool was_asked, is_forbidden, is_elsewhere;

static bool
parse_mode(const char *text, enum mode *found)
{
	for (unsigned i = 0; i < NMODES; i++)
		if (text && strcmp(text, modes[i].word) == 0) {
			*found = (enum mode)i;
			return true;
		}
	return false;
}

/* Slurm calls it with the user's text, and again with the same text on each node. */
static int
take_option(int value, const char *text, int remote)
{
	(void)value;
	if (!parse_mode(text, &mode)) {
		if (!remote)
			slurm_error("--splitpin=%s: takes off, on, observe, debug or report", text ? text : "");
		return -1;
	}
	was_asked = true;
	return 0;
}

static struct spank_option option = {
	.name = "splitpin",
	.arginfo = "off|on|observe|debug|report",
	.usage = "give each rank its own cores: off, on, change nothing and record (observe), or on with a log of each decision (debug) or a table of each node (report)",
	.has_arg = 1,
	.cb = take_option,
};

/* Whether a list has this value, by globs. */
static bool
has_value(const char *list, const char *value)
{
	char glob[NAME_SIZE];
	bool has = false;

	for (; *list && !has; list += strspn(list, ",")) {
		size_t length = strcspn(list, ",");

		snprintf(glob, sizeof(glob), "%.*s", (int)length, list);
		has = fnmatch(glob, value, 0) == 0;
		list += length;
	}
	return has;
}

static bool
has_number(const char *list, unsigned long number)
{
	char text[24];

	snprintf(text, sizeof(text), "%lu", number);
	return has_value(list, text);
}

static bool
is_user(spank_t spank, const char *list)
{
	uid_t user;

	return spank_get_item(spank, S_JOB_UID, &user) == ESPANK_SUCCESS && has_number(list, user);
}

static bool
is_group(spank_t spank, const char *list)
{
	gid_t own, *others;
	int n;
	bool is = spank_get_item(spank, S_JOB_GID, &own) == ESPANK_SUCCESS && has_number(list, own);

	if (!is && spank_get_item(spank, S_JOB_SUPPLEMENTARY_GIDS, &others, &n) == ESPANK_SUCCESS)
		for (int i = 0; i < n && !is; i++)
			is = has_number(list, others[i]);
	return is;
}

/* Of the job: a user's own variable of that name is overwritten by Slurm. */
static bool
is_in_variable(spank_t spank, const char *name, const char *list)
{
	char value[NAME_SIZE];

	return spank_getenv(spank, name, value, sizeof(value)) == ESPANK_SUCCESS && has_value(list, value);
}

static bool
is_account(spank_t spank, const char *list)
{
	return is_in_variable(spank, "SLURM_JOB_ACCOUNT", list);
}

static bool
is_partition(spank_t spank, const char *list)
{
	return is_in_variable(spank, "SLURM_JOB_PARTITION", list);
}

/* The same jobs as the library chooses, which reads these variables. */
static bool
is_chosen(spank_t spank, const char *percent)
{
	char job[NAME_SIZE];
	uint32_t id;

	if (spank_getenv(spank, "SLURM_HET_JOB_ID", job, sizeof(job)) != ESPANK_SUCCESS || !*job) {
		if (spank_get_item(spank, S_JOB_ID, &id) != ESPANK_SUCCESS)
			return false;
		snprintf(job, sizeof(job), "%u", (unsigned)id);
	}
	return sp_is_chosen(job, (uint32_t)atoi(percent));
}

/* How many numbers a list such as "0-3,8" has. */
static unsigned
count(const char *list)
{
	unsigned n = 0;

	while (*list) {
		char *end;
		unsigned long first = strtoul(list, &end, 10), last = *end == '-' ? strtoul(end + 1, &end, 10) : first;

		if (end == list || last < first)
			return 0;
		n += (unsigned)(last - first + 1);
		list = end + strspn(end, ",");
	}
	return n;
}

/* The cores of this node: CPUs that are the first of theirs. */
static unsigned
count_cores(void)
{
	long cpus = sysconf(_SC_NPROCESSORS_CONF);
	unsigned cores = 0;

	for (long cpu = 0; cpu < cpus; cpu++) {
		char path[96];
		long first;

		snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu%ld/topology/thread_siblings_list", cpu);
		FILE *file = fopen(path, "re");
		cores += file && fscanf(file, "%ld", &first) == 1 && first == cpu;
		if (file)
			fclose(file);
	}
	return cores;
}

static bool
has_node(spank_t spank, const char *wanted)
{
	char *cores;

	return strcmp(wanted, "1") != 0 ||
	       (spank_get_item(spank, S_JOB_ALLOC_CORES, &cores) == ESPANK_SUCCESS && cores && count(cores) >= count_cores());
}

static bool
is_list(const char *text)
{
	return text[strspn(text, ",")] != '\0' && strlen(text) < NAME_SIZE;
}

static bool
is_list_of_numbers(const char *text)
{
	return is_list(text) && text[strspn(text, "0123456789,")] == '\0';
}

static bool
is_percent(const char *text)
{
	return isdigit((unsigned char)*text) && text[strspn(text, "0123456789")] == '\0' && strlen(text) <= 3 && atoi(text) <= 100;
}

static bool
is_flag(const char *text)
{
	return strcmp(text, "0") == 0 || strcmp(text, "1") == 0;
}

/* What narrows the jobs in which it is on by default. */
static struct condition {
	const char *word;
	bool (*is_right)(const char *value);
	bool (*holds)(spank_t spank, const char *value);
	const char *value;	/* written by init; NULL: not given */
} conditions[] = {
	{ "user=", is_list_of_numbers, is_user, NULL }, { "group=", is_list_of_numbers, is_group, NULL },
	{ "account=", is_list, is_account, NULL }, { "partition=", is_list, is_partition, NULL },
	{ "percent=", is_percent, is_chosen, NULL }, { "exclusive_only=", is_flag, has_node, NULL },
};
#define CONDITIONS (sizeof(conditions) / sizeof(conditions[0]))

/* Whether the text is a condition, and right. */
static bool
take_condition(const char *text)
{
	if (strcmp(text, "exclusive_only") == 0)
		text = "exclusive_only=1";
	for (size_t i = 0; i < CONDITIONS; i++) {
		struct condition *condition = &conditions[i];
		size_t length = strlen(condition->word);

		if (strncmp(text, condition->word, length) == 0 && condition->is_right(text + length)) {
			condition->value = text + length;
			return true;
		}
	}
	return false;
}

static void
take_argument(const char *text)
{
	if (strncmp(text, "library=/", 9) == 0) {
		library = text + 8;
		return;
	}
	if ((strncmp(text, "default=", 8) == 0 && parse_mode(text + 8, &mode)) || take_condition(text))
		return;
	is_forbidden = true;
	if (strcmp(text, "default=never") != 0)
		slurm_error("spank-splitpin in plugstack.conf: %s is wrong: use library=/PATH, default=on|off|never|observe|debug|report, user=, group=, account=, partition=, percent= or exclusive_only; splitpin is off", text);
}

int
slurm_spank_init(spank_t spank, int argc, char *argv[])
{
	for (int i = 0; i < argc; i++)
		take_argument(argv[i]);
	spank_option_register(spank, &option);
	return 0;
}

/* On each node, once a step, before the tasks start. */
int
slurm_spank_user_init(spank_t spank, int argc, char *argv[])
{
	(void)argc;
	(void)argv;
	for (size_t i = 0; i < CONDITIONS; i++)
		if (conditions[i].value && !conditions[i].holds(spank, conditions[i].value))
			is_elsewhere = true;
	return 0;
}

/*
 * Copy a list of LD_PRELOAD without the library, a colon between entries; entries
 * are separated by colons or blanks.  Returns whether it was there.
 */
static bool
without_library(const char *list, char *rest)
{
	bool was_there = false;
	char *end = rest;

	for (;;) {
		list += strspn(list, ": ");
		size_t length = strcspn(list, ": ");

		if (!length)
			break;
		if (length == strlen(library) && strncmp(list, library, length) == 0)
			was_there = true;
		else
			end += sprintf(end, "%s%.*s", end == rest ? "" : ":", (int)length, list);
		list += length;
	}
	*end = '\0';
	return was_there;
}

/* Whether the list could be read: empty where the variable is not set. */
static bool
read_list(spank_t spank, char *list)
{
	spank_err_t error = spank_getenv(spank, "LD_PRELOAD", list, LIST_SIZE);

	if (error == ESPANK_ENV_NOEXIST)
		*list = '\0';
	else if (error != ESPANK_SUCCESS)
		slurm_error("spank-splitpin: cannot read LD_PRELOAD, or it has more than %d bytes: it stays as it is", LIST_SIZE - 1);
	return error == ESPANK_SUCCESS || error == ESPANK_ENV_NOEXIST;
}

static void
preload(spank_t spank, const char *list)
{
	static char longer[2 * LIST_SIZE];

	snprintf(longer, sizeof(longer), "%s%s%s", library, *list ? ":" : "", list);
	spank_setenv(spank, "LD_PRELOAD", longer, 1);
}

/* In each task, as the user, before it runs its program; with what the user has preloaded, its order and blanks. */
int
slurm_spank_task_init(spank_t spank, int argc, char *argv[])
{
	static char list[LIST_SIZE], rest[LIST_SIZE];

	(void)argc;
	(void)argv;
	if (is_forbidden || (is_elsewhere && !was_asked))
		mode = OFF;
	if ((mode == OFF && !was_asked && !is_forbidden) || !read_list(spank, list))
		return 0;

	bool is_listed = without_library(list, rest), is_on = mode != OFF && access(library, R_OK) == 0;

	if (is_on && !is_listed)
		preload(spank, list);
	if (!is_on && is_listed && *rest)
		spank_setenv(spank, "LD_PRELOAD", rest, 1);
	if (!is_on && is_listed && !*rest)
		spank_unsetenv(spank, "LD_PRELOAD");
	if (is_on && modes[mode].variable)
		spank_setenv(spank, modes[mode].variable, modes[mode].value, was_asked || mode != OBSERVE);
	return 0;
}
