#include "report/record.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/json_line.h"
#include "base/root_socket.h"
#include "base/syslog.h"
#include "launcher/launchers.h"

int
sp_record_init(struct sp_record *record, const char *setting, const struct sp_pattern_values *values)
{
	record->to = SP_RECORD_OFF;
	snprintf(record->job, sizeof(record->job), "%s", values->job);
	if (strcmp(setting, "syslog") == 0) {
		record->to = SP_RECORD_SYSLOG;
		return 0;
	}
	int error = sp_pattern_fill(setting, values, record->path, sizeof(record->path));
	if (!error)
		record->to = SP_RECORD_FILE;
	return error;
}

const char *
sp_record_verdict(const struct sp_verdict *verdict)
{
	if (verdict->overlapping)
		return "overlap";
	if (verdict->refused)
		return "refused";
	if (verdict->sharing)
		return "shared";
	return verdict->all_came ? "disjoint" : "incomplete";
}

bool
sp_record_is_needed(const struct sp_record *record, const struct sp_record_line *line)
{
	const struct sp_verdict *verdict = line->verdict;

	if (line->event == SP_RECORD_END)
		return !record->is_first_alike;
	if (!record->is_first_alike || !verdict || line->crowded || line->shares_node || verdict->overlapping || !verdict->all_came)
		return true;
	/* These follow from the numbers of ranks and CPUs. */
	return (verdict->refused || verdict->sharing || verdict->starving) && !record->has_first_as_many_cpus;
}

/* A socket can be connected to, but not opened. */
static int
append(const char *path, const char *text, size_t length)
{
	int error = sp_log_file_append_own(path, text, length);

	return error == -ENXIO ? sp_root_socket_send(path, text, length) : error;
}

static void
add_verdict(struct sp_text *json, const struct sp_record_line *line)
{
	const struct sp_verdict *verdict = line->verdict;

	sp_json_add_text(json, "result", sp_record_verdict(verdict));
	sp_json_add_number(json, "starved", verdict->starving);
	sp_json_add_number(json, "idle_cores", verdict->idle);
	sp_json_add_number(json, "ranks_not_beside", verdict->foreign);
	sp_json_add_flag(json, "shares_node", line->shares_node);
}

static void
add_outcome(struct sp_text *json, const struct sp_outcome *outcome)
{
	sp_json_add_number(json, "before_crowded", outcome->before_crowded);
	sp_json_add_number(json, "before_idle_cores", outcome->before_idle);
	sp_json_add_text(json, "action", outcome->action);
	sp_json_add_text(json, "why", outcome->why);
	sp_json_add_number(json, "after_crowded", outcome->after_crowded);
}

static void
add_end(struct sp_text *json, const struct sp_record_line *line)
{
	sp_json_add_number(json, "duration_s", line->duration_s);
	sp_json_add_number(json, "waited_percent", line->waited);
}

static const char *const events[] = { [SP_RECORD_JOB] = "job", [SP_RECORD_CROWDED] = "crowded", [SP_RECORD_END] = "end" };

int
sp_record_write(const struct sp_record *record, const struct sp_who *who, const struct sp_record_line *line)
{
	char text[SP_SYSLOG_LINE];
	struct sp_text json = sp_json_begin(text, sizeof(text));

	sp_json_add_time(&json);
	sp_json_add_text(&json, "splitpin", SP_VERSION);
	sp_json_add_text(&json, "event", events[line->event]);
	sp_json_add_flag(&json, "observed", line->is_observed);
	sp_json_add_text(&json, "host", who->host);
	sp_json_add_number(&json, "uid", getuid());
	sp_json_add_text(&json, "job", record->job);
	sp_json_add_text(&json, "launcher", sp_launcher_title(line->from));
	sp_json_add_number(&json, "rank_count", who->local_size);
	if (record->job_ranks)
		sp_json_add_number(&json, "job_rank_count", record->job_ranks);
	sp_json_add_number(&json, "thread_count", line->threads);
	if (line->verdict)
		add_verdict(&json, line);
	if (line->outcome)
		add_outcome(&json, line->outcome);
	if (line->event == SP_RECORD_END)
		add_end(&json, line);
	sp_json_add_number(&json, "crowded", line->crowded);
	sp_json_add_number(&json, "warnings", line->warnings);
	sp_json_add_text(&json, "program", record->program);
	size_t length = sp_json_end(&json);
	return record->to == SP_RECORD_SYSLOG ? sp_syslog_send(SP_SYSLOG_INFO, text, length - 1) : append(record->path, text, length);
}
