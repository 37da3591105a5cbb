/* The running jobs with one line a rank. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "cmd/cmd.h"
#include "cmd/show/labels.h"
#include "cmd/show/print.h"
#include "cmd/show/table_row.h"
#include "cmd/terminal.h"
#include "gpus/whose.h"

/* What is wrong with this rank, in a word each. */
static char *
note_of(const struct show *show, const struct show_job *job, uint32_t number)
{
	const struct show_rank *rank = &job->rank[number];
	bool has[SHOW_KINDS] = { false };
	/* Of several starved ranks the fault names one. */
	bool is_starved = jobs_has_share(rank) && sp_verdict_is_starving(&job->verdict, job->machine, &rank->seat);
	char *note = cmd_format("%s", rank->is_hidden ? "in another container" : !jobs_has_share(rank) ? show_state_name(rank->seat.state) : "");

	for (size_t i = 0; i < show->nfaults; i++)
		if (show->fault[i].job == job && (show->fault[i].rank == number || (show->fault[i].kind == SHOW_STARVED && is_starved)))
			has[show->fault[i].kind] = true;
	for (int kind = 0; kind < SHOW_KINDS; kind++)
		if (has[kind])
			note = cmd_append(note, " ", "%s", show_kind_name(kind));
	return note;
}

/* Print the claim unless it is the whole share. */
static void
print_claim(const struct show_job *job, uint32_t number)
{
	struct sp_cpus claim = jobs_claim(job, number);

	if (!job->has_terms || !jobs_has_share(&job->rank[number]) || sp_cpus_empty(&claim) ||
	    sp_cpus_equal(&claim, &job->rank[number].seat.share))
		return;
	char *list = cmd_list(&claim);
	printf("  claim %s", list);
	free(list);
}

static void
print_rank(const struct show *show, const struct show_job *job, uint32_t number, const char *user)
{
	const struct show_rank *rank = &job->rank[number];
	char *list = cmd_list(&rank->seat.share), *note = note_of(show, job, number), gpu[SP_GPUS_TEXT] = "";
	size_t busy = 0;
	char name[12];

	for (size_t i = 0; i < rank->nthreads; i++)
		busy += rank->thread[i].is_busy;
	if (rank->gpus.own.n)
		sp_gpus_format(&job->machine->gpus, &rank->gpus.own, gpu, sizeof(gpu));
	snprintf(name, sizeof(name), "%u", number);
	table_row_print(&(struct table_row){ .user = user, .job = job->name, .rank = name,
		.pid = rank->seat.process.pid, .program = rank->program, .cpus = jobs_has_share(rank) ? list : "-",
		.busy = busy, .threads = rank->nthreads, .need = jobs_need(job, number) });
	print_claim(job, number);
	if (*gpu)
		printf("  GPU %s", gpu);
	if (*note)
		printf("  %s%s%s", terminal_red(), note, terminal_plain());
	putchar('\n');
	free(note);
	free(list);
}

static void
print_job(const struct show *show, const struct show_job *job)
{
	char *user = show_user(job->owner);

	for (uint32_t i = 0; i < job->nranks; i++)
		if (job->rank[i].seat.state != SP_SEAT_EMPTY)
			print_rank(show, job, i, user);
	free(user);
}

void
show_print_table(const struct show *show)
{
	for (size_t i = 0; i < show->njobs; i++)
		if (show->job[i].is_wanted)
			print_job(show, &show->job[i]);
	jobs_without_print_table(show);
	for (size_t i = 0; i < show->nothers; i++)
		if (show->other[i].problem)
			printf("%-*s %sproblem:%s %s: %s; %s\n", TABLE_HOST, show_host(), terminal_red(), terminal_plain(),
			       show->other[i].name, show->other[i].problem, show->other[i].remedy);
	for (size_t i = 0; i < show->nfaults; i++)
		if (show->fault[i].kind >= SHOW_FEW_CPUS)
			printf("%-*s %sproblem:%s %s\n", TABLE_HOST, show_host(), terminal_red(), terminal_plain(), show->fault[i].text);
	for (size_t i = 0; i < show->nleft; i++) {
		char *user = show_user(show->left[i].owner);

		printf("%-*s %-8.8s left over: /dev/shm/%s, none of its ranks is there\n", TABLE_HOST, show_host(), user, show->left[i].file);
		free(user);
	}
}
