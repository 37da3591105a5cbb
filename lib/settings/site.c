/* The text of splitpin.conf: lines, sections and wrong ones. */
#include "settings/site.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/ascii.h"
#include "base/pattern.h"
#include "base/text.h"

#define SENTENCE 512		/* room for one with the file's name */
#define VARIABLE 64		/* room for a variable's name: longer ones are not settings */

/* Settings that cannot be the same for all users of a site. */
static const struct {
	const char *variable, *why;
} refused[] = {
	{ "SPLITPIN_LOCAL_RANK", "every rank has its own" },
	{ "SPLITPIN_LOCAL_SIZE", "every job has its own" },
	{ "SPLITPIN_DRYRUN", "a machine is only for a user's dry run" },
};

struct reader {
	struct sp_site *site;
	const char *file;
	const struct sp_subject *subject;
	unsigned line;
	bool in_section;
	const char *section;	/* its text; NULL before the first, and in a wrong one */
	bool holds;		/* the lines here apply to the subject */
};

/* line 0: the whole file. */
__attribute__((format(printf, 2, 3)))
static void
fault(struct reader *reader, const char *format, ...)
{
	struct sp_site *site = reader->site;
	char what[SENTENCE], sentence[2 * SENTENCE];
	va_list arguments;

	if (site->nfaults++ >= SP_SITE_FAULTS || site->nkept == SP_SITE_FAULTS)
		return;
	va_start(arguments, format);
	vsnprintf(what, sizeof(what), format, arguments);
	va_end(arguments);
	if (reader->line)
		snprintf(sentence, sizeof(sentence), "%s:%u: %s", reader->file, reader->line, what);
	else
		snprintf(sentence, sizeof(sentence), "%s: %s", reader->file, what);
	char *copy = strdup(sentence);
	if (copy)
		site->fault[site->nkept++] = copy;
}

/* Room for one more behind n, which the size of the file bounds; NULL where memory is short. */
static void *
grow(struct reader *reader, void *array, size_t n, size_t size)
{
	void *more = realloc(array, (n + 1) * size);

	if (!more)
		reader->site->nfaults++;
	return more;
}

/* The number of the setting of a variable, or that of all settings. */
static size_t
find(const struct sp_site *site, const char *variable)
{
	size_t length = strlen(variable), i = 0;

	while (i < site->nsettings && (strncmp(site->setting[i].entry, variable, length) != 0 ||
				       site->setting[i].entry[length] != '='))
		i++;
	return i;
}

/* Of several lines that set the same the last one holds. */
static void
forget(struct sp_site *site, const char *variable)
{
	size_t i = find(site, variable);

	if (i == site->nsettings)
		return;
	free(site->setting[i].entry);
	site->nsettings--;
	memmove(&site->setting[i], &site->setting[i + 1], (site->nsettings - i) * sizeof(site->setting[i]));
}

/* In the form of the environment: "NAME=value", to free(). */
static char *
entry_of(const char *variable, const char *value)
{
	size_t size = strlen(variable) + sizeof("=") + strlen(value);
	char *entry = malloc(size);

	if (entry)
		snprintf(entry, size, "%s=%s", variable, value);
	return entry;
}

static void
hold(struct reader *reader, struct sp_site_setting new, const char *variable, const char *value)
{
	struct sp_site *site = reader->site;
	struct sp_site_setting *more = grow(reader, site->setting, site->nsettings, sizeof(*more));

	if (!more)
		return;
	site->setting = more;
	new.entry = entry_of(variable, value);
	if (!new.entry) {
		site->nfaults++;
		return;
	}
	forget(site, variable);
	site->setting[site->nsettings++] = new;
}

static char *
trim(char *text)
{
	char *end;

	text += sp_ascii_skip_blanks(text) - text;
	for (end = text + strlen(text); end > text && sp_ascii_is_blank(end[-1]); end--)
		;
	*end = '\0';
	return text;
}

static void
read_section(struct reader *reader, char *line)
{
	struct sp_site *site = reader->site;
	size_t length = strlen(line);
	bool closed = line[length - 1] == ']';
	char quoted[SP_QUOTED], *end = line + length - closed;

	*reader = (struct reader){ .site = site, .file = reader->file, .subject = reader->subject,
				   .line = reader->line, .in_section = true };
	sp_config_quote(line, length, quoted);
	*end = '\0';

	const char *text = trim(line + 1), *why = closed ? sp_subject_why_wrong(text) : "it does not end in ]";

	if (why) {
		fault(reader, "section %s is wrong: %s", quoted, why);
		return;
	}
	struct sp_site_section *more = grow(reader, site->section, site->nsections, sizeof(*more));

	if (!more)
		return;
	enum sp_answers matches = sp_subject_is_in(reader->subject, text);

	reader->section = text;
	reader->holds = matches == SP_YES;
	site->section = more;
	site->section[site->nsections++] = (struct sp_site_section){
		.text = text, .line = reader->line, .matches = matches };
}

static void
read_leave_alone(struct reader *reader, char *globs)
{
	static const char blanks[] = " \t\v\f\r";
	char quoted[SP_QUOTED], *rest, *glob;

	if (reader->in_section) {
		fault(reader, "leave_alone is wrong here: it belongs before the first section; in a section use splitpin = off");
		return;
	}
	if (*globs == '\0')
		fault(reader, "leave_alone= is wrong: use globs separated by blanks");
	for (glob = strtok_r(globs, blanks, &rest); glob; glob = strtok_r(NULL, blanks, &rest)) {
		const char *why = sp_subject_why_wrong_glob(glob);

		if (why)
			fault(reader, "leave_alone=%s is wrong: %s", sp_config_quote(glob, strlen(glob), quoted), why);
		else if (sp_subject_glob_matches(glob, reader->subject->program))
			hold(reader, (struct sp_site_setting){ .section = glob, .line = reader->line, .by = SP_SITE_LEAVE_ALONE },
			     "SPLITPIN", "off");
	}
}

/* Not a row of the table: users cannot set what the staff record. */
static void
read_record(struct reader *reader, const char *value)
{
	char quoted[SP_QUOTED];
	bool is_off = strcmp(value, "off") == 0;

	if (!is_off && strcmp(value, "syslog") != 0 && (*value != '/' || !sp_pattern_is_valid(value))) {
		fault(reader, "record=%s is wrong: use off, syslog or an absolute path (see splitpin.conf(5))",
		      sp_config_quote(value, strlen(value), quoted));
		return;
	}
	if (!reader->holds)
		return;
	reader->site->record = is_off ? NULL : value;
	reader->site->record_line = is_off ? 0 : reader->line;
}

static void
limit(const struct reader *reader, struct sp_site_limit *limit, uint32_t value)
{
	if (reader->holds)
		*limit = (struct sp_site_limit){ .line = reader->line, .section = reader->section, .value = value };
}

static void
read_percent(struct reader *reader, const char *value)
{
	char quoted[SP_QUOTED];
	uint32_t percent;

	if (!sp_ascii_number(value, &percent) || percent > 100)
		fault(reader, "percent=%s is wrong: use a number from 0 to 100", sp_config_quote(value, strlen(value), quoted));
	else
		limit(reader, &reader->site->percent, percent);
}

static void
read_exclusive_only(struct reader *reader, const char *value)
{
	bool is_on;
	char quoted[SP_QUOTED];

	if (!sp_config_is_truth(value, &is_on))
		fault(reader, "exclusive_only=%s is wrong: use 0 or 1", sp_config_quote(value, strlen(value), quoted));
	else
		limit(reader, &reader->site->exclusive_only, is_on);
}

/* Of a dry run only the machine. */
static const char *
why_refused(const char *variable, const char *value)
{
	if (strcmp(variable, "SPLITPIN_DRYRUN") == 0 && !strpbrk(value, ":/."))
		return NULL;
	for (size_t i = 0; i < sizeof(refused) / sizeof(refused[0]); i++)
		if (strcmp(refused[i].variable, variable) == 0)
			return refused[i].why;
	return NULL;
}

const char *
sp_site_name(const struct sp_setting *setting, char name[SP_SITE_NAME])
{
	const char *from = setting->name;
	size_t i = 0;

	if (strchr(from, '_'))
		from = strchr(from, '_') + 1;
	for (; i < SP_SITE_NAME - 1 && from[i] != '\0'; i++)
		name[i] = sp_ascii_lower(from[i]);
	name[i] = '\0';
	return name;
}

static void
read_setting(struct reader *reader, const struct sp_setting *setting, const char *value)
{
	char quoted[SP_QUOTED], name[SP_SITE_NAME];
	const char *why = why_refused(setting->name, value), *expected = sp_config_expects(setting, value);
	bool is_switch = strcmp(setting->name, "SPLITPIN") == 0, is_never = is_switch && sp_ascii_is(value, "never");

	if (is_never)
		expected = NULL;
	else if (is_switch && expected)
		expected = "on, off, observe or never";
	sp_site_name(setting, name);
	if (why)
		fault(reader, "%s cannot be set in a site's file: %s", name, why);
	else if (expected)
		fault(reader, "%s=%s is wrong: use %s", name, sp_config_quote(value, strlen(value), quoted), expected);
	else if (reader->holds)
		hold(reader, (struct sp_site_setting){ .section = reader->section, .line = reader->line, .by = is_never ? SP_SITE_NEVER : SP_SITE_SET },
		     setting->name, is_never ? "off" : value);
}

static void
read_unknown(struct reader *reader, const char *name, const struct sp_setting *meant)
{
	char quoted[SP_QUOTED], known[SP_SITE_NAME];

	sp_config_quote(name, strlen(name), quoted);
	if (meant)
		fault(reader, "%s is not a setting of splitpin: did you mean %s?", quoted, sp_site_name(meant, known));
	else
		fault(reader, "%s is not a setting of splitpin: see splitpin.conf(5)", quoted);
}

static void
read_assignment(struct reader *reader, const char *name, char *value)
{
	char variable[VARIABLE];
	size_t length = sp_config_name(name, strlen(name), variable, sizeof(variable));
	const struct sp_setting *setting;

	if (length >= sizeof(variable))
		read_unknown(reader, name, NULL);
	else if (strcmp(variable, "SPLITPIN_LEAVE_ALONE") == 0)
		read_leave_alone(reader, value);
	else if (strcmp(variable, "SPLITPIN_RECORD") == 0)
		read_record(reader, value);
	else if (strcmp(variable, "SPLITPIN_PERCENT") == 0)
		read_percent(reader, value);
	else if (strcmp(variable, "SPLITPIN_EXCLUSIVE_ONLY") == 0)
		read_exclusive_only(reader, value);
	else if ((setting = sp_config_find(variable)))
		read_setting(reader, setting, value);
	else
		read_unknown(reader, name, sp_config_nearest(variable, length));
}

/* '#' is a part of a glob or a value unless a blank is before it. */
static void
cut_comment(char *line)
{
	for (char *c = line; *c != '\0'; c++) {
		if (*c == '#' && (c == line || sp_ascii_is_blank(c[-1]))) {
			*c = '\0';
			return;
		}
	}
}

static void
read_line(struct reader *reader, char *line)
{
	char quoted[SP_QUOTED], *equals;

	cut_comment(line);
	line = trim(line);
	equals = strchr(line, '=');
	if (*line == '\0')
		return;
	if (*line == '[') {
		read_section(reader, line);
		return;
	}
	if (!equals) {
		fault(reader, "%s is wrong: a line is NAME = VALUE, [GLOB] or a comment after #",
		      sp_config_quote(line, strlen(line), quoted));
		return;
	}
	*equals = '\0';
	read_assignment(reader, trim(line), trim(equals + 1));
}

static void
read_lines(struct reader *reader, char *text)
{
	for (char *line = text, *end; line; line = end) {
		end = strchr(line, '\n');
		if (end)
			*end++ = '\0';
		reader->line++;
		read_line(reader, line);
	}
}

/* Whether splitpin is off already, for another reason. */
static bool
is_off(const struct sp_site *site)
{
	size_t i = find(site, "SPLITPIN");

	return i < site->nsettings && !sp_config_is_on((char *[]){ site->setting[i].entry, NULL });
}

/* Turn splitpin off unless it is off already, or the answer is yes. */
static void
narrow(struct reader *reader, const struct sp_site_limit *limit, enum sp_site_line by, enum sp_answers answer)
{
	if (answer != SP_YES && !is_off(reader->site))
		hold(reader, (struct sp_site_setting){ .section = limit->section, .line = limit->line, .by = by, .is_not_known = answer == SP_NOT_KNOWN },
		     "SPLITPIN", "off");
}

static void
apply_limits(struct reader *reader)
{
	const struct sp_site_limit *percent = &reader->site->percent, *exclusive = &reader->site->exclusive_only;

	if (percent->line)
		narrow(reader, percent, SP_SITE_PERCENT, sp_subject_is_chosen(reader->subject, percent->value));
	if (exclusive->value)
		narrow(reader, exclusive, SP_SITE_EXCLUSIVE, sp_subject_has_node(reader->subject));
}

static void
list_entries(struct sp_site *site)
{
	site->entries = calloc(site->nsettings + 1, sizeof(*site->entries));
	if (!site->entries)
		site->nfaults++;
	for (size_t i = 0; site->entries && i < site->nsettings; i++)
		site->entries[i] = site->setting[i].entry;
}

void
sp_site_refuse(struct sp_site *site, const char *file, const char *why)
{
	struct reader reader = { .site = site, .file = file };

	site->file = file;
	site->state = SP_SITE_REFUSED;
	fault(&reader, "%s", why);
}

void
sp_site_parse(struct sp_site *site, const char *file, const char *text, size_t length,
	      const struct sp_subject *subject)
{
	struct reader reader = { .site = site, .file = file, .subject = subject, .holds = true };

	*site = (struct sp_site){ .state = SP_SITE_READ, .file = file };
	if (memchr(text, '\0', length)) {
		sp_site_refuse(site, file, "it is not text: it contains a zero byte");
		return;
	}
	site->text = strndup(text, length);
	if (!site->text) {
		sp_site_refuse(site, file, "out of memory");
		return;
	}
	read_lines(&reader, site->text);
	apply_limits(&reader);
	list_entries(site);
}

void
sp_site_release(struct sp_site *site)
{
	for (size_t i = 0; i < site->nsettings; i++)
		free(site->setting[i].entry);
	for (size_t i = 0; i < site->nkept; i++)
		free(site->fault[i]);
	free(site->setting);
	free(site->entries);
	free(site->section);
	free(site->text);
	*site = (struct sp_site){ 0 };
}
