#include "cmd/plan/for/launchers.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/cmd.h"
#include "cmd/plan/for/omp_variables.h"
#include "cmd/plan/print/print.h"

/* The line that starts the ranks: one context for each part, with what goes between options and program. */
struct line {
	const struct plan *plan;
	struct plan_part whole;	/* the part, if there is one for all ranks */
	const struct plan_part *part;
	uint32_t n;
	char **words;		/* of each: the variables, or the wrapper */
};

static void
print_command(const struct plan_part *part)
{
	if (!part->command)
		fputs(" COMMAND", stdout);
	for (char *const *word = part->command; word && *word; word++) {
		char *quoted = cmd_quote(*word);

		printf(" %s", quoted);
		free(quoted);
	}
}

static const char *
run(const struct plan *plan, const char *usual)
{
	return plan->run ? plan->run : usual;
}

/* as_one: all ranks in one context, whose program is that of all. */
static void
begin(const struct plan *plan, bool as_one, struct line *line)
{
	*line = (struct line){ .plan = plan, .whole = { .ranks = plan->nranks, .command = plan->command }, .n = 1 };
	line->part = &line->whole;
	if (plan->parts.n && !as_one) {
		line->part = plan->parts.part;
		line->n = plan->parts.n;
	}
	line->words = cmd_allocate(line->n, sizeof(*line->words));
}

/* The wrapper places the threads of all ranks. */
static void
take_wrapper(struct line *line)
{
	for (uint32_t i = 0; i < line->n; i++)
		line->words[i] = cmd_format(PLACES_WRAPPER);
}

/* Where variables do; the wrapper is for parts for which there are none, and is printed. */
static void
take_variables(struct line *line)
{
	bool all = true;

	for (uint32_t i = 0, first = 0; i < line->n; first += line->part[i++].ranks) {
		char *variables = places_variables(line->plan, first, line->part[i].ranks);

		line->words[i] = variables ? cmd_format("env %s", variables) : cmd_format(PLACES_WRAPPER);
		all &= variables != NULL;
		free(variables);
	}
	if (!all)
		places_print(line->plan, false);
}

/* The launcher's command, with the number of ranks if there is one context; options for all follow. */
static void
print_launcher(const struct line *line, const char *command)
{
	fputs(command, stdout);
	if (line->n == 1)
		printf(" -n %u", line->part->ranks);
}

/* The rest of the line: what the threads need, and the programs; before: what is between the words of one context. */
static void
end(struct line *line, const char *before)
{
	for (uint32_t i = 0; i < line->n; i++) {
		fputs(line->n == 1 ? before : i ? " : \\\n    " : " \\\n    ", stdout);
		if (line->n > 1)
			printf("-n %u ", line->part[i].ranks);
		fputs(line->words[i], stdout);
		print_command(&line->part[i]);
		free(line->words[i]);
	}
	putchar('\n');
	free(line->words);
}

#define NEXT_LINE " \\\n    "

/* One program for each part: "0-3 ./places.sh ./a", of which srun replaces %t and the like. */
static void
print_programs(const struct plan *plan)
{
	puts("cat >programs.conf <<'END'");
	for (uint32_t i = 0, first = 0; i < plan->parts.n; first += plan->parts.part[i++].ranks) {
		const struct plan_part *part = &plan->parts.part[i];

		printf("%u-%u " PLACES_WRAPPER, first, first + part->ranks - 1);
		print_command(part);
		putchar('\n');
	}
	puts("END");
}

static void
print_srun(const struct plan *plan)
{
	printf("# in a job that has all CPUs of the node\nsrun -N 1 -n %u --cpu-bind=mask_cpu:", plan->nranks);
	plan_put_masks(plan);
}

static void
launcher_slurm(const struct plan *plan)
{
	struct line line;

	if (plan_parts_have_programs(&plan->parts)) {
		places_print(plan, false);
		print_programs(plan);
		print_srun(plan);
		puts(NEXT_LINE "--multi-prog programs.conf");
		return;
	}
	begin(plan, true, &line);
	take_variables(&line);
	print_srun(plan);
	end(&line, NEXT_LINE);
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
	struct line line;
	bool fits = fits_rankfile(plan, physical);

	begin(plan, false, &line);
	if (fits) {
		take_variables(&line);
		print_rankfile(plan, physical);
	} else {
		puts("# A rankfile of Open MPI takes no list as long as these.");
		places_print(plan, true);
		take_wrapper(&line);
	}
	print_launcher(&line, run(plan, "mpirun"));
	printf(" --host localhost:%u %s", plan->nranks, fits ? options : "--bind-to none");
	end(&line, fits ? NEXT_LINE : " ");
}

static void
launcher_openmpi4(const struct plan *plan)
{
	openmpi(plan, true, "--mca rmaps_rank_file_physical 1 --use-hwthread-cpus --rankfile rankfile");
}

/* Where a default lets nodes be oversubscribed (PRTE_MCA_rmaps_default_mapping_policy), ranks would not be bound. */
static void
launcher_openmpi5(const struct plan *plan)
{
	openmpi(plan, false, "--map-by rankfile:file=rankfile:HWTCPUS:NOOVERSUBSCRIBE");
}

static void
launcher_mpich(const struct plan *plan)
{
	struct line line;

	begin(plan, false, &line);
	take_variables(&line);
	print_launcher(&line, run(plan, "mpiexec"));
	fputs(" -bind-to user:", stdout);
	for (uint32_t rank = 0; rank < plan->nranks; rank++) {
		bool first = true;

		for (uint32_t i = 0; i < plan->machine->ncpus; i++) {
			if (plan->owner[i] != rank)
				continue;
			printf("%s%u", first ? rank ? "," : "" : "+", plan->machine->pu[i].cpu);
			first = false;
		}
	}
	end(&line, NEXT_LINE);
}

static void
launcher_intel(const struct plan *plan)
{
	struct line line;

	begin(plan, false, &line);
	take_variables(&line);
	print_launcher(&line, run(plan, "mpiexec"));
	fputs(" -genv I_MPI_PIN 1 -genv I_MPI_PIN_DOMAIN '[", stdout);
	plan_put_masks(plan);
	fputs("]'", stdout);
	end(&line, NEXT_LINE);
}

/* The mpiexec of HPE's PALS, as on Aurora. */
static void
launcher_pals(const struct plan *plan)
{
	struct line line;

	begin(plan, true, &line);
	take_variables(&line);
	print_launcher(&line, run(plan, "mpiexec"));
	printf(" --ppn %u --cpu-bind list", plan->nranks);
	for (uint32_t rank = 0; rank < plan->nranks; rank++) {
		char *list = slots_of(plan, rank, true);

		printf(":%s", list);
		free(list);
	}
	end(&line, NEXT_LINE);
}

static bool
is_python(const char *file)
{
	size_t length = strlen(file);

	return length > 3 && strcmp(file + length - 3, ".py") == 0;
}

/* These bind nothing by themselves: each worker is started through the wrapper, which --no_python lets them take for a program. */
static void
print_workers(const struct plan *plan, const char *launcher, const char *number, const char *more)
{
	const struct plan_part all = { .ranks = plan->nranks, .command = plan->command };

	places_print_workers(plan, launcher);
	printf("%s %s %u --no_python%s \\\n    " PLACES_WRAPPER "%s", launcher, number, plan->nranks, more,
	       plan->command && is_python(plan->command[0]) ? " python3" : "");
	print_command(&all);
	putchar('\n');
}

/* Options with dashes are newer than PyTorch 1.13. */
static void
launcher_torchrun(const struct plan *plan)
{
	print_workers(plan, "torchrun", "--standalone --nproc_per_node", "");
}

/* It would give --local_rank to the wrapper. */
static void
launcher_deepspeed(const struct plan *plan)
{
	print_workers(plan, "deepspeed", "--num_gpus", " --no_local_rank");
}

/* For a launcher that binds nothing. */
static void
launcher_openmp(const struct plan *plan)
{
	struct line line;

	places_print(plan, true);
	puts("# with a launcher that does not bind");
	begin(plan, false, &line);
	take_wrapper(&line);
	print_launcher(&line, run(plan, "mpiexec"));
	end(&line, " ");
}

/* Without a printer: what is installed says which. */
#define LAUNCHERS(ROW) \
	ROW("slurm", launcher_slurm, LIBRARY_UNKNOWN, NULL, "srun --multi-prog") \
	ROW("openmpi", NULL, LIBRARY_UNKNOWN, NULL, NULL) \
	ROW("openmpi4", launcher_openmpi4, LIBRARY_OPENMPI4, NULL, NULL) \
	ROW("openmpi5", launcher_openmpi5, LIBRARY_OPENMPI5, NULL, NULL) \
	ROW("mpich", launcher_mpich, LIBRARY_MPICH, NULL, NULL) \
	ROW("intel", launcher_intel, LIBRARY_INTEL, NULL, NULL) \
	ROW("pals", launcher_pals, LIBRARY_UNKNOWN, "its lists of CPUs are for one program", NULL) \
	ROW("torchrun", launcher_torchrun, LIBRARY_UNKNOWN, "it starts one program", NULL) \
	ROW("deepspeed", launcher_deepspeed, LIBRARY_UNKNOWN, "it starts one program", NULL) \
	ROW("openmp", launcher_openmp, LIBRARY_UNKNOWN, NULL, NULL) \
	ROW("mpirun", NULL, LIBRARY_UNKNOWN, NULL, NULL) \
	ROW("mpiexec", NULL, LIBRARY_UNKNOWN, NULL, NULL) \
	ROW("srun", launcher_slurm, LIBRARY_UNKNOWN, NULL, "srun --multi-prog")

#define AS_ROW(...) { __VA_ARGS__ },
#define AS_WORD(name, ...) name " "

const struct launcher_row launcher_rows[] = { LAUNCHERS(AS_ROW) { .name = NULL } };
const char launcher_words[] = LAUNCHERS(AS_WORD) "<command>";
