/*
 * The settings that hold for a program: those of the environment over those
 * of the site's file, but for its own "off" (sp_site_forbids).  Ranks and every subcommand read them here, so that
 * splitpin config shows what a run does.
 */
#ifndef SP_SETTINGS_H
#define SP_SETTINGS_H

#include <stdbool.h>

#include "settings/config.h"
#include "settings/site.h"

/* Points into the environment that was read, and owns the rest. */
struct sp_settings {
	struct sp_config config;
	struct sp_site site;
	bool is_site_read;	/* false: SPLITPIN=off in the environment is above all, so the file was not opened */
	const char *origin[SP_SETTINGS_MAX];	/* the entry that holds, by row of the table; NULL: the initial value does */
};

/*
 * Read them.
 *
 *   environment  as environ is; NULL is an empty one
 *   program      whole path of the executable; sp_site_self: that of this
 *                process; NULL: none in particular, so that no section of the
 *                file counts
 *   complain     called with each fault of the environment; NULL: they are
 *                ignored.  Those of the file are in settings->site.
 *
 * Never fails.  sp_settings_release releases what settings owns.
 */
void sp_settings_read(struct sp_settings *settings, char *const environment[], const char *program,
		      sp_complain *complain, void *data);

/* The same where settings->site and is_site_read are filled in already. */
void sp_settings_combine(struct sp_settings *settings, char *const environment[],
			 sp_complain *complain, void *data);

/* The line of the file that row i of the table has its value from, or NULL. */
const struct sp_site_setting *sp_settings_line(const struct sp_settings *settings, unsigned i);

/*
 * The configuration, with a copy of what it has of the site's file, so that it
 * outlives settings; the copy is never released: there is one configuration in
 * a process.  Its log is NULL: that name stays settings' own.
 */
struct sp_config sp_settings_keep(const struct sp_settings *settings);

void sp_settings_release(struct sp_settings *settings);

#endif
