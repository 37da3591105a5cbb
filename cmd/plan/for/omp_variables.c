#include "cmd/plan/for/omp_variables.h"

#include <stdio.h>
#include <stdlib.h>

#include "cmd/cmd.h"
#include "cmd/plan/make/make.h"
#include "launcher/known/known.h"

/*
 * What a runtime makes of OMP_PLACES=cores or threads inside of a share:
 * places in the order of the machine.  Returns how many.
 */
static uint32_t
list_places(const struct plan *plan, uint32_t rank, bool cores, struct sp_cpus place[])
{
	uint32_t n = 0, last = 0;

	for (uint32_t i = 0; i < plan->machine->ncpus; i++) {
		const struct sp_pu *at = &plan->machine->pu[i];

		if (plan->owner[i] != rank)
			continue;
		if (n == 0 || !cores || at->core != last)
			place[n++] = (struct sp_cpus){ 0 };
		sp_cpus_add(&place[n - 1], at->cpu);
		last = at->core;
	}
	return n;
}

/* Whether thread i of the rank is on place i. */
static bool
is_in_order(const struct plan *plan, uint32_t number, bool cores, struct sp_cpus place[])
{
	struct plan_rank rank;
	uint32_t n = list_places(plan, number, cores, place);
	bool right = plan_rank(plan, number, &rank) == 0 && rank.threads <= n;

	for (uint32_t i = 0; right && i < rank.threads; i++)
		right = sp_cpus_equal(&rank.slot[i].cpus, &place[i]);
	plan_rank_release(&rank);
	return right;
}

static bool
all_in_order(const struct plan *plan, uint32_t first, uint32_t n, bool cores)
{
	struct sp_cpus *place = cmd_allocate(plan->machine->ncpus, sizeof(*place));
	bool right = true;

	for (uint32_t rank = first; right && rank < first + n; rank++)
		right = is_in_order(plan, rank, cores, place);
	free(place);
	return right;
}

static bool
have_as_many_threads(const struct plan *plan, uint32_t first, uint32_t n)
{
	for (uint32_t rank = first; rank < first + n; rank++)
		if (plan_threads(plan, rank) != plan_threads(plan, first))
			return false;
	return true;
}

char *
places_variables(const struct plan *plan, uint32_t first, uint32_t n)
{
	uint32_t threads = plan_threads(plan, first);
	/* Without a number the runtime uses its default: one thread for each CPU of the share. */
	char *number = threads ? cmd_format("OMP_NUM_THREADS=%u ", threads) : cmd_format("%s", "");
	char *variables = NULL;

	if (plan->bound_by || !have_as_many_threads(plan, first, n))
		;
	else if (plan->config.bind == SP_NO_BIND)
		variables = cmd_format("%sOMP_PROC_BIND=false", number);
	else if (all_in_order(plan, first, n, true))
		variables = cmd_format("%sOMP_PLACES=cores OMP_PROC_BIND=close", number);
	else if (all_in_order(plan, first, n, false))
		variables = cmd_format("%sOMP_PLACES=threads OMP_PROC_BIND=close", number);
	free(number);
	return variables;
}

/* OMP_PLACES has no ranges such as 0-3 inside a place. */
static void
print_place(const struct sp_cpus *cpus)
{
	uint32_t first = sp_cpus_next(cpus, 0);

	for (uint32_t cpu = first; cpu != SP_NO_CPU; cpu = sp_cpus_next(cpus, cpu + 1))
		printf("%c%u", cpu == first ? '{' : ',', cpu);
	putchar('}');
}

static void
print_places(const struct plan_rank *rank)
{
	fputs(" OMP_PLACES='", stdout);
	for (uint32_t i = 0; i < rank->threads; i++) {
		if (i)
			putchar(',');
		print_place(&rank->slot[i].cpus);
	}
	putchar('\'');
}

static void
print_rank(const struct plan *plan, uint32_t number, bool masks)
{
	struct plan_rank rank;

	if (plan_rank(plan, number, &rank))
		return;
	printf("%u) OMP_NUM_THREADS=%u", number, rank.threads);
	if (plan->config.bind != SP_NO_BIND && !plan->bound_by)
		print_places(&rank);
	if (masks) {
		char *list = cmd_list(&rank.share);

		printf(" cpus=%s", list);
		free(list);
	}
	puts(" ;;");
	plan_rank_release(&rank);
}

static const char *
exports(const struct plan *plan)
{
	if (plan->bound_by)
		return "OMP_NUM_THREADS";
	return plan->config.bind == SP_NO_BIND ? "OMP_NUM_THREADS OMP_PROC_BIND=false" :
						 "OMP_NUM_THREADS OMP_PLACES OMP_PROC_BIND=close";
}

/* The rank, by whichever launcher has set a variable: "${A:-${B:-}}". */
static void
print_rank_variable(void)
{
	unsigned depth = 0;

	for (enum sp_launcher i = 0; i < SP_LAUNCHERS; i++) {
		if (!sp_launcher_details[i]->has_local_rank)
			continue;
		printf("${%s:-", sp_launcher_variable[sp_launcher_row[i].rank]);
		depth++;
	}
	while (depth--)
		putchar('}');
}

void
places_print_workers(const struct plan *plan, const char *launcher)
{
	puts("cat >places.sh <<'END'\n"
	     "#!/bin/sh\n"
	     "# Puts each worker on its cores; usage: places.sh COMMAND [ARGUMENT]...\n"
	     "case ${LOCAL_RANK:-} in");
	for (uint32_t number = 0; number < plan->nranks; number++) {
		struct sp_cpus share;

		sp_cut_share(plan->machine, plan->owner, number, &share);

		char *list = cmd_list(&share);
		uint32_t threads = plan_threads(plan, number);

		printf("%u) OMP_NUM_THREADS=%u cpus=%s ;;\n", number,
		       threads ? threads : sp_machine_cores(plan->machine, &share), list);
		free(list);
	}
	printf("*) echo 'places.sh: not started by %s' >&2; exit 2 ;;\n"
	       "esac\n"
	       "export OMP_NUM_THREADS\n"
	       "exec taskset -c \"$cpus\" \"$@\"\n"
	       "END\n"
	       "chmod +x places.sh\n", launcher);
}

void
places_print(const struct plan *plan, bool masks)
{
	fputs("cat >places.sh <<'END'\n"
	      "#!/bin/sh\n"
	      "# Places the OpenMP threads of each rank; usage: places.sh COMMAND [ARGUMENT]...\n"
	      "case ", stdout);
	print_rank_variable();
	puts(" in");
	for (uint32_t rank = 0; rank < plan->nranks; rank++)
		print_rank(plan, rank, masks);
	printf("*) echo 'places.sh: not started by a known launcher' >&2; exit 2 ;;\n"
	       "esac\n"
	       "export %s\n"
	       "exec %s\"$@\"\n"
	       "END\n"
	       "chmod +x places.sh\n", exports(plan), masks ? "taskset -c \"$cpus\" " : "");
}
