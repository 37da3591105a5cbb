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

/*
 * Open the shared object at this path and return the address of the symbol that
 * it exports under this name.  The object stays open.  Returns NULL on failure;
 * only then *problem is set, to a text that is valid until the next call of
 * dlopen, dlsym or dlerror.
 *
 * dlopen is looked up in the loaded objects; before glibc 2.34 it is in libdl,
 * which is loaded if the program has not done so.  Takes the loader's lock and
 * changes what dlerror() returns.
 */
const void *sp_library_open(const char *path, const char *name, const char **problem);

#endif
