/*
 * A child that is forked while another thread settles, which a rank does that
 * waits for others: prints how many milliseconds the child's first sign of
 * OpenMP took.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static void *(*start_tool)(unsigned, const char *);

static void *
settle(void *data)
{
	start_tool(201811, "test");
	return data;
}

static long
milliseconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

int
main(void)
{
	pthread_t thread;

	start_tool = (void *(*)(unsigned, const char *))dlsym(RTLD_DEFAULT, "ompt_start_tool");
	if (!start_tool)
		return 2;
	pthread_create(&thread, NULL, settle, NULL);
	usleep(300000);
	pid_t pid = fork();
	if (pid == 0) {
		long before = milliseconds();

		settle(NULL);
		printf("%ld\n", milliseconds() - before);
		fflush(stdout);
		_exit(0);
	}
	waitpid(pid, NULL, 0);
	pthread_join(thread, NULL);
	return 0;
}
