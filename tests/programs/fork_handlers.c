/*
 * What a forked child inherits where the program takes part in the fork.  Its
 * handlers are registered before any library can register one: they run after
 * splitpin's before the fork, and before splitpin's in the child.
 *
 *   fork_handlers child     the handler in the child sets the mask
 *   fork_handlers prepare   the one before the fork sets it, that in the parent sets it back
 *   fork_handlers team      the one before the fork opens the thread's first team
 *   fork_handlers kept      another thread keeps a lock, since nobody reads its log
 *
 * Prints which CPUs the child has, and which the parent: the "share"; its "own",
 * to which it was pinned before; the "other" ones of the share; or "neither".
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "mask.h"

static const char *how = "";
static bool is_forking;
static struct mask pinned, other;

static void
open_team(void)
{
#pragma omp parallel num_threads(2)
	__asm__ volatile("");
}

static void
set(const struct mask *mask)
{
	if (sched_setaffinity(0, sizeof(*mask), (const cpu_set_t *)mask) != 0)
		perror("sched_setaffinity");
}

static void
before(void)
{
	if (is_forking && strcmp(how, "prepare") == 0)
		set(&other);
	if (is_forking && strcmp(how, "team") == 0)
		open_team();
}

static void
in_parent(void)
{
	if (is_forking && strcmp(how, "prepare") == 0)
		set(&pinned);
}

static void
in_child(void)
{
	if (is_forking && strcmp(how, "child") == 0)
		set(&other);
}

static void
register_handlers(void)
{
	pthread_atfork(before, in_parent, in_child);
}

__attribute__((section(".preinit_array"), used)) static void (*const first)(void) = register_handlers;

/* Its log goes to a pipe that is full. */
static void *
log_to(void *end)
{
	dup2(*(int *)end, STDERR_FILENO);
	open_team();
	return NULL;
}

static void
keep_lock(void)
{
	static int ends[2];
	char byte = 0;
	pthread_t thread;

	if (pipe(ends) != 0 || fcntl(ends[1], F_SETFL, O_NONBLOCK) != 0)
		_exit(2);
	while (write(ends[1], &byte, 1) == 1)
		continue;
	fcntl(ends[1], F_SETFL, 0);
	pthread_create(&thread, NULL, log_to, &ends[1]);
	/* Where it comes later, the test shows nothing. */
	usleep(100000);
}

static const char *
name_own(const struct mask *share)
{
	struct mask own = mask_own();

	if (mask_equal(&own, share))
		return "share";
	if (mask_equal(&own, &pinned))
		return "own";
	return mask_equal(&own, &other) ? "other" : "neither";
}

int
main(int argc, char **argv)
{
	struct mask share = mask_own();

	how = argc == 2 ? argv[1] : "";
	if (strcmp(how, "team") != 0)
		open_team();
	pinned = mask_own();
	for (int i = 0; i < MASK_WORDS; i++)
		other.word[i] = share.word[i] & ~pinned.word[i];
	if (strcmp(how, "kept") == 0)
		keep_lock();
	is_forking = true;

	fflush(stdout);
	pid_t pid = fork();
	if (pid == 0) {
		printf("child %s, ", name_own(&share));
		fflush(stdout);
		_exit(0);
	}
	waitpid(pid, NULL, 0);
	printf("parent %s\n", name_own(&share));
	fflush(stdout);
	_exit(0);
}
