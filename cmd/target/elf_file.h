/*
 * An ELF file on disk, as far as it decides whether and how a preloaded
 * library works in it.  Nothing in the file is trusted.
 */
#ifndef ELF_FILE_H
#define ELF_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct elf_file {
	bool is_native;		/* of this command's word size and processor; else the rest is not filled in */
	uint32_t bits;		/* 32 or 64 */
	const char *interpreter;	/* the dynamic loader that starts it, or NULL */
	const char *names;	/* the names of all dynamic symbols and libraries, each ending in '\0' */
	size_t names_size;
	const char *text;	/* the whole file */
	size_t size;
};

/* 0; a negative errno; -ENOEXEC: no ELF file.  elf_file_release is for success alone. */
int elf_file_open(const char *path, struct elf_file *file);
void elf_file_release(struct elf_file *file);

/* Whether it exports or uses a symbol of this name. */
bool elf_file_has_name(const struct elf_file *file, const char *name);

/* Whether it has a section whose name begins so; a stripped file keeps those that are loaded. */
bool elf_file_has_section(const struct elf_file *file, const char *start);

/* What follows a mark somewhere in the file, up to '\0', or NULL; the caller's, to free(). */
char *elf_file_after(const struct elf_file *file, const char *mark);

#endif
