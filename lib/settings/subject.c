#include "settings/subject.h"

#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/ascii.h"
#include "base/chosen.h"
#include "base/environment.h"
#include "base/sysfs_file.h"
#include "base/text.h"
#include "cpus.h"
#include "launcher/job.h"

#define NAME 256		/* room for a value of a section */
#define LINE 4096

static const char separators[] = ", \t\v\f\r";

/* A job of several components has the number of the first in each of them. */
static const char *const jobs[] = { "SLURM_HET_JOB_ID", "SLURM_PACK_JOB_ID", NULL };
static const char *const accounts[] = { "SLURM_JOB_ACCOUNT", NULL };
static const char *const partitions[] = { "SLURM_JOB_PARTITION", "PBS_QUEUE", "LSB_QUEUE", NULL };
static const char *const cpus[] = { "SLURM_JOB_CPUS_PER_NODE", NULL };

static const char *
first_of(char *const environment[], const char *const variable[])
{
	for (; *variable; variable++) {
		const char *value = sp_environment_value(environment, *variable);

		if (value && *value)
			return value;
	}
	return NULL;
}

/* Those of this process, to free(); NULL where memory is short. */
static gid_t *
read_groups(size_t *ngroups)
{
	int n = getgroups(0, NULL);
	gid_t *group = malloc((size_t)(n > 0 ? n + 1 : 1) * sizeof(*group));

	if (!group)
		return NULL;
	group[0] = getgid();
	if (n > 0)
		n = getgroups(n, group + 1);
	*ngroups = n > 0 ? (size_t)n + 1 : 1;
	return group;
}

void
sp_subject_read(struct sp_subject *subject, char *const environment[], const char *program)
{
	const char *whole = first_of(environment, jobs);

	*subject = (struct sp_subject){
		.program = program, .user = getuid(), .job = whole ? whole : sp_job_batch_id(environment),
		.account = first_of(environment, accounts), .partition = first_of(environment, partitions),
		.cpus = first_of(environment, cpus) };
}

/* '*' matches slashes too; a glob without a slash is a file's name in any folder. */
bool
sp_subject_glob_matches(const char *glob, const char *program)
{
	return program && fnmatch(glob, strchr(glob, '/') ? program : sp_last_part(program), 0) == 0;
}

/* A path begins with a slash, so a glob with one matches none unless it begins like that. */
const char *
sp_subject_why_wrong_glob(const char *glob)
{
	if (*glob == '\0')
		return "it has no glob";
	if (strchr(glob, '/') && !strchr("*?[\\/", *glob))
		return "it matches no path: a glob begins with / or *, or is a file's name without any /";
	return NULL;
}

static enum sp_answers
is_user(const struct sp_subject *subject, const char *value)
{
	return strtoul(value, NULL, 10) == subject->user;
}

static enum sp_answers
is_group(const struct sp_subject *subject, const char *value)
{
	size_t n = subject->ngroups;
	gid_t *own = subject->group ? NULL : read_groups(&n);
	const gid_t *group = own ? own : subject->group;
	enum sp_answers answer = group ? SP_NO : SP_NOT_KNOWN;

	for (size_t i = 0; group && i < n; i++)
		if (strtoul(value, NULL, 10) == group[i])
			answer = SP_YES;
	free(own);
	return answer;
}

static enum sp_answers
is_account(const struct sp_subject *subject, const char *value)
{
	return !subject->account ? SP_NOT_KNOWN : fnmatch(value, subject->account, 0) == 0;
}

static enum sp_answers
is_partition(const struct sp_subject *subject, const char *value)
{
	return !subject->partition ? SP_NOT_KNOWN : fnmatch(value, subject->partition, 0) == 0;
}

static const struct kind {
	const char *name;
	bool is_number;
	enum sp_answers (*is)(const struct sp_subject *subject, const char *value);
} kinds[] = {
	{ "user", true, is_user }, { "group", true, is_group },
	{ "account", false, is_account }, { "partition", false, is_partition },
};

/*
 * "KIND = VALUE..." begins with a name: a program with = in its own is written
 * with a path.  Returns the values, or NULL; *kind is NULL where there is no such
 * kind.
 */
static const char *
values_of(const char *section, const struct kind **kind)
{
	size_t length = strcspn(section, "=*?[\\/");

	*kind = NULL;
	if (section[length] != '=')
		return NULL;
	const char *values = section + length + 1;
	while (length && sp_ascii_is_blank(section[length - 1]))
		length--;
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (strlen(kinds[i].name) == length && strncmp(kinds[i].name, section, length) == 0)
			*kind = &kinds[i];
	return values;
}

/* The next value; false: there is none, or it is too long. */
static bool
next_value(const char **values, char value[NAME])
{
	*values += strspn(*values, separators);

	size_t length = strcspn(*values, separators);

	if (length == 0 || length >= NAME)
		return false;
	memcpy(value, *values, length);
	value[length] = '\0';
	*values += length;
	return true;
}

const char *
sp_subject_why_wrong(const char *section)
{
	const struct kind *kind;
	const char *values = values_of(section, &kind);
	char value[NAME];
	unsigned n = 0;
	uint32_t number;

	if (!values)
		return sp_subject_why_wrong_glob(section);
	if (!kind)
		return "before = stands user, group, account or partition";
	for (; next_value(&values, value); n++)
		if (kind->is_number && !sp_ascii_number(value, &number))
			return "users and groups are numbers (id NAME shows them)";
	if (n == 0 || *values)
		return "behind = stand values, separated by blanks or commas";
	return NULL;
}

enum sp_answers
sp_subject_is_in(const struct sp_subject *subject, const char *section)
{
	const struct kind *kind;
	const char *values = values_of(section, &kind);
	enum sp_answers answer = SP_NO;
	char value[NAME];

	if (!kind)
		return !subject->program ? SP_NOT_KNOWN : sp_subject_glob_matches(section, subject->program);
	while (answer == SP_NO && next_value(&values, value))
		answer = kind->is(subject, value);
	return answer;
}

enum sp_answers
sp_subject_is_chosen(const struct sp_subject *subject, uint32_t percent)
{
	if (percent >= 100)
		return SP_YES;
	return !subject->job ? SP_NOT_KNOWN : sp_is_chosen(subject->job, percent);
}

static uint32_t
count_online(void)
{
	char text[LINE];
	struct sp_cpus online = { 0 };

	if (sp_sysfs_text("", "/sys/devices/system/cpu/online", text, sizeof(text)))
		sp_cpus_parse(text, &online);
	return sp_cpus_count(&online);
}

/* The least of a list such as "48(x2),24": which of them is this node's is not known.  0: it is no such list. */
static uint64_t
least_of(const char *list)
{
	uint64_t least = UINT64_MAX, n;

	do {
		list = sp_ascii_digits(list, &n);
		if (!list)
			return 0;
		if (n < least)
			least = n;
		if (*list == '(')
			list += strcspn(list, ",");
	} while (*list++ == ',');
	return least;
}

enum sp_answers
sp_subject_has_node(const struct sp_subject *subject)
{
	uint32_t online = subject->online ? subject->online : count_online();
	uint64_t least = subject->cpus ? least_of(subject->cpus) : 0;

	return !least || !online ? SP_NOT_KNOWN : least >= online;
}
