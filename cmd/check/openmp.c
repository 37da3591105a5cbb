/* Settings of the OpenMP runtime, and splitpin's own. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/ascii.h"
#include "base/environment.h"
#include "base/text.h"
#include "cmd/check/rows.h"
#include "cmd/cmd.h"

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

/* The value that ranks see, with what the launcher's command line sets; NULL: not set, or empty. */
static const char *
variable(const struct check *check, const char *name)
{
	const char *value = sp_environment_value(check->job.environment, name);

	return value && *value ? value : NULL;
}

static void
look_for_runtimes_apart(struct check *check)
{
	const struct sp_omp_env *omp_env = &check->omp_env;

	if (omp_env->libgomp && omp_env->libomp && omp_env->libgomp != omp_env->libomp)
		check_found(check, "%s and %s are both set: GNU's runtime uses the first, LLVM's and Intel's the second",
			    omp_env->libgomp, omp_env->libomp);
}

static void
look_for_binding_off(struct check *check)
{
	static const char *const places[] = { "OMP_PLACES", "GOMP_CPU_AFFINITY" };
	const char *bind = variable(check, "OMP_PROC_BIND");

	for (size_t i = 0; is_word(bind, "false") && i < 2; i++)
		if (variable(check, places[i]))
			check_found(check, "OMP_PROC_BIND=%s switches off what %s=%s asks for", bind, places[i],
				    variable(check, places[i]));
}

static void
look_for_no_binding(struct check *check)
{
	const char *bind = variable(check, "OMP_PROC_BIND"), *kmp = variable(check, "KMP_AFFINITY");

	if (is_word(bind, "false"))
		check_found(check, "OMP_PROC_BIND=%s: the runtime binds no thread, so splitpin pins none", bind);
	if (has_word(kmp, "none") || has_word(kmp, "disabled"))
		check_found(check, "KMP_AFFINITY=%s: the runtimes of LLVM and Intel bind no thread, so splitpin pins none", kmp);
}

static void
look_for_no_number(struct check *check)
{
	if (check->omp_env.team_announced && check->omp_env.team == 0)
		check_found(check, "OMP_NUM_THREADS=%s is not a number of threads", variable(check, "OMP_NUM_THREADS"));
}

static void
look_for_tool(struct check *check)
{
	const char *tool = variable(check, "OMP_TOOL");

	if (is_word(tool, "disabled") && check->settings.config.pin == SP_PIN_OMPT)
		check_found(check, "OMP_TOOL=%s and SPLITPIN_PIN=ompt: the runtimes of LLVM and Intel do not call splitpin, so their threads are not pinned",
			    tool);
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

const struct check_row check_openmp_rows[] = {
	{ "setting-wrong", "a setting of splitpin is unknown or has a wrong value",
	  "correct or unset it; \"splitpin help settings\" lists the settings and their values", look_for_wrong_settings },
	{ "site-wrong", "a line of the site's file splitpin.conf is wrong, or the file cannot be trusted",
	  "correct the file, or ask the site to; until then splitpin is off (see splitpin.conf(5))",
	  look_for_wrong_lines },
	{ "openmp-threads", "OMP_NUM_THREADS is not a number of threads, so the runtime ignores it",
	  "set it to 1 or more, or to a list with one number per nested level, such as 4,2", look_for_no_number },
	{ "openmp-contradiction", "two settings of the OpenMP runtime contradict each other",
	  "keep one of the two; all runtimes understand OMP_PLACES=cores with OMP_PROC_BIND=close", look_for_runtimes_apart },
	{ "openmp-places-off", "OMP_PROC_BIND=false switches off the places that another setting asks for",
	  "unset OMP_PROC_BIND, or set it to close or spread", look_for_binding_off },
	{ "openmp-unbound", "a setting keeps threads from being pinned",
	  "unset it if splitpin is to pin the threads; keep it if they are to move inside the share", look_for_no_binding },
	{ "openmp-tool", "OMP_TOOL=disabled hides splitpin from the runtime, and SPLITPIN_PIN=ompt keeps the runtime from binding threads", "unset one of the two", look_for_tool },
	{ .id = NULL }
};
