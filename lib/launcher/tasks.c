#include "launcher/tasks.h"

#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/ascii.h"
#include "base/deadline.h"
#include "base/environment.h"
#include "launcher/ancestors.h"
#include "process/process.h"

#define ALL_WITHIN_MS 2000
#define LAST_BEGAN_NS (SP_NS_A_SECOND / 5)
#define NAP_NS 1000000
#define NAP_MAX_NS 16000000

static uint32_t
number_of(char *const environment[], const char *name)
{
	const char *text = sp_environment_value(environment, name);
	uint32_t number;

	return text && sp_ascii_number(text, &number) ? number : 0;
}

/* The nearest launcher above a process, or 0. */
static pid_t
launcher_of(pid_t pid)
{
	for (int i = 0; i < SP_GENERATIONS_MAX && (pid = sp_process_parent(pid)) > 0; i++)
		if (sp_ancestors_is_launcher(pid))
			return pid;
	return 0;
}

/* How many children it has (0: not known), and whether it started none in the last moments. */
static uint32_t
count(pid_t launcher, bool *is_quiet)
{
	pid_t *children;
	ssize_t n = sp_process_children(launcher, &children);
	struct sp_process youngest;

	if (n <= 0)
		return 0;
	*is_quiet = sp_process_read(children[n - 1], &youngest) == 0 && sp_process_age_ns(&youngest) > LAST_BEGAN_NS;
	free(children);
	return (uint32_t)n;
}

void
sp_tasks_count(pid_t pid, char *const environment[], struct sp_rank *rank)
{
	const uint32_t nodes = number_of(environment, "FLUX_JOB_NNODES"), all = number_of(environment, "FLUX_JOB_SIZE");
	const pid_t launcher = nodes > 1 ? launcher_of(pid) : 0;
	const struct timespec end = sp_deadline_in(pid == getpid() ? ALL_WITHIN_MS : 0);
	struct sp_nap nap = { .ns = NAP_NS, .max_ns = NAP_MAX_NS };
	bool is_quiet = false;
	uint32_t n;

	if (launcher <= 0)
		return;
	do
		n = count(launcher, &is_quiet);
	while (n && n * nodes != all && !is_quiet && sp_deadline_nap(&end, &nap));
	if (n > rank->local_rank && n <= all)
		rank->local_size = n;
}
