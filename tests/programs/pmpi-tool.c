/*
 * A profiler as there are many: it wraps MPI's functions, counts calls and
 * calls the PMPI_ names.  Either preloaded, or linked into the program.
 */
#include <mpi.h>
#include <stdio.h>

static int calls;

int
MPI_Init(int *argc, char ***argv)
{
	calls++;
	return PMPI_Init(argc, argv);
}

int
MPI_Init_thread(int *argc, char ***argv, int required, int *provided)
{
	calls++;
	return PMPI_Init_thread(argc, argv, required, provided);
}

int
MPI_Gather(const void *from, int nfrom, MPI_Datatype type, void *to, int nto,
	   MPI_Datatype to_type, int root, MPI_Comm comm)
{
	calls++;
	return PMPI_Gather(from, nfrom, type, to, nto, to_type, root, comm);
}

int
MPI_Finalize(void)
{
	int rank, total = 0;

	calls++;
	PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
	PMPI_Reduce(&calls, &total, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
	if (rank == 0)
		printf("%d calls seen by the tool\n", total);
	return PMPI_Finalize();
}
