/* The settings as text and as JSON. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/cmd.h"
#include "cmd/config/result.h"
#include "cmd/json.h"
#include "cmd/terminal.h"

#define WIDEST 40		/* what is wider moves what is behind it */

static const char *
value_of(const struct config_result *result, unsigned i)
{
	const char *entry = result->settings.origin[i];

	return entry ? strchr(entry, '=') + 1 : sp_config_setting(i)->initial;
}

/* The caller's. */
static char *
origin_of(const struct config_result *result, unsigned i)
{
	const struct sp_site_setting *setting = sp_settings_line(&result->settings, i);
	char text[SP_SITE_ORIGIN];

	if (!result->settings.origin[i])
		return cmd_format("default");
	if (!setting)
		return cmd_format("environment");
	return cmd_format("%s", sp_site_origin(&result->settings.site, setting, "  ", text));
}

static int
wider(int width, const char *text)
{
	int length = (int)strlen(text);

	return length > width && length <= WIDEST ? length : width;
}

static void
print_settings(const struct config_result *result)
{
	char name[SP_SITE_NAME], quoted[SP_QUOTED];
	const struct sp_setting *row;
	int names = (int)strlen("setting"), values = (int)strlen("value"), shown = 0;

	for (unsigned i = 0; (row = sp_config_setting(i)); i++) {
		if (!result->all && !result->settings.origin[i])
			continue;
		names = wider(names, sp_site_name(row, name));
		values = wider(values, value_of(result, i));
		shown++;
	}
	if (shown)
		printf("\n%-*s  %-*s  %s\n", names, "setting", values, "value", "from");
	for (unsigned i = 0; (row = sp_config_setting(i)); i++) {
		if (!result->all && !result->settings.origin[i])
			continue;
		const char *value = value_of(result, i);
		char *origin = origin_of(result, i);

		terminal_print(0, (size_t)(names + 2), "%-*s  %-*s  %s", names, sp_site_name(row, name), values,
			       sp_config_quote(value, strlen(value), quoted), origin);
		free(origin);
	}
	if (!result->all)
		printf("\nAll %ssettings have their defaults; --all shows them.\n", shown ? "other " : "");
}

static void
print_program(const struct config_result *result)
{
	if (!result->program)
		terminal_print(0, 10, "program   none given: use --for PROGRAM to apply sections and leave_alone");
	else
		terminal_print(0, 10, "program   %s%s", result->program, result->is_launcher ? " (a launcher: name the program that it starts)" :
			       result->is_script ? " (a script: in a run its interpreter's path counts)" : "");
}

static const char *
file_of(const struct config_result *result)
{
	return result->candidate ? result->candidate : sp_site_file();
}

static void
print_file(const struct config_result *result)
{
	static const char *const states[] = {
		[SP_SITE_ABSENT] = " (not there)", [SP_SITE_OFF] = " (not read)", [SP_SITE_REFUSED] = " (refused, see below)", [SP_SITE_READ] = "",
	};
	static const char *const answers[] = {
		[SP_NO] = "does not match", [SP_YES] = "matches", [SP_NOT_KNOWN] = "not known here, does not apply",
	};
	int width = 0;

	terminal_print(0, 10, "file      %s%s", file_of(result), result->settings.is_site_read ? states[result->settings.site.state] :
	       " (not read, since SPLITPIN is off in the environment)");
	for (size_t i = 0; i < result->settings.site.nsections; i++)
		width = wider(width, result->settings.site.section[i].text);
	for (size_t i = 0; i < result->settings.site.nsections; i++) {
		const struct sp_site_section *section = &result->settings.site.section[i];

		printf("          line %-4u [%s]%*s  %s\n", section->line, section->text,
		       width > (int)strlen(section->text) ? width - (int)strlen(section->text) : 0, "", answers[section->matches]);
	}
}

static void
print_record(const struct config_result *result)
{
	const struct sp_site *site = &result->settings.site;

	if (result->settings.config.on && site->record)
		printf("record    %s (line %u): lines for each job, for the staff of this site\n", site->record, site->record_line);
}

/* The first row of the table is SPLITPIN itself. */
static void
print_on(const struct config_result *result)
{
	char why[SP_SITE_WHY], *origin = origin_of(result, 0);

	if (sp_site_forbids(&result->settings.site, why))
		terminal_print(0, 10, "splitpin  is off, whatever the environment says: %s", why);
	else if (result->settings.config.observe)
		terminal_print(0, 10, "splitpin  observes, and pins nothing: %s", origin);
	else if (!result->settings.config.on)
		terminal_print(0, 10, "splitpin  %s: %s", result->program ? "leaves this program alone" : "is off", origin);
	else
		puts(result->candidate ? "splitpin  is on by this file" :
		     result->library && result->is_launcher ? "splitpin  active: in the ranks that it starts" :
		     result->library ? "splitpin  active: in ranks" :
		     "splitpin  is on, but not loaded here: see splitpin check");
	free(origin);
}

void
config_print_text(const struct config_result *result)
{
	print_program(result);
	print_file(result);
	print_on(result);
	print_record(result);
	print_settings(result);
	if (result->nwrong)
		puts("\nproblems");
	for (size_t i = 0; i < result->nwrong; i++)
		terminal_print(0, 4, "  %s", result->wrong[i]);
}

static void
put_setting(const struct config_result *result, unsigned i)
{
	static const char *const off_by[] = {
		[SP_SITE_SET] = NULL, [SP_SITE_NEVER] = "never", [SP_SITE_LEAVE_ALONE] = "leave_alone", [SP_SITE_PERCENT] = "percent",
		[SP_SITE_EXCLUSIVE] = "exclusive_only",
	};
	const struct sp_setting *row = sp_config_setting(i);
	const struct sp_site_setting *setting = sp_settings_line(&result->settings, i);
	const char *section = setting ? setting->section : NULL;
	bool leaves_alone = setting && setting->by == SP_SITE_LEAVE_ALONE;

	json_row(NULL);
	json_text("name", row->name);
	json_text("value", value_of(result, i));
	json_text("default", row->initial);
	json_text("from", !result->settings.origin[i] ? "default" : setting ? "file" : "environment");
	if (setting)
		json_number("line", setting->line);
	else
		json_null("line");
	json_text("off_by", setting ? off_by[setting->by] : NULL);
	json_text("section", !leaves_alone ? section : NULL);
	json_text("leave_alone", leaves_alone ? section : NULL);
	json_end();
}

static void
put_sections(const struct config_result *result)
{
	json_array("sections");
	for (size_t i = 0; i < result->settings.site.nsections; i++) {
		const struct sp_site_section *section = &result->settings.site.section[i];

		json_row(NULL);
		json_number("line", section->line);
		json_text("section", section->text);
		json_bool("matches", section->matches == SP_YES);
		json_bool("known", section->matches != SP_NOT_KNOWN);
		json_end();
	}
	json_end();
}

void
config_print_json(const struct config_result *result)
{
	static const char *const states[] = {
		[SP_SITE_ABSENT] = "absent", [SP_SITE_OFF] = "not read", [SP_SITE_REFUSED] = "refused", [SP_SITE_READ] = "read",
	};
	char why[SP_SITE_WHY];

	json_object(NULL);
	json_text("splitpin", SP_VERSION);
	json_text("program", result->program);
	json_text("file", file_of(result));
	json_text("state", result->settings.is_site_read ? states[result->settings.site.state] : "not read");
	json_text("library", result->library);
	json_bool("on", result->settings.config.on);
	json_bool("active", result->settings.config.on && result->library);
	json_text("forbidden_by", sp_site_forbids(&result->settings.site, why) ? why : NULL);
	json_text("record", result->settings.site.record);
	json_array("settings");
	for (unsigned i = 0; sp_config_setting(i); i++)
		if (result->all || result->settings.origin[i])
			put_setting(result, i);
	json_end();
	put_sections(result);
	json_array("problems");
	for (size_t i = 0; i < result->nwrong; i++) {
		json_row(NULL);
		json_text("problem", result->wrong[i]);
		json_end();
	}
	json_end();
	json_end();
}
