/*
 * A rank that works through children, as a pool of processes: each of N uses a
 * second of a CPU, and prints the CPUs that it may use.
 */
#define _GNU_SOURCE
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static void
work(void)
{
	char text[256];
	FILE *status = fopen("/proc/self/status", "r");

	while (clock() < CLOCKS_PER_SEC)
		;
	while (status && fgets(text, sizeof text, status))
		if (sscanf(text, "Cpus_allowed_list: %255s", text) == 1)
			printf("%s\n", text);
	fflush(stdout);
	_exit(0);
}

int
main(int argc, char **argv)
{
	int n = argc > 1 ? atoi(argv[1]) : 2;

	MPI_Init(&argc, &argv);
	for (int i = 0; i < n; i++)
		if (fork() == 0)
			work();
	while (wait(NULL) > 0)
		;
	MPI_Finalize();
	return 0;
}
