// The same as hybrid.c in C++, with a thread that the program makes itself,
// between two parallel regions.
#include <mpi.h>
#include <omp.h>

#include <future>
#include <iostream>
#include <thread>
#include <vector>

#include "placement.h"

static long work(int rank, int region)
{
	long sum = 0;

#pragma omp parallel reduction(+ : sum)
	{
#pragma omp for
		for (long i = 0; i < 100000; i++)
			sum += (i * (rank + 1) + region) % 1009;
		placement_thread(region, omp_get_thread_num());
	}
	return sum;
}

int main(int argc, char **argv)
{
	int rank, size, provided;

	MPI_Init_thread(&argc, &argv, MPI_THREAD_SERIALIZED, &provided);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	placement_start(rank, size, omp_get_max_threads());

	long sum = work(rank, 0);
	std::promise<void> started;
	std::promise<long> more;
	std::thread own([&sum, &started, &more] {
		started.set_value();
		sum += more.get_future().get();
	});
	started.get_future().wait();
	long second = work(rank, 1);
	placement_end();
	more.set_value(second);
	own.join();

	std::vector<long> sums(size);
	MPI_Gather(&sum, 1, MPI_LONG, sums.data(), 1, MPI_LONG, 0, MPI_COMM_WORLD);
	for (int i = 0; rank == 0 && i < size; i++)
		std::cout << "rank " << i << " of " << size << ": " << sums[i] << "\n";
	MPI_Finalize();
}
