/* Settings of the OpenMP runtime, and splitpin's own. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/ascii.h"
#include "base/environment.h"
#include "base/text.h"
#include "cmd/check/rows.h"
#include "cmd/cmd.h"
#include "settings/omp_env.h"

static bool
is_word(const char *value, const char *word)
{
	const char *end;

	return value && sp_ascii_begins(sp_ascii_skip_blanks(value), word, &end);
}

/* The deciding words of KMP_AFFINITY may stand behind others. */
static bool
has_word(const char *value, const char *word)
{
	for (; value && *value; value += strcspn(value, ","), value += *value == ',')
		if (is_word(value, word))
			return true;
	return false;
}

static void
look_for_no_binding_in(struct check *check, char *const environment[])
{
	const char *bind = sp_environment_value(environment, "OMP_PROC_BIND"), *kmp = sp_environment_value(environment, "KMP_AFFINITY");

	if (is_word(bind, "false"))
		check_found(check, "OMP_PROC_BIND=%s: the runtime binds no thread, so splitpin pins none", bind);
	if (has_word(kmp, "none") || has_word(kmp, "disabled"))
		check_found(check, "KMP_AFFINITY=%s: the runtimes of LLVM and Intel bind no thread, so splitpin pins none", kmp);
}

static void
look_for_no_number_in(struct check *check, char *const environment[])
{
	struct sp_omp_env omp_env;

	sp_omp_env_read(&omp_env, environment);
	if (omp_env.team_announced && omp_env.team == 0)
		check_found(check, "OMP_NUM_THREADS=%s is not a number of threads", sp_environment_value(environment, "OMP_NUM_THREADS"));
}

/* As the ranks have the variables; where none was measured, as this process and the line have them. */
static void
in_each_environment(struct check *check, void (*look)(struct check *, char *const environment[]))
{
	const struct measured *measured = &check->result.measured;

	for (size_t i = 0; i < measured->nranks; i++)
		look(check, measured->rank[i].openmp);
	if (!measured->nranks)
		look(check, check->job.environment);
}

static void
look_for_no_binding(struct check *check)
{
	in_each_environment(check, look_for_no_binding_in);
}

static void
look_for_no_number(struct check *check)
{
	in_each_environment(check, look_for_no_number_in);
}

static void
complain(void *check, const char *sentence)
{
	check_found(check, "%s", sentence);
}

static void
look_for_wrong_settings(struct check *check)
{
	struct sp_config again;

	sp_config_read_over(&again, check->settings.site.entries, check->job.environment, complain, check, NULL);
}

static void
look_for_wrong_lines(struct check *check)
{
	sp_site_complain(&check->settings.site, complain, check);
}

const struct check_row check_settings_rows[] = {
	{ "setting-wrong", "a setting of splitpin is unknown or has a wrong value",
	  "correct or unset it; \"splitpin help settings\" lists the settings and their values", look_for_wrong_settings },
	{ "site-wrong", "a line of the site's file splitpin.conf is wrong, or the file cannot be trusted",
	  "correct the file, or ask the site to; until then splitpin is off (see splitpin.conf(5))",
	  look_for_wrong_lines },
	{ .id = NULL }
};

const struct check_row check_openmp_rows[] = {
	{ "openmp-threads", "OMP_NUM_THREADS is not a number of threads, so the runtime ignores it",
	  "set it to 1 or more, or to a list with one number per nested level, such as 4,2", look_for_no_number },
	{ "openmp-unbound", "a setting keeps threads from being pinned",
	  "unset it if splitpin is to pin the threads; keep it if they are to move inside the share", look_for_no_binding },
	{ .id = NULL }
};
