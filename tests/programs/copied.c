/*
 * A child that waits for ever, as below valgrind: it is a copy of this process, and
 * with it of a lock that another thread held.  Ends with 0 if the child is killed.
 *
 *   copied libc|own     whose lock
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static pthread_mutex_t own = PTHREAD_MUTEX_INITIALIZER;
static volatile int is_held;
static int is_own;

static void
take(void)
{
	if (is_own)
		pthread_mutex_lock(&own);
	else
		flockfile(stdout);
}

static void *
hold(void *unused)
{
	take();
	is_held = 1;
	pause();
	return unused;
}

int
main(int argc, char **argv)
{
	pthread_t thread;
	int status = 0;

	is_own = argc > 1 && !strcmp(argv[1], "own");
	pthread_create(&thread, NULL, hold, NULL);
	while (!is_held)
		usleep(1000);
	/* Unlike fork's, its child finds locks as they are. */
	pid_t pid = _Fork();
	if (pid == 0) {
		take();
		_exit(0);
	}
	waitpid(pid, &status, 0);
	/* exit() takes the lock of each file, from glibc 2.41 on. */
	_exit(!WIFSIGNALED(status));
}
