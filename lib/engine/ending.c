#include "engine/ending.h"

#include "base/pin.h"
#include "elf/runtimes.h"
#include "engine/mask.h"
#include "report/first_thread.h"
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

/* Whether the launcher has, by default, bound the rank to a core, and no setting gives its number of threads. */
static bool
is_on_one_core(const struct sp_state *self)
{
	return !sp_cpus_within(&self->found.open, &self->inherited) && !self->omp_env.threads && sp_machine_cores(self->joined.machine, self->share) == 1 &&
	       sp_machine_cores(self->joined.machine, &self->inherited) == 1;
}

/* Whether an OpenMP program has had as many threads as the one core has CPUs. */
static bool
has_threads_of_one_core(const struct sp_state *self)
{
	return self->most_wanted <= sp_cpus_count(&self->inherited) && sp_runtimes_are_needed();
}

/* The mask of the first thread, where that is one CPU; empty: it is more, or not known. */
static struct sp_cpus
cpu_of_first(const struct sp_state *self)
{
	struct sp_cpus mask;

	return sp_pin_get(self->pid, &mask) == 0 && sp_cpus_count(&mask) == 1 ? mask : (struct sp_cpus){ 0 };
}

/*
 * Whether something else than splitpin has bound the first thread to this CPU:
 * of several in the share, where splitpin may have, a call is known.  The guard
 * names such masks itself, the verdict the user's lists of CPUs; and which CPUs are
 * others' is not known where the share may be others', too.
 */
static bool
is_bound_by_others(const struct sp_state *self, const struct sp_cpus *cpu)
{
	if (self->guard)
		return false;
	if (sp_cpus_within(cpu, self->share))
		return !sp_cpus_equal(cpu, self->share) && sp_mask_is_by_program(self, self->pid, sp_drift_hash(cpu));
	return !self->found.may_be_others && !sp_cpus_intersect(cpu, &self->omp_env.numbers);
}

static void
report_first_thread(struct sp_state *self, const struct sp_node *of_rank, unsigned waited)
{
	const struct sp_cpus cpu = cpu_of_first(self);
	char library[64] = "";

	if (sp_cpus_empty(&cpu))
		return;
	sp_board_note_bound(self->joined.board, sp_cpus_next(&cpu, 0));
	if (!is_bound_by_others(self, &cpu))
		return;
	const void *caller = sp_changes_find(&self->changes, self->pid, sp_drift_hash(&cpu));
	bool is_program = caller && sp_guard_is_program(caller, library, sizeof(library));
	sp_first_thread_report(of_rank, self->share, &(struct sp_first_thread){
		.cpu = sp_cpus_next(&cpu, 0), .by = is_program ? NULL : library, .waited = waited });
}

static uint32_t
seconds_of_life(void)
{
	struct sp_process process;

	return sp_process_self(&process) == 0 ? (uint32_t)(sp_process_age_ns(&process) / 1000000000) : 0;
}

/* Returns the number of threads that the process has; 0: not known.  waited: percent of the time in which they wanted to run. */
static uint32_t
report_use(struct sp_state *self, const struct sp_node *of_rank, unsigned *waited)
{
	struct sp_measured measured = { .threads = 0 };

	if (self->config.dry_run && !self->config.observe)
		return 0;
	sp_measure(self->share, &measured);
	if (measured.is_crowded)
		sp_node_report_crowd(of_rank, &(struct sp_used){
			.share = self->share, .measured = &measured, .threads = self->omp_env.threads, .setting = self->omp_env.libgomp });
	else if (measured.took_turns && is_on_one_core(self))
		sp_node_report_few_cores(of_rank, true);
	else if (measured.is_busy && is_on_one_core(self) && has_threads_of_one_core(self))
		sp_node_report_few_cores(of_rank, false);
	if (!self->config.dry_run)
		report_first_thread(self, of_rank, measured.first_waited);
	*waited = measured.all_waited;
	return measured.threads;
}

/* Of a rank without a share, of which nothing else is told. */
static unsigned
measure_waited(const struct sp_state *self)
{
	struct sp_measured measured;

	sp_measure(&self->inherited, &measured);
	return measured.all_waited;
}

void
sp_ending_report(struct sp_state *self)
{
	uint32_t threads = 0;

	if (!sp_state_has_seat(self))
		return;
	if (self->is_settled || self->found.is_refused) {
		const struct sp_node of_rank = sp_state_node(self);
		unsigned waited = 0;

		if (self->is_settled) {
			threads = report_use(self, &of_rank, &waited);
			sp_node_report_at_end(&of_rank);
		} else if (self->lasting.record.to != SP_RECORD_OFF && self->rank.local_rank == 0) {
			waited = measure_waited(self);
		}
		sp_node_report_end(&of_rank, seconds_of_life(), waited, self->omp_env.threads);
	}
	sp_board_leave(self->joined.board, self->rank.local_rank, threads);
}
