/* The running jobs for people. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/text.h"
#include "cmd/cmd.h"
#include "cmd/fold.h"
#include "cmd/show/holders.h"
#include "cmd/show/labels.h"
#include "cmd/show/placed.h"
#include "cmd/show/print.h"
#include "cmd/show/running.h"
#include "cmd/terminal.h"
#include "gpus/whose.h"
#include "report/mask_picture.h"

/* In a rank with more threads, similar ones are folded. */
#define THREADS_IN_FULL 8

#define MASK_COLUMN 48		/* where the masks begin */
#define PICTURE_LEAST 16

static const char *
state_in_words(char state)
{
	static const struct { const char *letters, *word; } states[] = {
		{ "R", "running" }, { "SI", "sleeping" }, { "D", "waiting" }, { "Tt", "stopped" }, { "ZX", "ended" },
	};

	for (size_t i = 0; i < sizeof(states) / sizeof(states[0]); i++)
		if (state && strchr(states[i].letters, state))
			return states[i].word;
	return "?";
}

/* Unmarked threads of a rank that differ only in where they run. */
struct group {
	size_t first, n;
	struct sp_cpus last, cpus;
	bool apart;		/* no two may run on the same CPU */
};

static bool
are_alike(const struct show_thread *a, const struct show_thread *b)
{
	return !a->mark && !b->mark && a->state == b->state && strcmp(a->name, b->name) == 0 &&
	       sp_cpus_count(&a->cpus) == sp_cpus_count(&b->cpus);
}

static struct group
group_from(const struct show_rank *rank, size_t first)
{
	struct group group = { .first = first, .n = 0, .apart = true };
	bool may_fold = rank->nthreads > THREADS_IN_FULL;

	do {
		const struct show_thread *thread = &rank->thread[first + group.n++];

		group.apart &= !sp_cpus_intersect(&group.cpus, &thread->cpus);
		sp_cpus_or(&group.cpus, &thread->cpus);
		sp_cpus_add(&group.last, thread->last);
	} while (may_fold && first + group.n < rank->nthreads &&
		 are_alike(&rank->thread[first], &rank->thread[first + group.n]));
	return group;
}

static void
print_group(const struct show_rank *rank, const struct group *group)
{
	const struct show_thread *thread = &rank->thread[group->first];
	char *list = cmd_list(&group->cpus), *last = cmd_list(&group->last);
	char *tid = group->n > 1 ? cmd_format("%zu of", group->n) : cmd_format("%d", (int)thread->tid);

	char *mark = thread->mark ? cmd_format("  %s<- %s%s", terminal_red(), thread->mark, terminal_plain()) :
		     cmd_format("%s", group->n > 1 && group->apart ? ", disjoint" : "");

	terminal_print(0, MASK_COLUMN, "  %8s  %-15s  %-8s  %7s  %s%s", tid, thread->name, state_in_words(thread->state),
		       last, list, mark);
	free(mark);
	free(tid);
	free(last);
	free(list);
}

static void
print_share(const struct show_job *job, const struct show_rank *rank)
{
	struct sp_cpus cores, nodes;
	char *list = cmd_list(&rank->seat.share);
	uint32_t n = sp_machine_extent(job->machine, &rank->seat.share, &cores, &nodes);
	char *in = cmd_list(&cores);

	terminal_print(0, 4, "  CPU%s %s: core%s %s, memory %s (%s)",
		       sp_plural(sp_cpus_count(&rank->seat.share)), list, sp_plural(n), in,
	       *rank->seat.memory ? rank->seat.memory : "default", rank->seat.why);
	free(in);
	free(list);
}

/* The caller's. */
static char *
need_of(const struct show_job *job, uint32_t number)
{
	uint32_t need = jobs_need(job, number);

	if (need)
		return cmd_format("needs %u core%s", need, sp_plural(need));
	return cmd_format(job->need && job->need[number] == SP_NEED_FIXED ?
			  "keeps its share, which its runtime has divided into places" : "announces no threads");
}

static void
print_claim(const struct show_job *job, uint32_t number)
{
	struct sp_cpus claim = jobs_claim(job, number);
	char *need = need_of(job, number), *list = cmd_list(&claim);

	if (job->has_terms && sp_cpus_empty(&job->claim))
		terminal_print(0, 4, "  %s; claims none: its threads may be on any core", need);
	else if (job->has_terms && *list)
		terminal_print(0, 4, "  %s; claims CPU%s %s", need, sp_plural(sp_cpus_count(&claim)), list);
	free(list);
	free(need);
}

static void
print_gpus(const struct show_job *job, const struct show_rank *rank)
{
	const struct sp_rank_gpus *gpus = &rank->gpus;
	char text[SP_GPUS_TEXT];

	if (!gpus->own.n)
		return;
	char *beside = cmd_list(&gpus->beside);

	terminal_print(0, 4, "  GPU %s%s%s%s", sp_gpus_format(&job->machine->gpus, &gpus->own, text, sizeof(text)),
		       *beside ? " beside CPUs " : "", beside, gpus->is_foreign ? "  <- the rank has other CPUs" : "");
	free(beside);
}

/* Threads that have a mark are not as they should be: they say so themselves. */
static void
print_placed(const struct show_job *job, uint32_t number)
{
	const struct show_rank *rank = &job->rank[number];
	struct sp_cpus claim = jobs_claim(job, number);
	bool has_one_core = sp_machine_cores(job->machine, &rank->seat.share) == 1;
	const struct sp_cpus *of_left = &rank->seat.share;
	size_t pinned = 0, left = 0;

	for (size_t i = 0; i < rank->nthreads; i++) {
		const struct sp_cpus *mask = &rank->thread[i].cpus;
		/* A binding to one core, which was kept, leaves nothing to the kernel. */
		bool is_pinned = placed_is_pinned(job->machine, &rank->seat, mask) || (has_one_core && sp_cpus_within(mask, &rank->seat.share));

		pinned += is_pinned && !rank->thread[i].mark;
		left += !is_pinned && !rank->thread[i].mark;
		if (!is_pinned && !rank->thread[i].mark && !sp_cpus_within(mask, of_left))
			of_left = mask;
	}
	const char *why = placed_why(&rank->seat, of_left, (uint32_t)rank->nthreads, sp_machine_cores(job->machine, &claim));

	if (pinned && left)
		terminal_print(0, 4, "  %zu pinned, %zu left to the kernel: %s", pinned, left, why);
	else if (left && left < rank->nthreads)
		terminal_print(0, 4, "  %zu left to the kernel: %s", left, why);
	else if (left)
		terminal_print(0, 4, "  left to the kernel: %s", why);
}

static void
print_threads(const struct show_rank *rank)
{
	if (rank->is_hidden) {
		terminal_print(0, 4, "  its process is in another container, so its threads cannot be seen");
		return;
	}
	puts("       tid  name             state     last on  may run on (OS CPUs)");
	for (size_t i = 0; i < rank->nthreads; ) {
		struct group group = group_from(rank, i);

		print_group(rank, &group);
		i += group.n;
	}
}

static void
print_living(const struct show_job *job, uint32_t number, const struct show_rank *rank)
{
	static const struct sp_cpus none;
	const struct sp_cpus *share = jobs_has_share(rank) ? &rank->seat.share : &none;
	char *name = cmd_format("rank %u  ", number);
	char *process = cmd_format("  pid %d  %s", (int)rank->seat.process.pid, rank->program);
	size_t width = terminal_width_or_usual(), taken = strlen(name) + fold_columns(process);
	size_t room = width > taken + PICTURE_LEAST ? width - taken + 2 : PICTURE_LEAST;
	char *picture = cmd_allocate(room, 1);

	terminal_print(0, 4, "%s%s%s%s%s", terminal_rank(number), name, sp_picture(job->machine, share, picture, room),
		       terminal_plain(), process);
	if (jobs_has_share(rank)) {
		print_share(job, rank);
		print_claim(job, number);
		print_gpus(job, rank);
	} else if (rank->seat.state == SP_SEAT_REFUSED)
		terminal_print(0, 4, "  has no share, since there are fewer CPUs than ranks: it runs as if splitpin were absent");
	else
		puts("  has no share yet");
	if (jobs_has_share(rank) && !rank->is_hidden)
		print_placed(job, number);
	print_threads(rank);
	free(picture);
	free(process);
	free(name);
}

static void
print_rank(const struct show_job *job, uint32_t number)
{
	const struct show_rank *rank = &job->rank[number];

	if (rank->seat.state == SP_SEAT_EMPTY)
		printf("rank %u  has not started\n", number);
	else if (rank->seat.state == SP_SEAT_LEFT)
		printf("rank %u  has ended (it was process %d)\n", number, (int)rank->seat.process.pid);
	else
		print_living(job, number, rank);
}

/* Of the busy threads those that may run outside of their rank's share, as they should. */
static size_t
busy_outside(const struct show_job *job)
{
	size_t n = 0;

	for (uint32_t i = 0; i < job->nranks; i++) {
		const struct show_rank *rank = &job->rank[i];

		for (size_t k = 0; k < rank->nthreads && jobs_has_share(rank); k++)
			n += rank->thread[k].is_busy && !rank->thread[k].mark && !sp_cpus_within(&rank->thread[k].cpus, &rank->seat.share);
	}
	return n;
}

/* The caller's. */
static char *
verdict_of(const struct show_job *job)
{
	const struct sp_verdict *verdict = &job->verdict;

	if (job->dry_run)
		return cmd_format("a dry run: the shares were decided, not applied");
	if (verdict->overlapping)
		return cmd_format("%u of %u shares overlap", verdict->overlapping, verdict->ranks);
	if (verdict->refused)
		return cmd_format("%u rank%s no share", verdict->refused, verdict->refused == 1 ? " has" : "s have");
	if (verdict->sharing)
		return cmd_format("%u rank%s the node, with too few cores for all threads", verdict->sharing, verdict->sharing == 1 ? " shares" : "s share");
	char *text = cmd_format("%s", verdict->ranks > 1 ? "each rank has its own CPUs" : "it has its own CPUs");
	size_t outside = busy_outside(job);

	if (outside)
		text = cmd_append(text, ", ", "%zu busy thread%s may also run on others", outside, sp_plural(outside));
	return verdict->all_came ? cmd_append(text, ", ", "%u core%s idle", verdict->idle, sp_plural(verdict->idle)) : text;
}

/* The name ends in the number of ranks. */
static void
print_job(const struct show_job *job, bool with_owner)
{
	char *name = show_user(job->owner);
	char *owner = with_owner ? cmd_format(", user %s", name) : cmd_format("%s", "");
	char *verdict = verdict_of(job);

	uint32_t claimed = job->has_terms ? sp_machine_cores(job->machine, &job->claim) : 0;
	char *claim = claimed ? cmd_format("; %u core%s claimed", claimed, sp_plural(claimed)) : cmd_format("%s", "");

	terminal_print(0, 4, "%s%s%s: %s%s", strncmp(job->name, "Slurm job ", 10) == 0 ? "" : "job ", job->name, owner, verdict, claim);
	free(claim);
	holders_print_text(job);
	for (uint32_t i = 0; i < job->nranks; i++)
		print_rank(job, i);
	free(verdict);
	free(owner);
	free(name);
}

static bool
has_other_owners(const struct show *show)
{
	for (size_t i = 0; i < show->njobs; i++)
		if (show->job[i].owner != show->job[0].owner || show->job[i].owner != geteuid())
			return true;
	return false;
}

void
show_print_text(const struct show *show)
{
	char *summary = faults_summary(show);
	bool with_owner = has_other_owners(show);

	terminal_print(0, 4, "%s", summary);
	for (size_t i = 0; i < show->nfaults; i++)
		if (show->fault[i].kind >= SHOW_FEW_CPUS)
			terminal_print(0, 4, "%sproblem:%s %s", terminal_red(), terminal_plain(), show->fault[i].text);
	for (size_t i = 0; i < show->njobs; i++) {
		if (!show->job[i].is_wanted)
			continue;
		putchar('\n');
		print_job(&show->job[i], with_owner);
	}
	jobs_without_print_text(show);
	for (size_t i = 0; i < show->nleft; i++) {
		char *user = show_user(show->left[i].owner);

		terminal_print(0, 4, "%sleft over: /dev/shm/%s of user %s: none of its ranks is there; this user's next job on the node removes it",
			       i ? "" : "\n", show->left[i].file, user);
		free(user);
	}
	free(summary);
}
