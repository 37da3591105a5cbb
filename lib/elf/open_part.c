#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "elf/open_part.h"
#include "elf/origin.h"

const void *
sp_part_open(struct sp_part *part, const char **problem)
{
	static char path[PATH_MAX], text[64];	/* the caller's stack may be small */

	if (part->table)
		return part->table;
	if (sp_origin_file((void *)sp_part_open, NULL, part->file, path, sizeof(path)) != 0) {
		*problem = "cannot find the folder of libsplitpin-engine.so";
		return NULL;
	}
	const void *table = sp_library_open(path, part->symbol, problem);
	if (!table)
		return NULL;
	if (memcmp(table, &part->head, sizeof(part->head)) != 0) {
		snprintf(text, sizeof(text), "%s has another version", part->file);
		*problem = text;
		return NULL;
	}
	return part->table = table;
}
