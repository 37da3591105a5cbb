/* Programs and libraries that "splitpin check" looks at. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "cmd/target/elf_file.h"
#include "fuzz.h"

static void
must_end_inside(const struct elf_file *file, const char *text)
{
	must(!text || (text >= file->text && memchr(text, '\0', (size_t)(file->text + file->size - text))));
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static int fd = -1;
	static char path[64];
	struct elf_file file;
	int error;

	if (fd < 0) {
		fd = memfd_create("elf", 0);
		snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	}
	if (fd < 0 || ftruncate(fd, 0) || pwrite(fd, data, size, 0) != (ssize_t)size)
		abort();
	error = elf_file_open(path, &file);
	must(error <= 0);
	if (error)
		return 0;
	must(file.size == size && memcmp(file.text, data, size) == 0);
	if (file.is_native) {
		char *after = elf_file_after(&file, "libsplitpin ");

		must_end_inside(&file, file.interpreter);
		must(!file.names_size || file.names[file.names_size - 1] == '\0');
		elf_file_has_name(&file, "MPI_Init");
		elf_file_has_name(&file, "");
		free(after);
	}
	elf_file_release(&file);
	return 0;
}
