/*
 * One pass over the environment collects the variables that the launchers are
 * known to set, then the launchers are asked in the order of their table.
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

#include "base/ascii.h"
#include "launcher/launchers.h"
#include "launcher/torchrun.h"

/* In the order of families[]. */
enum variable {
	USER_RANK,
	USER_SIZE,
	USER_DEBUG,
	USER_REPORT,
	TORCH_RANK,
	TORCH_SIZE,
	DEEPSPEED_SIZE,
	OPENMPI_RANK,
	OPENMPI_SIZE,
	HYDRA_RANK,
	HYDRA_SIZE,
	INTEL_UUID,
	MVAPICH2_RANK,
	MVAPICH2_SIZE,
	ANY_PALS,
	PALS_RANK,
	PALS_SIZE,
	ANY_FLUX,
	FLUX_RANK,
	FLUX_SIZE,
	FLUX_NODES,
	SLURM_RANK,
	SLURM_TASKS_PER_NODE,
	SLURM_NODE,
	SLURM_STEP,
	SLURM_TASKS,
	PMI_RANK,
	PMI_SIZE,
	PMI_DEBUG,
	PMIX_RANK,
	PMIX_NAMESPACE,
	PRTE_LAUNCHED,
	ANY_HYDRA,
	NVARIABLES
};

const char sp_launcher_variable[NVARIABLES][SP_LAUNCHER_VARIABLE] = {
	[USER_RANK] = "SPLITPIN_LOCAL_RANK",
	[USER_SIZE] = "SPLITPIN_LOCAL_SIZE",
	[USER_DEBUG] = "SPLITPIN_DEBUG",
	[USER_REPORT] = "SPLITPIN_REPORT",
	[TORCH_RANK] = "LOCAL_RANK",
	[TORCH_SIZE] = "LOCAL_WORLD_SIZE",
	[DEEPSPEED_SIZE] = "LOCAL_SIZE",
	[OPENMPI_RANK] = "OMPI_COMM_WORLD_LOCAL_RANK",
	[OPENMPI_SIZE] = "OMPI_COMM_WORLD_LOCAL_SIZE",
	[HYDRA_RANK] = "MPI_LOCALRANKID",
	[HYDRA_SIZE] = "MPI_LOCALNRANKS",
	[INTEL_UUID] = "I_MPI_HYDRA_UUID",
	[MVAPICH2_RANK] = "MV2_COMM_WORLD_LOCAL_RANK",
	[MVAPICH2_SIZE] = "MV2_COMM_WORLD_LOCAL_SIZE",
	[ANY_PALS] = "PALS_*",
	[PALS_RANK] = "PALS_LOCAL_RANKID",
	[PALS_SIZE] = "PALS_LOCAL_SIZE",
	[ANY_FLUX] = "FLUX_*",
	[FLUX_RANK] = "FLUX_TASK_LOCAL_ID",
	[FLUX_SIZE] = "FLUX_JOB_SIZE",
	[FLUX_NODES] = "FLUX_JOB_NNODES",
	[SLURM_RANK] = "SLURM_LOCALID",
	[SLURM_TASKS_PER_NODE] = "SLURM_STEP_TASKS_PER_NODE",
	[SLURM_NODE] = "SLURM_NODEID",
	[SLURM_STEP] = "SLURM_STEP_ID",
	[SLURM_TASKS] = "SLURM_STEP_NUM_TASKS",
	[PMI_RANK] = "PMI_RANK",
	[PMI_SIZE] = "PMI_SIZE",
	[PMI_DEBUG] = "PMI_DEBUG",
	[PMIX_RANK] = "PMIX_RANK",
	[PMIX_NAMESPACE] = "PMIX_NAMESPACE",
	[PRTE_LAUNCHED] = "PRTE_LAUNCHED",
	[ANY_HYDRA] = "HYDRA_*",
};

const struct sp_launcher_row sp_launcher_row[SP_LAUNCHERS] = {
	[SP_LAUNCHER_USER] = { "user", SP_NO_LAUNCHER, USER_RANK, USER_SIZE },
	[SP_LAUNCHER_TORCHRUN] = { "torchrun", SP_NO_LAUNCHER, TORCH_RANK, TORCH_SIZE },
	[SP_LAUNCHER_DEEPSPEED] = { "deepspeed", SP_NO_LAUNCHER, TORCH_RANK, DEEPSPEED_SIZE },
	[SP_LAUNCHER_OPENMPI] = { "openmpi", SP_LIBRARY_LAUNCHER, OPENMPI_RANK, OPENMPI_SIZE },
	[SP_LAUNCHER_INTEL] = { "intel", SP_LIBRARY_LAUNCHER, HYDRA_RANK, HYDRA_SIZE },
	[SP_LAUNCHER_HYDRA] = { "hydra", SP_LIBRARY_LAUNCHER, HYDRA_RANK, HYDRA_SIZE },
	[SP_LAUNCHER_MVAPICH2] = { "mvapich2", SP_LIBRARY_LAUNCHER, MVAPICH2_RANK, MVAPICH2_SIZE },
	[SP_LAUNCHER_PALS] = { "pals", SP_MANAGER_LAUNCHER, PALS_RANK, PALS_SIZE },
	[SP_LAUNCHER_FLUX] = { "flux", SP_MANAGER_LAUNCHER, FLUX_RANK, FLUX_SIZE },
	[SP_LAUNCHER_SLURM] = { "slurm", SP_MANAGER_LAUNCHER, SLURM_RANK, SLURM_TASKS_PER_NODE },
	[SP_LAUNCHER_GFORKER] = { "gforker", SP_MANAGER_LAUNCHER, PMI_RANK, PMI_SIZE },
	[SP_LAUNCHER_PMIX] = { "pmix", SP_NO_LAUNCHER, PMIX_RANK, PMIX_RANK },
	[SP_LAUNCHER_ALONE] = { "alone", SP_NO_LAUNCHER, USER_RANK, USER_RANK },
};

/*
 * What names that stand side by side begin with, and how far they go; the
 * first two letters are the index.  (Where two families fell on one
 * place the compiler would warn.)
 */
#define PLACE(a, b) (((a) * 8 + (b)) & 31)

static const struct family {
	char start[14];
	uint8_t first, last;
} families[32] = {
	[PLACE('S', 'P')] = { "SPLITPIN_", USER_RANK, USER_REPORT },
	[PLACE('L', 'O')] = { "LOCAL_", TORCH_RANK, DEEPSPEED_SIZE },
	[PLACE('O', 'M')] = { "OMPI_COMM_WOR", OPENMPI_RANK, OPENMPI_SIZE },
	[PLACE('M', 'P')] = { "MPI_LOCAL", HYDRA_RANK, HYDRA_SIZE },
	[PLACE('I', '_')] = { "I_MPI_HYDRA_U", INTEL_UUID, INTEL_UUID },
	[PLACE('M', 'V')] = { "MV2_COMM_WORL", MVAPICH2_RANK, MVAPICH2_SIZE },
	[PLACE('P', 'A')] = { "PALS_", ANY_PALS, PALS_SIZE },
	[PLACE('F', 'L')] = { "FLUX_", ANY_FLUX, FLUX_NODES },
	[PLACE('S', 'L')] = { "SLURM_", SLURM_RANK, SLURM_TASKS },
	[PLACE('P', 'M')] = { "PMI", PMI_RANK, PMIX_NAMESPACE },
	[PLACE('P', 'R')] = { "PRTE_LAUNCHED", PRTE_LAUNCHED, PRTE_LAUNCHED },
	[PLACE('H', 'Y')] = { "HYDRA_", ANY_HYDRA, ANY_HYDRA },
};

/* What follows start in text, or NULL if text does not begin with it. */
static const char *
after(const char *text, const char *start)
{
	while (*start != '\0' && *text == *start) {
		text++;
		start++;
	}
	return *start == '\0' ? text : NULL;
}

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

#define LOCAL_ROW 8
static const uint8_t row_of[256] = { ['F'] = 1, ['H'] = 2, ['I'] = 3, ['M'] = 4, ['O'] = 5, ['P'] = 6, ['S'] = 7,
					['L'] = LOCAL_ROW };

static const uint32_t seconds[9] = {
	0, SECOND('L'), SECOND('Y'), SECOND('_'), SECOND('P') | SECOND('V'), SECOND('M'),
	SECOND('A') | SECOND('M') | SECOND('R'), SECOND('L') | SECOND('P'),
	SECOND('O'),
};

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
	const char *rest = family->start[0] ? after(entry, family->start) : NULL;
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

/* Read digits; leaves *text behind them.  Returns false where none are or too many. */
static bool
digits(const char **text, uint32_t *number)
{
	uint64_t n;
	const char *end = sp_ascii_digits(*text, &n);

	if (!end || n > UINT32_MAX)
		return false;
	*text = end;
	*number = (uint32_t)n;
	return true;
}

static bool
number_of(const char *text, uint32_t *number)
{
	return text && sp_ascii_number(text, number);
}

/* "2(x3),1": two tasks on each of the first three nodes, one on the fourth. */
static uint32_t
slurm_size(const char *const value[])
{
	const char *text = value[SLURM_TASKS_PER_NODE];
	uint32_t node, tasks, nodes;

	if (!text || !number_of(value[SLURM_NODE], &node))
		return 0;
	for (;; node -= nodes, text++) {
		nodes = 1;
		if (!digits(&text, &tasks))
			return 0;
		if (text[0] == '(' && text[1] == 'x') {
			text += 2;
			if (!digits(&text, &nodes) || *text++ != ')')
				return 0;
		}
		if (*text != ',' && *text != '\0')
			return 0;
		if (node < nodes)
			return tasks;
		if (*text == '\0')
			return 0;
	}
}

/* Flux sets the size of the job, which is that of the node on one node alone. */
static bool
flux_here(const char *const value[])
{
	uint32_t nodes;

	return number_of(value[FLUX_NODES], &nodes) && nodes == 1;
}

/*
 * Whether srun itself started this process.  A launcher that srun started
 * hands SLURM_* on to its ranks: PRRTE is recognised by its mark and its PMIx name
 * space, the others by their own number of ranks.
 */
static bool
slurm_here(const char *const value[])
{
	uint32_t step, ranks, tasks;

	if (!number_of(value[SLURM_STEP], &step) || step >= SP_SLURM_FIRST_SPECIAL_STEP)
		return false;
	if (value[PRTE_LAUNCHED])
		return false;
	if (value[PMIX_NAMESPACE] && !after(value[PMIX_NAMESPACE], "slurm.pmix."))
		return false;
	if (value[PMI_SIZE])
		return number_of(value[PMI_SIZE], &ranks) &&
		       number_of(value[SLURM_TASKS], &tasks) && ranks == tasks;
	return true;
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
		return slurm_here(value);
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
		return slurm_size(value);
	return number_of(value[sp_launcher_row[launcher].size], &size) ? size : 0;
}

/* 0, -ENOENT (this launcher is not here), -EBADMSG (it is, and its values are nonsense). */
static int
ask(enum sp_launcher launcher, const char *const value[], struct sp_rank *answer)
{
	const struct sp_launcher_row *row = &sp_launcher_row[launcher];

	if (!is_here(launcher, value))
		return -ENOENT;
	answer->local_size = size_of(launcher, value);
	if (!number_of(value[row->rank], &answer->local_rank) ||
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
	if (!number_of(value[USER_RANK], &rank->local_rank))
		return wrong(USER_RANK, value, rank);
	if (!number_of(value[USER_SIZE], &rank->local_size) ||
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
		    (i != SP_LAUNCHER_SLURM || slurm_here(value)))
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
	if (number_of(value[PMIX_RANK], &pmix))
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

int
sp_launcher_rank(char *const environment[], struct sp_rank *rank)
{
	const char *value[NVARIABLES] = { 0 };

	*rank = (struct sp_rank){ 0 };
	if (!environment || !collect(environment, value))
		return -ENOENT;
	int error = find_rank(environment, value, rank);
	rank->may_be_asked = value[USER_DEBUG] || value[USER_REPORT];
	return error;
}
