/* Is it on?  Whether the library is loaded, by what, and whether it acts; if not, why not. */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd/check/check.h"
#include "cmd/cmd.h"
#include "cmd/json.h"
#include "cmd/library.h"

#define PRELOAD_FILE "/etc/ld.so.preload"
#define PRELOAD_FILE_SIZE 4096

/* Whether the loader's own file names the library, for every process of the node. */
static bool
is_in_file(void)
{
	char text[PRELOAD_FILE_SIZE] = "";
	FILE *file = fopen(PRELOAD_FILE, "re");
	size_t length = file ? fread(text, 1, sizeof(text) - 1, file) : 0;
	char *found = length ? cmd_named_library(text) : NULL;
	bool is = found != NULL;

	if (file)
		fclose(file);
	free(found);
	return is;
}

/* "splitpin" or "splitpin/0.1.0", also as the end of a file's path. */
static bool
is_our_module(const char *name)
{
	const char *last = cmd_last_part(name);
	size_t n = strlen("splitpin");

	if (strncmp(name, "splitpin", n) == 0 && (name[n] == '\0' || name[n] == '/'))
		return true;
	return strcmp(last, "splitpin") == 0 || (last - name > (ptrdiff_t)n && strncmp(last - n - 1, "splitpin/", n + 1) == 0 &&
						(last - n - 1 == name || last[-(ptrdiff_t)n - 2] == '/'));
}

/* Lmod and Environment Modules list what is loaded; the caller's, or NULL. */
static char *
find_module(void)
{
	static const char *const lists[] = { "LOADEDMODULES", "_LMFILES_" };
	char *found = NULL;

	for (size_t i = 0; !found && i < sizeof(lists) / sizeof(lists[0]); i++) {
		const char *list = check_variable(lists[i]);
		char *copy = cmd_format("%s", list ? list : ""), *rest = NULL;

		for (char *name = strtok_r(copy, ":", &rest); name && !found; name = strtok_r(NULL, ":", &rest))
			if (is_our_module(name))
				found = cmd_format("%s", name);
		free(copy);
	}
	return found;
}

/* What has loaded it into this process, and so into what is started from here; the caller's. */
static char *
loaded_by(bool is_variable, bool is_file, const char *module)
{
	const char *open = module ? " (module " : "", *close = module ? ")" : "";

	if (is_variable)
		return cmd_format("LD_PRELOAD%s%s%s%s", open, module ? module : "", close, is_file ? " and " PRELOAD_FILE : "");
	return cmd_format("%s", is_file ? PRELOAD_FILE : "another way than LD_PRELOAD and " PRELOAD_FILE);
}

static char *
why_not_loaded(const char *named, const char *module)
{
	if (named)
		return cmd_format("LD_PRELOAD names %s, which the loader could not load", named);
	if (module)
		return cmd_format("the module %s is loaded, but neither LD_PRELOAD nor " PRELOAD_FILE " names the library", module);
	return cmd_format("neither LD_PRELOAD nor " PRELOAD_FILE " names it");
}

/* An option of the launcher gives the ranks a library of their own. */
static void
take_option(struct check_answer *answer, const struct target *target)
{
	const char *entry = target->reach.library;

	answer->library = strchr(entry, '/') && !strchr(entry, '$') ? realpath(entry, NULL) : cmd_format("%s", entry);
	answer->is_loaded = answer->library != NULL;
	if (answer->is_loaded)
		answer->by = cmd_format("an option of %s", target->launcher_name);
	else
		answer->why = cmd_format("%s gives its ranks %s, which is not there", target->launcher_name, entry);
}

static void
take_environment(struct check_answer *answer, const struct target *target)
{
	char *named = cmd_named_library(check_variable("LD_PRELOAD")), *module = find_module();
	bool is_file = is_in_file();

	answer->library = cmd_loaded_library();
	answer->is_withheld = answer->library && target->launcher != TARGET_NO_LAUNCHER && !target->reach.here && !is_file;
	answer->is_loaded = answer->library && !answer->is_withheld;
	if (answer->library)
		answer->by = loaded_by(named, is_file, module);
	if (answer->is_withheld)
		answer->why = cmd_format("%s", target->reach.how);
	else if (!answer->is_loaded)
		answer->why = why_not_loaded(named, module);
	free(named);
	free(module);
}

void
check_find_loaded(struct check *check)
{
	struct check_answer *answer = &check->answer;

	if (check->target.reach.library)
		take_option(answer, &check->target);
	else
		take_environment(answer, &check->target);
	if (answer->library)
		answer->version = check_version_of(answer->library);
}

/* Who says so: the environment, or a line of the site's file. */
char *
check_why_off(const struct sp_settings *settings)
{
	const struct sp_site_setting *line = sp_settings_line(settings, 0);

	if (settings->config.on)
		return NULL;
	if (!line)
		return cmd_format("switched off by SPLITPIN=off in the environment");
	return cmd_format("switched off by %s:%u%s%s", sp_site_file(), line->line,
			  line->leaves_alone ? ", leave_alone = " : "", line->leaves_alone ? line->glob : "");
}

/* Why no process that is started from here is a rank, though a launcher has left its mark. */
static char *
why_no_rank(const struct check *check)
{
	if (check->target.launcher != TARGET_NO_LAUNCHER)
		return NULL;
	if (check->rank_error == -EINVAL)
		return cmd_format("%s is wrong or not set", check->rank.bad_name);
	if (check->rank_error == -ENOENT && check_has_found(check, check_rank_rows))
		return cmd_format("the variables of the launcher do not give a local rank, see below");
	return NULL;
}

static char *
why_not(const struct check *check)
{
	char *why = check_why_off(&check->settings);

	if (!why)
		why = target_first_obstacle(&check->target);
	return why ? why : why_no_rank(check);
}

/* Where it acts, as the end of a sentence; the caller's. */
static char *
where(const struct check *check)
{
	if (check->target.launcher != TARGET_NO_LAUNCHER)
		return cmd_format("in the ranks that %s starts", check->target.launcher_name);
	if (check->rank_error == -EAGAIN)
		return cmd_format("in this rank, once PMIx_Init has given its number");
	if (!check->is_rank)
		return cmd_format("in the ranks of a job: what is started here without a launcher is left alone");
	return cmd_format("in this rank, %u of %u on this node, by the variables of %s", check->rank.local_rank,
			  check->rank.local_size, check->rank.from);
}

void
check_conclude(struct check *check)
{
	struct check_answer *answer = &check->answer;

	if (!answer->is_loaded)
		return;
	answer->why = why_not(check);
	if (answer->why)
		return;
	bool is_unknown = check->target.launcher == TARGET_OTHER || (check->target.word && !target_is_parallel(&check->target));
	answer->acts = is_unknown ? CHECK_PERHAPS : CHECK_ACTS;
	answer->why = where(check);
}

/* What is known of the program; the caller's. */
static char *
about_program(const struct target *target)
{
	const char *openmp = target_needs(target, target_is_openmp), *mpi = target_needs(target, target_is_any_mpi);
	char *obstacle = target_first_obstacle(target);

	if (obstacle)
		return obstacle;
	if (!target->path)
		return cmd_format("%s is not here, so nothing is known of it", target->word);
	if (!mpi)
		mpi = target_needs(target, target_is_pmix);
	if (!mpi && !openmp)
		return cmd_format("%s needs no library of MPI or OpenMP: it is left alone unless it opens one while it runs", target->path);
	return cmd_format("%s needs %s%s%s", target->path, mpi ? mpi : openmp, mpi && openmp ? " and " : "",
			  mpi && openmp ? openmp : "");
}

static char *
about_launcher(const struct check *check)
{
	char *named = cmd_named_library(check_variable("LD_PRELOAD"));
	bool is_by_file = check->answer.is_loaded && !named && !check->target.reach.library;

	free(named);
	return is_by_file ? cmd_format("ranks of other nodes have the library where " PRELOAD_FILE " names it there too") :
		cmd_format("%s", check->target.reach.how);
}

static void
print_row(const char *key, char *text)
{
	if (text) {
		cmd_make_plain(text);
		printf("%-8s  %s\n", key, text);
	}
	free(text);
}

void
check_print_answer(const struct check *check)
{
	static const char *const acts[] = {
		[CHECK_NO] = "does not act", [CHECK_PERHAPS] = "may act", [CHECK_ACTS] = "acts",
	};
	const struct check_answer *answer = &check->answer;

	print_row("splitpin", cmd_format("%s%s %s", acts[answer->acts], answer->acts == CHECK_NO ? ":" : "", answer->why));
	print_row("library", !answer->library ? cmd_format("not loaded") :
		  cmd_format("%s, version %s, by %s", answer->library, answer->version ? answer->version : "unknown", answer->by));
	if (check->target.launcher != TARGET_NO_LAUNCHER && !answer->is_withheld)
		print_row("launcher", about_launcher(check));
	if (check->target.word)
		print_row("program", about_program(&check->target));
}

static void
print_json_text(const char *before, const char *text)
{
	fputs(before, stdout);
	if (text)
		cmd_json_string(text);
	else
		fputs("null", stdout);
}

static const char *
truth(bool value)
{
	return value ? "true" : "false";
}

static void
print_json_launcher(const struct target *target)
{
	if (target->launcher == TARGET_NO_LAUNCHER) {
		fputs(",\n  \"launcher\": null", stdout);
		return;
	}
	print_json_text(",\n  \"launcher\": { \"name\": ", target->launcher_name);
	if (target->launcher == TARGET_OTHER)
		fputs(", \"this_node\": null, \"other_nodes\": null }", stdout);
	else
		printf(", \"this_node\": %s, \"other_nodes\": %s }", truth(target->reach.here), truth(target->reach.others));
}

static void
print_json_program(const struct target *target)
{
	if (!target->word) {
		fputs(",\n  \"program\": null", stdout);
		return;
	}
	print_json_text(",\n  \"program\": { \"path\": ", target->path);
	print_json_text(", \"mpi\": ", target_needs(target, target_is_any_mpi));
	print_json_text(", \"openmp\": ", target_needs(target, target_is_openmp));
	fputs(" }", stdout);
}

void
check_print_answer_json(const struct check *check)
{
	static const char *const acts[] = { [CHECK_NO] = "no", [CHECK_PERHAPS] = "perhaps", [CHECK_ACTS] = "yes" };
	const struct check_answer *answer = &check->answer;

	printf("  \"acts\": \"%s\"", acts[answer->acts]);
	print_json_text(",\n  \"why\": ", answer->why);
	printf(",\n  \"loaded\": %s", truth(answer->is_loaded));
	print_json_text(",\n  \"library\": ", answer->library);
	print_json_text(",\n  \"version\": ", answer->version);
	print_json_text(",\n  \"by\": ", answer->by);
	print_json_launcher(&check->target);
	print_json_program(&check->target);
	puts(",");
}

void
check_release_answer(struct check_answer *answer)
{
	free(answer->library);
	free(answer->version);
	free(answer->by);
	free(answer->why);
}
