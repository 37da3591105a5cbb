/* The answer and the findings, as text and as JSON. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/check/gpus.h"
#include "cmd/check/print.h"
#include "cmd/cmd.h"
#include "cmd/json_parts.h"
#include "cmd/library.h"
#include "cmd/terminal.h"

/*
 * Whether the first line, which says why splitpin is not active, says it: then
 * its remedy alone follows.
 */
static bool
is_answered(const struct check *check, const struct check_finding *finding)
{
	const char *why = check->answer.why;
	size_t n = why ? strlen(why) : 0, length = strlen(finding->problem);

	return n && check->answer.acts == CHECK_NO && length >= n && strcmp(finding->problem + length - n, why) == 0;
}

/* Whether a problem that is listed below is this sentence. */
static bool
is_listed(const struct check *check, const char *sentence)
{
	for (size_t i = 0; i < check->nfindings; i++)
		if (!check->finding[i].is_note && strcmp(check->finding[i].problem, sentence) == 0)
			return true;
	return false;
}

/* What is known of the program; the caller's. */
static char *
about_program(const struct check *check)
{
	const struct target *target = &check->target;
	const char *openmp = target_needs(target, target_is_openmp), *mpi = target_needs(target, target_is_any_mpi);
	char *obstacle = target_first_obstacle(target);
	bool is_known = obstacle && is_listed(check, obstacle);

	if (obstacle && !is_known)
		return obstacle;
	free(obstacle);
	if (is_known)
		return cmd_format("%s", target->path);
	if (!target->path)
		return cmd_format("%s is not on this node and was not examined", target->word);
	if (!mpi)
		mpi = target_needs(target, target_is_pmix);
	if (!mpi && !openmp && target->is_script)
		return cmd_format("%s is a script for %s: whether splitpin does anything depends on what it starts or loads", target->word, target->path);
	if (!mpi && !openmp)
		return cmd_format("%s needs no MPI or OpenMP library: splitpin does nothing unless the program loads one later", target->path);
	return cmd_format("%s needs %s%s%s", target->path, mpi ? mpi : openmp, mpi && openmp ? " and " : "",
			  mpi && openmp ? openmp : "");
}

static char *
about_launcher(const struct check *check)
{
	return check->answer.is_by_file ? cmd_format("ranks on other nodes have the library if " PRELOAD_FILE " names it there, too") :
		cmd_format("%s", check->target.reach.how);
}

static void
print_row(const char *key, char *text)
{
	if (text) {
		cmd_make_plain(text);
		terminal_print(0, 10, "%-8s  %s", key, text);
	}
	free(text);
}

static void
print_answer(const struct check *check)
{
	static const char *const acts[] = {
		[CHECK_NO] = "not active", [CHECK_PERHAPS] = "perhaps active", [CHECK_ACTS] = "active",
	};
	const struct check_answer *answer = &check->answer;

	print_row("splitpin", cmd_format("%s: %s", acts[answer->acts], answer->why));
	for (size_t i = 0; i < check->nfindings; i++)
		if (is_answered(check, &check->finding[i]))
			print_row("remedy", cmd_format("%s", check->finding[i].row->remedy));
	print_row("library", !answer->library ? cmd_format("not loaded") :
		  cmd_format("%s, version %s, by %s", answer->library, answer->version ? answer->version : "unknown", answer->by));
	if (check->target.launcher != TARGET_NO_LAUNCHER && !answer->is_withheld && !is_listed(check, check->target.reach.how))
		print_row("launcher", about_launcher(check));
	if (check->target.word)
		print_row("program", about_program(check));
	if (check->target.path)
		print_row("GPUs", check_gpus(check));
}

static void
print_json_launcher(const struct target *target)
{
	if (target->launcher == TARGET_NO_LAUNCHER) {
		fputs(",\n  \"launcher\": null", stdout);
		return;
	}
	cmd_json_member(",\n  \"launcher\": { \"name\": ", target->launcher_name);
	if (target->launcher == TARGET_OTHER)
		fputs(", \"this_node\": null, \"other_nodes\": null }", stdout);
	else
		printf(", \"this_node\": %s, \"other_nodes\": %s }", cmd_json_truth(target->reach.here), cmd_json_truth(target->reach.others));
}

static void
print_json_program(const struct target *target)
{
	if (!target->word) {
		fputs(",\n  \"program\": null", stdout);
		return;
	}
	cmd_json_member(",\n  \"program\": { \"path\": ", target->path);
	cmd_json_member(", \"mpi\": ", target_needs(target, target_is_any_mpi));
	cmd_json_member(", \"openmp\": ", target_needs(target, target_is_openmp));
	fputs(" }", stdout);
}

static void
print_answer_json(const struct check *check)
{
	static const char *const acts[] = { [CHECK_NO] = "no", [CHECK_PERHAPS] = "perhaps", [CHECK_ACTS] = "yes" };
	const struct check_answer *answer = &check->answer;

	printf("  \"active\": \"%s\"", acts[answer->acts]);
	cmd_json_member(",\n  \"why\": ", answer->why);
	printf(",\n  \"loaded\": %s", cmd_json_truth(answer->is_loaded));
	cmd_json_member(",\n  \"library\": ", answer->library);
	cmd_json_member(",\n  \"version\": ", answer->version);
	cmd_json_member(",\n  \"by\": ", answer->by);
	print_json_launcher(&check->target);
	print_json_program(&check->target);
	char *gpus = check->target.path ? check_gpus(check) : NULL;
	cmd_json_member(",\n  \"gpus\": ", gpus);
	free(gpus);
	puts(",");
}

void
check_print_text(const struct check *check)
{
	size_t others = check_problems(check);

	print_answer(check);
	for (size_t i = 0; i < check->nfindings; i++) {
		const struct check_finding *finding = &check->finding[i];

		if (finding->is_note) {
			terminal_print(0, 4, "note: %s; %s", finding->problem, finding->row->remedy);
			continue;
		}
		if (is_answered(check, finding)) {
			others--;
			continue;
		}
		terminal_print(0, 4, "%sproblem:%s %s", terminal_red(), terminal_plain(), finding->problem);
		terminal_print(0, 4, "  remedy: %s", finding->row->remedy);
	}
	if (others == 0)
		printf("%s found (%zu checks)\n", check->answer.acts == CHECK_NO ? "no other problems" : "ok: no problems", check->looked);
}

/* Those that are notes, or those that are not. */
static void
print_findings_json(const struct check *check, bool are_notes)
{
	const char *before = "";

	for (size_t i = 0; i < check->nfindings; i++) {
		const struct check_finding *finding = &check->finding[i];

		if (finding->is_note != are_notes)
			continue;
		printf("%s\n    { ", before);
		cmd_json_member("\"id\": ", finding->row->id);
		cmd_json_member(are_notes ? ", \"note\": " : ", \"problem\": ", finding->problem);
		cmd_json_member(",\n      \"remedy\": ", finding->row->remedy);
		fputs(" }", stdout);
		before = ",";
	}
}

void
check_print_json(const struct check *check)
{
	printf("{\n  \"splitpin\": \"%s\",\n  \"looked_at\": %zu,\n", SP_VERSION, check->looked);
	print_answer_json(check);
	fputs("  \"problems\": [", stdout);
	print_findings_json(check, false);
	fputs("],\n  \"notes\": [", stdout);
	print_findings_json(check, true);
	puts("]\n}");
}
