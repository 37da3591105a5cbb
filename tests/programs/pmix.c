/*
 * hybrid.c's work without MPI: ranks that know each other by PMIx alone.
 */
#include <omp.h>
#include <pmix.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "placement.h"

#define SUM "splitpin.sum"

static long
work(int rank, int region)
{
	long sum = 0;

#pragma omp parallel reduction(+:sum)
	{
#pragma omp for
		for (long i = 0; i < 100000; i++)
			sum += (i * (rank + 1) + region) % 1009;
		placement_thread(region, omp_get_thread_num());
	}
	return sum;
}

static void
must(const char *what, pmix_status_t status)
{
	if (status == PMIX_SUCCESS)
		return;
	fprintf(stderr, "%s: %s\n", what, PMIx_Error_string(status));
	exit(1);
}

int
main(void)
{
	pmix_proc_t self, rank;
	pmix_value_t value, *found;
	pmix_info_t collect;
	bool yes = true;
	uint32_t size;

	must("PMIx_Init", PMIx_Init(&self, NULL, 0));
	PMIX_LOAD_PROCID(&rank, self.nspace, PMIX_RANK_WILDCARD);
	must("PMIx_Get", PMIx_Get(&rank, PMIX_JOB_SIZE, NULL, 0, &found));
	size = found->data.uint32;
	PMIX_VALUE_RELEASE(found);
	placement_start((int)self.rank, (int)size, omp_get_max_threads());

	memset(&value, 0, sizeof value);
	value.type = PMIX_INT64;
	value.data.int64 = work((int)self.rank, 0) + work((int)self.rank, 1);
	placement_end();

	must("PMIx_Put", PMIx_Put(PMIX_GLOBAL, SUM, &value));
	must("PMIx_Commit", PMIx_Commit());
	PMIX_INFO_LOAD(&collect, PMIX_COLLECT_DATA, &yes, PMIX_BOOL);
	must("PMIx_Fence", PMIx_Fence(&rank, 1, &collect, 1));
	for (rank.rank = 0; self.rank == 0 && rank.rank < size; rank.rank++) {
		must("PMIx_Get", PMIx_Get(&rank, SUM, NULL, 0, &found));
		printf("rank %u of %u: %ld\n", rank.rank, size, (long)found->data.int64);
		PMIX_VALUE_RELEASE(found);
	}
	must("PMIx_Finalize", PMIx_Finalize(NULL, 0));
	return 0;
}
