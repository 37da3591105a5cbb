/* The same placement without splitpin: options and variables of launchers, as shell commands. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/cmd.h"
#include "cmd/plan/places.h"

/* The variables, or the wrapper: what stands between a launcher's options and the command. */
static char *
threads(const struct plan *plan)
{
	char *variables = places_variables(plan), *words;

	if (variables) {
		words = cmd_format("env %s", variables);
		free(variables);
		return words;
	}
	places_print(plan, false);
	return cmd_format(PLACES_WRAPPER);
}

static void
slurm(const struct plan *plan)
{
	char *words = threads(plan);

	printf("# in a job that has all CPUs of the node\nsrun -N 1 -n %u --cpu-bind=mask_cpu:", plan->nranks);
	plan_put_masks(plan);
	printf(" \\\n    %s COMMAND\n", words);
	free(words);
}

/* Open MPI 4 dies of longer lists (seen with 4.1.4), and 5 drops the end of a little longer ones. */
#define RANKFILE_LIST_MAX 48

/* The CPUs of a rank in a rankfile: by the numbers of Linux, or in the order of the machine. */
static char *
slots_of(const struct plan *plan, uint32_t rank, bool physical)
{
	struct sp_cpus slots = { 0 };

	for (uint32_t i = 0; i < plan->machine->ncpus; i++)
		if (plan->owner[i] == rank)
			sp_cpus_add(&slots, physical ? plan->machine->pu[i].cpu : i);
	return cmd_list(&slots);
}

static bool
fits_rankfile(const struct plan *plan, bool physical)
{
	bool fits = true;

	for (uint32_t rank = 0; fits && rank < plan->nranks; rank++) {
		char *list = slots_of(plan, rank, physical);

		fits = strlen(list) <= RANKFILE_LIST_MAX;
		free(list);
	}
	return fits;
}

static void
print_rankfile(const struct plan *plan, const char *name, bool physical)
{
	printf("cat >%s <<'END'\n", name);
	for (uint32_t rank = 0; rank < plan->nranks; rank++) {
		char *list = slots_of(plan, rank, physical);

		printf("rank %u=localhost slot=%s\n", rank, list);
		free(list);
	}
	puts("END");
}

static void
openmpi(const struct plan *plan)
{
	if (!fits_rankfile(plan, true) || !fits_rankfile(plan, false)) {
		puts("# A rankfile of Open MPI takes no list as long as these.");
		places_print(plan, true);
		printf("mpirun -n %u --bind-to none " PLACES_WRAPPER " COMMAND\n", plan->nranks);
		return;
	}

	char *words = threads(plan);

	puts("# Open MPI 4");
	print_rankfile(plan, "rankfile", true);
	printf("mpirun -n %u --mca rmaps_rank_file_physical 1 --use-hwthread-cpus \\\n"
	       "    --rankfile rankfile %s COMMAND\n", plan->nranks, words);
	puts("\n# Open MPI 5");
	print_rankfile(plan, "rankfile5", false);
	printf("mpirun -n %u --map-by rankfile:file=rankfile5:HWTCPUS \\\n"
	       "    %s COMMAND\n", plan->nranks, words);
	free(words);
}

static void
mpich(const struct plan *plan)
{
	char *words = threads(plan);

	printf("mpiexec -n %u -bind-to user:", plan->nranks);
	for (uint32_t rank = 0; rank < plan->nranks; rank++) {
		bool first = true;

		for (uint32_t i = 0; i < plan->machine->ncpus; i++) {
			if (plan->owner[i] != rank)
				continue;
			printf("%s%u", first ? rank ? "," : "" : "+", plan->machine->pu[i].cpu);
			first = false;
		}
	}
	printf(" \\\n    %s COMMAND\n", words);
	free(words);
}

static void
intel(const struct plan *plan)
{
	char *words = threads(plan);

	printf("export I_MPI_PIN=1 I_MPI_PIN_DOMAIN='[");
	plan_put_masks(plan);
	printf("]'\nmpiexec -n %u %s COMMAND\n", plan->nranks, words);
	free(words);
}

/* For a launcher that binds nothing. */
static void
openmp(const struct plan *plan)
{
	places_print(plan, true);
	printf("# then, with a launcher that does not bind: mpiexec -n %u " PLACES_WRAPPER " COMMAND\n", plan->nranks);
}

plan_printer *
plan_for(const char *launcher)
{
	static const struct {
		const char *name;
		plan_printer *print;
	} launchers[] = {
		{ "slurm", slurm }, { "openmpi", openmpi }, { "mpich", mpich },
		{ "intel", intel }, { "openmp", openmp },
	};

	for (size_t i = 0; i < sizeof(launchers) / sizeof(launchers[0]); i++)
		if (strcmp(launcher, launchers[i].name) == 0)
			return launchers[i].print;
	return NULL;
}
