/* The running jobs as one JSON object; splitpin(1) describes its fields. */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "cmd/cmd.h"
#include "cmd/json_parts.h"
#include "cmd/show/faults.h"
#include "cmd/show/labels.h"
#include "cmd/show/jobs_without_print.h"
#include "cmd/show/print.h"
#include "cmd/show/which.h"

static void
print_text(const char *key, const char *text)
{
	printf("\"%s\": ", key);
	cmd_json_string(text);
	fputs(", ", stdout);
}

static void
print_set(const char *key, const struct sp_cpus *set)
{
	printf("\"%s\": ", key);
	cmd_json_cpus("", set);
	fputs(", ", stdout);
}

static void
print_thread(const struct show_thread *thread)
{
	const char state[] = { thread->state, '\0' };

	printf("{ \"tid\": %d, ", (int)thread->tid);
	print_text("name", thread->name);
	print_text("state", state);
	printf("\"last_cpu\": %u, ", thread->last);
	print_set("cpus", &thread->cpus);
	cmd_json_member("\"mark\": ", thread->mark);
	fputs(" }", stdout);
}

static void
print_gpus(const struct show_job *job, const struct show_rank *rank)
{
	if (!job->machine->gpus.n)
		return;
	cmd_json_gpus("\"gpus\": ", &job->machine->gpus, &rank->gpus.own);
	printf(", \"not_beside\": %s, ", cmd_json_truth(rank->gpus.is_foreign));
}

/* The cores that its threads need, and the part of its share that the job claims. */
static void
print_claim(const struct show_job *job, uint32_t number)
{
	struct sp_cpus claim = jobs_claim(job, number);

	if (jobs_need(job, number))
		printf("\"need\": %u, ", jobs_need(job, number));
	if (job->has_terms)
		print_set("claim", &claim);
}

static void
print_share(const struct show_job *job, uint32_t number)
{
	const struct show_rank *rank = &job->rank[number];
	struct sp_cpus cores, nodes;
	char *list = cmd_list(&rank->seat.share);

	sp_machine_extent(job->machine, &rank->seat.share, &cores, &nodes);
	print_set("cpus", &rank->seat.share);
	print_text("list", list);
	print_set("cores", &cores);
	print_set("numa", &nodes);
	print_claim(job, number);
	print_text("memory", rank->seat.memory);
	print_gpus(job, rank);
	print_text("why", rank->seat.why);
	free(list);
}

static void
print_rank(const struct show_job *job, uint32_t number)
{
	const struct show_rank *rank = &job->rank[number];

	printf("        { \"rank\": %u, ", number);
	print_text("state", show_state_name(rank->seat.state));
	if (rank->seat.state != SP_SEAT_EMPTY)
		printf("\"pid\": %d, ", (int)rank->seat.process.pid);
	if (rank->seat.state > SP_SEAT_LEFT)
		print_text("program", rank->program);
	if (jobs_has_share(rank))
		print_share(job, number);
	printf("\"threads\": [");
	for (size_t i = 0; i < rank->nthreads; i++) {
		fputs(i ? ",\n            " : "\n            ", stdout);
		print_thread(&rank->thread[i]);
	}
	fputs("] }", stdout);
}

static void
print_job(const struct show_job *job)
{
	fputs("    { ", stdout);
	char *word = jobs_word(job->name);

	print_text("name", job->name);
	print_text("word", word);
	free(word);
	print_text("id", job->id);
	char *user = show_user(job->owner);
	print_text("user", user);
	free(user);
	if (job->has_terms) {
		print_text("terms", cmd_terms_name(job->how));
		print_set("claim", &job->claim);
	}
	printf("\"uid\": %u, \"dry_run\": %s, \"disjoint\": %s, \"idle_cores\": %u,\n      \"ranks\": [\n",
	       (unsigned)job->owner, cmd_json_truth(job->dry_run), cmd_json_truth(!job->verdict.overlapping), job->verdict.idle);
	for (uint32_t i = 0; i < job->nranks; i++) {
		fputs(i ? ",\n" : "", stdout);
		print_rank(job, i);
	}
	fputs("\n      ] }", stdout);
}

static void
print_fault(const struct show_fault *fault)
{
	fputs("    { ", stdout);
	print_text("kind", show_kind_name(fault->kind));
	print_text("job", fault->job->name);
	if (fault->rank != SP_NO_CPU)
		printf("\"rank\": %u, \"tid\": %d, ", fault->rank, (int)fault->tid);
	cmd_json_member("\"text\": ", fault->text);
	fputs(" }", stdout);
}

void
show_print_json(const struct show *show)
{
	char *summary = faults_summary(show);
	bool first = true;

	cmd_json_member("{\n  \"splitpin\": ", SP_VERSION);
	cmd_json_member(",\n  \"host\": ", show_host());
	printf(",\n  \"time\": %lld", (long long)time(NULL));
	cmd_json_member(",\n  \"summary\": ", summary);
	fputs(",\n  \"jobs\": [", stdout);
	for (size_t i = 0; i < show->njobs; i++) {
		if (!show->job[i].is_wanted)
			continue;
		fputs(first ? "\n" : ",\n", stdout);
		print_job(&show->job[i]);
		first = false;
	}
	fputs("],\n  \"problems\": [", stdout);
	for (size_t i = 0; i < show->nfaults; i++) {
		fputs(i ? ",\n" : "\n", stdout);
		print_fault(&show->fault[i]);
	}
	fputs("],\n  \"without_splitpin\": [", stdout);
	jobs_without_print_json(show);
	fputs("],\n  \"left_over\": [", stdout);
	for (size_t i = 0; i < show->nleft; i++) {
		printf("%s    { \"uid\": %u", i ? ",\n" : "\n", (unsigned)show->left[i].owner);
		cmd_json_member(", \"file\": ", show->left[i].file);
		fputs(" }", stdout);
	}
	fputs("]\n}\n", stdout);
	free(summary);
}
