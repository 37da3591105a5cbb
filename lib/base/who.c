/* Apart from log.c, which is in every process of a site; only ranks have this. */
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/json_line.h"
#include "base/log.h"
#include "base/log_file.h"
#include "base/who.h"

#define DRY_RUN "dry run: "
#define PREFIX 144		/* "splitpin: warning: ", DRY_RUN, the longest host and two numbers */
#define KEPT_FROM 500		/* shells keep theirs below 256, scripts have up to 200 (flock 200), programs have the lowest that are free */
#define JSON (2 * SP_LOG_MAX)	/* a line of JSON; threads that pin may have small stacks */

void
sp_who_init(struct sp_who *who, uint32_t local_rank, uint32_t local_size)
{
	*who = (struct sp_who){ .local_rank = local_rank, .local_size = local_size };
	if (gethostname(who->host, sizeof(who->host)) != 0)
		strcpy(who->host, "?");
	who->host[sizeof(who->host) - 1] = '\0';
}

/* One is the other's first part: n2 and n2.site, n2-ib; not n2 and n20. */
static bool
are_alike(const char *a, const char *b)
{
	while (*a && *a == *b) {
		a++;
		b++;
	}
	return (!*a && strchr(".-_", *b)) || (!*b && strchr(".-_", *a));
}

void
sp_who_add_node(struct sp_who *who, const char *node)
{
	size_t own = strlen(who->host), its = strlen(node), size = sizeof(who->host);

	if (are_alike(who->host, node) || node[strspn(node, "0123456789.")] == '\0' || strchr(node, ':'))
		return;
	/* The end of a longer name is less useful than the launcher's name. */
	if (its + 2 >= size)
		snprintf(who->host, size, "%.*s", (int)size - 1, node);
	else
		snprintf(who->host + (own + its + 1 < size ? own : size - its - 2), its + 2, "@%s", node);
}

/* Of one rank, or of the node. */
enum whose { NODE, RANK };

static const char *
begin_of(const struct sp_who *who, enum whose whose, const char *prefix, char text[PREFIX])
{
	struct sp_text begin = sp_text_begin(text, PREFIX);

	sp_text_add(&begin, "%s%shost=%s ", prefix, who->dry_run ? DRY_RUN : "", who->host);
	if (whose == RANK)
		sp_text_add(&begin, "rank=%u/%u ", who->local_rank, who->local_size);
	return text;
}

static void
write_json(const struct sp_who *who, enum whose whose, const char *event, const struct sp_field field[], size_t n)
{
	char line[JSON];
	struct sp_text json = sp_json_begin(line, sizeof(line));

	sp_json_add_time(&json);
	sp_json_add_text(&json, "host", who->host);
	sp_json_add_text(&json, "job", who->log->job);
	if (whose == RANK) {
		sp_json_add_number(&json, "rank", who->local_rank);
		sp_json_add_number(&json, "rank_count", who->local_size);
	}
	if (who->dry_run)
		sp_json_add_flag(&json, "dry_run", true);
	sp_json_add_text(&json, "event", event);
	for (size_t i = 0; i < n; i++) {
		if (field[i].is_absent)
			continue;
		if (field[i].is_flag)
			sp_json_add_flag(&json, field[i].key, field[i].number != 0);
		else if (field[i].text)
			sp_json_add_text(&json, field[i].key, field[i].text);
		else
			sp_json_add_number(&json, field[i].key, field[i].number);
	}
	size_t length = sp_json_end(&json);
	sp_log_file_write(who->log, line, length);
}

bool
sp_who_logs_json(const struct sp_who *who)
{
	return who->log && who->log->as_json;
}

void
sp_who_keep_stderr(struct sp_who *who)
{
	struct stat file;
	int fd = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, KEPT_FROM);

	if (fd >= 0 && fstat(fd, &file) == 0) {
		who->kept.fd = fd;
		who->kept.device = file.st_dev;
		who->kept.inode = file.st_ino;
	}
}

/* The program may have closed what it did not open, and have another file by that number. */
static bool
is_kept(const struct sp_who *who)
{
	struct stat file;

	return who->kept.fd && fstat(who->kept.fd, &file) == 0 && file.st_dev == who->kept.device && file.st_ino == who->kept.inode;
}

/* One by that number which is not closed on exec is the program's: dup2 has made it. */
void
sp_who_drop_stderr(struct sp_who *who)
{
	if (is_kept(who) && (fcntl(who->kept.fd, F_GETFD) & FD_CLOEXEC))
		close(who->kept.fd);
	who->kept.fd = 0;
}

/* A line of text, to where this one's lines go. */
static void
write_text(const struct sp_who *who, enum whose whose, const char *prefix, const char *format, va_list arguments)
{
	char begin[PREFIX], line[SP_LOG_MAX + 1];
	int saved = errno;

	size_t length = sp_log_compose(line, begin_of(who, whose, prefix, begin), format, arguments);

	if (length && who->log)
		sp_log_file_write(who->log, line, length);
	else if (length && sp_log_write(STDERR_FILENO, line, length) == -EBADF && is_kept(who))
		sp_log_write(who->kept.fd, line, length);
	errno = saved;
}

/* What is no event with fields: its text is its one field, which has the name of the event. */
static void
write_sentence(const struct sp_who *who, enum whose whose, const char *event, const char *format, va_list arguments)
{
	char text[SP_LOG_MAX];

	vsnprintf(text, sizeof(text), format, arguments);
	write_json(who, whose, event, &(struct sp_field){ .key = event, .text = text }, 1);
}

static void
log_as(const struct sp_who *who, enum whose whose, const char *event, const char *format, va_list arguments)
{
	if (sp_who_logs_json(who))
		write_sentence(who, whose, event, format, arguments);
	else
		write_text(who, whose, SP_LOG_PREFIX, format, arguments);
}

static void
warn_as(const struct sp_who *who, enum whose whose, const char *format, va_list arguments)
{
	char begin[PREFIX];
	va_list again;

	if (who->warnings)
		++*who->warnings;
	if (who->is_silent)
		return;
	va_copy(again, arguments);
	sp_log_line(begin_of(who, whose, SP_WARN_PREFIX, begin), format, arguments);
	if (sp_who_logs_json(who))
		write_sentence(who, whose, "warning", format, again);
	else if (who->log)
		write_text(who, whose, SP_WARN_PREFIX, format, again);
	va_end(again);
}

void
sp_log_rank(const struct sp_who *who, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	log_as(who, RANK, "note", format, arguments);
	va_end(arguments);
}

void
sp_warn_rank(const struct sp_who *who, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	warn_as(who, RANK, format, arguments);
	va_end(arguments);
}

void
sp_log_node(const struct sp_who *who, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	log_as(who, NODE, "note", format, arguments);
	va_end(arguments);
}

void
sp_warn_node(const struct sp_who *who, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	warn_as(who, NODE, format, arguments);
	va_end(arguments);
}

static void
add_field(struct sp_text *line, const struct sp_field *field)
{
	const char *mark = field->is_sentence ? "\"" : "";

	if (field->is_absent)
		return;
	sp_text_add(line, "%s%s=", line->length ? " " : "", field->key);
	if (field->is_flag)
		sp_text_add(line, "%s", field->number ? "yes" : "no");
	else if (field->text)
		sp_text_add(line, "%s%s%s", mark, field->text, mark);
	else
		sp_text_add(line, "%lld", (long long)field->number);
}

void
sp_log_rank_event(const struct sp_who *who, const char *event, const struct sp_field field[], size_t n)
{
	char text[SP_LOG_MAX];
	struct sp_text line = sp_text_begin(text, sizeof(text));

	if (sp_who_logs_json(who)) {
		write_json(who, RANK, event, field, n);
		return;
	}
	for (size_t i = 0; i < n; i++)
		add_field(&line, &field[i]);
	sp_log_rank(who, "%s", text);
}

void
sp_log_node_event(const struct sp_who *who, const char *event, const struct sp_field field[], size_t n,
		  const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	if (sp_who_logs_json(who) && n)
		write_json(who, NODE, event, field, n);
	else
		log_as(who, NODE, event, format, arguments);
	va_end(arguments);
}
