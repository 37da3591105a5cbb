#include "cmd/library.h"

#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/text.h"
#include "cmd/cmd.h"
#include "cmd/target/elf_file.h"
#include "elf/open_part.h"
#include "elf/origin.h"
#include "settings/site.h"

#define NAME "libsplitpin.so"
#define QUOTES "\"'"
#define MARK "@(#)splitpin "	/* lib/base/version.c */

#ifndef SP_LIBDIR
#define SP_LIBDIR "/usr/local/lib"
#endif

static char *
folder_of_command(void)
{
	char path[4096];

	if (!sp_site_program(path, sizeof(path)))
		return cmd_format(".");
	return cmd_format("%.*s", (int)(sp_last_part(path) - path) - 1, path);
}

/* An absolute path without links, since it has to hold in every working directory. */
static char *
try(const char *folder, const char *below)
{
	char *path = cmd_format("%s%s/" NAME, folder, below);
	char *real = access(path, R_OK) == 0 ? realpath(path, NULL) : NULL;

	free(path);
	return real;
}

static char *
find(const char *folder)
{
	static const char *const below[] = { "", "/../lib", "/../lib64" };
	char *found = NULL;

	for (size_t i = 0; !found && i < sizeof(below) / sizeof(below[0]); i++)
		found = try(folder, below[i]);
	return found ? found : try(SP_LIBDIR, "");
}

char *
cmd_find_library(void)
{
	char *folder = folder_of_command(), *path = find(folder);

	free(folder);
	return path;
}

/* Entries of LD_PRELOAD are separated by colons or blanks. */
static bool
is_listed(const char *list, const char *path)
{
	size_t length = strlen(path);

	for (const char *at = list; (at = strstr(at, path)); at += length)
		if ((at == list || strchr(": ", at[-1])) && (at[length] == '\0' || strchr(": ", at[length])))
			return true;
	return false;
}

static void
prepend(const char *path)
{
	const char *list = getenv("LD_PRELOAD");

	if (list && is_listed(list, path))
		return;

	char *longer = cmd_format("%s%s%s", path, list && *list ? ":" : "", list ? list : "");

	setenv("LD_PRELOAD", longer, 1);
	free(longer);
}

int
cmd_preload(void)
{
	char *folder = folder_of_command(), *path = find(folder);
	int status = CMD_USAGE;

	if (!path) {
		cmd_complain(NAME " is neither beside this command (%s) nor in ../lib from there, nor in " SP_LIBDIR, folder);
	} else if (strpbrk(path, ": ")) {
		cmd_complain("%s cannot be preloaded: its path must not contain a colon or a blank", path);
	} else {
		prepend(path);
		status = 0;
	}
	free(folder);
	free(path);
	return status;
}

static int
find_loaded(struct dl_phdr_info *info, size_t size, void *data)
{
	char **path = data;

	(void)size;
	if (strcmp(sp_last_part(info->dlpi_name), NAME) == 0)
		*path = cmd_format("%s", info->dlpi_name);
	return *path != NULL;
}

char *
cmd_loaded_library(void)
{
	char *path = NULL;

	dl_iterate_phdr(find_loaded, &path);
	return path;
}

/* Whether the user meant the library: to the loader quotes in the value, as in LD_PRELOAD='"PATH"', are part of the name. */
static bool
is_meant(const char *entry)
{
	const char *name = sp_last_part(entry);
	size_t length = strlen(NAME);

	name += strspn(name, QUOTES);
	return strncmp(name, NAME, length) == 0 && !name[length + strspn(name + length, QUOTES)];
}

void
cmd_each_named_library(const char *list, bool (*visit)(const char *entry, void *data), void *data)
{
	char *copy = cmd_format("%s", list ? list : ""), *rest = NULL;

	for (char *entry = strtok_r(copy, ": \t\n", &rest); entry; entry = strtok_r(NULL, ": \t\n", &rest))
		if (is_meant(entry) && visit(entry, data))
			break;
	free(copy);
}

static bool
keep_first(const char *entry, void *data)
{
	*(char **)data = cmd_format("%s", entry);
	return true;
}

char *
cmd_named_library(const char *list)
{
	char *found = NULL;

	cmd_each_named_library(list, keep_first, &found);
	return found;
}

bool
cmd_names_library(const char *list)
{
	char *named = cmd_named_library(list);
	bool is = named != NULL;

	free(named);
	return is;
}

/* As sp_origin_part finds it for the shim. */
char *
cmd_library_part(const char *library, const char *part)
{
	int folder = sp_last_part(library) - library;
	char *path = cmd_format("%.*s" SP_PARTS_FOLDER "%s", folder, library, part);

	if (access(path, F_OK) == 0)
		return path;
	free(path);
	return cmd_format("%.*s%s", folder, library, part);
}

char *
cmd_library_version(const char *path)
{
	struct elf_file file;

	if (elf_file_open(path, &file) != 0)
		return NULL;
	char *version = elf_file_after(&file, MARK);
	elf_file_release(&file);
	return version;
}

const struct sp_engine *
cmd_open_engine(const char *library, char **problem)
{
	const char *why = NULL;
	char *path = cmd_library_part(library, "libsplitpin-engine.so");
	const struct sp_engine *engine = sp_library_open(path, SP_ENGINE_SYMBOL, &why);

	*problem = NULL;
	if (!engine)
		*problem = cmd_format("libsplitpin-engine.so cannot be loaded: %s", why);
	else if (engine->version != SP_ENGINE_VERSION || engine->size != sizeof(*engine))
		*problem = cmd_format("%s is of another version than this command", path);
	free(path);
	return *problem ? NULL : engine;
}
