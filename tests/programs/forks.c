/*
 * What a forked child inherits while other threads take and give back places, so
 * that at most forks one of them has the lock: the share from a pinned thread,
 * and a mask that the program has chosen.
 *
 *   forks N     N forks of each kind; prints how many children had another mask
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "mask.h"

#define ROOTS 3

static _Atomic bool is_over;

static void
open_team(void)
{
#pragma omp parallel num_threads(2)
	__asm__ volatile("");
}

static void *
be_root(void *unused)
{
	open_team();
	return unused;
}

static void *
make_roots(void *unused)
{
	pthread_t root;

	while (!is_over)
		if (pthread_create(&root, NULL, be_root, NULL) == 0)
			pthread_join(root, NULL);
	return unused;
}

static int
count_others(int forks, const struct mask *expected)
{
	int others = 0, status;

	for (int i = 0; i < forks; i++) {
		pid_t pid = fork();

		if (pid == 0) {
			struct mask own = mask_own();
			_exit(!mask_equal(&own, expected));
		}
		if (waitpid(pid, &status, 0) != pid || status != 0)
			others++;
	}
	return others;
}

/* A CPU of the share that is not the thread's own. */
static struct mask
another_of(const struct mask *share, const struct mask *own)
{
	struct mask one = { 0 };

	for (int i = 0; i < MASK_WORDS * 64; i++)
		if ((share->word[i / 64] & ~own->word[i / 64]) >> (i % 64) & 1) {
			one.word[i / 64] = 1UL << (i % 64);
			break;
		}
	return one;
}

int
main(int argc, char **argv)
{
	int forks = argc == 2 ? atoi(argv[1]) : 0;
	struct mask share = mask_own();
	pthread_t maker[ROOTS];

	open_team();
	struct mask pinned = mask_own(), chosen = another_of(&share, &pinned);
	for (int i = 0; i < ROOTS; i++)
		pthread_create(&maker[i], NULL, make_roots, NULL);
	int from_pinned = count_others(forks, &share);
	sched_setaffinity(0, sizeof(chosen), (const cpu_set_t *)&chosen);
	int from_chosen = count_others(forks, &chosen);
	is_over = true;
	for (int i = 0; i < ROOTS; i++)
		pthread_join(maker[i], NULL);
	printf("pinned %d, other children: of the pinned thread %d, of the chosen mask %d\n",
	       !mask_equal(&pinned, &share), from_pinned, from_chosen);
	return 0;
}
