/* Is it on?  Whether the library is loaded, by what, and whether it acts; if not, why not. */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/text.h"
#include "cmd/check/answer.h"
#include "cmd/check/preload.h"
#include "cmd/check/rows.h"
#include "cmd/cmd.h"
#include "cmd/library.h"
#include "cmd/setting_options.h"
#include "launcher/launchers.h"

/* "splitpin" or "splitpin/1.0.0", also as the end of a file's path. */
static bool
is_our_module(const char *name)
{
	const char *last = sp_last_part(name);
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
why_not_loaded(const char *named, const char *in_file, const char *module)
{
	if (named)
		return cmd_format("LD_PRELOAD names %s, which the loader could not load", named);
	if (in_file)
		return cmd_format(PRELOAD_FILE " names %s, which the loader could not load", in_file);
	if (module)
		return cmd_format("the module %s is loaded, but neither LD_PRELOAD nor " PRELOAD_FILE " names the library", module);
	return cmd_format("neither LD_PRELOAD nor " PRELOAD_FILE " names libsplitpin.so");
}

/* The launcher's line gives the ranks a library of their own. */
static void
take_option(struct check_answer *answer, const struct target *target)
{
	const char *entry = target->reach.library;

	answer->library = strchr(entry, '/') && !strchr(entry, '$') ? realpath(entry, NULL) : cmd_format("%s", entry);
	answer->is_loaded = answer->library != NULL;
	if (answer->is_loaded)
		answer->by = target->by_run == target->parts ? cmd_format("splitpin run") :
			target_given(target->part[0].given, "LD_PRELOAD") ? cmd_format("LD_PRELOAD, set behind %s", target->launcher_name) :
			cmd_format("an option of %s", target->launcher_name);
	else
		answer->why = cmd_format("%s gives its ranks %s, which does not exist", target->launcher_name, entry);
}

static void
take_environment(struct check_answer *answer, const struct target *target)
{
	char *named = cmd_named_library(check_variable("LD_PRELOAD")), *module = find_module();
	bool is_file;
	char *in_file = check_preload_file(&is_file);

	answer->library = cmd_loaded_library();
	answer->is_withheld = answer->library && target->launcher != TARGET_NO_LAUNCHER && !target->reach.here && !is_file;
	answer->is_loaded = answer->library && !answer->is_withheld;
	answer->is_by_file = answer->is_loaded && !named;
	if (answer->library)
		answer->by = loaded_by(named, is_file, module);
	if (answer->is_withheld || target->reach.lacks || target->reach.is_taken)
		answer->why = cmd_format("%s", target->reach.how);
	else if (!answer->is_loaded)
		answer->why = why_not_loaded(named, in_file, module);
	free(in_file);
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
		answer->version = cmd_library_version(answer->library);
}

/* Why processes started here are not ranks although variables of a launcher are set; NULL: none are, or they are ranks. */
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
	char *why = cmd_why_off(&check->settings);

	if (!why)
		why = target_first_obstacle(&check->target);
	if (!why)
		why = check_broken(check);
	return why ? why : why_no_rank(check);
}

/* Where it is active; the caller's. */
static char *
where(const struct check *check)
{
	if (check->target.launcher != TARGET_NO_LAUNCHER)
		return cmd_format("in the ranks that %s starts", check->target.launcher_name);
	if (check->rank_error == -EAGAIN)
		return cmd_format("in this rank, once PMIx_Init has given its number");
	if (!check->is_rank)
		return cmd_format("in the ranks of a job; programs started here without a launcher are left alone");
	return cmd_format("local rank %u of %u (%s)", check->rank.local_rank, check->rank.local_size, sp_launcher_title(check->rank.from));
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

void
check_release_answer(struct check_answer *answer)
{
	free(answer->library);
	free(answer->version);
	free(answer->by);
	free(answer->why);
}
