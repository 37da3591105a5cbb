#include <signal.h>

#include "shim/signals.h"

#define MUSL_SYNCCALL 34	/* the last signal that some C library keeps for itself */

/* Whether the kernel sends this signal because an instruction failed: blocked, such a signal would end the program. */
static bool
is_synchronous(int signal)
{
	return signal == SIGSEGV || signal == SIGBUS || signal == SIGILL || signal == SIGFPE ||
	       signal == SIGTRAP || signal == SIGSYS;
}

/* Whether this signal does nothing without a handler, or, the real-time ones, is sent to those alone who wait for it. */
static bool
may_wait(int signal)
{
	return signal == SIGCHLD || signal == SIGCONT || signal == SIGURG || signal == SIGWINCH || signal > MUSL_SYNCCALL;
}

/* Nobody can have a handler for the first two. */
static bool
has_handler(int signal)
{
	struct sigaction action;

	return signal != SIGKILL && signal != SIGSTOP && !is_synchronous(signal) && sigaction(signal, NULL, &action) == 0 &&
	       action.sa_handler != SIG_DFL && action.sa_handler != SIG_IGN;
}

bool
sp_signals_hold(sigset_t *before)
{
	sigset_t held;

	sigemptyset(&held);
	for (int signal = 1; signal < NSIG; signal++)
		if (may_wait(signal) || has_handler(signal))
			sigaddset(&held, signal);
	return sigprocmask(SIG_BLOCK, &held, before) == 0;
}
