/* Is it on?  Whether the library is loaded, by what, and whether it acts; if not, why not. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "cmd/check/answer.h"
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

void
check_find_loaded(struct check *check)
{
	struct check_answer *answer = &check->result.answer;
	char *named = cmd_named_library(check_variable("LD_PRELOAD")), *module = find_module();
	bool is_file;
	char *in_file = check_preload_file(&is_file);

	answer->library = cmd_loaded_library();
	answer->is_loaded = answer->library;
	if (answer->is_loaded) {
		answer->by = loaded_by(named, is_file, module);
		answer->version = cmd_library_version(answer->library);
	} else {
		answer->why = why_not_loaded(named, in_file, module);
	}
	free(in_file);
	free(named);
	free(module);
}

/* Where it is active; the caller's. */
static char *
where(const struct check *check)
{
	if (check->rank_error == -EAGAIN)
		return cmd_format("in this rank, once PMIx_Init has given its number");
	if (check->rank_error)
		return cmd_format("in the ranks of a job; programs started here without a launcher are left alone");
	return cmd_format("local rank %u of %u (%s)", check->rank.local_rank, check->rank.local_size, sp_launcher_title(check->rank.from));
}

/* Here, of processes that are started from here. */
static void
conclude_here(struct check *check)
{
	struct check_answer *answer = &check->result.answer;
	char *why;

	if (!answer->is_loaded) {
		answer->acts = CHECK_NO;
		return;
	}
	why = cmd_why_off(&check->settings);
	if (!why)
		why = check_broken(check);
	if (!why && check->rank_error == -EINVAL)
		why = cmd_wrong_rank(&check->rank);
	answer->acts = why ? CHECK_NO : CHECK_ACTS;
	answer->why = why ? why : where(check);
}

/* How many of the processes in which a probe was say this of splitpin; *first: one of these. */
static size_t
count(const struct measured *measured, const char *active, const struct probed **first)
{
	size_t n = 0;

	*first = NULL;
	for (size_t i = 0; i < measured->nranks; i++) {
		if (strcmp(measured->rank[i].active ? measured->rank[i].active : "no", active) != 0)
			continue;
		*first = *first ? *first : &measured->rank[i];
		n++;
	}
	return n;
}

static char *
ranks_on_nodes(const struct measured *measured)
{
	size_t nodes = check_measured_nodes(measured);

	return cmd_format("%zu rank%s on %zu node%s", measured->nranks, sp_plural(measured->nranks), nodes, sp_plural(nodes));
}

/* Of a command that was started with probes. */
static void
conclude_measured(struct check *check)
{
	struct check_answer *answer = &check->result.answer;
	const struct measured *measured = &check->result.measured;
	const struct probed *first, *unknown, *active;
	size_t n = count(measured, "no", &first), perhaps = count(measured, "perhaps", &unknown);

	check_release_answer(answer);
	*answer = (struct check_answer){ .acts = n ? CHECK_NO : perhaps ? CHECK_PERHAPS : CHECK_ACTS };
	count(measured, "yes", &active);
	const struct probed *one = active ? active : unknown ? unknown : first;
	answer->is_loaded = n == 0;
	answer->library = one && one->library ? cmd_format("%s", one->library) : NULL;
	answer->version = one && one->version ? cmd_format("%s", one->version) : NULL;
	char *all = ranks_on_nodes(measured);
	const char *why = first && first->why ? first->why : "see the warnings";
	if (n == measured->nranks)
		answer->why = cmd_format("%s", why);
	else if (n)
		answer->why = cmd_format("in %zu of %s: rank %u of node %s: %s", n, all, first->rank, first->host, why);
	else
		answer->why = perhaps ? cmd_format("in %s: %s", all, unknown->why) : cmd_format("in %s", all);
	free(all);
}

void
check_conclude(struct check *check)
{
	if (check->result.measured.nranks) {
		conclude_measured(check);
	} else if (check->target.word || check->not_started || check->result.measured.said) {
		free(check->result.answer.why);
		check->result.answer.acts = CHECK_UNKNOWN;
		check->result.answer.why = check->not_started ? cmd_format("not measured: %s", check->not_started) :
			cmd_format("not measured: %s ended before any rank began", check->target.launcher_name ? check->target.launcher_name : "the program");
	} else {
		conclude_here(check);
	}
}
