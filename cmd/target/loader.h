/*
 * What the dynamic loader would load with a program.
 */
#ifndef LOADER_H
#define LOADER_H

#include <stdbool.h>
#include <stddef.h>

/* An object that the loader loads with a program. */
struct loader_object {
	char *name;
	char *path;		/* NULL: not found */
};

/*
 * The objects of a program and of what LD_PRELOAD names, in the loader's order.
 * The loader is asked for a list; nothing of the program is run.  The array and
 * its texts are the caller's, for loader_release.  Returns how many.
 */
size_t loader_objects(const char *program, struct loader_object **object);
void loader_release(struct loader_object *object, size_t n);

/* One line of that list ("libm.so.6 => /lib/libm.so.6 (0x7f..)"); false: another line.  Pure. */
bool loader_parse(const char *line, struct loader_object *object);

#endif
