/* The opening of the engine, in a process that is a rank. */
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/log.h"
#include "elf/objects.h"
#include "elf/open_part.h"
#include "elf/origin.h"
#include "shim/open_engine.h"

#define ENGINE_FILE "libsplitpin-engine.so"

static char start_folder[PATH_MAX];	/* "" unless the shim's path is relative */

const char *
sp_node_name(struct utsname *node)
{
	if (syscall(SYS_uname, node) != 0)
		strcpy(node->nodename, "?");
	return node->nodename;
}

void
sp_engine_remember_folder(void)
{
	if (!start_folder[0] && sp_origin_is_relative((void *)sp_engine_open) &&
	    !getcwd(start_folder, sizeof(start_folder)))
		start_folder[0] = '\0';
}

/* Whether the process has glibc, which the engine requires: programs of musl load the shim, too. */
static bool
is_glibc(void)
{
	return sp_objects_bound_export("gnu_get_libc_version") != NULL;
}

/* Whether MemorySanitizer is loaded: what libraries built without it write is uninitialised to it, and the first use ends the program. */
static bool
has_msan(void)
{
	return sp_objects_bound_export("__msan_init") != NULL;
}

/* format: with one %s, for what. */
#define warn_of_node(format, what) \
	do { \
		struct utsname node; \
		sp_warn("host=%s " format, sp_node_name(&node), what); \
	} while (0)

const struct sp_engine *
sp_engine_open(bool (*speaks)(void))
{
	static char path[PATH_MAX];	/* used by the one thread that settles; its stack may be small */
	const struct sp_engine *table = NULL;
	const char *problem;

	if (has_msan()) {
		problem = "this program is built with MemorySanitizer, which would end it in splitpin's code";
	} else if (!is_glibc()) {
		problem = "this program's C library is not glibc (it may be musl)";
	} else if (sp_origin_part((void *)sp_engine_open, start_folder, ENGINE_FILE, path, sizeof(path)) == 0) {
		table = sp_library_open(path, SP_ENGINE_SYMBOL, &problem);
	} else {
		problem = "cannot find the folder of libsplitpin.so";
	}
	if (!table) {
		if (*path && syscall(SYS_faccessat, AT_FDCWD, path, F_OK) != 0) {
			*strrchr(path, '/') = '\0';
			if (speaks())
				warn_of_node("libsplitpin-engine.so is neither in %s nor in the folder splitpin there; the program runs as if libsplitpin.so were absent", path);
		} else if (speaks()) {
			warn_of_node("%s; the program runs as if libsplitpin.so were absent", problem);
		}
		return NULL;
	}
	if (table->version == SP_ENGINE_VERSION && table->size == sizeof(*table))
		return table;
	if (speaks())
		warn_of_node("%s has another version than libsplitpin.so; the program runs as if it were absent", path);
	return NULL;
}
