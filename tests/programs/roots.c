/*
 * Teams of several root threads and runtimes, one after the other.
 *
 *   roots STEP...
 *
 * A step is a root thread's letter (a is the main thread), the threads of its
 * team, and, behind a dot, those of a nested team that each of them opens:
 * "a4 b8 a2.2".  A step that begins with '+' uses the other runtime (team of
 * the library that OTHER_TEAM names).  For each step "step a4 tids 1 2 3 4" goes
 * to standard error while the team is there.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <omp.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

typedef void team_fn(const char *step, int threads, int inner);
void team(const char *step, int threads, int inner);

enum { THREADS = 4096, WAIT_MS = 10000 };

/* Says who is there when all are, and lets nobody go before. */
static void
meet(const char *step, int number, int all)
{
	static int tids[THREADS];
	static _Atomic int there, gone;
	char line[16 * THREADS];
	int length;

	tids[number] = gettid();
	if (there + 1 == all)
		usleep(30000);
	if (++there == all) {
		length = sprintf(line, "step %s tids", step);
		for (int i = 0; i < all; i++)
			length += sprintf(line + length, " %d", tids[i]);
		line[length++] = '\n';
		if (write(STDERR_FILENO, line, length) != length)
			abort();
	}
	for (int i = 0; there < all && i < WAIT_MS; i++)
		usleep(1000);
	if (++gone == all)
		there = gone = 0;
}

void
team(const char *step, int threads, int inner)
{
	omp_set_max_active_levels(2);
#pragma omp parallel num_threads(threads)
	{
		int outer = omp_get_thread_num();

		if (inner) {
#pragma omp parallel num_threads(inner)
			meet(step, outer * inner + omp_get_thread_num(), threads * inner);
		} else {
			meet(step, outer, threads);
		}
	}
}

#ifndef LIBRARY
struct root {
	pthread_t thread;
	sem_t begin, end;
	int there;
};
static struct root roots[26];
static const char *step;
static team_fn *other;

static void
do_step(void)
{
	int threads = 0, inner = 0;

	sscanf(step + (*step == '+') + 1, "%d.%d", &threads, &inner);
	(*step == '+' ? other : team)(step, threads, inner);
}

static void *
be_root(void *data)
{
	struct root *root = data;

	for (;;) {
		sem_wait(&root->begin);
		do_step();
		sem_post(&root->end);
	}
	return NULL;
}

int
main(int argc, char **argv)
{
	const char *path = getenv("OTHER_TEAM");
	void *handle = path && *path ? dlopen(path, RTLD_NOW | RTLD_LOCAL) : NULL;

	other = handle ? (team_fn *)dlsym(handle, "team") : NULL;
	if (path && *path && !other) {
		fprintf(stderr, "roots: %s\n", dlerror());
		return 1;
	}
	omp_set_max_active_levels(2);
	omp_set_dynamic(0);
	for (int i = 1; i < argc; i++) {
		step = argv[i];
		struct root *root = &roots[step[*step == '+'] - 'a'];

		if (root == roots) {
			do_step();
			continue;
		}
		if (!root->there++) {
			sem_init(&root->begin, 0, 0);
			sem_init(&root->end, 0, 0);
			pthread_create(&root->thread, NULL, be_root, root);
		}
		sem_post(&root->begin);
		sem_wait(&root->end);
	}
	return 0;
}
#endif
