/*
 * A child that is forked while another thread settles, which a rank does that
 * waits for others: prints whether the child, after its first sign of OpenMP,
 * ended "before" that thread had settled, or "after".
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static void *(*start_tool)(unsigned, const char *);
static atomic_int settler, has_settled;

static void *
settle(void *data)
{
	settler = gettid();
	start_tool(201811, "test");
	has_settled = 1;
	return data;
}

/* Its waits are naps.  True also where the kernel does not say what a thread waits for. */
static int
naps(void)
{
	char path[64], where[64] = "";

	snprintf(path, sizeof(path), "/proc/self/task/%d/wchan", settler);
	FILE *file = fopen(path, "re");
	if (!file)
		return 1;
	if (!fgets(where, sizeof(where), file))
		where[0] = '\0';
	fclose(file);
	return strstr(where, "nanosleep") != NULL;
}

static void
wait_for_nap(void)
{
	while (!settler)
		usleep(1000);
	/* Three in a row: it may nap for a lock before it waits for others. */
	for (int i = 0, seen = 0; i < 2000 && seen < 3 && !has_settled; i++) {
		usleep(10000);
		seen = naps() ? seen + 1 : 0;
	}
}

int
main(void)
{
	pthread_t thread;

	start_tool = (void *(*)(unsigned, const char *))dlsym(RTLD_DEFAULT, "ompt_start_tool");
	if (!start_tool)
		return 2;
	pthread_create(&thread, NULL, settle, NULL);
	wait_for_nap();
	pid_t pid = fork();
	if (pid == 0) {
		start_tool(201811, "test");
		_exit(0);
	}
	waitpid(pid, NULL, 0);
	puts(has_settled ? "after" : "before");
	pthread_join(thread, NULL);
	return 0;
}
