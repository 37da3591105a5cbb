/*
 * Teams of one process, of which the CPUs of each thread are told.
 *
 *   phases FILE THREADS...   for each number a line, "1:" the first: the list of each thread's CPUs, in the kernel's words;
 *                            before each number but the first FILE is made, and waited for until it is gone
 *
 * Made for libgomp, which ends the threads that a smaller team does not need: they have ended
 * when the CPUs are told.
 */
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static void
print_cpus(void)
{
	char line[4096];
	FILE *status = fopen("/proc/thread-self/status", "r");

	while (status && fgets(line, sizeof(line), status))
		if (strncmp(line, "Cpus_allowed_list:\t", 19) == 0)
			printf(" %.*s", (int)strcspn(line + 19, "\n"), line + 19);
	if (status)
		fclose(status);
}

static void
wait_for_threads(int expected)
{
	struct stat all;

	while (stat("/proc/self/task", &all) == 0 && (int)all.st_nlink != expected + 2)
		usleep(1000);
}

static void
open_team(int threads, bool prints)
{
#pragma omp parallel num_threads(threads)
#pragma omp for ordered schedule(static, 1)
	for (int thread = 0; thread < threads; thread++)
#pragma omp ordered
		if (prints)
			print_cpus();
}

int
main(int argc, char **argv)
{
	for (int i = 2; i < argc; i++) {
		if (i > 2)
			close(open(argv[1], O_CREAT | O_WRONLY, 0600));
		while (i > 2 && access(argv[1], F_OK) == 0)
			usleep(1000);
		open_team(atoi(argv[i]), false);
		wait_for_threads(atoi(argv[i]));
		printf("%d:", i - 1);
		open_team(atoi(argv[i]), true);
		printf("\n");
		fflush(stdout);
	}
	return 0;
}
