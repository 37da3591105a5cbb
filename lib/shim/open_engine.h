/* The opening of the engine, in a process that is a rank. */
#ifndef SP_OPEN_ENGINE_H
#define SP_OPEN_ENGINE_H

#include <stdbool.h>
#include <sys/utsname.h>

#include "engine.h"

/* Note the working directory, if the shim was preloaded by a relative path; to be called before the program can change it. */
void sp_engine_remember_folder(void);

/*
 * Open the engine, from the shim's own folder or from "splitpin" below it.  NULL
 * where it cannot be had or is of another version: says so if speaks().  To be
 * called by the one thread that settles.
 */
const struct sp_engine *sp_engine_open(bool (*speaks)(void));

/* The name of this node, in *node; "?" if the kernel does not give it. */
const char *sp_node_name(struct utsname *node);

#endif
