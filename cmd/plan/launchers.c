/* A plan as options and variables of each launcher, in shell commands. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/cmd.h"
#include "cmd/plan/for.h"
#include "cmd/plan/places.h"

/* The program and its arguments, and the end of the line. */
static void
print_command(const struct plan *plan)
{
	if (!plan->command)
		fputs(" COMMAND", stdout);
	for (char *const *word = plan->command; word && *word; word++) {
		char *quoted = cmd_quote(*word);

		printf(" %s", quoted);
		free(quoted);
	}
	putchar('\n');
}

static const char *
run(const struct plan *plan, const char *usual)
{
	return plan->run ? plan->run : usual;
}

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

/* The last line: what the threads need, and the program. */
static void
print_rest(const struct plan *plan, char *words)
{
	printf(" \\\n    %s", words);
	print_command(plan);
	free(words);
}

void
launcher_slurm(const struct plan *plan)
{
	char *words = threads(plan);

	printf("# in a job that has all CPUs of the node\nsrun -N 1 -n %u --cpu-bind=mask_cpu:", plan->nranks);
	plan_put_masks(plan);
	print_rest(plan, words);
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
print_rankfile(const struct plan *plan, bool physical)
{
	puts("cat >rankfile <<'END'");
	for (uint32_t rank = 0; rank < plan->nranks; rank++) {
		char *list = slots_of(plan, rank, physical);

		printf("rank %u=localhost slot=%s\n", rank, list);
		free(list);
	}
	puts("END");
}

static void
openmpi(const struct plan *plan, bool physical, const char *options)
{
	if (!fits_rankfile(plan, physical)) {
		puts("# A rankfile of Open MPI takes no list as long as these.");
		places_print(plan, true);
		printf("%s -n %u --host localhost:%u --bind-to none " PLACES_WRAPPER, run(plan, "mpirun"), plan->nranks, plan->nranks);
		print_command(plan);
		return;
	}

	char *words = threads(plan);

	print_rankfile(plan, physical);
	printf("%s -n %u --host localhost:%u %s", run(plan, "mpirun"), plan->nranks, plan->nranks, options);
	print_rest(plan, words);
}

void
launcher_openmpi4(const struct plan *plan)
{
	openmpi(plan, true, "--mca rmaps_rank_file_physical 1 --use-hwthread-cpus --rankfile rankfile");
}

/* Where a default lets nodes be oversubscribed (PRTE_MCA_rmaps_default_mapping_policy), ranks would not be bound. */
void
launcher_openmpi5(const struct plan *plan)
{
	openmpi(plan, false, "--map-by rankfile:file=rankfile:HWTCPUS:NOOVERSUBSCRIBE");
}

void
launcher_mpich(const struct plan *plan)
{
	char *words = threads(plan);

	printf("%s -n %u -bind-to user:", run(plan, "mpiexec"), plan->nranks);
	for (uint32_t rank = 0; rank < plan->nranks; rank++) {
		bool first = true;

		for (uint32_t i = 0; i < plan->machine->ncpus; i++) {
			if (plan->owner[i] != rank)
				continue;
			printf("%s%u", first ? rank ? "," : "" : "+", plan->machine->pu[i].cpu);
			first = false;
		}
	}
	print_rest(plan, words);
}

void
launcher_intel(const struct plan *plan)
{
	char *words = threads(plan);

	printf("%s -n %u -genv I_MPI_PIN 1 -genv I_MPI_PIN_DOMAIN '[", run(plan, "mpiexec"), plan->nranks);
	plan_put_masks(plan);
	fputs("]'", stdout);
	print_rest(plan, words);
}

/* The mpiexec of HPE's PALS, as on Aurora. */
void
launcher_pals(const struct plan *plan)
{
	char *words = threads(plan);

	printf("%s -n %u --ppn %u --cpu-bind list", run(plan, "mpiexec"), plan->nranks, plan->nranks);
	for (uint32_t rank = 0; rank < plan->nranks; rank++) {
		char *list = slots_of(plan, rank, true);

		printf(":%s", list);
		free(list);
	}
	print_rest(plan, words);
}

static bool
is_python(const char *file)
{
	size_t length = strlen(file);

	return length > 3 && strcmp(file + length - 3, ".py") == 0;
}

/*
 * It binds nothing by itself: each worker is started through the wrapper, which --no_python lets it take for a program.
 * Options with dashes are newer than PyTorch 1.13.
 */
void
launcher_torchrun(const struct plan *plan)
{
	places_print_workers(plan);
	printf("torchrun --standalone --nproc_per_node %u --no_python \\\n    " PLACES_WRAPPER "%s", plan->nranks,
	       plan->command && is_python(plan->command[0]) ? " python3" : "");
	print_command(plan);
}

/* For a launcher that binds nothing. */
void
launcher_openmp(const struct plan *plan)
{
	places_print(plan, true);
	printf("# with a launcher that does not bind\n%s -n %u " PLACES_WRAPPER, run(plan, "mpiexec"), plan->nranks);
	print_command(plan);
}
