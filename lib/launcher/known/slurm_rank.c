#include "launcher/known/slurm.h"

#include "base/ascii.h"
#include "launcher/known/variables.h"

/* Slurm gives the batch script, the extern and the interactive step numbers from here: they are no ranks. */
#define FIRST_SPECIAL_STEP 0xfffffff0u

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

/* "2(x3),1": two tasks on each of the first three nodes, one on the fourth. */
uint32_t
sp_slurm_size(const char *const value[])
{
	const char *text = value[SLURM_TASKS_PER_NODE];
	uint32_t node, tasks, nodes;

	if (!text || !sp_variable_number(value[SLURM_NODE], &node))
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

/*
 * A launcher that srun started hands SLURM_* on to its ranks: PRRTE is recognised
 * by its mark and its PMIx name space, the others by their own number of ranks.
 */
bool
sp_slurm_is_here(const char *const value[])
{
	uint32_t step, ranks, tasks;

	if (!sp_variable_number(value[SLURM_STEP], &step) || step >= FIRST_SPECIAL_STEP)
		return false;
	if (value[PRTE_LAUNCHED])
		return false;
	if (value[PMIX_NAMESPACE] && !sp_variable_after(value[PMIX_NAMESPACE], "slurm.pmix."))
		return false;
	if (value[PMI_SIZE])
		return sp_variable_number(value[PMI_SIZE], &ranks) &&
		       sp_variable_number(value[SLURM_TASKS], &tasks) && ranks == tasks;
	return true;
}
