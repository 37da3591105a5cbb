/* See placement.h. */
#define _GNU_SOURCE
#include <dirent.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "placement.h"

enum { CPUS = 8192, NOTES = 4096, TEXT = 512 };

struct note {
	int region, number, tid;
	char cpus[TEXT];
};

static FILE *file;
static struct note notes[NOTES];
static atomic_int nnotes;

/* The calling thread's mask as a list; "..." where it does not fit. */
static void
own_cpus(char text[TEXT])
{
	static const size_t bits = 8 * sizeof(unsigned long);
	unsigned long mask[CPUS / (8 * sizeof(unsigned long))];
	size_t len = 0;

	memset(mask, 0, sizeof mask);
	syscall(SYS_sched_getaffinity, 0, sizeof mask, mask);
	text[0] = '\0';
	for (size_t cpu = 0; cpu < CPUS; cpu++) {
		size_t last = cpu;

		if (!(mask[cpu / bits] >> cpu % bits & 1))
			continue;
		while (last + 1 < CPUS && mask[(last + 1) / bits] >> (last + 1) % bits & 1)
			last++;
		if (len > TEXT - 32) {
			strcpy(text + len, ",...");
			return;
		}
		len += snprintf(text + len, TEXT - len, last > cpu ? "%s%zu-%zu" : "%s%zu",
				len ? "," : "", cpu, last);
		cpu = last;
	}
}

void
placement_start(int rank, int size, int max_threads)
{
	const char *dir = getenv("PLACEMENT_DIR");
	char path[4096], cpus[TEXT];

	own_cpus(cpus);
	if (!dir || !*dir)
		return;
	snprintf(path, sizeof path, "%s/rank.%d", dir, rank);
	file = fopen(path, "w");
	if (file)
		fprintf(file, "start rank=%d size=%d cpus=%s max_threads=%d\n",
			rank, size, cpus, max_threads);
}

void
placement_thread(int region, int number)
{
	int i = atomic_fetch_add(&nnotes, 1);

	if (i >= NOTES)
		return;
	notes[i].region = region;
	notes[i].number = number;
	notes[i].tid = syscall(SYS_gettid);
	own_cpus(notes[i].cpus);
}

static void
write_task(const char *tid)
{
	char path[300], line[1024], name[64] = "?", cpus[TEXT] = "?";
	FILE *status;

	snprintf(path, sizeof path, "/proc/self/task/%s/status", tid);
	status = fopen(path, "r");
	if (!status)
		return;
	while (fgets(line, sizeof line, status)) {
		sscanf(line, "Name: %63s", name);
		sscanf(line, "Cpus_allowed_list: %511s", cpus);
	}
	fclose(status);
	fprintf(file, "task tid=%s cpus=%s name=%s\n", tid, cpus, name);
}

/* The libraries of interest, once each: their mappings stand side by side. */
static void
write_libraries(void)
{
	static const char *const wanted[] = { "libgomp", "libomp.", "libiomp5", "libsplitpin" };
	FILE *maps = fopen("/proc/self/maps", "r");
	char line[4096 + 100], last[256] = "";

	while (maps && fgets(line, sizeof line, maps)) {
		const char *name = strrchr(line, '/');

		for (size_t i = 0; name && i < sizeof wanted / sizeof wanted[0]; i++)
			if (!strncmp(name + 1, wanted[i], strlen(wanted[i])) && strcmp(name, last)) {
				fprintf(file, "library name=%s", name + 1);
				snprintf(last, sizeof last, "%s", name);
			}
	}
	if (maps)
		fclose(maps);
}

void
placement_end(void)
{
	int n = nnotes < NOTES ? nnotes : NOTES;
	struct dirent *entry;
	DIR *dir;

	if (!file)
		return;
	for (int i = 0; i < n; i++)
		fprintf(file, "thread region=%d number=%d tid=%d cpus=%s\n",
			notes[i].region, notes[i].number, notes[i].tid, notes[i].cpus);
	write_libraries();
	dir = opendir("/proc/self/task");
	while (dir && (entry = readdir(dir)))
		if (entry->d_name[0] != '.')
			write_task(entry->d_name);
	if (dir)
		closedir(dir);
	fclose(file);
	file = NULL;
}
