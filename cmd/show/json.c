/* The running jobs as one JSON object; splitpin-json(5) describes its fields. */
#include <stdlib.h>
#include <time.h>

#include "cmd/cmd.h"
#include "cmd/json.h"
#include "cmd/show/holders.h"
#include "cmd/show/labels.h"
#include "cmd/show/print.h"
#include "cmd/show/running.h"
#include "cmd/show/which.h"

static void
put_thread(const struct show_thread *thread)
{
	const char state[] = { thread->state, '\0' };

	json_row(NULL);
	json_number("tid", thread->tid);
	json_text("name", thread->name);
	json_text("state", state);
	json_number("last_cpu", thread->last);
	json_cpus("cpus", &thread->cpus);
	json_text("problem", thread->mark);
	json_end();
}

/* The cores that its threads need, and the part of its share that the job claims. */
static void
put_claim(const struct show_job *job, uint32_t number)
{
	struct sp_cpus claim = jobs_claim(job, number);

	if (jobs_need(job, number))
		json_number("need", jobs_need(job, number));
	if (job->has_terms)
		json_cpus("claim", &claim);
}

static void
put_share(const struct show_job *job, uint32_t number)
{
	const struct show_rank *rank = &job->rank[number];
	struct sp_cpus cores, nodes;
	char *list = cmd_list(&rank->seat.share);

	sp_machine_extent(job->machine, &rank->seat.share, &cores, &nodes);
	json_cpus("cpus", &rank->seat.share);
	json_text("list", list);
	json_cpus("cores", &cores);
	json_cpus("numa", &nodes);
	put_claim(job, number);
	json_text("memory", rank->seat.memory);
	if (job->machine->gpus.n) {
		json_gpus("gpus", &job->machine->gpus, &rank->gpus.own);
		json_bool("not_beside", rank->gpus.is_foreign);
	}
	json_text("why", rank->seat.why);
	free(list);
}

static void
put_rank(const struct show_job *job, uint32_t number)
{
	const struct show_rank *rank = &job->rank[number];

	json_object(NULL);
	json_number("rank", number);
	json_text("state", show_state_name(rank->seat.state));
	if (rank->seat.state != SP_SEAT_EMPTY)
		json_number("pid", rank->seat.process.pid);
	if (rank->seat.state > SP_SEAT_LEFT)
		json_text("program", rank->program);
	if (jobs_has_share(rank))
		put_share(job, number);
	json_array("threads");
	for (size_t i = 0; i < rank->nthreads; i++)
		put_thread(&rank->thread[i]);
	json_end();
	json_end();
}

static void
put_job(const struct show_job *job)
{
	char *word = jobs_word(job->name), *user = show_user(job->owner);

	json_object(NULL);
	json_text("name", job->name);
	json_text("word", word);
	json_text("id", job->id);
	json_text("user", user);
	json_number("uid", job->owner);
	if (job->has_terms) {
		json_text("terms", cmd_terms_name(job->how));
		json_cpus("claim", &job->claim);
	}
	holders_print_json(job);
	json_bool("dry_run", job->dry_run);
	json_bool("disjoint", !job->verdict.overlapping);
	json_number("idle_cores", job->verdict.idle);
	json_array("ranks");
	for (uint32_t i = 0; i < job->nranks; i++)
		put_rank(job, i);
	json_end();
	json_end();
	free(word);
	free(user);
}

static void
put_fault(const struct show_fault *fault)
{
	json_row(NULL);
	json_text("id", show_kind_name(fault->kind));
	json_text("job", fault->job->name);
	if (fault->rank != SP_NO_CPU) {
		json_number("rank", fault->rank);
		json_number("tid", fault->tid);
	}
	json_text("problem", fault->text);
	json_end();
}

static void
put_left(const struct show *show)
{
	json_array("left_over");
	for (size_t i = 0; i < show->nleft; i++) {
		json_row(NULL);
		json_number("uid", show->left[i].owner);
		json_text("file", show->left[i].file);
		json_end();
	}
	json_end();
}

void
show_print_json(const struct show *show)
{
	char *summary = faults_summary(show);

	json_object(NULL);
	json_text("splitpin", SP_VERSION);
	json_text("host", show_host());
	json_number("time", time(NULL));
	json_text("summary", summary);
	json_array("jobs");
	for (size_t i = 0; i < show->njobs; i++)
		if (show->job[i].is_wanted)
			put_job(&show->job[i]);
	json_end();
	json_array("problems");
	for (size_t i = 0; i < show->nfaults; i++)
		put_fault(&show->fault[i]);
	json_end();
	jobs_without_print_json(show);
	put_left(show);
	json_end();
	free(summary);
}
