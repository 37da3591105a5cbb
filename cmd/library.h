/*
 * Finds libsplitpin.so (beside the command, in ../lib from there, or where it
 * was installed) and puts it into LD_PRELOAD.
 */
#ifndef LIBRARY_H
#define LIBRARY_H

#include <stdbool.h>

#include "engine.h"

/* The loader's own list of what it preloads into every process. */
#define PRELOAD_FILE "/etc/ld.so.preload"

/*
 * Put the library at the front of LD_PRELOAD, unless it is listed already.
 * Returns 0, or CMD_USAGE after a message: it was not found.
 */
int cmd_preload(void);

/* The absolute path of libsplitpin.so, the caller's to free(); NULL: not found. */
char *cmd_find_library(void);

/*
 * The libsplitpin.so that is loaded into this process, and so into what is
 * started from here.  Its path as the loader has it, which the caller frees;
 * NULL: it is not loaded.
 */
char *cmd_loaded_library(void);

/*
 * The entries of a text such as LD_PRELOAD (NULL: empty) that name a
 * libsplitpin.so; visited in order until visit returns true.
 */
void cmd_each_named_library(const char *list, bool (*visit)(const char *entry, void *data), void *data);

/* The first of these, as written, which the caller frees; NULL: there is none.  And whether there is one. */
char *cmd_named_library(const char *list);
bool cmd_names_library(const char *list);

/* The file of another part of splitpin, which belongs to this libsplitpin.so; it may not be there.  The caller's. */
char *cmd_library_part(const char *library, const char *part);

/* Open the engine that belongs to a libsplitpin.so; NULL: *problem, the caller's, says why. */
const struct sp_engine *cmd_open_engine(const char *library, char **problem);

/* The version of a library of splitpin, the caller's; NULL: its file has none. */
char *cmd_library_version(const char *path);

#endif
