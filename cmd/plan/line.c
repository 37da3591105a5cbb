/* Ranks and threads of a plan, read from a launcher's line. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/text.h"
#include "cmd/cmd.h"
#include "cmd/plan/for/launchers.h"
#include "cmd/plan/request.h"
#include "cmd/run_line.h"

static bool
has_unlike_threads(const struct target_job *job)
{
	for (uint32_t i = 1; i < job->parts; i++)
		if (job->threads[i] != job->threads[0])
			return true;
	return false;
}

/* The programs of the line in their order; false: the line does not say which ranks each has. */
static bool
fill_needs(struct plan *plan, const struct target_job *job)
{
	uint32_t rank = 0;

	if (job->ranks != plan->nranks)
		return false;
	plan->need = cmd_allocate(plan->nranks, sizeof(*plan->need));
	for (uint32_t i = 0; i < job->parts; i++)
		for (uint32_t k = 0; rank < plan->nranks && k < job->ranks_of[i]; k++)
			plan->need[rank++] = job->threads[i] <= THREADS_MAX ? job->threads[i] : 0;
	return rank == plan->nranks;
}

static int
complain_of_ranks(const struct target *target, const struct target_job *job)
{
	if (target->launcher == TARGET_OTHER)
		cmd_complain("splitpin does not read the options of %s: give -n RANKS in front of it", target->launcher_name);
	else if (job->ranks)
		cmd_complain("how many of the %u ranks are on a node? Give -n RANKS in front of %s", job->ranks, target->launcher_name);
	else
		cmd_complain("how many ranks? The line of %s does not say: give -n RANKS in front of it", target->launcher_name);
	return CMD_USAGE;
}

/* Such as torchrun: its line is printed, but not read. */
static int
complain_of_program(const char *word)
{
	for (const struct launcher_row *row = launcher_rows; row->name; row++) {
		if (strcmp(row->name, sp_last_part(word)) != 0)
			continue;
		cmd_complain("splitpin does not read the options of %s: give -n RANKS -t THREADS in place of its line", row->name);
		return CMD_USAGE;
	}
	cmd_complain("%s: splitpin plan takes a program only behind a launcher or with --for LAUNCHER, see splitpin plan --help", word);
	return CMD_USAGE;
}

static int
read_launcher(struct plan *plan, char *const command[], struct target *target, struct target_job *job)
{
	target_find(target, command);
	target_read_job(target, job);
	if (target->launcher == TARGET_NO_LAUNCHER)
		return complain_of_program(command[target->wrappers]);
	if (plan->nranks == 0)
		plan->nranks = job->here;
	if (plan->nranks == 0)
		return complain_of_ranks(target, job);
	if (plan->nranks > SP_CPUS_MAX) {
		cmd_complain("the line has %u ranks; splitpin plans up to %u", plan->nranks, SP_CPUS_MAX);
		return CMD_USAGE;
	}
	environ = job->environment;
	plan->job = job;
	if (plan->threads || !has_unlike_threads(job) || fill_needs(plan, job))
		return 0;
	cmd_complain("the programs of this line have different numbers of threads, and the line does not say how many ranks each has here: give -t THREADS");
	return CMD_USAGE;
}

/* Of "splitpin run" what it starts, with its settings in the environment, where options of the plan are over them. */
static int
read_run(struct plan *plan, const struct target_words *words, struct target *target, struct target_job *job)
{
	struct cmd_settings settings = { 0 };
	char *const *started = run_command_of(words->rest, &settings);

	target_export(words);
	cmd_settings_export(&settings);
	cmd_settings_release(&settings);
	return started ? plan_read_line(plan, started, target, job) : CMD_USAGE;
}

int
plan_read_line(struct plan *plan, char *const command[], struct target *target, struct target_job *job)
{
	struct target_words words;

	target_unwrap(command, &words);
	int status = run_is_begun(words.rest) ? read_run(plan, &words, target, job) : read_launcher(plan, command, target, job);
	target_release_words(&words);
	return status;
}

bool
plan_may_start(char *const command[])
{
	struct target_words words;
	struct cmd_settings settings = { 0 };
	struct target target;

	target_unwrap(command, &words);
	char *const *started = words.is_in_shell ? NULL : run_command_of(words.rest, &settings);
	bool may = started && plan_may_start(started);
	cmd_settings_release(&settings);
	target_release_words(&words);
	if (started || may)
		return may;
	target_find(&target, command);
	may = target_is_read(target.launcher) && !target.is_in_shell;
	target_release(&target);
	return may;
}
