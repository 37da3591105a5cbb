/*
 * What is asked of the library in a program of another system: each interposed
 * function that every C library has, as a process that is no rank, or, linked to
 * wide-mpi.c with -DMPI, as a rank that prints its mask.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
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
	(void)argc;
	(void)argv;
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
