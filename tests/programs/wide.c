/*
 * What is asked of the library in a program of another system: each interposed
 * function that every C library has, as a process that is no rank, or, linked to
 * wide-mpi.c with -DMPI, as a rank that prints its mask.  With the argument
 * "loaded" it only says whether the library is in its memory.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;
int MPI_Init(int *argc, char ***argv);

static void *
start(void *data)
{
	return data;
}

static int
count(int (*get)(size_t, cpu_set_t *))
{
	cpu_set_t set;

	return get(sizeof(set), &set) == 0 ? CPU_COUNT(&set) : -1;
}

static int by_thread(size_t size, cpu_set_t *set) { return pthread_getaffinity_np(pthread_self(), size, set); }
static int by_process(size_t size, cpu_set_t *set) { return sched_getaffinity(0, size, set); }

static const char *
find_library(void)
{
	FILE *maps = fopen("/proc/self/maps", "r");
	const char *found = "not loaded";
	char line[4096];

	if (!maps)
		return "no /proc";
	while (fgets(line, sizeof(line), maps))
		if (strstr(line, "/libsplitpin.so"))
			found = "loaded";
	fclose(maps);
	return found;
}

int
main(int argc, char **argv)
{
	char *const words[] = { "sh", "-c", "exit 3", NULL };
	void *joined = NULL;
	pthread_t thread;
	int status;
	pid_t pid;

#ifdef MPI
	if (MPI_Init(&argc, &argv) != 0)
		return 1;
#endif
	if (argc > 1 && strcmp(argv[1], "loaded") == 0)
		return puts(find_library()) < 0;
	if (pthread_create(&thread, NULL, start, words[0]) != 0 || pthread_join(thread, &joined) != 0 || joined != words[0])
		return 2;
	printf("CPUs %d %d\n", count(by_thread), count(by_process));
	printf("system %d\n", system("exit 4") >> 8);
	if (posix_spawnp(&pid, "sh", NULL, NULL, words, environ) != 0 || waitpid(pid, &status, 0) != pid)
		return 5;
	printf("spawn %d\n", WEXITSTATUS(status));
	FILE *pipe = popen("echo popen", "r");
	for (int c; pipe && (c = getc(pipe)) != EOF;)
		putchar(c);
	if (pipe)
		pclose(pipe);
	fflush(stdout);
	execlp("sh", "sh", "-c", "echo exec; exit 6", (char *)NULL);
	return 7;
}
