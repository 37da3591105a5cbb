/* The running jobs for people. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "cmd/cmd.h"
#include "launcher/devices.h"
#include "report/picture.h"
#include "cmd/show/show.h"

static const char *
state_in_words(char state)
{
	switch (state) {
	case 'R':
		return "running";
	case 'S':
	case 'I':
		return "sleeping";
	case 'D':
		return "waiting";
	case 'T':
	case 't':
		return "stopped";
	case 'Z':
	case 'X':
		return "ended";
	default:
		return "?";
	}
}

static void
print_thread(const struct show_thread *thread)
{
	char *list = cmd_list(&thread->cpus);

	printf("  %8d  %-15s  %-8s  %7u  %s", (int)thread->tid, thread->name, state_in_words(thread->state),
	       thread->last, list);
	if (thread->mark)
		printf("  <- %s", thread->mark);
	putchar('\n');
	free(list);
}

static void
print_share(const struct show_job *job, const struct show_rank *rank)
{
	struct sp_cpus cores, nodes;
	char *list = cmd_list(&rank->seat.share);
	uint32_t n = sp_machine_extent(job->machine, &rank->seat.share, &cores, &nodes);
	char *in = cmd_list(&cores);

	printf("  CPUs %s: core%s %s, memory %s (%s)\n", list, sp_plural(n), in,
	       *rank->seat.memory ? rank->seat.memory : "default", rank->seat.why);
	free(in);
	free(list);
}

static void
print_gpus(const struct show_job *job, const struct show_rank *rank)
{
	const struct sp_rank_gpus *gpus = &rank->gpus;
	char text[SP_GPUS_TEXT];

	if (!gpus->own.n)
		return;
	char *beside = cmd_list(&gpus->beside);

	printf("  GPU %s", sp_gpus_format(&job->machine->gpus, &gpus->own, text, sizeof(text)));
	if (*beside)
		printf(" beside CPUs %s", beside);
	puts(gpus->is_foreign ? "  <- the rank has others" : "");
	free(beside);
}

static void
print_threads(const struct show_rank *rank)
{
	if (rank->is_hidden) {
		puts("  its process is in another container: its threads cannot be seen from here");
		return;
	}
	puts("       tid  name             state     last on  may run on");
	for (size_t i = 0; i < rank->nthreads; i++)
		print_thread(&rank->thread[i]);
}

static void
print_living(const struct show_job *job, uint32_t number, const struct show_rank *rank)
{
	size_t room = 3 * (size_t)job->machine->ncpus + 16;
	char *picture = cmd_allocate(room, 1);
	static const struct sp_cpus none;
	const struct sp_cpus *share = jobs_has_share(rank) ? &rank->seat.share : &none;

	printf("rank %u  %s  pid %d  %s\n", number, sp_picture(job->machine, share, picture, room),
	       (int)rank->seat.process.pid, rank->program);
	if (jobs_has_share(rank)) {
		print_share(job, rank);
		print_gpus(job, rank);
	} else if (rank->seat.state == SP_SEAT_REFUSED)
		puts("  has no share, since there are fewer CPUs than ranks: it runs as if splitpin were absent");
	else
		puts("  has no share yet");
	print_threads(rank);
	free(picture);
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

static void
print_verdict(const struct show_job *job)
{
	const struct sp_verdict *verdict = &job->verdict;

	if (job->dry_run)
		puts(": a dry run: the shares were decided, not applied");
	else if (verdict->overlapping)
		printf(": %u of %u shares overlap\n", verdict->overlapping, verdict->ranks);
	else if (verdict->refused)
		printf(": %u rank%s no share\n", verdict->refused, verdict->refused == 1 ? " has" : "s have");
	else if (verdict->all_came)
		printf(": %u disjoint share%s, %u core%s idle\n", verdict->ranks, sp_plural(verdict->ranks),
		       verdict->idle, sp_plural(verdict->idle));
	else
		printf(": %u disjoint share%s\n", verdict->ranks, sp_plural(verdict->ranks));
}

/* The name ends in the number of ranks. */
static void
print_job(const struct show_job *job, bool with_owner)
{
	printf("job %s", job->name);
	if (with_owner)
		printf(", user %u", (unsigned)job->owner);
	print_verdict(job);
	for (uint32_t i = 0; i < job->nranks; i++)
		print_rank(job, i);
	putchar('\n');
}

static bool
has_several_owners(const struct show *show)
{
	for (size_t i = 1; i < show->njobs; i++)
		if (show->job[i].owner != show->job[0].owner)
			return true;
	return false;
}

void
show_print_text(const struct show *show)
{
	char *summary = faults_summary(show);
	bool with_owner = has_several_owners(show);

	for (size_t i = 0; i < show->njobs; i++)
		if (show->job[i].is_wanted)
			print_job(&show->job[i], with_owner);
	for (size_t i = 0; i < show->nfaults; i++)
		if (show->fault[i].kind >= SHOW_OVERLAP)
			printf("wrong: %s\n", show->fault[i].text);
	puts(summary);
	free(summary);
}
