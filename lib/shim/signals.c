#include <signal.h>

#include "shim/signals.h"

/* Whether the kernel sends this signal because an instruction failed: blocked, such a signal would end the program. */
static bool
is_synchronous(int signal)
{
	return signal == SIGSEGV || signal == SIGBUS || signal == SIGILL || signal == SIGFPE ||
	       signal == SIGTRAP || signal == SIGSYS;
}

bool
sp_signals_hold(sigset_t *before)
{
	struct sigaction action;
	sigset_t handled;
	bool any = false;

	sigemptyset(&handled);
	for (int signal = 1; signal < NSIG; signal++) {
		if (is_synchronous(signal) || sigaction(signal, NULL, &action) != 0 ||
		    action.sa_handler == SIG_DFL || action.sa_handler == SIG_IGN)
			continue;
		sigaddset(&handled, signal);
		any = true;
	}
	return any && sigprocmask(SIG_BLOCK, &handled, before) == 0;
}
