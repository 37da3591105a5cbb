#include <stdio.h>
#include <string.h>

#include "base/ascii.h"
#include "base/order.h"
#include "gpus/whose.h"
#include "launcher/known/known.h"
#include "launcher/remedy.h"
#include "launcher/launchers.h"
#include "report/rank_gpus.h"
#include "report/remedy.h"
#include "report/report.h"
#include "base/text.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define LIST_NAME 32		/* room for the name of a variable with a list of CPUs */
#define REMEDY 256

void
sp_report_share(const struct sp_who *who, const struct sp_machine *machine, const struct sp_share_line *line)
{
	char cpus[SP_CPUS_TEXT], core[SP_CPUS_TEXT], numa[SP_CPUS_TEXT], inherited[SP_CPUS_TEXT], allowed[SP_CPUS_TEXT];
	const char *launcher = sp_launcher_title(line->from);
	struct sp_cpus cores, nodes;

	sp_machine_extent(machine, line->cpus, &cores, &nodes);
	const struct sp_field field[] = {
		{ .key = "active", .number = line->is_active, .is_flag = true },
		{ .key = "cpu_list", .text = sp_cpus_format(line->cpus, cpus, sizeof(cpus)) },
		{ .key = "core_list", .text = sp_cpus_format(&cores, core, sizeof(core)) },
		{ .key = "numa_list", .text = sp_cpus_format(&nodes, numa, sizeof(numa)) },
		{ .key = "thread_count", .number = line->threads },
		{ .key = "memory", .text = line->memory },
		{ .key = "start_cpus", .text = sp_cpus_format(line->inherited, inherited, sizeof(inherited)) },
		{ .key = "job_cpus", .text = sp_cpus_format(line->allowed, allowed, sizeof(allowed)) },
		{ .key = "trigger", .text = line->trigger },
		{ .key = "launcher", .text = launcher, .is_sentence = strchr(launcher, ' ') },
		{ .key = "why", .text = line->why, .is_sentence = true },
	};

	sp_log_rank_event(who, "share", field, COUNT(field));
}

void
sp_report_pin(const struct sp_who *who, const struct sp_machine *machine,
	      const struct sp_pin_line *line)
{
	char cpus[SP_CPUS_TEXT], core[SP_CPUS_TEXT], numa[SP_CPUS_TEXT];
	struct sp_cpus cores, nodes;

	sp_machine_extent(machine, line->cpus, &cores, &nodes);
	const struct sp_field field[] = {
		{ .key = "thread", .number = line->thread, .is_absent = line->thread < 0 },
		{ .key = "tid", .number = line->tid },
		{ .key = "cpu_list", .text = sp_cpus_format(line->cpus, cpus, sizeof(cpus)) },
		{ .key = "core_list", .text = sp_cpus_format(&cores, core, sizeof(core)) },
		{ .key = "numa_list", .text = sp_cpus_format(&nodes, numa, sizeof(numa)) },
		{ .key = "trigger", .text = line->trigger, .is_absent = !line->trigger },
		{ .key = "why", .text = line->why, .is_sentence = true },
	};

	sp_log_rank_event(who, "pin", field, COUNT(field));
}

void
sp_report_pages(const struct sp_who *who, const char *memory, const struct sp_cpus *nodes,
		const struct sp_numa_maps *before, const struct sp_numa_maps *now)
{
	char list[SP_CPUS_TEXT], counts[SP_CPUS_TEXT];
	const struct sp_field field[] = {
		{ .key = "memory", .text = memory },
		{ .key = "numa_list", .text = sp_cpus_format(nodes, list, sizeof(list)) },
		{ .key = "there", .number = (int64_t)sp_numa_maps_on(now, nodes) },
		{ .key = "elsewhere", .number = (int64_t)sp_numa_maps_elsewhere(now, nodes) },
		{ .key = "before", .number = (int64_t)sp_numa_maps_elsewhere(before, nodes) },
		{ .key = "pages", .text = sp_numa_maps_format(now, counts, sizeof(counts)) },
	};

	sp_log_rank_event(who, "pages", field, COUNT(field));
}

void
sp_report_note(const struct sp_who *who, const char *sentence)
{
	const struct sp_field field = { .key = "note", .text = sentence, .is_sentence = true };

	sp_log_rank_event(who, "note", &field, 1);
}

/* How many cores each rank is to have: as many as this one has threads, or an even part; 0: that is not more than it has. */
static uint32_t
cores_for_each(uint32_t threads, uint32_t part, uint32_t has)
{
	uint32_t cores = (uint32_t)sp_smaller(threads, part);

	return cores > has ? cores : 0;
}

static void
report_starving(const struct sp_who *who, const struct sp_machine *machine, const char *from,
		const struct sp_seat seats[], const struct sp_verdict *verdict)
{
	const struct sp_seat *seat = &seats[verdict->starved];
	uint32_t cores = sp_machine_cores(machine, &seat->share), cpus = sp_cpus_count(&seat->share);
	char remedy[SP_REMEDY], list[SP_CPUS_TEXT];

	if (verdict->is_gain && sp_verdict_is_bound(&verdict->allowed, seat))
		sp_warn_node(who, "%u rank%s more threads than cores while %u core%s idle: rank %u has %u core%s (CPU%s %s) for %u threads, %s; %s",
			     verdict->starving, verdict->starving == 1 ? " has" : "s have", verdict->idle,
			     verdict->idle == 1 ? " is" : "s are", verdict->starved, cores, sp_plural(cores),
			     sp_plural(cpus), sp_cpus_format(&seat->share, list, sizeof(list)),
			     seat->threads, seat->why,
			     sp_launcher_remedy(verdict->is_below ? NULL : from, cores_for_each(seat->threads, verdict->part, cores), remedy, sizeof(remedy)));
	else
		sp_warn_node(who, "%u rank%s more threads than CPUs: rank %u has %u CPU%s for %u threads; %sset OMP_NUM_THREADS=%u%s",
			     verdict->starving, verdict->starving == 1 ? " has" : "s have", verdict->starved,
			     cpus, sp_plural(cpus), seat->threads,
			     verdict->is_confined ? "the launcher itself is confined to these CPUs (taskset, or its shell): " : "", cpus,
			     verdict->ranks == 1 ? "" : ", or start fewer ranks on this node");
}

static void
report_foreign(const struct sp_who *who, const struct sp_machine *machine, const struct sp_seat seats[],
	       const struct sp_verdict *verdict)
{
	char gpu[SP_GPUS_TEXT], beside[SP_CPUS_TEXT], has[SP_CPUS_TEXT];
	struct sp_rank_gpus gpus;

	sp_rank_gpus(machine, seats, who->local_size, verdict->stranger, &gpus);
	sp_log_node_event(who, "result", NULL, 0, "result: %u of %u rank%s %s not beside %s: GPU %s is beside CPU%s %s, rank %u has %s",
		    verdict->foreign, who->local_size, sp_plural(who->local_size), verdict->foreign == 1 ? "is" : "are",
		    verdict->foreign == 1 ? "its GPU" : "their GPUs",
		    sp_gpus_format(&machine->gpus, &gpus.own, gpu, sizeof(gpu)),
		    sp_plural(sp_cpus_count(&gpus.beside)), sp_cpus_format(&gpus.beside, beside, sizeof(beside)), verdict->stranger,
		    sp_cpus_format(&seats[verdict->stranger].share, has, sizeof(has)));
}

static void
report_single_workers(const struct sp_who *who, const char *launcher, const struct sp_machine *machine, const struct sp_seat seats[])
{
	uint32_t ranks = 0, cores = UINT32_MAX;

	for (uint32_t rank = 0; rank < who->local_size; rank++) {
		uint32_t its = sp_machine_cores(machine, &seats[rank].share);

		if (seats[rank].state < SP_SEAT_SETTLED || seats[rank].threads != 1 || its < 2)
			continue;
		cores = (uint32_t)sp_smaller(cores, its);
		ranks++;
	}
	if (ranks)
		sp_log_node(who, "%u rank%s 1 thread, set by %s unless you did; the share has %u cores: set OMP_NUM_THREADS=%u to use them",
			    ranks, ranks == 1 ? " has" : "s have", launcher, cores, cores);
}

static void
report_shares(const struct sp_who *who, const struct sp_verdict *verdict)
{
	if (verdict->refused)
		sp_log_node_event(who, "result", NULL, 0, "result: %u of %u rank%s %s no share, as if splitpin were absent",
			    verdict->refused, who->local_size, sp_plural(who->local_size), verdict->refused == 1 ? "has" : "have");
	else if (verdict->sharing)
		sp_log_node_event(who, "result", NULL, 0, "result: %u of %u rank%s share%s the node, threads not pinned by splitpin",
			    verdict->sharing, verdict->ranks, sp_plural(verdict->ranks), verdict->sharing == 1 ? "s" : "");
	else if (verdict->is_crowded)
		sp_log_node_event(who, "result", NULL, 0, "result: %u of %u rank%s %s CPUs that other jobs claim, too", verdict->ranks,
			    who->local_size, sp_plural(who->local_size), verdict->ranks == 1 ? "has" : "have");
	else if (verdict->all_came)
		sp_log_node_event(who, "result", NULL, 0, "result: %u of %u rank%s %s own CPUs, %u core%s idle", verdict->ranks, who->local_size,
			    sp_plural(who->local_size), verdict->ranks == 1 ? "has its" : "have their", verdict->idle, sp_plural(verdict->idle));
	else
		sp_log_node_event(who, "result", NULL, 0, "result: only %u of %u rank%s appeared, with %s own CPUs", verdict->ranks, who->local_size,
			    sp_plural(who->local_size), verdict->ranks == 1 ? "its" : "their");
}

/* A rank without a list that has settled before another came with one, in a program without MPI, does not move any more. */
static void
report_overlap(const struct sp_who *who, const struct sp_seat seats[], const struct sp_verdict *verdict)
{
	bool first_has = seats[verdict->first].list, second_has = seats[verdict->second].list;
	char common[SP_CPUS_TEXT], text[REMEDY] = "";

	if (first_has != second_has)
		snprintf(text, REMEDY, "rank %u has a list of CPUs of its own and rank %u has none: give each rank a list, or none",
			 first_has ? verdict->first : verdict->second, first_has ? verdict->second : verdict->first);
	sp_warn_node(who, "%u of %u ranks overlap: ranks %u and %u both have CPU%s %s%s%s",
		     verdict->overlapping, verdict->ranks, verdict->first, verdict->second, sp_plural(sp_cpus_count(&verdict->common)),
		     sp_cpus_format(&verdict->common, common, sizeof(common)), *text ? "; " : "", text);
}

void
sp_report_verdict(const struct sp_who *who, const struct sp_machine *machine, const char *from,
		  const struct sp_seat seats[], const struct sp_verdict *verdict, bool asked)
{
	const struct sp_launcher_details *launcher = sp_launcher_details_of(sp_launcher_find(from));

	if (verdict->overlapping)
		report_overlap(who, seats, verdict);
	else if (asked)
		report_shares(who, verdict);
	if (verdict->unreported)
		sp_warn_node(who, "settings differ between ranks, so that %u of %u %s no share, such as rank %u: %s",
			     verdict->unreported, who->local_size, verdict->unreported == 1 ? "has" : "have", verdict->untold, seats[verdict->untold].why);
	if (asked && launcher->sets_one_thread)
		report_single_workers(who, launcher->title, machine, seats);
	if (verdict->foreign && asked)
		report_foreign(who, machine, seats, verdict);
	if (verdict->starving)
		report_starving(who, machine, from, seats, verdict);
	else if (verdict->sharing && verdict->threads >= 2 * (uint64_t)verdict->cpus)
		sp_warn_node(who, "%u ranks share %u CPUs, too few for their %u threads: %s",
			     verdict->sharing, verdict->cpus, (uint32_t)sp_smaller(verdict->threads, UINT32_MAX), sp_problem_remedy(SP_PROBLEM_FULL_NODE));
}

/* Whether OpenMP is to have the threads of a team on the place of its first. */
static bool
is_for_one_place(const char *setting)
{
	static const char name[] = "OMP_PROC_BIND=";
	const char *rest;

	return setting && strncmp(setting, name, sizeof(name) - 1) == 0 &&
	       (sp_ascii_begins(setting + sizeof(name) - 1, "master", &rest) || sp_ascii_begins(setting + sizeof(name) - 1, "primary", &rest));
}

/* Fewer threads are advised only where no core is idle. */
static const char *
remedy_of_full_share(const struct sp_crowding *crowd, const struct sp_report_spare *spare, char text[REMEDY])
{
	char remedy[SP_REMEDY];

	if (spare->inside)
		snprintf(text, REMEDY, "%u rank%s with fewer threads left %u core%s idle; set OMP_NUM_THREADS for each rank to the threads that it uses, in a script around the program or in parts of the launcher's line (-n 1 ... : -n %u ...)",
			 spare->ranks, sp_plural(spare->ranks), spare->inside, sp_plural(spare->inside), spare->ranks);
	else if (spare->outside && spare->is_bound)
		snprintf(text, REMEDY, "%u core%s idle on this node; %s", spare->outside, spare->outside == 1 ? " is" : "s are",
			 sp_launcher_remedy(spare->from, cores_for_each(crowd->threads, spare->part, 1), remedy, sizeof(remedy)));
	else
		snprintf(text, REMEDY, "%s", sp_problem_remedy(SP_PROBLEM_FULL_SHARE));
	return text;
}

void
sp_report_crowd(const struct sp_who *who, const struct sp_cpus *share, const struct sp_crowding *crowd, unsigned waited,
		const char *setting, const struct sp_report_spare *spare)
{
	char list[SP_CPUS_TEXT], text[REMEDY];
	uint32_t cpus = sp_cpus_count(&crowd->cpus);

	sp_warn_node(who, "%u busy threads of rank %u had %u CPU%s (%s) and waited %u percent of their time for %s: %s",
		     crowd->threads, who->local_rank, cpus, sp_plural(cpus), sp_cpus_format(&crowd->cpus, list, sizeof(list)), waited,
		     cpus == 1 ? "it" : "one",
		     sp_cpus_within(share, &crowd->cpus) ? remedy_of_full_share(crowd, spare, text) :
		     sp_problem_remedy(is_for_one_place(setting) ? SP_PROBLEM_ONE_PLACE : SP_PROBLEM_BOUND));
}

void
sp_report_few_cores(const struct sp_who *who, const struct sp_report_spare *spare, bool for_children)
{
	uint32_t ranks = spare->on_one_core;
	char what[64];

	if (for_children)
		snprintf(what, sizeof(what), "child processes of rank %u took turns on 1 core", who->local_rank);
	else
		snprintf(what, sizeof(what), "%u rank%s of a program with OpenMP used only 1 core%s", ranks, sp_plural(ranks), ranks == 1 ? "" : " each");
	sp_warn_node(who, "%s, since the launcher binds ranks to one core by default and OMP_NUM_THREADS is not set; %u core%s idle: set OMP_NUM_THREADS=%u to use all, or OMP_NUM_THREADS=1 if one is enough",
		     what, spare->outside, spare->outside == 1 ? " was" : "s were", spare->part);
}

/* How to name the setting with the list: without its value, where ranks have different ones. */
static const char *
name_list(const struct sp_who *who, const char *list, const struct sp_seat seats[], char name[LIST_NAME])
{
	uint64_t first = 0;

	for (uint32_t rank = 0; list && rank < who->local_size; rank++) {
		first = first ? first : seats[rank].list;
		if (seats[rank].list && seats[rank].list != first) {
			snprintf(name, LIST_NAME, "%.*s", (int)strcspn(list, "="), list);
			return name;
		}
	}
	return list ? list : "a list of CPUs";
}

void
sp_report_listed(const struct sp_who *who, const char *list, const struct sp_seat seats[], const struct sp_verdict *verdict)
{
	char claimed[SP_CPUS_TEXT], share[SP_CPUS_TEXT], name[LIST_NAME];

	list = name_list(who, list, seats, name);
	sp_cpus_format(&verdict->claimed, claimed, sizeof(claimed));
	if (verdict->crowded)
		sp_warn_node(who, "%s names the same CPUs in %u of %u ranks, CPU%s %s in both rank %u and rank %u: leave it unset, or use OMP_PLACES=cores",
			     list, verdict->crowded, who->local_size, sp_plural(sp_cpus_count(&verdict->claimed)), claimed,
			     verdict->one, verdict->other);
	else
		sp_warn_node(who, "%s names CPU%s %s, outside the share %s of rank %u (%u of %u ranks have such a list): leave it unset, or use OMP_PLACES=cores",
			     list, sp_plural(sp_cpus_count(&verdict->claimed)), claimed,
			     sp_cpus_format(&seats[verdict->one].share, share, sizeof(share)), verdict->one, verdict->listed, who->local_size);
}

void
sp_report_other_job(const struct sp_who *who, const struct sp_cpus *cpus, const char *holder, const char *remedy)
{
	char list[SP_CPUS_TEXT];

	sp_warn_node(who, "another of your jobs uses CPU%s %s of this job too%s, which slows both while both are busy: run them one after the other, or %s",
		     sp_plural(sp_cpus_count(cpus)), sp_cpus_format(cpus, list, sizeof(list)), holder, remedy);
}

void
sp_report_without(const struct sp_who *who, const struct sp_report_without *without)
{
	const char *why = without->is_preloaded ? "although its LD_PRELOAD names the library: the program is linked statically, or the file does not exist" :
			  "whose LD_PRELOAD does not name the library; in a command with several programs, each needs its own -x or -genv";
	const char *run = without->ranks == 1 ? "runs" : "run", *such = without->ranks == 1 ? "" : "such as ";

	if (without->meets)
		sp_warn_node(who, "%u of %u ranks %s without libsplitpin.so, and may use the CPUs of others: %srank %u (process %d), %s",
			     without->ranks, who->local_size, run, such, without->rank, (int)without->pid, why);
	else
		sp_log_node(who, "%u of %u ranks %s without libsplitpin.so: %srank %u (process %d), %s",
			    without->ranks, who->local_size, run, such, without->rank, (int)without->pid, why);
}
