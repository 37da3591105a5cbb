#include "engine/ending.h"

#include "elf/runtimes.h"
#include "report/measure.h"
#include "report/node_report.h"
#include "report/report.h"

void
sp_ending_check_memory(struct sp_state *self)
{
	struct sp_numa_maps now;

	if (self->membind.is_checked && sp_state_is_rank(self) && sp_numa_maps_read(&now) == 0)
		sp_report_pages(&self->who, self->membind.name, &self->membind.nodes, &self->membind.before, &now);
}

/*
 * Whether the launcher has, by default, bound an OpenMP program to a core, no
 * setting gives its number of threads, and it has had as many threads as the
 * core has CPUs.
 */
static bool
has_threads_of_one_core(const struct sp_state *self)
{
	return !sp_cpus_empty(&self->shared.open) && !self->omp_env.threads && self->most_wanted <= sp_cpus_count(&self->inherited) &&
	       sp_machine_cores(self->joined.machine, &self->inherited) == 1 && sp_runtimes_are_needed();
}

/* Returns the number of threads that the process has; 0: not known. */
static uint32_t
report_use(struct sp_state *self, const struct sp_node *of_rank)
{
	struct sp_measured measured = { .threads = 0 };

	if (self->config.dry_run)
		return 0;
	sp_measure(self->share, &measured);
	if (measured.is_crowded)
		sp_node_report_crowd(of_rank, &(struct sp_used){
			.share = self->share, .measured = &measured, .threads = self->omp_env.threads, .setting = self->omp_env.libgomp });
	else if (measured.is_busy && has_threads_of_one_core(self))
		sp_node_report_few_threads(of_rank);
	return measured.threads;
}

void
sp_ending_report(struct sp_state *self)
{
	uint32_t threads = 0;

	if (!sp_state_has_seat(self))
		return;
	if (self->is_settled) {
		const struct sp_node of_rank = sp_state_node(self);

		threads = report_use(self, &of_rank);
		sp_node_report_at_end(&of_rank);
	}
	sp_board_leave(self->joined.board, self->rank.local_rank, threads);
}
