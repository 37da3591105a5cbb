/* A plan for people: a picture of the node and a sentence for every decision. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/cmd.h"
#include "cmd/plan/plan.h"
#include "cut/explain.h"
#include "launcher/devices.h"
#include "report/picture.h"

#define WIDTH 100

static uint32_t
count_changes(const struct sp_machine *machine, size_t field)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < machine->ncpus; i++) {
		const char *pu = (const char *)&machine->pu[i];

		n += i == 0 || memcmp(pu + field, pu - sizeof(machine->pu[0]) + field, sizeof(uint32_t)) != 0;
	}
	return n;
}

static void
print_count(uint32_t n, const char *what, const char *after)
{
	printf("%u %s%s%s", n, what, sp_plural(n), after);
}

static void
print_machine(const struct plan *plan)
{
	const struct sp_machine *machine = plan->machine;

	printf("%s: ", plan->source ? plan->source : "this machine");
	print_count(count_changes(machine, offsetof(struct sp_pu, package)), "package", ", ");
	print_count(count_changes(machine, offsetof(struct sp_pu, numa)), "NUMA node", ", ");
	print_count(count_changes(machine, offsetof(struct sp_pu, core)), "core", ", ");
	print_count(machine->ncpus, "CPU", "\n");
}

/* Entries separated by blanks, in lines of at most WIDTH characters. */
static void
print_wrapped(const char *entry, int *column)
{
	int length = (int)strlen(entry);

	if (*column + 1 + length > WIDTH) {
		fputs("\n     ", stdout);
		*column = 5;
	}
	printf(" %s", entry);
	*column += 1 + length;
}

static bool
same_reason(const struct plan_rank *rank, uint32_t a, uint32_t b)
{
	return strcmp(rank->slot[a].why, rank->slot[b].why) == 0;
}

static void
print_threads(const struct plan_rank *rank)
{
	int column = 0;

	for (uint32_t i = 0; i < rank->threads; i++) {
		char *list = cmd_list(&rank->slot[i].cpus);
		char *entry = cmd_format("%u:%s", i, list);

		if (i == 0 || !same_reason(rank, i, i - 1)) {
			printf("%s    %s\n     ", i ? "\n" : "", rank->slot[i].why);
			column = 5;
		}
		print_wrapped(entry, &column);
		free(entry);
		free(list);
	}
	putchar('\n');
}

static void
print_loose_threads(const struct plan *plan, const struct plan_rank *rank)
{
	if (plan->bound_by)
		printf("    %u threads, placed inside the share by the OpenMP runtime (%s)\n", rank->threads, plan->bound_by);
	else
		printf("    %u threads, %s\n", rank->threads, rank->slot[0].why);
}

static void
print_gpus(const struct plan *plan, const struct plan_rank *rank)
{
	char gpus[SP_GPUS_TEXT];

	if (!rank->gpus.n)
		return;
	sp_gpus_format(&plan->machine->gpus, &rank->gpus, gpus, sizeof(gpus));
	char *beside = cmd_list(&rank->beside);
	if (rank->is_foreign)
		printf("; foreign: GPU %s is beside CPUs %s", gpus, beside);
	else
		printf("; %sGPU %s", *beside ? "beside " : "", gpus);
	free(beside);
}

static void
print_rank(const struct plan *plan, uint32_t number)
{
	struct plan_rank rank;

	if (plan_rank(plan, number, &rank))
		return;

	/* At most two characters before each CPU, and some to spare. */
	size_t room = 3 * (size_t)plan->machine->ncpus + 16;
	char *list = cmd_list(&rank.share), *picture = cmd_allocate(room, 1);

	printf("rank %u  %s\n", number, sp_picture(plan->machine, &rank.share, picture, room));
	printf("  CPUs %s: %s", list, rank.why);
	print_gpus(plan, &rank);
	if (rank.device)
		printf("; nearest network card: %s", rank.device->name);
	putchar('\n');
	if (plan->bound_by || plan->config.bind == SP_NO_BIND)
		print_loose_threads(plan, &rank);
	else
		print_threads(&rank);
	free(picture);
	free(list);
	plan_rank_release(&rank);
}

/* Where each GPU is. */
static void
print_gpus_of_machine(const struct plan *plan)
{
	for (uint32_t i = 0; plan->seen && i < plan->machine->gpus.n; i++) {
		struct sp_gpu_list list = { .told = SP_GPUS_LISTED, .n = 1, .gpu = { (uint8_t)i } };
		struct sp_cpus cpus;
		char text[SP_GPUS_TEXT];
		bool some = sp_machine_near(plan->machine, &plan->machine->gpus.gpu[i].near, &cpus);
		char *beside = cmd_list(&cpus);

		printf("GPU %s: %s%s\n", sp_gpus_format(&plan->machine->gpus, &list, text, sizeof(text)),
		       some ? "beside CPUs " : "as near to all CPUs", some ? beside : "");
		free(beside);
	}
}

static void
print_memory(const struct plan *plan)
{
	if (plan->config.memory != SP_MEMORY_DEFAULT)
		printf("memory: %s (SPLITPIN_MEMORY)\n", sp_config_memory_name(plan->config.memory));
}

void
plan_print_text(const struct plan *plan)
{
	char why[SP_TEXT_MAX];

	print_machine(plan);
	puts(sp_explain_cut(plan->machine, &plan->config.policy, plan->nranks, &plan->cut, why, sizeof(why)));
	print_gpus_of_machine(plan);
	print_memory(plan);
	if (plan->threads == 0)
		puts("threads: one per CPU of the share, the default of OpenMP runtimes (-t or OMP_NUM_THREADS changes it)");
	for (uint32_t rank = 0; rank < plan->nranks; rank++)
		print_rank(plan, rank);
}
