/*
 * Of whom a message is: a rank of the node, or all of the node's alike.  Every
 * line begins with the host, and the rank if it is one's own, so that the
 * output of a large job can be searched; those of a dry run with "dry run:".
 */
#ifndef SP_WHO_H
#define SP_WHO_H

#include <stdbool.h>
#include <stdint.h>

struct sp_who {
	char host[65];
	uint32_t local_rank, local_size;
	bool dry_run;		/* nothing is done of what its lines report */
};

/* Fill in the host's name. */
void sp_who_init(struct sp_who *who, uint32_t local_rank, uint32_t local_size);

/* "host=HOST rank=R/N " and the text, as sp_log and sp_warn write it. */
void sp_log_rank(const struct sp_who *who, const char *format, ...) __attribute__((format(printf, 2, 3)));
void sp_warn_rank(const struct sp_who *who, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* "host=HOST " and the text. */
void sp_log_node(const struct sp_who *who, const char *format, ...) __attribute__((format(printf, 2, 3)));
void sp_warn_node(const struct sp_who *who, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
