/* Whether the launchers' variables make sense, each pair by itself and all together. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/ascii.h"
#include "cmd/check/rows.h"
#include "cmd/cmd.h"
#include "launcher/known/known.h"

#define VARIABLES_MAX 64	/* of one launcher */

static const char *
rank_variable(enum sp_launcher launcher)
{
	return sp_launcher_variable[sp_launcher_row[launcher].rank];
}

static const char *
size_variable(enum sp_launcher launcher)
{
	return sp_launcher_variable[sp_launcher_row[launcher].size];
}

/* Slurm sets its variables in every process of an allocation; only processes of ordinary steps are ranks. */
static bool
is_slurm_task(void)
{
	const char *step = check_variable(sp_launcher_details[SP_LAUNCHER_SLURM]->job[1]);
	uint32_t number;

	return check_variable(rank_variable(SP_LAUNCHER_SLURM)) && step && sp_ascii_number(step, &number) &&
	       number < SP_SLURM_FIRST_SPECIAL_STEP;
}

/* SPLITPIN_LOCAL_RANK=alone needs no size. */
static bool
is_user_alone(void)
{
	const char *rank = check_variable(rank_variable(SP_LAUNCHER_USER));

	return rank && sp_ascii_is(rank, "alone");
}

/* Whether this launcher's two variables must both be set. */
static bool
counts(enum sp_launcher launcher)
{
	return sp_launcher_details[launcher]->prefix && (launcher != SP_LAUNCHER_SLURM || is_slurm_task()) &&
	       (launcher != SP_LAUNCHER_USER || !is_user_alone());
}

static bool
is_whole(enum sp_launcher launcher)
{
	return check_variable(rank_variable(launcher)) && check_variable(size_variable(launcher));
}

/* The rank by this launcher alone: 0 or what sp_launcher_rank returns. */
static int
ask(enum sp_launcher launcher, struct sp_rank *rank)
{
	const char *prefix = sp_launcher_details[launcher]->prefix;
	char *only[VARIABLES_MAX + 1] = { NULL };
	size_t n = 0;

	for (char **entry = environ; entry && *entry && n < VARIABLES_MAX; entry++)
		if (strncmp(*entry, prefix, strlen(prefix)) == 0)
			only[n++] = *entry;
	return sp_launcher_rank(only, rank);
}

static void
look_for_halves(struct check *check)
{
	for (enum sp_launcher i = 0; i < SP_LAUNCHERS; i++) {
		const char *rank = check_variable(rank_variable(i)), *size = check_variable(size_variable(i));

		if (counts(i) && !rank != !size)
			check_found(check, "%s=%s is set and %s is not", rank ? rank_variable(i) : size_variable(i),
				    rank ? rank : size, rank ? size_variable(i) : rank_variable(i));
	}
}

static void
look_for_nonsense(struct check *check)
{
	for (enum sp_launcher i = 0; i < SP_LAUNCHERS; i++) {
		struct sp_rank rank;

		if (counts(i) && is_whole(i) && ask(i, &rank) != 0)
			check_found(check, "%s=%s contradicts %s=%s", rank_variable(i),
				    check_variable(rank_variable(i)), size_variable(i), check_variable(size_variable(i)));
	}
}

static void
look_for_contradictions(struct check *check)
{
	enum sp_launcher first = SP_LAUNCHERS;
	struct sp_rank first_rank = { 0 }, rank;

	for (enum sp_launcher i = 0; i < SP_LAUNCHERS; i++) {
		if (sp_launcher_row[i].kind != SP_LIBRARY_LAUNCHER || !counts(i) || !is_whole(i) || ask(i, &rank) != 0)
			continue;
		if (first == SP_LAUNCHERS) {
			first = i;
			first_rank = rank;
		} else if (first_rank.local_rank != rank.local_rank || first_rank.local_size != rank.local_size) {
			check_found(check, "two launchers contradict each other: according to %s this is rank %u of %u, according to %s rank %u of %u",
				    rank_variable(first), first_rank.local_rank, first_rank.local_size, rank_variable(i),
				    rank.local_rank, rank.local_size);
		}
	}
}

/* A script that sets the same number for all ranks contradicts the launcher in all but one of them. */
static void
look_for_user(struct check *check)
{
	struct sp_rank user, rank;

	if (!is_whole(SP_LAUNCHER_USER) || ask(SP_LAUNCHER_USER, &user) != 0)
		return;
	for (enum sp_launcher i = 0; i < SP_LAUNCHERS; i++)
		if (sp_launcher_row[i].kind == SP_LIBRARY_LAUNCHER && counts(i) && is_whole(i) && ask(i, &rank) == 0 &&
		    rank.local_size == user.local_size && rank.local_rank != user.local_rank)
			check_found(check, "SPLITPIN_LOCAL_RANK=%u is set, but according to %s this is rank %u of %u",
				    user.local_rank, rank_variable(i), rank.local_rank, rank.local_size);
}

const struct check_row check_rank_rows[] = {
	{ "rank-half", "only one of the two variables that give the rank is set",
	  "set both or neither: a process with only one of them gets no share",
	  look_for_halves },
	{ "rank-nonsense", "the rank is not a number below the number of ranks",
	  "ranks are numbered from 0 up to one less than the number of ranks on the node; unset variables left by an earlier job",
	  look_for_nonsense },
	{ "rank-contradiction", "two launchers give different ranks",
	  "use one launcher, and unset the variables that another one has left",
	  look_for_contradictions },
	{ "rank-user", "SPLITPIN_LOCAL_RANK is not the launcher's number",
	  "unset SPLITPIN_LOCAL_RANK and SPLITPIN_LOCAL_SIZE, which the launcher sets itself, unless you number the ranks on purpose",
	  look_for_user },
	{ .id = NULL }
};
