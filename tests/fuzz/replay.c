/*
 * Runs a target once with each file of some folders, without libFuzzer: any
 * compiler can do it.
 *
 *   fuzz-TARGET FOLDER...
 *
 * The exit status is 1 where there was no file to run.
 */
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "fuzz.h"

static void
run(const char *path)
{
	struct stat status;
	int fd = open(path, O_RDONLY);
	uint8_t *data;

	if (fd < 0 || fstat(fd, &status) < 0)
		abort();
	data = malloc((size_t)status.st_size + 1);
	if (!data || read(fd, data, (size_t)status.st_size) != status.st_size)
		abort();
	close(fd);
	/* For who has to find the input on which it ends. */
	if (getenv("FUZZ_VERBOSE"))
		fprintf(stderr, "%s\n", path);
	LLVMFuzzerTestOneInput(data, (size_t)status.st_size);
	free(data);
}

int
main(int argc, char *argv[])
{
	unsigned inputs = 0;

	for (int i = 1; i < argc; i++) {
		DIR *folder = opendir(argv[i]);

		for (struct dirent *entry; folder && (entry = readdir(folder));) {
			char path[4096];

			if (entry->d_name[0] == '.')
				continue;
			snprintf(path, sizeof(path), "%s/%s", argv[i], entry->d_name);
			run(path);
			inputs++;
		}
		if (folder)
			closedir(folder);
	}
	printf("%u inputs\n", inputs);
	return inputs ? 0 : 1;
}
