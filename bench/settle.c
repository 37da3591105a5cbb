/*
 * What it costs a rank to find its share, in nanoseconds of CPU time:
 *
 *   settle_ns: 1
 *
 * The process does what an OpenMP runtime does first, which is to look for a
 * tool.  With a name of a file it makes that, and stays until it is gone.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

typedef void *start_tool_fn(unsigned int version, const char *name);

static long
cpu_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return t.tv_sec * 1000000000 + t.tv_nsec;
}

/* A function of its own, so that callgrind can count what is inside; no other has its name, at which that would end. */
__attribute__((noinline)) void take_share(start_tool_fn *start_tool);

void
take_share(start_tool_fn *start_tool)
{
	start_tool(201811, "bench");
}

int
main(int argc, char **argv)
{
	start_tool_fn *start_tool = (start_tool_fn *)dlsym(RTLD_DEFAULT, "ompt_start_tool");
	long begin;

	if (!start_tool)
		return 1;
	begin = cpu_ns();
	take_share(start_tool);
	printf("settle_ns: %ld\n", cpu_ns() - begin);
	fflush(stdout);
	if (argc > 1) {
		close(open(argv[1], O_WRONLY | O_CREAT, 0600));
		for (int i = 0; i < 60000 && access(argv[1], F_OK) == 0; i++)
			usleep(1000);
	}
	return 0;
}
