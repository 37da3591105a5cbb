#include "cmd/show/holders.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/text.h"
#include "cmd/cmd.h"
#include "cmd/json.h"
#include "cmd/show/labels.h"
#include "cmd/terminal.h"
#include "launcher/ancestors.h"
#include "process/pinned.h"

#define IN_TEXT 4

static void
add(struct show_job *job, pid_t pid, uid_t owner, const struct sp_cpus *cpus)
{
	struct show_holder holder = { .pid = pid, .owner = owner, .cpus = *cpus };

	threads_program(pid, holder.program);
	job->holder = cmd_enlarge(job->holder, job->nholders + 1, sizeof(*job->holder));
	job->holder[job->nholders++] = holder;
}

/* Its first rank that can be seen stands for a job. */
static void
add_job(struct show_job *job, const struct show_job *other)
{
	const struct show_rank *rank = jobs_first_seen(other);

	if (rank)
		add(job, rank->seat.process.pid, other->owner, &other->claim);
}

static void
add_process(pid_t pid, const struct sp_cpus *cpus, void *data)
{
	struct show_job *job = data;
	uid_t owner;

	for (uint32_t i = 0; i < job->nranks; i++)
		if (job->rank[i].seat.process.pid == pid)
			return;
	if (threads_owner(pid, &owner))
		add(job, pid, owner, cpus);
}

static pid_t
launcher_of(const struct show_job *job)
{
	const struct show_rank *rank = jobs_first_seen(job);
	size_t n = 0;
	struct sp_ancestor *ancestor = rank ? sp_ancestors_of(rank->seat.process.pid, &n) : NULL;
	const struct sp_ancestor *launcher = sp_ancestors_launcher(ancestor, n);
	pid_t pid = launcher ? launcher->pid : 0;

	sp_ancestors_free(ancestor, n);
	return pid;
}

static void
find(const struct show *show, struct show_job *job)
{
	struct sp_cpus all, known = { 0 };
	struct sp_pinned pinned;

	for (size_t i = 0; i < show->njobs; i++) {
		const struct show_job *other = &show->job[i];

		if (other == job || other->dry_run || sp_cpus_empty(&other->claim))
			continue;
		add_job(job, other);
		sp_cpus_or(&known, &other->claim);
	}
	sp_machine_cpus(job->machine, &all);
	sp_pinned_by_others(&(struct sp_pinned_search){ .machine = job->machine, .allowed = &all, .known = &known,
		.own_launcher = launcher_of(job), .is_launcher = sp_ancestors_is_launcher, .found = add_process, .data = job }, &pinned);
}

void
holders_find(struct show *show)
{
	for (size_t i = 0; i < show->njobs; i++)
		if (show->job[i].is_wanted && show->job[i].has_terms && show->job[i].how == SP_TERMS_SHARED && show->job[i].machine)
			find(show, &show->job[i]);
}

void
holders_print_text(const struct show_job *job)
{
	for (size_t i = 0; i < job->nholders && i < IN_TEXT; i++) {
		const struct show_holder *holder = &job->holder[i];
		uint32_t cores = sp_machine_cores(job->machine, &holder->cpus);
		char *list = cmd_list(&holder->cpus), *user = show_user(holder->owner);

		terminal_print(0, 4, "  %u core%s (CPU%s %s) held by PID %d, %s of user %s", cores, sp_plural(cores),
			       sp_plural(sp_cpus_count(&holder->cpus)), list, (int)holder->pid, holder->program, user);
		free(user);
		free(list);
	}
	if (job->nholders > IN_TEXT)
		printf("  and by %zu more (--format json)\n", job->nholders - IN_TEXT);
}

void
holders_print_json(const struct show_job *job)
{
	json_array("held_by");
	for (size_t i = 0; i < job->nholders; i++) {
		char *user = show_user(job->holder[i].owner);

		json_row(NULL);
		json_number("pid", job->holder[i].pid);
		json_text("program", job->holder[i].program);
		json_text("user", user);
		json_number("uid", job->holder[i].owner);
		json_cpus("cpus", &job->holder[i].cpus);
		json_end();
		free(user);
	}
	json_end();
}

void
holders_release(struct show_job *job)
{
	free(job->holder);
}
