/*
 * A SPANK plugin for Slurm: preloads splitpin into the tasks of steps, and into
 * nothing else, and gives srun, sbatch and salloc the option --splitpin.
 *
 * In plugstack.conf:
 *
 *   optional spank-splitpin.so [library=PATH] [default=on|off|never|debug|report]
 *
 * library  libsplitpin.so on the nodes; where it was installed, without it.  A task
 *          on a node without it starts as if there were no plugin.
 * default  for whoever does not give the option; on without it.  never: off, also
 *          with the option, and taken out of LD_PRELOAD.
 *
 * A word that is not known means never, since nobody can say what it was to prevent.
 *
 * The option's values: on; off, which also takes the library out of the LD_PRELOAD
 * of the tasks; debug and report, which are on with SPLITPIN_DEBUG=1 or
 * SPLITPIN_REPORT=1.
 *
 * Nothing here makes a job fail but a value of the option that there is not.  Slurm
 * loads plugins of its own release alone: build it once for each.
 */
#include <slurm/spank.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#ifndef SP_LIBDIR
#define SP_LIBDIR "/usr/local/lib"
#endif

#define LIST_SIZE 32768	/* longest LD_PRELOAD that is touched */

SPANK_PLUGIN(splitpin, 1);

static const char *const modes[] = { "off", "on", "debug", "report" };
enum mode { OFF, ON, DEBUG, REPORT, NMODES };

/* Written by init and by the option, in one thread, before any task starts. */
static const char *library = SP_LIBDIR "/libsplitpin.so";
static enum mode mode = ON;
static bool was_asked, is_forbidden;

static bool
parse_mode(const char *text, enum mode *found)
{
	for (unsigned i = 0; i < NMODES; i++)
		if (text && strcmp(text, modes[i]) == 0) {
			*found = (enum mode)i;
			return true;
		}
	return false;
}

/* Slurm calls it with the user's text, and again with the same text on each node. */
static int
take_option(int value, const char *text, int remote)
{
	(void)value;
	if (!parse_mode(text, &mode)) {
		if (!remote)
			slurm_error("--splitpin=%s: takes off, on, debug or report", text ? text : "");
		return -1;
	}
	was_asked = true;
	return 0;
}

static struct spank_option option = {
	.name = "splitpin",
	.arginfo = "off|on|debug|report",
	.usage = "give each rank its own cores: off, on, or on with a log of each decision (debug) or a table of each node (report)",
	.has_arg = 1,
	.cb = take_option,
};

static void
take_argument(const char *text)
{
	if (strncmp(text, "library=/", 9) == 0) {
		library = text + 8;
		return;
	}
	if (strncmp(text, "default=", 8) == 0 && parse_mode(text + 8, &mode))
		return;
	is_forbidden = true;
	if (strcmp(text, "default=never") != 0)
		slurm_error("spank-splitpin in plugstack.conf: %s is wrong: use library=/PATH or default=on|off|never|debug|report; splitpin is off", text);
}

int
slurm_spank_init(spank_t spank, int argc, char *argv[])
{
	for (int i = 0; i < argc; i++)
		take_argument(argv[i]);
	spank_option_register(spank, &option);
	return 0;
}

/*
 * Copy a list of LD_PRELOAD without the library, a colon between entries; entries
 * are separated by colons or blanks.  Returns whether it was there.
 */
static bool
without_library(const char *list, char *rest)
{
	bool was_there = false;
	char *end = rest;

	for (;;) {
		list += strspn(list, ": ");
		size_t length = strcspn(list, ": ");

		if (!length)
			break;
		if (length == strlen(library) && strncmp(list, library, length) == 0)
			was_there = true;
		else
			end += sprintf(end, "%s%.*s", end == rest ? "" : ":", (int)length, list);
		list += length;
	}
	*end = '\0';
	return was_there;
}

/* Whether the list could be read: empty where the variable is not set. */
static bool
read_list(spank_t spank, char *list)
{
	spank_err_t error = spank_getenv(spank, "LD_PRELOAD", list, LIST_SIZE);

	if (error == ESPANK_ENV_NOEXIST)
		*list = '\0';
	else if (error != ESPANK_SUCCESS)
		slurm_error("spank-splitpin: cannot read LD_PRELOAD, or it has more than %d bytes: it stays as it is", LIST_SIZE - 1);
	return error == ESPANK_SUCCESS || error == ESPANK_ENV_NOEXIST;
}

static void
preload(spank_t spank, const char *list)
{
	static char longer[2 * LIST_SIZE];

	snprintf(longer, sizeof(longer), "%s%s%s", library, *list ? ":" : "", list);
	spank_setenv(spank, "LD_PRELOAD", longer, 1);
}

/* In each task, as the user, before it runs its program; with what the user has preloaded, its order and blanks. */
int
slurm_spank_task_init(spank_t spank, int argc, char *argv[])
{
	static char list[LIST_SIZE], rest[LIST_SIZE];

	(void)argc;
	(void)argv;
	if (is_forbidden)
		mode = OFF;
	if ((mode == OFF && !was_asked && !is_forbidden) || !read_list(spank, list))
		return 0;

	bool is_listed = without_library(list, rest), is_on = mode != OFF && access(library, R_OK) == 0;

	if (is_on && !is_listed)
		preload(spank, list);
	if (!is_on && is_listed && *rest)
		spank_setenv(spank, "LD_PRELOAD", rest, 1);
	if (!is_on && is_listed && !*rest)
		spank_unsetenv(spank, "LD_PRELOAD");
	if (is_on && mode == DEBUG)
		spank_setenv(spank, "SPLITPIN_DEBUG", "1", 1);
	if (is_on && mode == REPORT)
		spank_setenv(spank, "SPLITPIN_REPORT", "1", 1);
	return 0;
}
