/*
 * What the checks look at, and what they have found.
 */
#ifndef CHECK_FINDINGS_H
#define CHECK_FINDINGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>

#include "cpus.h"
#include "cmd/check/launch.h"
#include "cmd/target/target.h"
#include "launcher/launcher.h"
#include "settings/settings.h"

/* What check --help says of exit statuses. */
#define CHECK_NOT_MEASURED 3

struct check;

/* Calls check_found() for each problem. */
typedef void check_look(struct check *check);

struct check_row {
	const char *id;
	const char *what;	/* the problem in general, for --help */
	const char *remedy;	/* NULL: the sentence that was found has it */
	check_look *look;
};

enum check_acts {
	CHECK_UNKNOWN,		/* it was not measured */
	CHECK_NO,		/* not in all of its ranks */
	CHECK_PERHAPS,		/* if the program loads MPI or OpenMP, which shows only when it runs */
	CHECK_ACTS,
};

/* Is it on?  The texts are its own. */
struct check_answer {
	enum check_acts acts;
	bool is_loaded;		/* here; of a command that was started: in all ranks */
	char *library, *version, *by;	/* NULL: there is none; what has loaded it, where it was looked at here */
	char *why;		/* where it is active, or why it is not or why that is not known: the end of a sentence */
};

/* What is printed.  Owns its texts but those of the program. */
struct check_result {
	struct check_answer answer;
	struct measured measured;
	struct check_finding {
		const struct check_row *row;
		char *problem;
		bool is_note;	/* nothing has to be done about it: no problem */
	} *finding;
	size_t nfindings;
	size_t looked;		/* rows */
	char *about_program, *about_gpus;	/* a clause each; NULL: there is no program, or no GPU */
	const struct target *target;	/* all zero: no command was given */
};

struct check {
	/* Found out before the first look. */
	struct sp_cpus mask, allowed;
	struct sp_rank rank;	/* of this process */
	int rank_error;		/* of sp_launcher_rank; 0: it is one */
	char *const *environment;	/* of this process, with the job's GPUs as launcher/pbs.h has them */
	struct target_job job;	/* what a launcher's line says of the job */
	struct sp_settings settings;	/* as they hold for the program, or for every program */
	char *library;		/* the libsplitpin.so that is loaded, or would be by "splitpin run"; NULL: none */
	char *const *command;	/* NULL: none was given */
	struct target target;	/* the command; all zero: none was given */
	char *not_started;	/* why its launcher was not started; NULL: it was, or there is none */

	const struct check_row *row;	/* whose turn it is */
	bool is_unloadable;	/* a part without which no rank is placed */
	struct check_result result;
};

/* One sentence without a full stop, each once; and one on what needs nothing to be done. */
void check_found(struct check *check, const char *format, ...) __attribute__((format(printf, 2, 3)));
void check_noted(struct check *check, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Whether anything of these rows has been found. */
bool check_has_found(const struct check *check, const struct check_row *rows);

/* How many problems have been found; the other findings are notes. */
size_t check_problems(const struct check_result *result);

void check_release_answer(struct check_answer *answer);
void check_release_result(struct check_result *result);

/* The value of a variable of the environment; NULL where it is not set or empty. */
static inline const char *
check_variable(const char *name)
{
	const char *value = getenv(name);

	return value && *value ? value : NULL;
}

#endif
