/*
 * All that is known of one launcher beyond what every process of a site asks
 * (list.h): one row, in that launcher's own file of this folder, which the
 * engine and the command read.
 */
#ifndef SP_KNOWN_H
#define SP_KNOWN_H

#include <stdbool.h>
#include <stddef.h>

#include "launcher/known/list.h"
#include "launcher/launchers.h"

struct sp_search;
struct sp_syntax;

/* A program of a launcher's on a node of the job; an ancestor of its ranks, but for srun. */
struct sp_launcher_process {
	const char *name;	/* without folder, and what follows a '.', ':' or blank */
	enum {
		SP_IS_COMMAND,	/* users start it, with the options for the job */
		SP_IS_DAEMON,	/* a command started it, and its options say nothing of the job's programs */
		SP_IS_NEITHER,
	} is;
};

struct sp_launcher_details {
	/* What people call it: "Open MPI". */
	const char *title;

	/* One variable of its own suffices for the local rank. */
	bool has_local_rank;
	/*
	 * Variables that name the job where one daemon may be the parent of the
	 * ranks of several jobs; the second names the step in the job, or is NULL.
	 */
	const char *job[2];
	/* Variable with the rank's number among all of such a job, on whatever nodes; NULL: there is none. */
	const char *world;
	/* Variable with how many ranks the job has on all nodes; NULL: there is none. */
	const char *ranks;
	/* Variable with the launcher's name of the node; NULL: there is none. */
	const char *node;
	/* Variable that is set, and not "0", in ranks that MPI_Comm_spawn started. */
	const char *spawned;
	/*
	 * Variable with how many of the node's CPUs the job was given: the others may
	 * be other users', and a narrow mask what the job was given instead of a
	 * binding.  NULL: a job has whole nodes, as far as the launcher knows.
	 */
	const char *cpus;
	/*
	 * Variables with the program of the rank, its arguments with blanks between
	 * them, and how many programs the command starts; NULL: it tells ranks nothing of that.
	 */
	struct { const char *program, *arguments, *programs; } line;
	/* It sets OMP_NUM_THREADS=1 in each of several ranks, unless the user has set it. */
	bool sets_one_thread;

	/* Ends with NULL; NULL: it has none by a name of its own. */
	const struct sp_launcher_process *processes;
	/* One of these, and its option with an address that is the same on all nodes of a job; NULL: there is none. */
	struct { const char *process, *option; } address;
	/* How the command lines of these are read; NULL: they are not, or as Hydra's where that does no harm. */
	const struct sp_syntax *syntax;

	/* Answer who asked for the binding (binding_search.h); NULL: the launcher does not say. */
	void (*find_binding)(const struct sp_search *search);
	/* What ranks find that it has bound unasked, "NAME=VALUE"; NULL: it does not. */
	const char *bound;
	/* The command that does not bind if "none" is what it was asked for; NULL: that word means nothing in an answer. */
	const char *binder;
	/* An answer that says so without that word; NULL: there is none. */
	const char *unbound;
	/* What to do so that a rank gets more cores: a format for a number of threads; NULL: it binds nobody. */
	const char *remedy;
	/* The same where no number fits all of its ranks; NULL: as the remedy, which has no number then. */
	const char *remedy_for_all;

	/* What asked for more ranks than CPUs, as sp_overcommit_asked; NULL: nothing can. */
	const char *(*find_overcommit)(const struct sp_search *search);
	/* Whether options of its processes can. */
	bool has_overcommit_option;

	/* PyTorch's: srun or mpirun may start it, and one of its workers mpirun (nearest.h). */
	bool is_pythons;
	/* No launcher: one process alone, whose share "splitpin run" may have cut already. */
	bool is_none;
};

extern const struct sp_launcher_details *const sp_launcher_details[SP_LAUNCHERS];

/* The same, and an empty row for SP_LAUNCHERS, that is, for a name of no launcher. */
const struct sp_launcher_details *sp_launcher_details_of(enum sp_launcher launcher);

/*
 * How to read the line of a command, whose name is as sp_ancestors_name has it,
 * above ranks of this launcher: mpirun and mpiexec belong to Open MPI or Hydra;
 * the options of launchers without a syntax are, as far as they matter here, Hydra's.
 */
const struct sp_syntax *sp_syntax_of(const char *command, enum sp_launcher launcher);

/* Each launcher's row. */
#define SP_DECLARE(number, details, ...) extern const struct sp_launcher_details details;
SP_EACH_LAUNCHER(SP_DECLARE)
#undef SP_DECLARE

#endif
