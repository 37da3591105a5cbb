/* splitpin config: the settings in effect, and where each comes from. */
#include "cmd/config.h"

#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd/cmd.h"
#include "cmd/terminal.h"
#include "cmd/json.h"
#include "cmd/options.h"
#include "cmd/library.h"
#include "launcher/ancestors.h"
#include "launcher/launcher.h"
#include "settings/settings.h"

#define WIDEST 40		/* what is wider moves what is behind it */

struct view {
	bool all;		/* defaults too */
	bool as_json;
	const char *candidate;	/* to be looked at alone in place of the site's file and the environment; NULL: none */
	char *program;		/* whole path; NULL: none in particular */
	bool is_script;
	bool is_launcher;	/* which is no rank; its ranks are other programs */
	struct sp_settings settings;
	char *library;		/* that is loaded into what is started here; NULL: none */
	char **wrong;		/* sentences; in the environment and in the file */
	size_t nwrong;
};

static void
blame(void *data, const char *sentence)
{
	struct view *view = data;

	view->wrong = cmd_enlarge(view->wrong, view->nwrong + 1, sizeof(*view->wrong));
	view->wrong[view->nwrong] = cmd_format("%s", sentence);
	cmd_make_plain(view->wrong[view->nwrong++]);
}

static bool
begins_as_script(const char *path)
{
	char start[2] = "";
	int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	bool is = fd >= 0 && read(fd, start, 2) == 2 && start[0] == '#' && start[1] == '!';

	if (fd >= 0)
		close(fd);
	return is;
}

/* A program that is not on this machine may be on the nodes: its path is used unchanged. */
static int
find_program(const char *name, struct view *view)
{
	char *path = cmd_look_up(name);

	if (!path) {
		cmd_complain("--for %s: not found in PATH; include a slash if it is a path", name);
		return CMD_USAGE;
	}
	char *whole = realpath(path, NULL);
	int error = whole ? 0 : errno;

	if (error == ENOENT && path[0] == '/') {
		view->program = path;
		return 0;
	}
	if (!error && !cmd_is_program(whole)) {
		cmd_complain("--for %s: not an executable file", name);
		error = ENOEXEC;
		free(whole);
	} else if (error) {
		cmd_complain("--for %s: %s", name, strerror(error));
	} else {
		view->program = whole;
		view->is_script = begins_as_script(whole);
		view->is_launcher = sp_ancestors_name(path, strlen(path) + 1) || sp_ancestors_name(whole, strlen(whole) + 1);
	}
	free(path);
	return error ? CMD_USAGE : 0;
}

static int
take_program(void *data, const char *value)
{
	struct view *view = data;

	free(view->program);
	view->program = NULL;
	return find_program(value, view);
}

static const struct cmd_option options[] = {
	{ "for", 0, "PROGRAM", "<program>", "show what applies to this program: its path is matched against the file's sections and "
	  "leave_alone; a name without a slash is looked up in PATH", take_program, 0 },
	{ "file", 0, "CANDIDATE", "<file>", "check this file before it becomes the site's file, alone, without the environment",
	  cmd_take_text, offsetof(struct view, candidate) },
	{ "all", 0, NULL, NULL, "include settings that have their defaults", cmd_take_flag, offsetof(struct view, all) },
	{ "format", 0, "FORMAT", "text json", "text or json (default: text)", cmd_take_is_json, offsetof(struct view, as_json) },
	{ .name = NULL }
};

static void
print_more(void)
{
	printf("\nThe site's file is\n    %s\nThe exit status is 1 if there are problems.\n", sp_site_file());
}

const struct cmd_usage config_usage = {
	.name = "config", .synopsis = "[OPTION]...", .options = options, .print_more = print_more,
	.about = "Show the settings in effect here, where each comes from, and any problems.\n"
		"The environment takes precedence over the site's file.\n",
};

/* Returns 0, a status, or -1: help was asked for. */
static int
read_options(int argc, char *argv[], struct view *view)
{
	int status = cmd_options_read(&config_usage, argc, argv, NULL, view);

	if (!status && optind < argc) {
		cmd_complain("%s: splitpin config takes only options; --for PROGRAM names a program", argv[optind]);
		return CMD_USAGE;
	}
	return status;
}

/* Wrong variables of a rank keep splitpin from acting. */
static void
check_rank(struct view *view)
{
	struct sp_rank rank;

	if (sp_launcher_rank(environ, &rank) != -EINVAL)
		return;
	char *sentence = cmd_format("%s=%s is wrong: set SPLITPIN_LOCAL_RANK to a number from 0 and SPLITPIN_LOCAL_SIZE to a larger one",
				    rank.bad_name, rank.bad_value ? rank.bad_value : "");

	blame(view, sentence);
	free(sentence);
}

static const char *
value_of(const struct view *view, unsigned i)
{
	const char *entry = view->settings.origin[i];

	return entry ? strchr(entry, '=') + 1 : sp_config_setting(i)->initial;
}

/* The caller's. */
static char *
origin_of(const struct view *view, unsigned i)
{
	const struct sp_site_setting *setting = sp_settings_line(&view->settings, i);

	if (!view->settings.origin[i])
		return cmd_format("default");
	if (!setting)
		return cmd_format("environment");
	if (!setting->glob)
		return cmd_format("%s:%u", view->settings.site.file, setting->line);
	return cmd_format(setting->leaves_alone ? "%s:%u  leave_alone = %s" : "%s:%u  [%s]", view->settings.site.file, setting->line,
			  setting->glob);
}

static int
wider(int width, const char *text)
{
	int length = (int)strlen(text);

	return length > width && length <= WIDEST ? length : width;
}

static void
print_settings(const struct view *view)
{
	char name[SP_SITE_NAME], quoted[SP_QUOTED];
	const struct sp_setting *row;
	int names = (int)strlen("setting"), values = (int)strlen("value"), shown = 0;

	for (unsigned i = 0; (row = sp_config_setting(i)); i++) {
		if (!view->all && !view->settings.origin[i])
			continue;
		names = wider(names, sp_site_name(row, name));
		values = wider(values, value_of(view, i));
		shown++;
	}
	if (shown)
		printf("\n%-*s  %-*s  %s\n", names, "setting", values, "value", "from");
	for (unsigned i = 0; (row = sp_config_setting(i)); i++) {
		if (!view->all && !view->settings.origin[i])
			continue;
		const char *value = value_of(view, i);
		char *origin = origin_of(view, i);

		terminal_print(0, (size_t)(names + 2), "%-*s  %-*s  %s", names, sp_site_name(row, name), values,
			       sp_config_quote(value, strlen(value), quoted), origin);
		free(origin);
	}
	if (!view->all)
		printf("\nAll %ssettings have their defaults; --all shows them.\n", shown ? "other " : "");
}

static void
print_program(const struct view *view)
{
	if (!view->program)
		terminal_print(0, 10, "program   none given: use --for PROGRAM to apply sections and leave_alone");
	else
		terminal_print(0, 10, "program   %s%s", view->program, view->is_launcher ? " (a launcher: name the program that it starts)" :
			       view->is_script ? " (a script: in a run its interpreter's path counts)" : "");
}

static const char *
file_of(const struct view *view)
{
	return view->candidate ? view->candidate : sp_site_file();
}

static void
print_file(const struct view *view)
{
	static const char *const states[] = {
		[SP_SITE_ABSENT] = " (not there)", [SP_SITE_OFF] = " (not read)", [SP_SITE_REFUSED] = " (refused, see below)", [SP_SITE_READ] = "",
	};
	int width = 0;

	terminal_print(0, 10, "file      %s%s", file_of(view), view->settings.is_site_read ? states[view->settings.site.state] :
	       " (not read, since SPLITPIN is off in the environment)");
	for (size_t i = 0; i < view->settings.site.nsections; i++)
		width = wider(width, view->settings.site.section[i].glob);
	for (size_t i = 0; i < view->settings.site.nsections; i++) {
		const struct sp_site_section *section = &view->settings.site.section[i];

		if (view->program)
			printf("          line %-4u [%s]%*s  %s\n", section->line, section->glob,
			       width > (int)strlen(section->glob) ? width - (int)strlen(section->glob) : 0, "",
			       section->matches ? "matches" : "does not match");
		else
			printf("          line %-4u [%s]\n", section->line, section->glob);
	}
}

static void
print_record(const struct view *view)
{
	const struct sp_site *site = &view->settings.site;

	if (view->settings.config.on && site->record)
		printf("record    %s (line %u): one line for each job and node, for the staff of this site\n", site->record, site->record_line);
}

/* The first row of the table is SPLITPIN itself. */
static void
print_on(const struct view *view)
{
	char why[SP_SITE_WHY];

	if (sp_site_forbids(&view->settings.site, why)) {
		terminal_print(0, 10, "splitpin  is off, whatever the environment says: %s", why);
		return;
	}
	if (view->settings.config.on && view->candidate) {
		puts("splitpin  is on by this file");
		return;
	}
	if (view->settings.config.on) {
		puts(view->library && view->is_launcher ? "splitpin  active: in the ranks that it starts" :
		     view->library ? "splitpin  active: in ranks" :
		     "splitpin  is on, but not loaded here: see splitpin check");
		return;
	}
	char *origin = origin_of(view, 0);

	terminal_print(0, 10, "splitpin  %s: %s", view->program ? "leaves this program alone" : "is off", origin);
	free(origin);
}

static void
print_text(const struct view *view)
{
	print_program(view);
	print_file(view);
	print_on(view);
	print_record(view);
	print_settings(view);
	if (view->nwrong)
		puts("\nproblems");
	for (size_t i = 0; i < view->nwrong; i++)
		terminal_print(0, 4, "  %s", view->wrong[i]);
}

static void
put_setting(const struct view *view, unsigned i)
{
	const struct sp_setting *row = sp_config_setting(i);
	const struct sp_site_setting *setting = sp_settings_line(&view->settings, i);
	const char *glob = setting ? setting->glob : NULL;

	json_row(NULL);
	json_text("name", row->name);
	json_text("value", value_of(view, i));
	json_text("default", row->initial);
	json_text("from", !view->settings.origin[i] ? "default" : setting ? "file" : "environment");
	if (setting)
		json_number("line", setting->line);
	else
		json_null("line");
	json_text("section", setting && !setting->leaves_alone ? glob : NULL);
	json_text("leave_alone", setting && setting->leaves_alone ? glob : NULL);
	json_end();
}

static void
put_sections(const struct view *view)
{
	json_array("sections");
	for (size_t i = 0; i < view->settings.site.nsections; i++) {
		const struct sp_site_section *section = &view->settings.site.section[i];

		json_row(NULL);
		json_number("line", section->line);
		json_text("glob", section->glob);
		json_bool("matches", section->matches);
		json_end();
	}
	json_end();
}

static void
print_json(const struct view *view)
{
	static const char *const states[] = {
		[SP_SITE_ABSENT] = "absent", [SP_SITE_OFF] = "not read", [SP_SITE_REFUSED] = "refused", [SP_SITE_READ] = "read",
	};
	char why[SP_SITE_WHY];

	json_object(NULL);
	json_text("splitpin", SP_VERSION);
	json_text("program", view->program);
	json_text("file", file_of(view));
	json_text("state", view->settings.is_site_read ? states[view->settings.site.state] : "not read");
	json_text("library", view->library);
	json_bool("on", view->settings.config.on);
	json_bool("active", view->settings.config.on && view->library);
	json_text("forbidden_by", sp_site_forbids(&view->settings.site, why) ? why : NULL);
	json_text("record", view->settings.site.record);
	json_array("settings");
	for (unsigned i = 0; sp_config_setting(i); i++)
		if (view->all || view->settings.origin[i])
			put_setting(view, i);
	json_end();
	put_sections(view);
	json_array("problems");
	for (size_t i = 0; i < view->nwrong; i++) {
		json_row(NULL);
		json_text("problem", view->wrong[i]);
		json_end();
	}
	json_end();
	json_end();
}

static void
release(struct view *view)
{
	for (size_t i = 0; i < view->nwrong; i++)
		free(view->wrong[i]);
	free(view->wrong);
	free(view->program);
	free(view->library);
	sp_settings_release(&view->settings);
}

/* Ranks report the file's faults in one sentence; this lists all. */
static void
read_settings(struct view *view)
{
	struct sp_config again;

	if (view->candidate) {
		sp_site_read_candidate(&view->settings.site, view->candidate, view->program);
		view->settings.is_site_read = true;
		sp_settings_combine(&view->settings, NULL, NULL, NULL);
	} else {
		sp_settings_read(&view->settings, environ, view->program, NULL, NULL);
		sp_config_read_over(&again, view->settings.site.entries, environ, blame, view, NULL);
		view->library = cmd_loaded_library();
	}
	sp_site_complain(&view->settings.site, blame, view);
	if (!view->candidate)
		check_rank(view);
}

int
cmd_config(int argc, char *argv[])
{
	struct view view = { .all = false };
	int status = read_options(argc, argv, &view);

	if (status < 0) {
		status = cmd_print_help(&config_usage);
	} else if (status == 0) {
		read_settings(&view);
		(view.as_json ? print_json : print_text)(&view);
		status = cmd_close_output();
		if (status == 0 && view.nwrong)
			status = EXIT_FAILURE;
	}
	release(&view);
	return status;
}
