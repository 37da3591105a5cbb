/* A plan for people: a picture of the node and a sentence for every decision. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/cmd.h"
#include "cmd/plan/make/advise.h"
#include "cmd/plan/make/beside.h"
#include "cmd/plan/make/make.h"
#include "cmd/plan/print/print.h"
#include "cut/explain.h"
#include "gpus/whose.h"
#include "cmd/terminal.h"
#include "report/mask_picture.h"

/* More ranks than these are folded, but for the first few, unless all are asked for. */
#define RANKS_IN_FULL 8
#define FIRST_RANKS 4

#define INDENT 2

/* "1 package"; the caller's. */
static char *
count_of(const struct sp_machine *machine, size_t field, const char *what)
{
	uint32_t n = plan_count_groups(machine, NULL, field);

	return cmd_format("%u %s%s", n, what, sp_plural(n));
}

/* " (6 fast, 8 slow)" where cores differ; the caller's. */
static char *
kinds_of(const struct sp_machine *machine)
{
	uint32_t slow = 0, fast = 0;

	for (uint32_t i = 0; i < machine->ncpus; i++) {
		if (i && machine->pu[i].core == machine->pu[i - 1].core)
			continue;
		fast += machine->pu[i].kind > 0;
		slow += machine->pu[i].kind == 0;
	}
	return fast && slow ? cmd_format(" (%u fast, %u slow)", fast, slow) : cmd_format("%s", "");
}

static void
print_machine(const struct plan *plan)
{
	const struct sp_machine *machine = plan->machine;
	char *source = cmd_format("%s", plan->name);
	char *packages = count_of(machine, offsetof(struct sp_pu, package), "package");
	struct sp_cpus all, touched, numbers;

	sp_machine_cpus(machine, &all);
	sp_machine_extent(machine, &all, &touched, &numbers);
	char *nodes = cmd_format("%u NUMA node%s", sp_cpus_count(&numbers), sp_plural(sp_cpus_count(&numbers)));
	char *cores = count_of(machine, offsetof(struct sp_pu, core), "core"), *kinds = kinds_of(machine);

	cmd_make_plain(source);
	terminal_print(0, INDENT, "%s: %s, %s, %s%s, %u CPU%s", source, packages, nodes, cores, kinds, machine->ncpus,
		       sp_plural(machine->ncpus));
	free(source);
	free(packages);
	free(nodes);
	free(cores);
	free(kinds);
}

/* "; beside GPU 0 (c1:00.0)"; the caller's. */
static char *
gpus_of(const struct plan *plan, const struct plan_rank *rank)
{
	char gpus[SP_GPUS_TEXT];

	if (!rank->gpus.own.n)
		return cmd_format("%s", "");
	sp_gpus_format(&plan->machine->gpus, &rank->gpus.own, gpus, sizeof(gpus));
	char *beside = cmd_list(&rank->gpus.beside), *text;
	if (rank->gpus.is_foreign)
		text = cmd_format("; %snot beside GPU %s, which is beside CPUs %s%s", terminal_red(), gpus, beside, terminal_plain());
	else
		text = cmd_format("; %sGPU %s", *beside ? "beside " : "", gpus);
	free(beside);
	return text;
}

static void
print_picture(const struct plan *plan, uint32_t number, const struct sp_cpus *share)
{
	char *name = cmd_format("rank %u  ", number);
	size_t room = terminal_width_or_usual() - strlen(name) + 2;
	char *picture = cmd_allocate(room, 1);

	printf("%s%s%s%s\n", terminal_rank(number), name, sp_picture(plan->machine, share, picture, room), terminal_plain());
	free(picture);
	free(name);
}

static void
print_rank(const struct plan *plan, uint32_t number)
{
	struct plan_rank rank;

	if (plan_rank(plan, number, &rank))
		return;
	char *list = cmd_list(&rank.share), *gpus = gpus_of(plan, &rank);

	print_picture(plan, number, &rank.share);
	terminal_print(0, 4, "  CPU%s %s: %s%s%s%s", sp_plural(rank.ncpus), list, rank.why, gpus,
		       rank.device ? "; nearest network card: " : "", rank.device ? rank.device->name : "");
	plan_print_threads(plan, &rank);
	free(gpus);
	free(list);
	plan_rank_release(&rank);
}

/* One line for each GPU: where it is. */
static void
print_gpus_of_machine(const struct plan *plan)
{
	for (uint32_t i = 0; plan->seen && i < plan->machine->gpus.n; i++) {
		struct sp_gpu_list list = { .told = SP_GPUS_LISTED, .n = 1, .gpu = { (uint8_t)i } };
		struct sp_cpus cpus;
		char text[SP_GPUS_TEXT];
		bool some = sp_machine_near(plan->machine, &plan->machine->gpus.gpu[i].near, &cpus);
		char *beside = cmd_list(&cpus);

		terminal_print(0, INDENT, "GPU %s: %s%s", sp_gpus_format(&plan->machine->gpus, &list, text, sizeof(text)),
		       some ? "beside CPUs " : "equally near to all CPUs", some ? beside : "");
		free(beside);
	}
}

static void
print_memory(const struct plan *plan)
{
	char special[SP_TEXT_MAX];
	struct sp_cpus hbm;

	if (*sp_machine_name_memory(plan->machine, special, sizeof(special)))
		terminal_print(0, INDENT, "%s", special);
	if (plan->config.memory == SP_MEMORY_DEFAULT)
		return;
	bool is_hbm = plan_hbm(plan, &hbm), is_beside = is_hbm && !sp_cpus_empty(&hbm);
	char *list = is_beside ? cmd_list(&hbm) : cmd_format("%s", "");

	terminal_print(0, INDENT, "memory: %s%s%s%s%s%s (SPLITPIN_MEMORY)", sp_config_memory_name(plan->config.memory),
		       is_hbm && !is_beside ? ", but no rank has high-bandwidth memory beside it" : "",
		       is_beside ? " on NUMA node" : "", is_beside ? sp_plural(sp_cpus_count(&hbm)) : "",
		       is_beside ? " " : "", list);
	free(list);
}

/* "-n 8 (24 cores each)"; the caller's. */
static char *
neighbour_of(const struct choice *choice)
{
	return choice->ranks ? cmd_format("-n %u (%u core%s each)", choice->ranks, choice->cores, sp_plural(choice->cores)) : NULL;
}

/* Which numbers of ranks near this one would leave no core idle. */
static void
print_neighbours(const struct plan *plan)
{
	struct neighbours near = advise_neighbours(plan);
	char *less = neighbour_of(&near.less), *more = neighbour_of(&near.more);

	if (less || more)
		terminal_print(0, INDENT, "%u core%s stay%s idle; none would with %s%s%s (--advise compares)", plan->cut.idle,
			       sp_plural(plan->cut.idle), plan->cut.idle == 1 ? "s" : "", less ? less : "",
			       less && more ? " or " : "", more ? more : "");
	free(less);
	free(more);
}

static void
print_beside(const struct plan *plan)
{
	for (uint32_t i = 0; i < plan->nbeside; i++) {
		char *claim = plan_beside_claim(plan, &plan->beside[i]), *text = cmd_format("%s", plan->beside[i].text);

		cmd_make_plain(text);
		terminal_print(0, INDENT, "job beside (%s): %s", text, claim);
		free(text);
		free(claim);
	}
}

static void
print_summary(const struct plan *plan)
{
	char why[SP_TEXT_MAX];

	print_machine(plan);
	print_beside(plan);
	terminal_print(0, INDENT, "%s", plan_explain(plan, why));
	if (plan->is_narrowed)
		terminal_print(0, INDENT, "of these each rank has what its threads need, since the OpenMP runtime places them (%s)", plan->bound_by);
	print_neighbours(plan);
	print_gpus_of_machine(plan);
	print_memory(plan);
	if (plan->threads == 0 && !plan->need)
		terminal_print(0, INDENT, "threads: one per CPU of the share, the default of OpenMP runtimes (-t or OMP_NUM_THREADS changes it)");
	if (plan->is_sum && plan->threads)
		terminal_print(0, INDENT, "threads: %u, nested teams (OMP_NUM_THREADS) and libraries' threads (such as MKL_NUM_THREADS) counted, and numbered as one team", plan->threads);
	terminal_print(0, INDENT, "CPU and NUMA node numbers are the OS's, core numbers are logical (hwloc's L#)");
}

void
plan_print_text(const struct plan *plan)
{
	uint32_t full = plan->all || plan->nranks <= RANKS_IN_FULL ? plan->nranks : FIRST_RANKS;

	print_summary(plan);
	for (uint32_t rank = 0; rank < full; rank++)
		print_rank(plan, rank);
	if (full < plan->nranks)
		plan_print_folded(plan, full);
}
