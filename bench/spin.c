/*
 * Work that needs nothing but a CPU: every thread of every rank computes the
 * same number of steps.  Rank 0 prints one line a rank, with the CPUs that its
 * threads were seen on, and the time that the slowest rank took.
 *
 *   spin [MILLIONS OF STEPS [driver]]
 *
 * driver: rank 0 computes nothing, and sleeps until the others have ended.
 *
 *   rank 0: 0,1
 *   rank 1: 0,1
 *   slowest: 1.234
 *   least: 0.50       CPU time over time of the thread that got least
 *   busiest: 1.200    seconds for which the CPU that did most of the work did it
 *
 * The last is the time of the slowest rank where nobody else uses these CPUs, and
 * programs that do use them change it little.
 */
#define _GNU_SOURCE
#include <mpi.h>
#include <omp.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { TEXT = 4096, CPUS = 8192, SLICES = 50 };

static double
steps(long n, double x)
{
	for (long i = 0; i < n; i++)
		x = x * 1.0000001 + 1e-9;
	return x;
}

static double
cpu_seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return t.tv_sec + t.tv_nsec / 1e9;
}

/* Work in slices, each counted for the CPU on which it has ended.  Returns the CPU in the middle. */
static int
work(long n, double *sum, double busy[CPUS])
{
	int middle = -1;
	double before = cpu_seconds(), now;

	for (int i = 0; i < SLICES; i++) {
		*sum += steps(n / SLICES, 1);
		int cpu = sched_getcpu();
		now = cpu_seconds();
#pragma omp atomic
		busy[cpu % CPUS] += now - before;
		before = now;
		if (i == SLICES / 2)
			middle = cpu;
	}
	return middle;
}

/* Without a thread that spins in MPI for as long. */
static void
sleep_until_all_have_ended(int size)
{
	for (int rank = 1; rank < size; rank++) {
		int here = 0;

		for (MPI_Iprobe(rank, 0, MPI_COMM_WORLD, &here, MPI_STATUS_IGNORE); !here;
		     MPI_Iprobe(rank, 0, MPI_COMM_WORLD, &here, MPI_STATUS_IGNORE))
			usleep(1000);
		MPI_Recv(NULL, 0, MPI_INT, rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	}
}

int
main(int argc, char **argv)
{
	bool has_driver = argc > 2 && strcmp(argv[2], "driver") == 0;
	long n = (argc > 1 ? atol(argv[1]) : 500) * 1000000;
	int rank, size, threads = 0, *cpu;
	double sum = 0, least = 1, begin, seconds, slowest, least_of_all, busiest = 0;
	static double busy[CPUS], busy_of_all[CPUS];
	char text[TEXT] = "", *all = NULL;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	cpu = calloc(omp_get_max_threads(), sizeof *cpu);

	/* The threads exist and are in their places before the clock starts. */
#pragma omp parallel reduction(+:threads)
	threads++;
	MPI_Barrier(MPI_COMM_WORLD);
	begin = MPI_Wtime();
	if (has_driver && rank == 0) {
		sleep_until_all_have_ended(size);
		n = 0;
	}
#pragma omp parallel reduction(+:sum) reduction(min:least)
	{
		double used = cpu_seconds();

		cpu[omp_get_thread_num()] = work(n, &sum, busy);
		least = (cpu_seconds() - used) / (MPI_Wtime() - begin);
	}
	seconds = MPI_Wtime() - begin;
	if (has_driver && rank > 0)
		MPI_Send(NULL, 0, MPI_INT, 0, 0, MPI_COMM_WORLD);

	for (int i = 0; i < threads; i++) {
		size_t len = strlen(text);

		snprintf(text + len, sizeof text - len, "%s%d", i ? "," : "", cpu[i]);
	}
	if (rank == 0)
		all = calloc(size, sizeof text);
	MPI_Gather(text, TEXT, MPI_CHAR, all, TEXT, MPI_CHAR, 0, MPI_COMM_WORLD);
	MPI_Reduce(&seconds, &slowest, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
	MPI_Reduce(&least, &least_of_all, 1, MPI_DOUBLE, MPI_MIN, 0, MPI_COMM_WORLD);
	MPI_Reduce(busy, busy_of_all, CPUS, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
	for (int i = 0; i < CPUS; i++)
		if (busy_of_all[i] > busiest)
			busiest = busy_of_all[i];
	for (int i = 0; rank == 0 && i < size; i++)
		printf("rank %d: %s\n", i, all + (size_t)i * TEXT);
	if (rank == 0)
		printf("slowest: %.3f\nleast: %.2f\nbusiest: %.3f\n", slowest, least_of_all, busiest);
	free(all);
	free(cpu);
	MPI_Finalize();
	return sum == 0 && n > 0;
}
