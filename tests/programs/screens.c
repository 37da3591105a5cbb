/*
 * What the report and "splitpin show" print for a job on any machine, without
 * a job: for tests of their layout.
 *
 *   screens report|show TOPOLOGY RANKS THREADS
 *
 * The ranks have the shares that they would get, and their threads the places
 * of "splitpin plan"; one thread of the last rank has drifted.  It is the caller's job.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/who.h"
#include "cmd/cmd.h"
#include "cmd/plan/make/make.h"
#include "cmd/setting_options.h"
#include "cmd/show/print.h"
#include "cmd/show/running.h"
#include "report/report.h"

#define FIRST_PID 4000

static void
seat_of(const struct plan *plan, const struct plan_rank *rank, uint32_t number, struct sp_seat *seat)
{
	*seat = (struct sp_seat){ .state = SP_SEAT_READY, .share = rank->share, .threads = plan->threads,
				  .process = { .pid = (pid_t)(FIRST_PID + 100 * number) }, .memory = "default" };
	snprintf(seat->why, sizeof(seat->why), "the launcher did not bind: %u ranks with %u cores each", plan->nranks,
		 rank->ncores);
}

static struct show_thread *
threads_of(const struct plan *plan, const struct plan_rank *rank, uint32_t number)
{
	struct show_thread *threads = cmd_allocate(rank->threads, sizeof(*threads));

	for (uint32_t i = 0; i < rank->threads; i++) {
		struct show_thread *thread = &threads[i];

		*thread = (struct show_thread){ .tid = (pid_t)(FIRST_PID + 100 * number + i), .name = "heat", .state = 'R',
						.last = sp_cpus_next(&rank->slot[i].cpus, 0), .is_busy = true,
						.cpus = rank->slot[i].cpus };
		if (i == rank->threads - 1 && number == plan->nranks - 1) {
			thread->last = 0;
			sp_cpus_add(&thread->cpus, 0);
		}
	}
	return threads;
}

static void
print_report(const struct plan *plan)
{
	struct sp_who who = { .host = "n17", .local_size = plan->nranks };
	struct sp_seat *seats = cmd_allocate(plan->nranks, sizeof(*seats));
	struct sp_verdict verdict;
	struct sp_cpus all;

	for (uint32_t i = 0; i < plan->nranks; i++) {
		struct plan_rank rank;

		plan_rank(plan, i, &rank);
		seat_of(plan, &rank, i, &seats[i]);
		plan_rank_release(&rank);
	}
	sp_machine_cpus(plan->machine, &all);
	sp_verdict(plan->machine, &all, seats, plan->nranks, &verdict);
	sp_report_table(&who, plan->machine, seats);
	sp_report_verdict(&who, plan->machine, "openmpi", seats, &verdict, true);
	free(seats);
}

static void
print_show(const struct plan *plan, void (*print)(const struct show *show))
{
	struct show_job job = { .name = cmd_format("Slurm job 4711 step 0, %u ranks", plan->nranks), .is_wanted = true,
				.owner = getuid(), .machine = plan->machine, .nranks = plan->nranks,
				.rank = cmd_allocate(plan->nranks, sizeof(struct show_rank)), .has_terms = true,
				.how = plan->terms.how, .claim = plan->terms.claim,
				.need = cmd_allocate(plan->nranks, sizeof(uint32_t)) };
	struct show show = { .job = &job, .njobs = 1 };

	for (uint32_t i = 0; i < plan->nranks; i++) {
		struct plan_rank rank;

		plan_rank(plan, i, &rank);
		job.need[i] = plan_threads(plan, i);
		seat_of(plan, &rank, i, &job.rank[i].seat);
		strcpy(job.rank[i].program, "heat\033[31m");
		cmd_make_plain(job.rank[i].program);
		job.rank[i].thread = threads_of(plan, &rank, i);
		job.rank[i].nthreads = rank.threads;
		plan_rank_release(&rank);
	}
	faults_find(&show);
	print(&show);
}

int
main(int argc, char *argv[])
{
	if (argc != 5)
		return 2;
	struct plan plan = { .source = argv[2], .nranks = (uint32_t)atoi(argv[3]), .threads = (uint32_t)atoi(argv[4]) };

	cmd_settings_read(&(struct cmd_settings){ 0 }, &plan.config);
	if (plan_make(&plan, NULL) != 0)
		return 1;
	if (strcmp(argv[1], "report") == 0)
		print_report(&plan);
	else
		print_show(&plan, show_print_text);
	return 0;
}
