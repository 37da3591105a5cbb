/* Opening another part of splitpin: an object that exports one table of functions. */
#ifndef SP_OPEN_PART_H
#define SP_OPEN_PART_H

#include <stdint.h>

/* The first members of each table. */
struct sp_part_head {
	uint32_t version;
	uint32_t size;		/* of the table, in bytes */
};

struct sp_part {
	const char *file;	/* beside the object that holds this code */
	const char *symbol;	/* the table's name */
	struct sp_part_head head;	/* what the table has to begin with */
	const void *table;	/* NULL before it has been opened */
};

/*
 * The table of a part; the first call opens it, and it stays open.  NULL if it
 * cannot be opened or is of another version: *problem is then a text that lives
 * until the next call.  For one thread at a time.
 */
const void *sp_part_open(struct sp_part *part, const char **problem);

#endif
