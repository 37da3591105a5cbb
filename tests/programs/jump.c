/*
 * A handler of SIGALRM leaves by siglongjmp.  The signal comes while the rank
 * settles, or after that: somebody else sends it.
 *
 *   jump
 *
 * Prints what holds after that: "fewer CPUs, cancellation enabled, signal not
 * blocked", where the rank is one of several and the handler has waited.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>

typedef void *start_tool_fn(unsigned int version, const char *runtime);

static sigjmp_buf back;

static int
count_cpus(void)
{
	cpu_set_t mine;

	return sched_getaffinity(0, sizeof(mine), &mine) == 0 ? CPU_COUNT(&mine) : -1;
}

static void
leave(int signal)
{
	(void)signal;
	siglongjmp(back, 1);
}

int
main(void)
{
	start_tool_fn *sign = (start_tool_fn *)dlsym(RTLD_DEFAULT, "ompt_start_tool");
	const int before = count_cpus();
	int cancel;
	sigset_t blocked;

	if (!sign)
		return 2;
	signal(SIGALRM, leave);
	if (sigsetjmp(back, 1) == 0) {
		sign(3, "none");
		/* At the latest now. */
		for (;;)
			sigsuspend(&(sigset_t){ 0 });
	}
	pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, &cancel);
	pthread_sigmask(SIG_BLOCK, NULL, &blocked);
	printf("%s CPUs, cancellation %s, signal %s\n", count_cpus() < before ? "fewer" : "as many",
	       cancel == PTHREAD_CANCEL_ENABLE ? "enabled" : "disabled",
	       sigismember(&blocked, SIGALRM) ? "blocked" : "not blocked");
	return 0;
}
