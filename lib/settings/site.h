/*
 * A site's settings for all its users: the file splitpin.conf, below the
 * environment.  Its form is in splitpin.conf(5).
 *
 * It fails safe: where the file cannot be trusted or read as a whole, or a line
 * of it is wrong, splitpin is off, since nobody can say what the line was to
 * keep from happening.
 *
 * The file is read in ranks and by the command alone, never in a process that
 * is not a rank.
 */
#ifndef SP_SITE_H
#define SP_SITE_H

#include <stdbool.h>
#include <stddef.h>

#include "settings/config.h"
#include "settings/subject.h"

/* So many faults are kept as sentences, the others are counted. */
#define SP_SITE_FAULTS 16

struct sp_site_section {
	const char *text;	/* what stands in its brackets */
	unsigned line;		/* in the file, from 1 */
	enum sp_answers matches;
};

/* The line by which a setting holds.  All but SP_SITE_SET are SPLITPIN=off. */
enum sp_site_line {
	SP_SITE_SET,
	SP_SITE_NEVER,		/* which the environment cannot change */
	SP_SITE_LEAVE_ALONE,
	SP_SITE_PERCENT,	/* the job is not among these, or not known */
	SP_SITE_EXCLUSIVE,	/* other jobs may be on the node */
};

/* A setting that holds for the subject, unless the environment has another value. */
struct sp_site_setting {
	char *entry;		/* "SPLITPIN_SMT=1" */
	unsigned line;
	const char *section;	/* its section, or the glob of leave_alone; NULL: for everybody */
	enum sp_site_line by;
	bool is_not_known;	/* SP_SITE_PERCENT, SP_SITE_EXCLUSIVE: what would decide it is not known here */
};

/* percent, or exclusive_only, as the last line that holds has it. */
struct sp_site_limit {
	unsigned line;		/* 0: there is none */
	const char *section;
	uint32_t value;
};

enum sp_site_state {
	SP_SITE_ABSENT,
	SP_SITE_OFF,		/* SYSCONFDIR/splitpin.off is there, so that the file is not read */
	SP_SITE_REFUSED,	/* it is there, but cannot be trusted or read: see the fault */
	SP_SITE_READ,
};

/* Owns all that it points to; all zero is one without settings. */
struct sp_site {
	enum sp_site_state state;
	const char *file;	/* its name, the caller's; NULL: all zero */
	struct sp_site_setting *setting;	/* one for each variable at most, in the file's order */
	size_t nsettings;
	char **entries;		/* the same, NULL-terminated, as sp_config_read_over takes them; NULL: none */
	const char *record;	/* where the record of each job goes: "syslog", or a path (base/pattern.h); NULL: nowhere */
	unsigned record_line;
	struct sp_site_limit percent, exclusive_only;
	struct sp_site_section *section;	/* all of the file */
	size_t nsections;
	char *fault[SP_SITE_FAULTS];	/* whole sentences that begin with FILE:LINE or FILE */
	size_t nkept;		/* of these */
	size_t nfaults;		/* all, which may be more */
	char *text;		/* what sections and record point into */
};

/*
 * Find in the text of a file what holds for a subject.
 *
 *   file     its name, for the sentences
 *   text     length bytes, which need not end in a line feed
 *   subject  read here alone; with no program: one that no glob matches
 *
 * Pure, but for the CPUs of the node (sp_subject_has_node).  A wrong line becomes
 * a fault, and the settings are those of the other lines; the lines below a
 * wrong section hold for nobody, as those of a section of which nobody knows
 * whether it matches.  Text with a zero byte is refused as a whole.  A line for
 * which memory is short is lost, and counts as a fault.
 */
void sp_site_parse(struct sp_site *site, const char *file, const char *text, size_t length,
		   const struct sp_subject *subject);

/* Count nothing of a file, by a fault "FILE: WHY". */
void sp_site_refuse(struct sp_site *site, const char *file, const char *why);

/*
 * As a program's path: that of the calling process (sp_site_program), which is
 * looked up where there is a file; most nodes have none, and the look-up takes a
 * rank 20 us.
 */
extern const char sp_site_self[];

/*
 * Read and parse SYSCONFDIR/splitpin.conf.  A missing file is not a fault; a file
 * that others than root could have written, or that cannot be read, is refused,
 * with a fault.  environment, program: as for sp_subject_read, or sp_site_self.
 */
void sp_site_read(struct sp_site *site, char *const environment[], const char *program);

/* The same of another file, before it is put in that place: whoever owns it, it is refused only where it cannot be read, or is not there. */
void sp_site_read_candidate(struct sp_site *site, const char *name, char *const environment[], const char *program);

/*
 * Whether splitpin is off whatever the environment says: by splitpin.off, a
 * fault, or splitpin = never.  why: what does it, to stand behind "off by".
 */
#define SP_SITE_WHY 320
bool sp_site_forbids(const struct sp_site *site, char why[SP_SITE_WHY]);

/*
 * Pass the faults to complain, and the number of those that were counted alone
 * as one sentence more.
 */
void sp_site_complain(const struct sp_site *site, sp_complain *complain, void *data);

/*
 * The faults as one sentence, for a job: the only one, or the first and the
 * number of others, which splitpin config lists; and that splitpin is off.
 */
void sp_site_summarise(const struct sp_site *site, sp_complain *complain, void *data);

/* The whole paths of splitpin.conf and splitpin.off, as they were fixed when splitpin was built. */
const char *sp_site_file(void);
const char *sp_site_off_file(void);

/* The executable of this process, as sections are compared with it; NULL where /proc cannot be read. */
const char *sp_site_program(char *path, size_t size);

/* The name of a setting in the file: "local_rank".  Returns name. */
#define SP_SITE_NAME 32
const char *sp_site_name(const struct sp_setting *setting, char name[SP_SITE_NAME]);

/*
 * Where in the file a setting comes from: "FILE:3", and behind `apart` its
 * section, or what has turned splitpin off.  Returns text.
 */
#define SP_SITE_ORIGIN 512
char *sp_site_origin(const struct sp_site *site, const struct sp_site_setting *setting, const char *apart, char text[SP_SITE_ORIGIN]);

/* The setting whose entry this is (the very pointer), or NULL; entry may be NULL. */
const struct sp_site_setting *sp_site_find(const struct sp_site *site, const char *entry);

void sp_site_release(struct sp_site *site);

#endif
