/* The running jobs with one line a rank, for --watch and --nodes. */
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/text.h"
#include "cmd/cmd.h"
#include "cmd/show/show.h"
#include "cmd/terminal.h"
#include "gpus/whose.h"

#define USUAL 80		/* the columns below, without the GPU and the note */
#define HOST 8		/* never cut: names of nodes differ in their last digits */
#define JOB 14
#define JOB_MOST 40

/* Names of jobs have the room that the terminal leaves; in a pipe they are whole, whatever their column. */
static int
job_width(void)
{
	size_t width = terminal_width_or_usual();
	size_t more = width > USUAL + 16 ? width - USUAL - 16 : 0;

	return (int)(more > JOB_MOST - JOB ? JOB_MOST : JOB + more);
}

char *
show_user(uid_t uid)
{
	const struct passwd *entry = getpwuid(uid);
	char *name = entry ? cmd_format("%s", entry->pw_name) : cmd_format("%u", (unsigned)uid);

	cmd_make_plain(name);
	return name;
}

const char *
show_host(void)
{
	static char host[65];

	if (!*host && gethostname(host, sizeof(host)) != 0)
		strcpy(host, "?");
	cmd_make_plain(host);
	return host;
}

void
show_table_heading(size_t host)
{
	printf("%-*s %-8s %-*s RANK     PID PROGRAM    CPUS          BUSY  NEED\n", (int)(host < HOST ? HOST : host), "HOST", "USER", job_width(), "JOB");
}

/* What is wrong with this rank, in a word each. */
static char *
note_of(const struct show *show, const struct show_job *job, uint32_t number)
{
	const struct show_rank *rank = &job->rank[number];
	bool has[SHOW_KINDS] = { false };
	char *note = cmd_format("%s", rank->is_hidden ? "in another container" : !jobs_has_share(rank) ? show_state_name(rank->seat.state) : "");

	for (size_t i = 0; i < show->nfaults; i++)
		if (show->fault[i].job == job && show->fault[i].rank == number)
			has[show->fault[i].kind] = true;
	for (int kind = 0; kind < SHOW_KINDS; kind++)
		if (has[kind])
			note = cmd_append(note, " ", "%s", show_kind_name(kind));
	return note;
}

void
show_table_row(const char *user, const char *job, int width, const char *rank, pid_t pid, const char *program,
	       const char *cpus, size_t busy, size_t threads, uint32_t need)
{
	char wanted[12] = "-";
	char *word = jobs_word(job);
	int length = (int)strlen(word);
	bool is_whole = terminal_width() == 0 || length < width;

	if (need)
		snprintf(wanted, sizeof(wanted), "%u", need);
	printf("%-*s %-8.8s %-*.*s %4s %7d %-10.10s %-12s %2zu/%-2zu %4s", HOST, show_host(), user, width, is_whole ? length : width, word, rank,
	       (int)pid, program, cpus, busy, threads, wanted);
	free(word);
}

/* Where it is not the share. */
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
	show_table_row(user, job->name, job_width(), name, rank->seat.process.pid, rank->program,
		       jobs_has_share(rank) ? list : "-", busy, rank->nthreads, jobs_need(job, number));
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
	others_print_table(show, job_width());
	for (size_t i = 0; i < show->nothers; i++)
		if (show->other[i].problem)
			printf("%-*s %sproblem:%s %s: %s; start it with: %s\n", HOST, show_host(), terminal_red(), terminal_plain(),
			       show->other[i].name, show->other[i].problem, show->other[i].line);
	for (size_t i = 0; i < show->nfaults; i++)
		if (show->fault[i].kind >= SHOW_FEW_CPUS)
			printf("%-*s %sproblem:%s %s\n", HOST, show_host(), terminal_red(), terminal_plain(), show->fault[i].text);
	for (size_t i = 0; i < show->nleft; i++) {
		char *user = show_user(show->left[i].owner);

		printf("%-*s %-8.8s left over: /dev/shm/%s, none of its ranks is there\n", HOST, show_host(), user, show->left[i].file);
		free(user);
	}
}
