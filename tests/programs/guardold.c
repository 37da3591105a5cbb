/*
 * A call as programs linked before glibc 2.3.4 make it, without a size.
 *
 *   guardold CPU      moves itself there and prints its mask
 */
#define _GNU_SOURCE
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>

int old_sched_setaffinity(pid_t pid, const cpu_set_t *set);
__asm__(".symver old_sched_setaffinity, sched_setaffinity@GLIBC_2.3.3");

int
main(int argc, char **argv)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(argc > 1 ? atoi(argv[1]) : 0, &set);
	if (old_sched_setaffinity(0, &set)) {
		perror("sched_setaffinity");
		return 1;
	}
	CPU_ZERO(&set);
	sched_getaffinity(0, sizeof set, &set);
	for (int i = 0; i < CPU_SETSIZE; i++)
		if (CPU_ISSET(i, &set))
			printf("%d\n", i);
	return 0;
}
