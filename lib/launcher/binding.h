/*
 * Did somebody ask for the binding that a rank has, or is it its launcher's
 * default?
 *
 * Pure: decides from the rank's environment and from what is known of the
 * processes that started it.  Parameter files of MPI libraries are not read.
 */
#ifndef SP_BINDING_H
#define SP_BINDING_H

#include <stdbool.h>
#include <stddef.h>

#include "launcher/ancestors.h"
#include "launcher/launcher.h"
#include "launcher/launchers.h"

enum sp_asked {
	SP_ASKED_UNKNOWN,	/* nothing found, and not all that the user may have said can be seen here */
	SP_ASKED_NO,		/* the launcher's default */
	SP_ASKED_YES,
};

#define SP_EVIDENCE 96		/* room for a phrase */

struct sp_binding {
	enum sp_asked asked;
	bool is_below;		/* not the launcher but a program that it started (taskset) bound the rank, so the launcher's options do not help */
	char evidence[SP_EVIDENCE];	/* for people: "mpirun has --bind-to core"; no control characters */
};

/*
 * Ask only about a rank whose mask is narrower than the mask of its launcher:
 * of a launcher that is known not to have bound it (MPICH's default; Open MPI
 * 4 without its mark; a rank that was started by hand) the answer is
 * SP_ASKED_YES, for then a wrapper did it (taskset, numactl).
 *
 * The same holds if the launcher was told not to bind (--bind-to none).
 *
 *   rank         as sp_launcher_rank has filled it in
 *   environment  the rank's, NULL-terminated
 *   ancestor     as sp_ancestors_read has filled it in; n may be 0
 */
void sp_binding_find(const struct sp_rank *rank, char *const environment[],
		     const struct sp_ancestor ancestor[], size_t n, struct sp_binding *binding);

#endif
