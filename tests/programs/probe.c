/*
 * libomp asks the kernel with a mask at no address: "probe OFFSET" does so in each
 * thread of a team, by the entry for syscall at this offset (hexadecimal) in libomp.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>

typedef long syscall_fn(long, ...);

int
main(int argc, char *argv[])
{
	Dl_info libomp;
	int refused = 0, threads = 0;

	if (argc < 2 || !dladdr(dlsym(RTLD_DEFAULT, "omp_get_max_threads"), &libomp))
		return 1;
	syscall_fn **entry = (syscall_fn **)((char *)libomp.dli_fbase + strtoul(argv[1], NULL, 16));
#pragma omp parallel reduction(+:refused, threads)
	{
		threads++;
		refused += (*entry)(SYS_sched_setaffinity, 0L, 128L, NULL) == -1 && errno == EFAULT;
	}
	printf("%s\n", refused == threads && threads == omp_get_max_threads() ? "all refused" : "not all refused");
	return 0;
}
