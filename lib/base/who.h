/*
 * Of whom a message is: a rank of the node, or all of the node's alike.  Every
 * line begins with the host, and the rank if it is one's own, so that the
 * output of a large job can be searched; those of a dry run with "dry run:".
 *
 * With a log file (SPLITPIN_LOG) lines go there instead of to standard error;
 * warnings go to both.  One for JSON gets an object a line: time, host, rank
 * and rank_count (if it is of one rank), job, event, and its fields, or its text
 * under the name of the event.
 */
#ifndef SP_WHO_H
#define SP_WHO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct sp_log_file;

struct sp_who {
	char host[65];
	uint32_t local_rank, local_size;
	bool dry_run;		/* what its lines report is not applied */
	bool is_silent;		/* warnings are counted, and not written */
	_Atomic uint32_t *warnings;	/* how many there were; NULL: they are not counted */
	struct sp_log_file *log;	/* NULL: standard error */
	struct {
		int fd;		/* a second descriptor of standard error's file; 0: none */
		uint64_t device, inode;
	} kept;
};

/* Fill in the host's name; no log file. */
void sp_who_init(struct sp_who *who, uint32_t local_rank, uint32_t local_size);

/*
 * The launcher has this name for the node: "box" becomes "box@n2", unless one is
 * the first part of the other (n2.site, n2-ib) or the launcher's is an address.
 */
void sp_who_add_node(struct sp_who *who, const char *node);

/*
 * For a program that may close its standard error before it ends, as GNU's
 * coreutils do: lines that are no warnings are then written to a second
 * descriptor, from 500, which programs that it executes do not get; under a lower
 * RLIMIT_NOFILE they are lost.  A forked child drops it, so that nobody waits for
 * its end.  Whoever reads a pipe there waits until the program itself ends, even
 * after it has closed its own descriptors.
 */
void sp_who_keep_stderr(struct sp_who *who);
void sp_who_drop_stderr(struct sp_who *who);

/* "host=HOST rank=R/N " and the text, as sp_log and sp_warn write it. */
void sp_log_rank(const struct sp_who *who, const char *format, ...) __attribute__((format(printf, 2, 3)));
void sp_warn_rank(const struct sp_who *who, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* "host=HOST " and the text. */
void sp_log_node(const struct sp_who *who, const char *format, ...) __attribute__((format(printf, 2, 3)));
void sp_warn_node(const struct sp_who *who, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Whether its lines are JSON: headings are then of no use. */
bool sp_who_logs_json(const struct sp_who *who);

/* A part of an event: KEY=VALUE in a line of text. */
struct sp_field {
	const char *key;
	const char *text;	/* NULL: it is the number */
	int64_t number;
	bool is_sentence;	/* has quotation marks in a line of text */
	bool is_flag;		/* yes or no in a line of text, true or false in JSON */
	bool is_absent;		/* not known: in neither */
};

/* "host=HOST rank=R/N KEY=VALUE ...". */
void sp_log_rank_event(const struct sp_who *who, const char *event, const struct sp_field field[], size_t n);

/* "host=HOST " and the text; the fields are for JSON alone, which has the text only where there are none. */
void sp_log_node_event(const struct sp_who *who, const char *event, const struct sp_field field[], size_t n,
		       const char *format, ...) __attribute__((format(printf, 5, 6)));

#endif
