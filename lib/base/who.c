/* Apart from log.c, which is in every process of a site; only ranks have this. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"
#include "base/who.h"

#define DRY_RUN "dry run: "
#define PREFIX 144		/* "splitpin: warning: ", DRY_RUN, the longest host and two numbers */

void
sp_who_init(struct sp_who *who, uint32_t local_rank, uint32_t local_size)
{
	*who = (struct sp_who){ .local_rank = local_rank, .local_size = local_size };
	if (gethostname(who->host, sizeof(who->host) - 1) != 0)
		strcpy(who->host, "?");
}

static const char *
of_node(const struct sp_who *who, const char *prefix, char text[PREFIX])
{
	snprintf(text, PREFIX, "%s%shost=%s ", prefix, who->dry_run ? DRY_RUN : "", who->host);
	return text;
}

static const char *
of_rank(const struct sp_who *who, const char *prefix, char text[PREFIX])
{
	snprintf(text, PREFIX, "%s%shost=%s rank=%u/%u ", prefix, who->dry_run ? DRY_RUN : "", who->host, who->local_rank, who->local_size);
	return text;
}

void
sp_log_rank(const struct sp_who *who, const char *format, ...)
{
	char prefix[PREFIX];
	va_list arguments;

	va_start(arguments, format);
	sp_log_line(of_rank(who, SP_LOG_PREFIX, prefix), format, arguments);
	va_end(arguments);
}

void
sp_warn_rank(const struct sp_who *who, const char *format, ...)
{
	char prefix[PREFIX];
	va_list arguments;

	va_start(arguments, format);
	sp_log_line(of_rank(who, SP_WARN_PREFIX, prefix), format, arguments);
	va_end(arguments);
}

void
sp_log_node(const struct sp_who *who, const char *format, ...)
{
	char prefix[PREFIX];
	va_list arguments;

	va_start(arguments, format);
	sp_log_line(of_node(who, SP_LOG_PREFIX, prefix), format, arguments);
	va_end(arguments);
}

void
sp_warn_node(const struct sp_who *who, const char *format, ...)
{
	char prefix[PREFIX];
	va_list arguments;

	va_start(arguments, format);
	sp_log_line(of_node(who, SP_WARN_PREFIX, prefix), format, arguments);
	va_end(arguments);
}
