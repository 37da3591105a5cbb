/* Whether the library can be loaded, and is whole. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/text.h"
#include "cmd/check/rows.h"
#include "cmd/cmd.h"
#include "cmd/library.h"
#include "elf/open_part.h"
#include "elf/origin.h"
#include "engine.h"
#include "hardware.h"
#include "memory.h"

#define NAME "libsplitpin.so"
#define PRELOAD_FILE_SIZE 4096

static const struct {
	const char *file, *symbol;
	bool is_vital;		/* without it no rank is placed */
} parts[] = {
	{ "libsplitpin-engine.so", SP_ENGINE_SYMBOL, true },
	{ "libsplitpin-hardware.so", SP_HARDWARE_SYMBOL, true },
	{ "libsplitpin-numa.so", SP_NUMA_SYMBOL, false },
};

#define NPARTS (sizeof(parts) / sizeof(parts[0]))

/*
 * The file that an entry of LD_PRELOAD names, or NULL.  Where it holds no path
 * ("libsplitpin.so"), or one with "$LIB", the loader has looked for it when
 * this command was started.
 */
static char *
resolve(const char *entry)
{
	return strchr(entry, '/') && !strchr(entry, '$') ? realpath(entry, NULL) : cmd_loaded_library();
}

static void
each_preloaded(bool (*visit)(const char *entry, void *data), void *data)
{
	cmd_each_named_library(check_variable("LD_PRELOAD"), visit, data);
}

static bool
keep_first(const char *entry, void *data)
{
	char **found = data;

	*found = resolve(entry);
	return *found != NULL;
}

char *
check_find_library(void)
{
	char *found = NULL;

	each_preloaded(keep_first, &found);
	if (!found)
		found = cmd_loaded_library();
	return found ? found : cmd_find_library();
}

char *
check_preload_file(bool *is_there)
{
	char text[PRELOAD_FILE_SIZE] = "";
	FILE *file = fopen(PRELOAD_FILE, "re");
	size_t length = file ? fread(text, 1, sizeof(text) - 1, file) : 0;
	char *found = length ? cmd_named_library(text) : NULL;

	if (file)
		fclose(file);
	*is_there = found && (found[0] != '/' || strchr(found, '$') || access(found, R_OK) == 0);
	return found;
}

static void
look_for_library(struct check *check)
{
	if (!check->library)
		check_found(check, NAME " is neither in LD_PRELOAD nor where this command looks for it");
}

static bool
tell_missing(const char *entry, void *data)
{
	char *path = resolve(entry);

	if (!path)
		check_found(data, "LD_PRELOAD names %s, which does not exist%s", entry,
			    strpbrk(entry, "\"'") ? ": the quotes count as part of the name" : "");
	free(path);
	return false;
}

static void
look_for_missing(struct check *check)
{
	each_preloaded(tell_missing, check);
}

static void
look_at_file(struct check *check)
{
	bool is_there;
	char *named = check_preload_file(&is_there);

	if (named && !is_there)
		check_found(check, PRELOAD_FILE " names %s, which does not exist", named);
	free(named);
}

static void
compare_version(struct check *check, const char *path)
{
	char *version = cmd_library_version(path);

	if (!version)
		check_found(check, "%s has no version; this command has version " SP_VERSION, path);
	else if (strcmp(version, SP_VERSION) != 0)
		check_found(check, "%s has version %s, this command " SP_VERSION, path, version);
	free(version);
}

static void
look_for_versions(struct check *check)
{
	struct elf_file file;

	if (!check->library || elf_file_open(check->library, &file) != 0)
		return;
	if (file.is_native)
		compare_version(check, check->library);
	elf_file_release(&file);
	for (size_t i = 0; i < NPARTS; i++) {
		char *path = cmd_library_part(check->library, parts[i].file);

		if (access(path, F_OK) == 0)
			compare_version(check, path);
		free(path);
	}
}

static bool
is_part_there(const struct check *check, size_t part)
{
	char *path = cmd_library_part(check->library, parts[part].file);
	bool is = access(path, R_OK) == 0;

	free(path);
	return is;
}

static void
look_for_parts(struct check *check)
{
	for (size_t i = 0; check->library && i < NPARTS; i++)
		if (!is_part_there(check, i))
			check_found(check, "%s is neither beside %s nor in the subfolder " SP_PARTS_FOLDER " there",
				    parts[i].file, check->library);
}

/* Only parts of this version are loaded, since loading runs their code. */
static void
look_whether_they_load(struct check *check)
{
	for (size_t i = 0; check->library && i < NPARTS; i++) {
		char *path = cmd_library_part(check->library, parts[i].file), *version = cmd_library_version(path);
		const char *problem = NULL;

		if (version && strcmp(version, SP_VERSION) == 0 && !sp_library_open(path, parts[i].symbol, &problem)) {
			check_found(check, "%s cannot be loaded: %s", parts[i].file, problem);
			check->is_unloadable |= parts[i].is_vital;
		}
		free(version);
		free(path);
	}
}

char *
check_broken(const struct check *check)
{
	for (size_t i = 0; check->library && i < NPARTS; i++)
		if (parts[i].is_vital && !is_part_there(check, i))
			return cmd_format("%s is missing, see below", parts[i].file);
	return check->is_unloadable ? cmd_format("part of the library cannot be loaded, see below") : NULL;
}

/* Reported only if no finding above explains it, and of no command: in its ranks it is measured. */
static void
look_whether_loaded(struct check *check)
{
	if (!check->target.word && !check->result.answer.is_loaded && !check_has_found(check, check_preload_rows))
		check_found(check, "libsplitpin.so is not loaded here: %s", check->result.answer.why);
}

const struct check_row check_preload_rows[] = {
	{ "library-missing", "there is no libsplitpin.so",
	  "install splitpin, or set LD_PRELOAD to the full path of libsplitpin.so", look_for_library },
	{ "preload-missing", "LD_PRELOAD names a libsplitpin.so that does not exist",
	  "set LD_PRELOAD to the full path of libsplitpin.so on this node; the loader continues without the library", look_for_missing },
	{ "preload-file", PRELOAD_FILE " names a libsplitpin.so that does not exist",
	  "correct or remove the line as root: the loader complains in every process and continues without the library", look_at_file },
	{ "version", "the library, its parts and this command have different versions",
	  "install the libsplitpin*.so files and the splitpin command of the same version", look_for_versions },
	{ "part-missing", "a part of the library is missing",
	  "reinstall splitpin, or put all libsplitpin*.so files into one world-readable folder", look_for_parts },
	{ "part-unloadable", "part of the library cannot be loaded",
	  "install hwloc on this node, and libnuma, which SPLITPIN_MEMORY needs", look_whether_they_load },
	{ "not-loaded", "libsplitpin.so is not loaded here",
	  "load the site's module, set LD_PRELOAD to the full path of libsplitpin.so, or put \"splitpin run --\" in front of the command",
	  look_whether_loaded },
	{ .id = NULL }
};
