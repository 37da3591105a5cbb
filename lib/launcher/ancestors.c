/* Those above a rank. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "launcher/ancestors.h"
#include "launcher/known/known.h"
#include "process/process.h"

/* A parent outside of this PID name space has the pid 0. */
static int
read_chain(pid_t pid, struct sp_ancestor ancestor[], size_t max)
{
	pid_t parent = sp_process_parent(pid);
	size_t n = 0;

	if (parent < 0)
		return parent;
	for (int i = 0; i < SP_GENERATIONS_MAX && n < max && parent > 0; i++) {
		if (sp_ancestor_read(parent, &ancestor[n]))
			n++;
		else if (n > 0)
			break;
		parent = sp_process_parent(parent);
	}
	return (int)n;
}

/* The commands that are no ancestors of a process with such a parent. */
static int
read_aside(const struct sp_ancestor *parent, pid_t pid, struct sp_ancestor ancestor[], size_t max)
{
	const char *name = sp_ancestors_name(parent->arguments, parent->length);
	int n = 0;

	for (enum sp_launcher i = 0; name && i < SP_LAUNCHERS; i++) {
		const struct sp_launcher_details *details = sp_launcher_details[i];

		if (details->aside.process && strcmp(details->aside.process, name) == 0)
			n += (int)details->aside.read(pid, ancestor + n, max - (size_t)n);
	}
	return n;
}

int
sp_ancestors_read(pid_t pid, struct sp_ancestor ancestor[], size_t max)
{
	int keep = errno;
	int n = read_chain(pid, ancestor, max);

	if (n > 0)
		n += read_aside(&ancestor[0], pid, ancestor + n, max - (size_t)n);
	errno = keep;
	return n;
}

struct sp_ancestor *
sp_ancestors_of(pid_t pid, size_t *n)
{
	struct sp_ancestor *ancestor = calloc(SP_ANCESTORS_MAX, sizeof(*ancestor));
	int read = ancestor ? sp_ancestors_read(pid, ancestor, SP_ANCESTORS_MAX) : 0;

	*n = read > 0 ? (size_t)read : 0;
	return ancestor;
}

void
sp_ancestors_free(struct sp_ancestor *ancestor, size_t n)
{
	sp_ancestors_release(ancestor, n);
	free(ancestor);
}

const struct sp_ancestor *
sp_ancestors_launcher(const struct sp_ancestor ancestor[], size_t n)
{
	return n > 0 ? &ancestor[0] : NULL;
}

pid_t
sp_ancestors_own_launcher(void)
{
	size_t n;
	struct sp_ancestor *ancestor = sp_ancestors_of(getpid(), &n);
	const struct sp_ancestor *launcher = sp_ancestors_launcher(ancestor, n);
	pid_t pid = launcher ? launcher->pid : 0;

	sp_ancestors_free(ancestor, n);
	return pid;
}
