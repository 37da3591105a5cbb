#include "cmd/survey/line.h"

#include <stdlib.h>
#include <time.h>

#include "base/json_line.h"
#include "base/log_file.h"
#include "base/who.h"
#include "cmd/cmd.h"
#include "cmd/show/labels.h"
#include "cmd/survey/judge.h"
#include "launcher/launchers.h"

#define LINE 16384

void
line_day(int64_t seconds, char day[LINE_DAY])
{
	time_t at = (time_t)seconds;
	struct tm parts;

	strftime(day, LINE_DAY, "%Y-%m-%d", gmtime_r(&at, &parts));
}

static void
add_text(struct sp_text *json, const char *key, const char *text)
{
	if (text && *text)
		sp_json_add_text(json, key, text);
}

/* Seconds of a time in ns. */
static void
add_seconds(struct sp_text *json, const char *key, uint64_t ns)
{
	sp_json_add_thousandths(json, key, (int64_t)(ns / 1000000));
}

static void
add_identity(struct sp_text *json, const struct survey_file *file, const struct survey_job *job)
{
	add_text(json, "cluster", file->cluster);
	sp_json_add_text(json, "host", show_host());
	add_text(json, "job", job->batch.job);
	add_text(json, "step", job->batch.step);
	add_text(json, "array", job->array);
	sp_json_add_text(json, "name", job->name);
	sp_json_add_number(json, "uid", job->owner);
	sp_json_add_text(json, "program", job->program);
	if (job->launcher)
		sp_json_add_text(json, "launcher", sp_launcher_title(job->launcher));
	sp_json_add_flag(json, "splitpin_active", job->has_splitpin);
}

static void
add_findings(struct sp_text *json, const struct survey_file *file, const struct survey_job *job)
{
	static const char *const causes[] = {
		[CAUSE_DEFAULT] = "default_binding", [CAUSE_REQUEST] = "requested_binding", [CAUSE_LIST] = "cpu_list",
		[CAUSE_OPENMP] = "openmp_binding", [CAUSE_TWO_JOBS] = "two_jobs", [CAUSE_THREADS] = "more_threads_than_cpus",
		[CAUSE_PROGRAM] = "program_pins",
	};
	enum survey_cause cause = judge_cause(job);

	if (cause == CAUSES)
		return;
	struct judged judged;

	judge_job(job, &judged);
	add_seconds(json, "piled_s", judge_piled(job));
	sp_json_add_text(json, "cause", causes[cause]);
	sp_json_add_text(json, "would", judged.would);
	add_text(json, "remedy", judged.remedy);
	if (judged.line)
		cmd_make_plain(judged.line);
	if (file->with_lines)
		add_text(json, "line", judged.line);
	judged_release(&judged);
}

int
line_write(const struct survey_file *file, const struct survey_job *job, bool goes_on)
{
	char text[LINE], day[LINE_DAY];
	struct sp_text json = sp_json_begin(text, sizeof(text));

	sp_json_add_number(&json, "survey", 1);
	add_identity(&json, file, job);
	sp_json_add_number(&json, "start", job->from);
	sp_json_add_number(&json, "end", job->to);
	if (job->is_part)
		sp_json_add_flag(&json, "continued", true);
	if (goes_on)
		sp_json_add_flag(&json, "goes_on", true);
	sp_json_add_number(&json, "ranks", job->ranks);
	sp_json_add_number(&json, "threads", job->announced);
	sp_json_add_number(&json, "busy", job->busy);
	sp_json_add_number(&json, "cpus", sp_cpus_count(&job->allocated));
	add_seconds(&json, "ran_s", job->ran_ns);
	add_seconds(&json, "waited_s", job->waited_ns);
	add_seconds(&json, "lost_s", job->lost_ns);
	add_seconds(&json, "idle_s", job->idle_ns);
	add_seconds(&json, "left_out_s", job->left_out_ns);
	add_findings(&json, file, job);
	size_t length = sp_json_end(&json);

	line_day(job->to, day);
	char *path = cmd_format("%s/survey-%s-%s.jsonl", file->folder, show_host(), day);
	int error = sp_log_file_append_own(path, text, length);
	if (error)
		cmd_complain("%s cannot be written: %s", path, sp_log_file_problem(error));
	free(path);
	return error;
}
