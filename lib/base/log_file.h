/*
 * A file for lines that outlast the job: text, or JSON where its name ends in
 * .json or .jsonl.  In ranks and the command alone.
 *
 * It is reopened for each line, which is then written at once, at the file's
 * end: ranks and programs may write to the same file, it may be renamed
 * meanwhile, and no descriptor is left that the program could close or find in
 * the place of one of its own.  Nothing that is not a regular file is written
 * to, and a symbolic link is not followed: a fifo would keep the program
 * waiting, and in a folder for everybody a link could lead to any file.
 */
#ifndef SP_LOG_FILE_H
#define SP_LOG_FILE_H

#include <limits.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/pattern.h"

#define SP_LOG_JOB 96		/* room for the name of a job, cut where it is longer */

/* All zero: no file, lines go to standard error. */
struct sp_log_file {
	char path[PATH_MAX];	/* from the root: the program may go to another folder */
	char job[SP_LOG_JOB];
	char host[65];		/* that a warning names */
	bool as_json;
	bool is_quiet;		/* another rank of the node reports what is wrong with the file */
	bool is_alike;		/* another node, which reports it, has the same fault where they share the folder */
	_Atomic bool has_failed;	/* nothing is written to it any more */
};

/*
 * Take the name of the file; nothing is opened.  pattern: see pattern.h.
 * Returns 0; -ENAMETOOLONG, and file is none.
 */
int sp_log_file_init(struct sp_log_file *file, const char *pattern, const struct sp_pattern_values *values);

/*
 * Append a line to a file, which is made if it is not there.  Returns 0 or a
 * negative errno: -ELOOP for a symbolic link, -ENXIO where it is no regular
 * file, -ENOSPC also where a part of the line fitted.  errno is kept, and the
 * program gets no signal.
 */
int sp_log_file_append(const char *path, const char *line, size_t length);

/*
 * The same to a file for this user and root alone: made with mode 0600.
 * -ENOTUNIQ: it is another user's, has rights for others, or a second name.
 */
int sp_log_file_append_own(const char *path, const char *line, size_t length);

/* What an error of these means, as a clause. */
const char *sp_log_file_problem(int error);

/* The same to this file.  The first error is a warning on standard error, unless another rank reports it; lines after it are lost. */
void sp_log_file_write(struct sp_log_file *file, const char *line, size_t length);

#endif
