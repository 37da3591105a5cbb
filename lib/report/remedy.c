#include "report/remedy.h"

const char *
sp_problem_remedy(enum sp_problem problem)
{
	static const char *const remedy[] = {
		[SP_PROBLEM_FULL_NODE] = "start fewer ranks on this node, or fewer threads in each (OMP_NUM_THREADS)",
		[SP_PROBLEM_FULL_SHARE] = "start fewer threads in its runtimes and libraries (OMP_NUM_THREADS, OPENBLAS_NUM_THREADS, ...), or fewer ranks on this node",
		[SP_PROBLEM_ONE_PLACE] = "its share has more CPUs, but OMP_PROC_BIND keeps a team on the place of its first thread; set OMP_PROC_BIND=close to use them",
		[SP_PROBLEM_BOUND] = "its share has more CPUs: leave settings that bind threads (OMP_PROC_BIND, GOMP_CPU_AFFINITY, KMP_AFFINITY) unset; if none is set, use SPLITPIN_BIND=none",
		[SP_PROBLEM_SAME_CPUS] = "leave lists of CPUs (OMP_PLACES, GOMP_CPU_AFFINITY, KMP_AFFINITY) unset, or use OMP_PLACES=cores",
	};

	return remedy[problem];
}
