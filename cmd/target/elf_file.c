#include "cmd/target/elf_file.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define OWN_CLASS (sizeof(void *) == 8 ? ELFCLASS64 : ELFCLASS32)

/* A part of the file, or NULL if it is out of bounds. */
static const void *
part(const struct elf_file *file, uint64_t at, uint64_t size)
{
	return at <= file->size && size <= file->size - at ? file->text + at : NULL;
}

/* The same for a text, which has to be terminated inside it. */
static const char *
text_of(const struct elf_file *file, uint64_t at, uint64_t size)
{
	const char *text = part(file, at, size);

	return text && size && text[size - 1] == '\0' ? text : NULL;
}

/* Copied, since it may be misaligned in a damaged file. */
static bool
copy(const struct elf_file *file, uint64_t at, void *structure, size_t size)
{
	const void *from = part(file, at, size);

	if (from)
		memcpy(structure, from, size);
	return from;
}

static bool
segment(const struct elf_file *file, const ElfW(Ehdr) *head, unsigned i, ElfW(Phdr) *p)
{
	return i < head->e_phnum && head->e_phentsize == sizeof(*p) &&
	       copy(file, head->e_phoff + (uint64_t)i * sizeof(*p), p, sizeof(*p));
}

/* The file offset of an address of the program; the file's size if there is none. */
static uint64_t
offset_of(const struct elf_file *file, const ElfW(Ehdr) *head, uint64_t address)
{
	ElfW(Phdr) p;

	for (unsigned i = 0; segment(file, head, i, &p); i++)
		if (p.p_type == PT_LOAD && address >= p.p_vaddr && address - p.p_vaddr < p.p_filesz)
			return address - p.p_vaddr + p.p_offset;
	return file->size;
}

static void
read_dynamic(struct elf_file *file, const ElfW(Ehdr) *head, const ElfW(Phdr) *p)
{
	ElfW(Dyn) entry = { .d_tag = DT_NULL };
	uint64_t names = 0, size = 0;

	for (uint64_t at = 0; at < p->p_filesz && copy(file, p->p_offset + at, &entry, sizeof(entry)) &&
	     entry.d_tag != DT_NULL; at += sizeof(entry)) {
		if (entry.d_tag == DT_STRTAB)
			names = entry.d_un.d_ptr;
		else if (entry.d_tag == DT_STRSZ)
			size = entry.d_un.d_val;
	}
	file->names = text_of(file, offset_of(file, head, names), size);
	file->names_size = file->names ? size : 0;
}

static void
read_segments(struct elf_file *file, const ElfW(Ehdr) *head)
{
	bool is_read = false;	/* a file with thousands of these would take hours */
	ElfW(Phdr) p;

	for (unsigned i = 0; segment(file, head, i, &p); i++) {
		if (p.p_type == PT_INTERP)
			file->interpreter = text_of(file, p.p_offset, p.p_filesz);
		if (p.p_type == PT_DYNAMIC && !is_read)
			read_dynamic(file, head, &p);
		is_read |= p.p_type == PT_DYNAMIC;
	}
}

/* The head of this command's own file, which the linker names. */
extern const ElfW(Ehdr) __ehdr_start __attribute__((visibility("hidden")));

static int
read_head(struct elf_file *file)
{
	const unsigned char *ident = part(file, 0, EI_NIDENT);

	if (!ident || memcmp(ident, ELFMAG, SELFMAG) != 0)
		return -ENOEXEC;
	file->bits = ident[EI_CLASS] == ELFCLASS64 ? 64 : 32;
	ElfW(Ehdr) head;
	file->is_native = ident[EI_CLASS] == OWN_CLASS && copy(file, 0, &head, sizeof(head)) &&
			  head.e_machine == __ehdr_start.e_machine;
	if (file->is_native)
		read_segments(file, &head);
	return 0;
}

int
elf_file_open(const char *path, struct elf_file *file)
{
	struct stat status;
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK), error = 0;

	*file = (struct elf_file){ 0 };
	if (fd < 0)
		return -errno;
	if (fstat(fd, &status) != 0)
		error = -errno;
	else if (!S_ISREG(status.st_mode) || status.st_size == 0)
		error = -ENOEXEC;
	if (!error) {
		file->size = (size_t)status.st_size;
		file->text = mmap(NULL, file->size, PROT_READ, MAP_PRIVATE, fd, 0);
		if (file->text == MAP_FAILED)
			error = -errno;
	}
	close(fd);
	if (error)
		return error;
	error = read_head(file);
	if (error)
		elf_file_release(file);
	return error;
}

void
elf_file_release(struct elf_file *file)
{
	if (file->text)
		munmap((void *)file->text, file->size);
	*file = (struct elf_file){ 0 };
}

bool
elf_file_has_name(const struct elf_file *file, const char *name)
{
	/* Linkers put a name into the end of a longer one. */
	return file->names && memmem(file->names, file->names_size, name, strlen(name) + 1);
}

static bool
section(const struct elf_file *file, const ElfW(Ehdr) *head, unsigned i, ElfW(Shdr) *s)
{
	return i < head->e_shnum && head->e_shentsize == sizeof(*s) && head->e_shoff &&
	       copy(file, head->e_shoff + (uint64_t)i * sizeof(*s), s, sizeof(*s));
}

bool
elf_file_has_section(const struct elf_file *file, const char *start)
{
	ElfW(Ehdr) head;
	ElfW(Shdr) names, s;

	if (!file->is_native || !copy(file, 0, &head, sizeof(head)) || !section(file, &head, head.e_shstrndx, &names))
		return false;
	const char *text = text_of(file, names.sh_offset, names.sh_size);

	for (unsigned i = 0; text && section(file, &head, i, &s); i++)
		if (s.sh_name < names.sh_size && strncmp(text + s.sh_name, start, strlen(start)) == 0)
			return true;
	return false;
}

char *
elf_file_after(const struct elf_file *file, const char *mark)
{
	const char *found = memmem(file->text, file->size, mark, strlen(mark));

	if (!found)
		return NULL;
	found += strlen(mark);
	return strndup(found, strnlen(found, (size_t)(file->text + file->size - found)));
}
