/* Those above a rank. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "launcher/ancestors.h"
#include "launcher/known/sruns.h"
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

int
sp_ancestors_read(pid_t pid, struct sp_ancestor ancestor[], size_t max)
{
	int keep = errno;
	int n = read_chain(pid, ancestor, max);
	const char *nearest = n > 0 ? sp_ancestors_name(ancestor[0].arguments, ancestor[0].length) : NULL;

	if (nearest && (size_t)n < max && strcmp(nearest, "slurmstepd") == 0)
		n += (int)sp_sruns_read(pid, ancestor + n, max - (size_t)n);
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

const struct sp_ancestor *
sp_ancestors_command(const struct sp_ancestor ancestor[], size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (sp_ancestor_is_command(&ancestor[i]))
			return &ancestor[i];
	return NULL;
}

pid_t
sp_ancestors_own_launcher(void)
{
	struct sp_ancestor launcher;

	if (sp_ancestors_read(getpid(), &launcher, 1) <= 0)
		return 0;
	sp_ancestors_release(&launcher, 1);
	return launcher.pid;
}
