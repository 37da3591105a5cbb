/*
 * One pass over the environment collects the variables that the launchers are
 * known to set (known/list.h), then the launchers are asked in its order.
 *
 * Every process of a site runs this.  So the texts lie in the tables
 * themselves (pointers would have to be relocated in every process), and no
 * variable is looked at beyond its second letter unless a launcher could have
 * set it.
 *
 * Libraries' launchers run inside managers' jobs, hardly ever the other way
 * round, so where one of them has left its mark no manager is asked: the
 * manager's rank is that of mpirun itself, one and the same for all ranks of
 * the node.  (gforker is asked like a manager, since others set its variables
 * too.)
 */
#include "launcher/launcher.h"

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "base/ascii.h"
#include "base/environment.h"
#include "launcher/known/slurm.h"
#include "launcher/known/torchrun.h"
#include "launcher/known/variables.h"
#include "launcher/launchers.h"

#define NOTHING(...)
#define NAME(variable, name) [variable] = name,
const char sp_launcher_variable[NVARIABLES][SP_LAUNCHER_VARIABLE] = { SP_EACH_VARIABLE(NOTHING, NAME) };

#define ROW(number, details, name, kind, rank, size) [number] = { name, kind, rank, size },
const struct sp_launcher_row sp_launcher_row[SP_LAUNCHERS] = { SP_EACH_LAUNCHER(ROW) };

/*
 * What names that stand side by side begin with, and how far they go; the
 * first two letters are the index.  (Where two families fell on one
 * place the compiler would warn.)
 */
#define PLACE(a, b) (((a) * 8 + (b)) & 31)
#define FAMILY(a, b, start, first, last) [PLACE(a, b)] = { start, first, last },

static const struct family {
	char start[14];
	uint8_t first, last;
} families[32] = { SP_EACH_VARIABLE(FAMILY, NOTHING) };

/* The value of a variable if entry is of this name, else NULL. */
static const char *
value_of(const char *entry, const char *name)
{
	while (*name != '\0' && *entry == *name) {
		entry++;
		name++;
	}
	if (*name == '*')
		return entry;
	return *name == '\0' && *entry == '=' ? entry + 1 : NULL;
}

/*
 * Which letters the families begin with (a row each), and with which second
 * letters (a bit each): most variables cost no more than the first look-up.
 * Second letters that differ by 32 share a bit, so that the family's own
 * letters decide.
 */
#define SECOND(letter) (UINT32_C(1) << ((letter) & 31))

#define FIRST(row, letter, seconds) [letter] = row,
#define SECONDS(row, letter, seconds) [row] = seconds,
static const uint8_t row_of[256] = { SP_EACH_LETTER(FIRST) };
static const uint32_t seconds[] = { 0, SP_EACH_LETTER(SECONDS) };

static bool
may_be_family(const unsigned char *entry)
{
	unsigned row = row_of[*entry];

	/* Nearly each login has LOGNAME. */
	return row && seconds[row] & SECOND(entry[1]) && (row != LOCAL_ROW || entry[2] == 'C');
}

/*
 * Of a variable that is there twice the first counts, as for getenv.  Not
 * inlined: the loop over all variables would keep more in registers.
 */
static __attribute__((noinline)) bool
collect_one(const char *entry, const char *value[])
{
	const struct family *family = &families[PLACE((unsigned char)entry[0], (unsigned char)entry[1])];
	const char *rest = family->start[0] ? sp_variable_after(entry, family->start) : NULL;
	bool found = false;

	for (int i = family->first; rest && i <= family->last; i++) {
		if (!value[i])
			value[i] = value_of(rest, sp_launcher_variable[i] + (rest - entry));
		found |= value[i] != NULL;
	}
	return found;
}

/* Whether there is anything of a launcher's.  An empty variable is not set. */
static bool
collect(char *const environment[], const char *value[])
{
	bool found = false;

	for (const char *entry; (entry = *environment); environment++)
		if (may_be_family((const unsigned char *)entry))
			found |= collect_one(entry, value);
	for (int i = 0; found && i < NVARIABLES; i++) {
		if (value[i] && *value[i] == '\0')
			value[i] = NULL;
	}
	return found;
}

/* Flux sets the size of the job, on several nodes as on one.  PMIx knows that of the node. */
static bool
flux_here(const char *const value[])
{
	uint32_t nodes;

	return sp_variable_number(value[FLUX_NODES], &nodes) && nodes && (nodes == 1 || !value[PMIX_RANK]);
}

/* That of nodes that have equally many; whether this one has, its processes show (tasks.h).  0: they have not. */
static uint32_t
flux_size(const char *const value[])
{
	uint32_t tasks, nodes;

	return sp_variable_number(value[FLUX_SIZE], &tasks) && sp_variable_number(value[FLUX_NODES], &nodes) && nodes &&
	       tasks % nodes == 0 ? tasks / nodes : 0;
}

/*
 * MPICH's gforker runs on one node only, so its ranks are local ranks.  PMI_RANK
 * and PMI_SIZE come from many launchers of many nodes, PMI_DEBUG from gforker.
 * (Where hydra has numbered the rank no manager is asked.)
 */
static bool
gforker_here(const char *const value[])
{
	return value[PMI_DEBUG] && !value[PMIX_RANK] && !value[ANY_HYDRA] &&
	       !value[ANY_PALS] && !value[ANY_FLUX];
}

/* Branches instead of a column of functions, which would have to be relocated. */
static bool
is_here(enum sp_launcher launcher, const char *const value[])
{
	if (!value[sp_launcher_row[launcher].rank])
		return false;
	switch (launcher) {
	case SP_LAUNCHER_INTEL:
		return value[INTEL_UUID];
	case SP_LAUNCHER_FLUX:
		return flux_here(value);
	case SP_LAUNCHER_SLURM:
		return sp_slurm_is_here(value);
	case SP_LAUNCHER_GFORKER:
		return gforker_here(value);
	default:
		return true;
	}
}

/* 0: it is not known. */
static uint32_t
size_of(enum sp_launcher launcher, const char *const value[])
{
	uint32_t size;

	if (launcher == SP_LAUNCHER_SLURM)
		return sp_slurm_size(value);
	if (launcher == SP_LAUNCHER_FLUX)
		return flux_size(value);
	return sp_variable_number(value[sp_launcher_row[launcher].size], &size) ? size : 0;
}

/* 0, -ENOENT (this launcher is not here), -EBADMSG (it is, and its values are nonsense). */
static int
ask(enum sp_launcher launcher, const char *const value[], struct sp_rank *answer)
{
	const struct sp_launcher_row *row = &sp_launcher_row[launcher];

	if (!is_here(launcher, value))
		return -ENOENT;
	answer->local_size = size_of(launcher, value);
	if (!sp_variable_number(value[row->rank], &answer->local_rank) ||
	    answer->local_size > SP_RANKS_MAX || answer->local_rank >= answer->local_size)
		return -EBADMSG;
	answer->from = row->name;
	return 0;
}

static bool
same(const struct sp_rank *a, const struct sp_rank *b)
{
	return a->local_rank == b->local_rank && a->local_size == b->local_size;
}

/*
 * Nonsense ends the search, and so do two libraries' launchers that
 * contradict each other: the next row would be a guess, and a guess that all
 * ranks share is an overlap.
 */
static int
ask_launchers(const char *const value[], struct sp_rank *rank)
{
	struct sp_rank answer = { 0 };

	for (enum sp_launcher i = 0; i < SP_LAUNCHERS; i++) {
		if (sp_launcher_row[i].kind == SP_NO_LAUNCHER)
			continue;
		if (rank->from && sp_launcher_row[i].kind == SP_MANAGER_LAUNCHER)
			break;
		int rc = ask(i, value, &answer);

		if (rc == -ENOENT)
			continue;
		if (rc < 0 || (rank->from && !same(rank, &answer)))
			return -EBADMSG;
		if (!rank->from)
			*rank = answer;
	}
	return rank->from ? 0 : -ENOENT;
}

/* sign: a variable that is none of another launcher's. */
static int
ask_python(enum sp_launcher launcher, char *const environment[], const char *const value[], const char *sign,
	   struct sp_rank *rank)
{
	const struct sp_launcher_row *row = &sp_launcher_row[launcher];
	int error = sp_torchrun_rank(environment, value[row->rank], value[row->size], sign, rank);

	if (!error)
		rank->from = row->name;
	return error;
}

static int
wrong(enum variable variable, const char *const value[], struct sp_rank *rank)
{
	*rank = (struct sp_rank){
		.bad_name = sp_launcher_variable[variable],
		.bad_value = value[variable] ? value[variable] : "",
	};
	return -EINVAL;
}

static int
ask_user(const char *const value[], struct sp_rank *rank)
{
	if (!sp_variable_number(value[USER_RANK], &rank->local_rank))
		return wrong(USER_RANK, value, rank);
	if (!sp_variable_number(value[USER_SIZE], &rank->local_size) ||
	    rank->local_size == 0 || rank->local_size > SP_RANKS_MAX)
		return wrong(USER_SIZE, value, rank);
	if (rank->local_rank >= rank->local_size)
		return wrong(USER_RANK, value, rank);
	rank->from = sp_launcher_row[SP_LAUNCHER_USER].name;
	return 0;
}

/* Whether a launcher started this process, even if its rank is not to be had.  A batch script's it may be. */
static bool
launched(const char *const value[])
{
	for (enum sp_launcher i = 0; i < SP_LAUNCHERS; i++)
		if (sp_launcher_row[i].kind != SP_NO_LAUNCHER && value[sp_launcher_row[i].rank] &&
		    (i != SP_LAUNCHER_SLURM || sp_slurm_is_here(value)))
			return true;
	return false;
}

static bool
says_alone(const char *const value[])
{
	return value[USER_RANK] && sp_ascii_is(value[USER_RANK], "alone");
}

/* The user may have a program without a launcher treated as the one rank of a job. */
static bool
is_alone(const char *const value[])
{
	return says_alone(value) && !launched(value);
}

static int
find_rank(char *const environment[], const char *const value[], struct sp_rank *rank)
{
	uint32_t pmix;

	if ((value[USER_RANK] || value[USER_SIZE]) && !says_alone(value))
		return ask_user(value, rank);
	/* Inside of another launcher's job these are the inner ones, mostly: launcher/nearest.h. */
	int error = ask_python(SP_LAUNCHER_TORCHRUN, environment, value, "TORCHELASTIC_RUN_ID", rank);
	if (error == -ENOENT)
		error = ask_python(SP_LAUNCHER_DEEPSPEED, environment, value, "CROSS_SIZE", rank);
	if (error == -ENOENT)
		error = ask_launchers(value, rank);
	if (!error)
		return 0;
	*rank = (struct sp_rank){ 0 };
	if (sp_variable_number(value[PMIX_RANK], &pmix))
		return -EAGAIN;
	/* Others set PyTorch's variables, from those of a launcher that would have been found. */
	if (error == -ENOENT && ask_python(SP_LAUNCHER_TORCHRUN, environment, value, "MASTER_ADDR", rank) == 0)
		return 0;
	*rank = (struct sp_rank){ 0 };
	if (!is_alone(value))
		return -ENOENT;
	*rank = (struct sp_rank){ .local_size = 1, .from = sp_launcher_row[SP_LAUNCHER_ALONE].name };
	return 0;
}

/* A process that is a rank already hands another value of SP_RUN on to what it starts. */
static bool
is_from_start(const char *const value[])
{
	if (value[USER_RUN])
		return sp_ascii_is(value[USER_RUN], SP_RUN_RANKS);
	return (value[USER_RANK] || value[USER_SIZE]) && !says_alone(value);
}

int
sp_launcher_rank(char *const environment[], struct sp_rank *rank)
{
	const char *value[NVARIABLES] = { 0 };

	*rank = (struct sp_rank){ 0 };
	if (!environment || !collect(environment, value))
		return -ENOENT;
	int error = find_rank(environment, value, rank);
	rank->from_start = !error && is_from_start(value);
	rank->may_be_asked = value[USER_DEBUG] || value[USER_REPORT];
	return error;
}

bool
sp_launcher_is_taken(char *const environment[])
{
	const char *run = sp_environment_value(environment, SP_RUN);

	return run && strncmp(run, SP_RUN_TAKEN, sizeof(SP_RUN_TAKEN) - 1) == 0;
}
