/* Whether what the launchers say of the rank can be believed. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd/check/check.h"
#include "cmd/cmd.h"

#define MOST 64			/* variables of one launcher */
#define FIRST_SPECIAL_STEP 0xfffffff0ul	/* Slurm's batch script and the like are no ranks */

static const struct pair {
	const char *rank, *size;
	const char *others;	/* what all variables of this launcher begin with */
	bool is_library;	/* comes with an MPI library: there is one of these in a process */
} pairs[] = {
	{ "SPLITPIN_LOCAL_RANK", "SPLITPIN_LOCAL_SIZE", "SPLITPIN_LOCAL_", false },
	{ "OMPI_COMM_WORLD_LOCAL_RANK", "OMPI_COMM_WORLD_LOCAL_SIZE", "OMPI_COMM_WORLD_LOCAL_", true },
	{ "MPI_LOCALRANKID", "MPI_LOCALNRANKS", "MPI_LOCAL", true },
	{ "MV2_COMM_WORLD_LOCAL_RANK", "MV2_COMM_WORLD_LOCAL_SIZE", "MV2_COMM_WORLD_LOCAL_", true },
	{ "PALS_LOCAL_RANKID", "PALS_LOCAL_SIZE", "PALS_LOCAL_", false },
	{ "SLURM_LOCALID", "SLURM_STEP_TASKS_PER_NODE", "SLURM_", false },
};

#define NPAIRS (sizeof(pairs) / sizeof(pairs[0]))

/* Slurm sets a rank in every process of an allocation: those of ordinary steps alone are ranks. */
static bool
counts(const struct pair *pair)
{
	const char *step = check_variable("SLURM_STEP_ID");

	return strncmp(pair->rank, "SLURM_", 6) != 0 ||
	       (check_variable(pair->rank) && step && strtoul(step, NULL, 10) < FIRST_SPECIAL_STEP);
}

static bool
is_whole(const struct pair *pair)
{
	return check_variable(pair->rank) && check_variable(pair->size);
}

/* What this launcher alone says: 0 or what sp_launcher_rank returns. */
static int
ask(const struct pair *pair, struct sp_rank *rank)
{
	char *only[MOST + 1] = { NULL };
	size_t n = 0;

	for (char **entry = environ; entry && *entry && n < MOST; entry++)
		if (strncmp(*entry, pair->others, strlen(pair->others)) == 0)
			only[n++] = *entry;
	return sp_launcher_rank(only, rank);
}

static void
look_for_halves(struct check *check)
{
	for (const struct pair *pair = pairs; pair < pairs + NPAIRS; pair++) {
		const char *rank = check_variable(pair->rank), *size = check_variable(pair->size);

		if (counts(pair) && !rank != !size)
			check_found(check, "%s=%s is set and %s is not", rank ? pair->rank : pair->size,
				    rank ? rank : size, rank ? pair->size : pair->rank);
	}
}

static void
look_for_nonsense(struct check *check)
{
	for (const struct pair *pair = pairs; pair < pairs + NPAIRS; pair++) {
		struct sp_rank rank;

		if (counts(pair) && is_whole(pair) && ask(pair, &rank) != 0)
			check_found(check, "%s=%s and %s=%s make no sense together", pair->rank, check_variable(pair->rank),
				    pair->size, check_variable(pair->size));
	}
}

static void
look_for_contradictions(struct check *check)
{
	const struct pair *first = NULL;
	struct sp_rank said = { 0 }, rank;

	for (const struct pair *pair = pairs; pair < pairs + NPAIRS; pair++) {
		if (!pair->is_library || !is_whole(pair) || ask(pair, &rank) != 0)
			continue;
		if (!first) {
			first = pair;
			said = rank;
		} else if (said.local_rank != rank.local_rank || said.local_size != rank.local_size) {
			check_found(check, "two launchers contradict each other: by %s this is rank %u of %u, by %s rank %u of %u",
				    first->rank, said.local_rank, said.local_size, pair->rank, rank.local_rank, rank.local_size);
		}
	}
}

const struct check_row check_rank_rows[] = {
	{ "rank-half", "one variable that tells the rank is there without the other",
	  "set both or none: a process with one of them has no share; unset it where no launcher has set it",
	  look_for_halves },
	{ "rank-nonsense", "the rank is no number below the number of ranks",
	  "ranks are counted from 0 to one below the number of ranks on the node; unset what an earlier job has left",
	  look_for_nonsense },
	{ "rank-contradiction", "two launchers tell different ranks",
	  "start the program with one launcher, and unset what that of another MPI library has left in the environment",
	  look_for_contradictions },
	{ .id = NULL }
};
