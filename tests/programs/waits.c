/*
 * A rank whose OpenMP threads work until there is a file "enough"; with PIN in the
 * environment it binds them to CPU 0 itself once there is a file "pin".  Then it writes the
 * ns that all its threads have waited for a CPU, by the kernel's count, to a file done.PID, and
 * sleeps until it can read a byte from the fifo "go".
 *
 *   waits FOLDER
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <fcntl.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static unsigned long long
waited(void)
{
	unsigned long long sum = 0;
	DIR *tasks = opendir("/proc/self/task");

	for (struct dirent *task; tasks && (task = readdir(tasks)); ) {
		char path[300];
		unsigned long long one = 0;

		snprintf(path, sizeof(path), "/proc/self/task/%s/schedstat", task->d_name);
		FILE *file = task->d_name[0] == '.' ? NULL : fopen(path, "r");
		if (file && fscanf(file, "%*u %llu", &one) == 1)
			sum += one;
		if (file)
			fclose(file);
	}
	if (tasks)
		closedir(tasks);
	return sum;
}

static void
touch(const char *name)
{
	FILE *file = fopen(name, "w");

	if (!file)
		abort();
	fclose(file);
}

/* Whether it has bound the calling thread. */
static bool
bind_thread(void)
{
	cpu_set_t first;

	CPU_ZERO(&first);
	CPU_SET(0, &first);
	return access("pin", F_OK) == 0 && sched_setaffinity(0, sizeof(first), &first) == 0;
}

int
main(int argc, char *argv[])
{
	char name[40], done[40], byte;
	double sum = 0;

	if (argc < 2 || chdir(argv[1]) != 0)
		return 1;
	#pragma omp parallel reduction(+:sum)
	{
		#pragma omp master
		{
			snprintf(name, sizeof(name), "busy.%d", (int)getpid());
			touch(name);
		}
		bool is_bound = !getenv("PIN");

		while (access("enough", F_OK) != 0) {
			is_bound = is_bound || bind_thread();
			for (int i = 0; i < 100000; i++)
				sum = sum * 0.999 + i;
		}
	}
	snprintf(name, sizeof(name), "new.%d", (int)getpid());
	snprintf(done, sizeof(done), "done.%d", (int)getpid());
	FILE *file = fopen(name, "w");
	if (!file)
		return 1;
	fprintf(file, "%llu\n", waited());
	fclose(file);
	if (rename(name, done) != 0)
		return 1;
	int go = open("go", O_RDONLY);
	return read(go, &byte, 1) != 1 || sum < 0;
}
