/* The answer and the findings, as text and as JSON. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/ascii.h"
#include "cmd/check/answer.h"
#include "cmd/cmd.h"
#include "cmd/json.h"
#include "cmd/probe/probe.h"
#include "cmd/terminal.h"

/* Whether the first line, which says why splitpin is not active, says it: then its remedy alone follows, if it has one. */
static bool
is_answered(const struct check_result *result, const struct check_finding *finding)
{
	const char *why = result->answer.why;
	size_t n = why ? strlen(why) : 0, length = strlen(finding->problem);

	return n && result->answer.acts == CHECK_NO && length >= n && strcmp(finding->problem + length - n, why) == 0;
}

/* text: NULL: there is no such row. */
static void
print_row(const char *key, const char *text)
{
	char *plain = cmd_format("%s", text ? text : "");

	cmd_make_plain(plain);
	if (text)
		terminal_print(0, 10, "%-8s  %s", key, plain);
	free(plain);
}

static const char *const acts[] = {
	[CHECK_UNKNOWN] = "not known", [CHECK_NO] = "not active", [CHECK_PERHAPS] = "perhaps active", [CHECK_ACTS] = "active",
};

/* The table and the conclusion of each node, as SPLITPIN_REPORT=1 prints them. */
static void
print_report(const struct measured *measured)
{
	char *host = NULL;

	for (size_t i = 0; i < measured->nreport; i++) {
		char *line = measured->report[i], *of = probe_field(line, "host");
		const char *rest = strchr(line, ' ');

		if (of && (!host || strcmp(host, of) != 0))
			printf("node %s\n", of);
		free(host);
		host = of;
		cmd_make_plain(line);
		printf("  %s\n", rest ? rest + 1 : line);
	}
	free(host);
}

static void
print_answer(const struct check_result *result)
{
	const struct check_answer *answer = &result->answer;

	char *text = cmd_format("%s: %s", acts[answer->acts], answer->why);
	print_row("splitpin", text);
	free(text);
	for (size_t i = 0; i < result->nfindings; i++)
		if (is_answered(result, &result->finding[i]) && result->finding[i].row->remedy)
			print_row("remedy", result->finding[i].row->remedy);
	text = !answer->library ? cmd_format("not loaded") :
		cmd_format("%s, version %s%s%s", answer->library, answer->version ? answer->version : "unknown", answer->by ? ", by " : "",
			   answer->by ? answer->by : "");
	print_row("library", text);
	free(text);
	print_row("program", result->about_program);
	print_row("GPUs", result->about_gpus);
	/* The table of ranks without a share would say the reason again. */
	if (answer->acts != CHECK_NO)
		print_report(&result->measured);
}

/* Whether it is active; null where that is not known before the program runs. */
static void
put_active(bool is_yes, bool is_no)
{
	if (is_yes || is_no)
		json_bool("active", is_yes);
	else
		json_null("active");
}

/* A list of CPUs, cores or nodes as a probe has printed it, as an array; null: there is none. */
static void
put_list(const char *key, const char *list)
{
	struct sp_cpus set;

	if (list && sp_cpus_parse(list, &set) == 0)
		json_cpus(key, &set);
	else
		json_null(key);
}

static void
put_count(const char *key, const char *text)
{
	uint64_t n;
	const char *end = text ? sp_ascii_digits(text, &n) : NULL;

	if (end && *end == '\0')
		json_number(key, (int64_t)n);
	else
		json_null(key);
}

static void
put_rank(const struct probed *rank)
{
	json_row(NULL);
	json_number("rank", rank->rank);
	json_number("rank_count", rank->size);
	json_text("host", rank->host);
	put_active(rank->active && strcmp(rank->active, "yes") == 0, rank->active && strcmp(rank->active, "no") == 0);
	json_text("launcher", rank->launcher);
	json_text("library", rank->library);
	put_list("inherited", rank->start_cpus);
	put_list("cpus", rank->cpus);
	put_list("cores", rank->cores);
	put_list("numa", rank->numa);
	put_count("thread_count", rank->threads);
	json_array("threads");
	for (size_t i = 0; i < rank->nplaces; i++) {
		json_object(NULL);
		json_number("thread", (int64_t)i);
		put_list("cpus", rank->place[i]);
		json_end();
	}
	json_end();
	json_text("why", rank->why);
	json_end();
}

static void
put_measured(const struct check_result *result)
{
	const struct measured *measured = &result->measured;

	json_text("launcher", result->target->launcher_name);
	json_text("launcher_output", measured->nranks ? NULL : measured->said);
	json_bool("measured", measured->nranks);
	json_array("ranks");
	for (size_t i = 0; i < measured->nranks; i++)
		put_rank(&measured->rank[i]);
	json_end();
}

/* What the launcher has written, where no rank began. */
static void
print_said(const struct measured *measured)
{
	char *rest, *copy = cmd_format("%s", measured->nranks || !measured->said ? "" : measured->said);

	for (char *line = strtok_r(copy, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
		cmd_make_plain(line);
		printf("  | %s\n", line);
	}
	free(copy);
}

void
check_print_text(const struct check_result *result)
{
	size_t others = check_problems(result);

	print_answer(result);
	for (size_t i = 0; i < result->nfindings; i++) {
		const struct check_finding *finding = &result->finding[i];

		if (finding->is_note) {
			terminal_print(0, 4, "note: %s%s%s", finding->problem, finding->row->remedy ? "; " : "",
				       finding->row->remedy ? finding->row->remedy : "");
			continue;
		}
		if (is_answered(result, finding)) {
			others--;
			continue;
		}
		terminal_print(0, 4, "%sproblem:%s %s", terminal_red(), terminal_plain(), finding->problem);
		if (finding->row->remedy)
			terminal_print(0, 4, "  remedy: %s", finding->row->remedy);
	}
	print_said(&result->measured);
	if (others == 0 && result->answer.acts != CHECK_UNKNOWN)
		printf("%s found\n", result->answer.acts == CHECK_NO ? "no other problems" : "ok: no problems");
}

/* Those that are notes, or those that are not. */
static void
put_findings(const struct check_result *result, bool are_notes)
{
	json_array(are_notes ? "notes" : "problems");
	for (size_t i = 0; i < result->nfindings; i++) {
		const struct check_finding *finding = &result->finding[i];

		if (finding->is_note != are_notes)
			continue;
		json_object(NULL);
		json_text("id", finding->row->id);
		json_text(are_notes ? "note" : "problem", finding->problem);
		json_text("remedy", finding->row->remedy);
		json_end();
	}
	json_end();
}

void
check_print_json(const struct check_result *result)
{
	const struct check_answer *answer = &result->answer;

	json_object(NULL);
	json_text("splitpin", SP_VERSION);
	json_number("looked_at", (int64_t)result->looked);
	put_active(answer->acts == CHECK_ACTS, answer->acts == CHECK_NO);
	json_text("why", answer->why);
	json_bool("loaded", answer->is_loaded);
	json_text("library", answer->library);
	json_text("library_version", answer->version);
	json_text("loaded_by", answer->by);
	put_measured(result);
	json_text("program", result->target->path);
	json_text("mpi", target_needs(result->target, target_is_any_mpi));
	json_text("openmp", target_needs(result->target, target_is_openmp));
	json_text("about_gpus", result->about_gpus);
	put_findings(result, false);
	put_findings(result, true);
	json_end();
}
