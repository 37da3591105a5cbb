/*
 * The user's settings: the variables SPLITPIN_*, by one table.  The site's file
 * (site.h) may have the same settings, below them.
 *
 * The table is also the source of "splitpin help" and is compared with
 * splitpin(7) by a test.
 */
#ifndef SP_CONFIG_H
#define SP_CONFIG_H

#include <stdbool.h>
#include <stdint.h>

#include "cut/cut.h"
#include "memory.h"
#include "slots/slots.h"

enum sp_inherited {
	SP_INHERITED_AUTO,	/* a binding that was not asked for is kept unless it starves the rank */
	SP_INHERITED_KEEP,	/* a mask narrower than the allowed set is kept */
	SP_INHERITED_IGNORE,	/* the allowed set is divided again, whatever the mask is */
};

enum sp_neighbours {
	SP_NEIGHBOURS_AVOID,	/* cores that another job of the user has are not taken, as long as there are others */
	SP_NEIGHBOURS_IGNORE,
};

enum sp_guard_mode {
	SP_GUARD_AUTO,		/* SP_GUARD_WARN where decisions are logged, else SP_GUARD_OFF */
	SP_GUARD_OFF,
	SP_GUARD_WARN,		/* masks that others have changed are reported when the rank ends */
	SP_GUARD_KEEP,		/* and restored before */
};

enum sp_pin_by {
	SP_PIN_AUTO,		/* by OMPT, and natively where another tool has that */
	SP_PIN_OMPT,
	SP_PIN_NATIVE,		/* the runtime binds its threads to places that it is given */
};

enum sp_visible {
	SP_VISIBLE_OFF,
	SP_VISIBLE_SET,		/* each rank sees its own GPUs alone */
};

enum sp_answer {
	SP_ANSWER_SHARE,	/* outside parallel regions a pinned thread reads the share as its mask */
	SP_ANSWER_PIN,		/* it reads its own mask */
};

struct sp_config {
	bool on;		/* SPLITPIN */
	bool observe;		/* SPLITPIN=observe: a dry run that prints nothing unasked, for the site's record */
	bool debug;		/* SPLITPIN_DEBUG */
	bool report;		/* SPLITPIN_REPORT; unless that or SPLITPIN_DEBUG is set: whether there is a log */
	bool memory_check;	/* SPLITPIN_REPORT=memory */
	const char *log;	/* SPLITPIN_LOG, a pattern of base/pattern.h; NULL: standard error; points into the environment or the site's entries */
	bool dry_run;		/* SPLITPIN_DRYRUN: decide and log, change nothing */
	const char *topology;	/* the same: a machine for the dry run, as sp_topology_read takes it; NULL is this one; points into the environment */
	uint32_t wait_ms;	/* SPLITPIN_WAIT: for the other ranks of the node, at most */
	enum sp_inherited inherited;	/* SPLITPIN_INHERITED */
	enum sp_neighbours neighbours;	/* SPLITPIN_NEIGHBOURS */
	enum sp_bind bind;	/* SPLITPIN_BIND */
	enum sp_granularity granularity;	/* the same */
	enum sp_pin_by pin;	/* SPLITPIN_PIN: of libomp and libiomp5 */
	enum sp_answer answer;	/* SPLITPIN_ANSWER */
	enum sp_guard_mode guard;	/* SPLITPIN_GUARD */
	enum sp_visible visible;	/* SPLITPIN_DEVICES=gpu:own */
	enum sp_memory memory;	/* SPLITPIN_MEMORY */
	bool memory_move;	/* the same */
	struct sp_policy policy;	/* SPLITPIN_DOMAIN (lists point into the environment or the site's file), _DISTRIBUTION, _KINDS, _DEVICES, _SMT, _CORES, _RESERVE */
};

/* A row of the table as others may see it. */
struct sp_setting {
	const char *name;	/* the variable's whole name: "SPLITPIN_SMT" */
	const char *values;	/* what is right: "all, or a number from 1" */
	const char *initial;	/* value while the variable is not set */
	const char *help;	/* one sentence, no full stop at the end */
};

#define SP_SETTINGS_MAX 64	/* no table is longer */

/* Row number i, or NULL past the end. */
const struct sp_setting *sp_config_setting(unsigned i);

/*
 * The variable of a setting, however a person writes its name: "smt",
 * "local-rank" and "SPLITPIN_SMT" are SPLITPIN_SMT and so on, "splitpin" is
 * SPLITPIN itself.  Written to `variable` like snprintf's text, whose return
 * value this is; no setting need be of that name.
 */
size_t sp_config_name(const char *name, size_t length, char *variable, size_t size);

/* The setting of a variable, or NULL; the one that a person may have meant, in small letters or with SPLIT_PIN too, or NULL. */
const struct sp_setting *sp_config_find(const char *variable);
const struct sp_setting *sp_config_nearest(const char *name, size_t length);

/*
 * Whether a name, as a person may have written it, is near to that of a setting:
 * at most one letter of three differs; or every other, where the prefix and the
 * first letter are right.  *far: how many.
 */
bool sp_config_is_near(const char *name, size_t length, const char *setting, unsigned *far);

/*
 * What a setting takes in place of a value that is wrong for it, as an empty
 * one is: its values, or the limit that a CPU list exceeds.  NULL: it is right.
 */
const char *sp_config_expects(const struct sp_setting *setting, const char *value);

/* A text as messages quote it: one line, cut where it is long.  Returns quoted. */
#define SP_QUOTED 96
const char *sp_config_quote(const char *text, size_t length, char quoted[SP_QUOTED]);

/* The name of a memory policy as the user writes it: "interleave:all". */
const char *sp_config_memory_name(enum sp_memory memory);

/* Whether a rank's policy, by its name, is what the settings ask for, and not what was there before. */
bool sp_config_memory_is_as_asked(const struct sp_config *config, const char *name);

/* Whether cores of other jobs are left to them: not where the user shares the node, or plans for another machine. */
bool sp_config_avoids_others(const struct sp_config *config);

/* Parse yes or no in any of its words; false, and *is_on is untouched: it is none. */
bool sp_config_is_truth(const char *text, bool *is_on);

/* Called with each fault, as a whole sentence without a full stop; data is the caller's own. */
typedef void sp_complain(void *data, const char *sentence);

/* Whether the environment leaves splitpin on, which decides whether anything else is read. */
bool sp_config_is_on(char *const environment[]);

/*
 * Read the environment ("NAME=value", NULL-terminated, as environ is) into
 * config.  Whatever is wrong (a value, an unknown name that begins with
 * SPLITPIN_, or nearly so and comes near to a setting) leaves its setting at the initial value and is passed to complain
 * with data, one call a fault; the sentence names the variable, the value and
 * what would be right (for an unknown name the nearest known one).  complain
 * may be NULL.  Never fails.
 */
void sp_config_read(struct sp_config *config, char *const environment[],
		    sp_complain *complain, void *data);

/*
 * The same with the settings of a site, entries of the same form, below the
 * environment: a setting that is not in the environment, or wrong there, has
 * the site's value.  site may be NULL.
 *
 * origin: NULL, or room for one pointer a setting, in the table's order: the
 * entry of either array that holds, or NULL where the initial value does.
 */
void sp_config_read_over(struct sp_config *config, char *const site[], char *const environment[],
			 sp_complain *complain, void *data, const char *origin[SP_SETTINGS_MAX]);

#endif
