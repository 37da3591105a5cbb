/*
 * Placements stay as they are: a job that runs as last year is placed as last
 * year, whichever of several equally good places were chosen then.  What is decided
 * on invented machines, settings and launchers' variables is in
 * tests/data/placements, without a sentence that is printed: of some cases of each
 * kind the sum, and below it the first of them, so that a change shows what
 * moved.  A deliberate change goes into CHANGELOG.md, and is recorded anew by
 *
 *   RENEW=1 CK_RUN_SUITE=placements CK_FORK=no build/unit-tests
 *
 * Where a sum alone has changed, ALL=FILE in place of RENEW=1 writes every case in
 * words (10 MB), to be compared with what a build without the change writes.
 */
#include <check.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/text.h"
#include "cut/cut.h"
#include "cuts.h"
#include "decide/division.h"
#include "launcher/binding.h"
#include "gpus/whose.h"
#include "launcher/overcommit.h"
#include "gpus/visible.h"
#include "machines.h"
#include "report/report.h"
#include "settings/omp_env.h"
#include "settings/site.h"
#include "slots/slots.h"
#include "suites.h"
#include "decide/terms.h"

#define DATA "tests/data/placements"
#define LINES 20
#define CASES_A_LINE 50
#define CASES_IN_WORDS 2
#define WIDTH 200
#define MOVED 4000	/* libcheck takes messages of 8192 bytes */

/* What has been decided: the sum of all, and the present case in words. */
static uint64_t sum;
static FILE *case_words;

/* A number that is repeated. */
static struct {
	uint64_t number;
	uint32_t times;
} run;

static void
end_run(void)
{
	if (run.times > 1)
		fprintf(case_words, " %u*", run.times);
	else if (run.times)
		putc(' ', case_words);
	if (run.times && run.number == UINT32_MAX)
		putc('-', case_words);
	else if (run.times)
		fprintf(case_words, "%" PRId64, (int64_t)run.number);
	run.times = 0;
}

/* What was asked, in words alone. */
static void __attribute__((format(printf, 1, 2)))
note(const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	end_run();
	vfprintf(case_words, format, arguments);
	va_end(arguments);
}

/* FNV-1a. */
static void
mix(uint64_t number)
{
	for (int i = 0; i < 8; i++, number >>= 8)
		sum = (sum ^ (number & 0xff)) * UINT64_C(0x100000001b3);
}

static void
add(uint64_t number)
{
	mix(number);
	if (run.number != number)
		end_run();
	run.number = number;
	run.times++;
}

static void
add_text(const char *text)
{
	note(" \"");
	for (; *text; text++) {
		mix((unsigned char)*text);
		putc(*text < ' ' ? '?' : *text, case_words);
	}
	mix(0);
	putc('"', case_words);
}

static void
add_set(const struct sp_cpus *set)
{
	char list[256];

	for (uint32_t cpu = sp_cpus_next(set, 0); cpu != SP_NO_CPU; cpu = sp_cpus_next(set, cpu + 1))
		mix(cpu);
	mix(SP_NO_CPU);
	note(" {%s}", sp_cpus_format(set, list, sizeof(list)));
}

/* One in so many. */
static bool
one_in(uint32_t n)
{
	return random_below(n) == 0;
}

/* Each draw is a statement: compilers may order those of one expression as they like. */
static struct sp_machine *
draw_machine(void)
{
	struct shape shape;

	shape.packages = 1 + random_below(2);
	shape.numas = 1 + random_below(4);
	shape.l3s = 1 + random_below(3);
	shape.l2s = 1 + random_below(3);
	shape.cores = 1 + random_below(4);
	shape.threads = 1 + random_below(4);
	shape.numbering = random_below(2);
	shape.l3 = random_below(3);
	struct sp_machine *whole = machine_of(shape), *part;
	struct sp_cpus kept = { 0 };
	uint32_t lost = one_in(2) ? 0 : random_below(50);

	for (uint32_t i = 0; i < whole->ncpus; i++)
		if (random_below(100) >= lost)
			sp_cpus_add(&kept, whole->pu[i].cpu);
	part = machine_within(whole, &kept);
	free(whole);
	uint32_t fast = one_in(3) ? random_below(40) : 0, quick = one_in(3) ? random_below(40) : 0;
	bool devices = one_in(3);
	for (uint32_t i = 0; i < part->ncpus; i++) {
		part->pu[i].kind = part->pu[i].core < fast;
		part->pu[i].speed = part->pu[i].core % 7 < quick % 5;
		part->pu[i].devices = devices ? part->pu[i].numa * 5 % 3 : 0;
	}
	return part;
}

static struct sp_policy
draw_policy(const struct sp_machine *machine)
{
	struct sp_policy policy = { .share = SP_SHARE_EQUAL };

	if (one_in(4))
		policy.share = SP_SHARE_ALL;
	if (one_in(4))
		policy.distribution = SP_CYCLIC;
	if (one_in(4))
		policy.smt = 1 + random_below(4);
	if (one_in(4))
		policy.cores = 1 + random_below(6);
	if (one_in(4))
		policy.reserve = 1 + random_below(2);
	if (one_in(4) && machine->ncpus)
		sp_cpus_add(&policy.reserved, machine->pu[random_below(machine->ncpus)].cpu);
	policy.kinds = one_in(2) ? SP_KINDS_AUTO : (enum sp_kinds)random_below(SP_KINDS_ALL + 1);
	policy.devices = (enum sp_devices)random_below(3);
	if (one_in(4))
		policy.domain = (enum sp_domain)(SP_DOMAIN_NODE + random_below(SP_DOMAIN_CORE - SP_DOMAIN_NODE + 1));
	return policy;
}

static void
add_cut(void)
{
	struct sp_machine *machine = draw_machine();
	struct sp_policy policy = draw_policy(machine);
	uint32_t nranks = 1 + random_below(one_in(3) ? 60 : 10), *owner = calloc(machine->ncpus + 1, sizeof(*owner));
	struct sp_near *near = calloc(nranks, sizeof(*near));
	bool has_near = one_in(3) && machine->ncpus;
	struct sp_cut cut;

	for (uint32_t rank = 0; rank < nranks && has_near; rank++) {
		const struct sp_pu *pu = &machine->pu[random_below(machine->ncpus)];
		uint32_t level = random_below(4);

		near[rank] = (struct sp_near){ level > 2 ? SP_ANYWHERE : pu->package, level > 1 ? SP_ANYWHERE : pu->numa,
					       level > 0 ? SP_ANYWHERE : pu->l3 };
	}
	note(" %u ranks, %u CPUs:", nranks, machine->ncpus);
	int error = sp_cut_near(machine, &policy, nranks, has_near ? near : NULL, owner, &cut);
	add((uint64_t)(int64_t)error);
	for (uint32_t i = 0; i < machine->ncpus && !error; i++)
		add(owner[i]);
	if (!error) {
		add(cut.units);
		add(cut.fair);
		add(cut.idle);
		add(cut.largest);
		add(cut.beside);
		add(cut.foreign);
		add(cut.crossing);
	}
	free(near);
	free(owner);
	free(machine);
}

static void
add_slot(struct sp_slots *slots, int slot, const struct sp_cpus *cpus)
{
	struct sp_slot_facts facts;

	add((uint64_t)(int64_t)slot);
	if (slot < 0)
		return;
	add_set(cpus);
	if (sp_slots_facts(slots, slot, &facts) == 0) {
		add(facts.thread);
		add(facts.team);
		add(facts.on_core);
		add(facts.is_unpinned);
		add(facts.whole);
		add(facts.provisional);
		add(facts.in_turn);
	}
}

/* Threads come, go, and open smaller teams, in two pools, some of them inside of others' teams. */
static void
add_slots(void)
{
	struct sp_machine *machine = draw_machine();
	struct sp_cpus share, cpus;
	enum sp_bind bind = one_in(3) ? SP_CLOSE : one_in(9) ? SP_NO_BIND : SP_SPREAD;
	enum sp_granularity granularity = one_in(3) ? SP_GRANULARITY_THREAD : one_in(3) ? SP_GRANULARITY_CORE : SP_GRANULARITY_AUTO;

	sp_machine_cpus(machine, &share);
	for (uint32_t cpu = sp_cpus_next(&share, 0); cpu != SP_NO_CPU; cpu = sp_cpus_next(&share, cpu + 1))
		if (sp_cpus_count(&share) > 12 && !one_in(3))
			sp_cpus_remove(&share, cpu);
	struct sp_slots *slots = sp_slots_create(machine, &share, bind);
	uint32_t team = 1 + random_below(16);
	for (int step = 0; slots && step < 60; step++) {
		struct sp_request request = { .near = -1 };
		uint32_t what = random_below(10);

		if (step == 0)
			sp_slots_granularity(slots, granularity);
		if (one_in(12))
			team = 1 + random_below(20);
		request.thread = one_in(5) ? -1 : (int)random_below(team);
		request.team = team;
		request.guess = one_in(8);
		if (one_in(5))
			request.near = (int)random_below(12);
		request.pool.root = one_in(4);
		request.pool.runtime = one_in(6);
		if (what < 6) {
			add_slot(slots, sp_slots_take(slots, &request, &cpus), &cpus);
			add_slot(slots, sp_slots_moved(slots, &cpus), &cpus);
		} else if (what < 9) {
			add_slot(slots, sp_slots_give(slots, (int)random_below(20), &cpus), &cpus);
		} else {
			add(sp_slots_resize(slots, request.pool, 1 + random_below(team)));
			for (int slot = 0; slot < 20; slot++)
				if (sp_slots_cpus(slots, slot, &cpus) == 0)
					add_set(&cpus);
		}
	}
	sp_slots_destroy(slots);
	free(machine);
}

/* Sets as launchers give them: one of several equal parts, the whole, any part, or none. */
static struct sp_cpus
draw_set(const struct sp_machine *machine)
{
	struct sp_cpus set = { 0 };
	uint32_t way = random_below(8), parts = 1 + random_below(6), which = random_below(parts);

	for (uint32_t i = 0; i < machine->ncpus && way; i++)
		if (way < 5 ? i * parts / machine->ncpus == which : way < 7 || one_in(2))
			sp_cpus_add(&set, machine->pu[i].cpu);
	return set;
}

#define RANKS_MAX 6

static void
add_division(void)
{
	struct sp_machine *machine = draw_machine();
	struct sp_rank_facts rank[RANKS_MAX] = { { .known = false } };
	struct sp_part part[RANKS_MAX];
	struct sp_cpus domain = draw_set(machine), taken = { 0 };
	uint32_t nranks = 1 + random_below(RANKS_MAX);
	bool told = one_in(6), alike = one_in(3), asked = false;

	if (one_in(2))
		sp_machine_cpus(machine, &domain);
	if (one_in(2))
		taken = draw_set(machine);
	for (uint32_t i = 0; i < nranks; i++) {
		rank[i].known = !one_in(12);
		asked |= one_in(8);
		rank[i].threads = one_in(2) ? 0 : random_below(9);
		rank[i].mask = draw_set(machine);
		if (alike && i)
			rank[i].mask = rank[0].mask;
	}
	memset(part, 0, sizeof(part));
	const struct sp_policy policy = { .smt = told };
	enum sp_division division = sp_divide(&(struct sp_view){
		.machine = machine, .policy = &policy, .nranks = nranks, .domain = &domain, .is_asked = asked }, rank, &taken, &taken, part);
	add(division);
	add(sp_division_is_anew(division));
	for (uint32_t i = 0; i < nranks && division != SP_DIVISION_OPEN; i++) {
		add(part[i].index);
		add(part[i].count);
		add_set(&part[i].cpus);
		add_set(&part[i].seen);
	}
	free(machine);
}

static void
add_terms(void)
{
	struct sp_machine *machine = draw_machine();
	struct sp_policy policy = draw_policy(machine);
	struct sp_cpus allowed = draw_set(machine);
	struct sp_other_jobs others = { .taken = draw_set(machine), .jobs = random_below(3), .threads = random_below(40) };
	uint32_t nranks = 1 + random_below(8), need[8];
	struct sp_terms terms = { .generation = 0 };

	for (uint32_t rank = 0; rank < nranks; rank++)
		need[rank] = random_below(6);
	sp_terms_find(&(struct sp_view){ .machine = machine, .policy = &policy, .bind = random_below(2) ? SP_CLOSE : SP_SPREAD,
					 .nranks = nranks, .allowed = &allowed },
		      &(struct sp_group){ .cpus = &allowed, .nranks = nranks, .need = need }, &others, &terms, NULL, NULL);
	add(terms.how);
	add(terms.threads);
	add_set(&terms.taken);
	add_set(&terms.claim);
	free(machine);
}

/* Environments of words that mean something, in some order. */
#define ENTRIES_MAX 8

struct environment {
	char text[ENTRIES_MAX][160];
	char *entry[ENTRIES_MAX + 1];
};

static const char *
draw_word(const char *const words[], size_t n)
{
	return words[random_below((uint32_t)n)];
}

#define DRAW(words) draw_word(words, sizeof(words) / sizeof((words)[0]))

static void
draw_environment(struct environment *environment, const char *const names[], size_t nnames,
		 const char *const values[], size_t nvalues, uint32_t pieces)
{
	uint32_t n = 1 + random_below(ENTRIES_MAX);

	for (uint32_t i = 0; i < n; i++) {
		struct sp_text text = sp_text_begin(environment->text[i], sizeof(environment->text[i]));
		uint32_t left = random_below(pieces + 1);

		sp_text_add(&text, "%s=", draw_word(names, nnames));
		for (; left; left--)
			sp_text_add(&text, "%s", draw_word(values, nvalues));
		environment->entry[i] = environment->text[i];
	}
	environment->entry[n] = NULL;
}

#define ENVIRONMENT(environment, names, values, pieces) \
	draw_environment(environment, names, sizeof(names) / sizeof((names)[0]), values, sizeof(values) / sizeof((values)[0]), pieces)

static void
add_list(const struct sp_gpu_list *list)
{
	add(list->told);
	for (uint32_t i = 0; i < list->n; i++)
		add(list->gpu[i]);
}

static void
draw_gpus(struct sp_gpus *gpus)
{
	static const uint32_t vendors[] = { SP_NVIDIA, SP_AMD, SP_INTEL };
	uint32_t vendor = vendors[random_below(3)];
	bool has_uuids = !one_in(4);

	*gpus = (struct sp_gpus){ .n = random_below(9) };
	for (uint32_t i = 0; i < gpus->n; i++) {
		struct sp_gpu *gpu = &gpus->gpu[i];

		gpu->vendor = one_in(6) ? vendors[random_below(3)] : vendor;
		gpu->tiles = gpu->vendor == SP_INTEL ? 1 + random_below(2) : 1;
		gpu->near = (struct sp_near){ i / 4, i / 2, i };
		snprintf(gpu->address, sizeof(gpu->address), "000%u:%02x:00.0", i / 6 & 1, i & 0xff);
		if (has_uuids && !one_in(9))
			snprintf(gpu->uuid, sizeof(gpu->uuid), "GPU-%u0000000-1111", i);
	}
}

static void
add_gpus(void)
{
	static const char *const names[] = {
		"CUDA_VISIBLE_DEVICES", "ROCR_VISIBLE_DEVICES", "HIP_VISIBLE_DEVICES", "GPU_DEVICE_ORDINAL", "ZE_AFFINITY_MASK",
		"SLURM_STEP_GPUS", "SLURM_JOB_GPUS", "PBS_GPUFILE", "ZE_FLAT_DEVICE_HIERARCHY", "SLURM_GPUS_PER_TASK",
	};
	static const char *const values[] = {
		"0", "1", "2", "3", ",", ",", ",", ".", " ", "5", "GPU-1", "GPU-30", "MIG-", "-1", "/1/0", "COMPOSITE", "NoDevFiles",
	};
	static struct sp_gpus gpus;
	static char visible[SP_VISIBLE_TEXT];
	struct sp_gpu_list seen[4], own;
	struct environment environment;
	char text[96];
	uint32_t nranks = 1 + random_below(4);

	draw_gpus(&gpus);
	ENVIRONMENT(&environment, names, values, 5);
	for (uint32_t rank = 0; rank < nranks; rank++) {
		if (one_in(4))
			ENVIRONMENT(&environment, names, values, 5);
		sp_gpus_visible(environment.entry, &gpus, &seen[rank]);
		add_list(&seen[rank]);
		add(sp_gpus_given(environment.entry));
	}
	for (uint32_t rank = 0; rank < nranks; rank++) {
		sp_gpus_deal(seen, nranks, rank, &own);
		add_list(&own);
		struct sp_near near = sp_gpus_near(&gpus, &own);
		add(near.package);
		add(near.numa);
		add(near.l3);
		add_text(sp_gpus_format(&gpus, &own, text, 8 + random_below(80)));
		enum sp_visible_entry kind = sp_visible_entry(environment.entry, &gpus, seen, nranks, rank, visible);
		add(kind);
		if (kind == SP_VISIBLE_ENTRY)
			add_text(visible);
	}
}

static void
add_launcher(void)
{
	static const char *const names[] = {
		"CROSS_SIZE", "FLUX_JOB_ID", "FLUX_JOB_NNODES", "FLUX_JOB_SIZE", "FLUX_TASK_LOCAL_ID", "GROUP_RANK", "GROUP_WORLD_SIZE",
		"I_MPI_HYDRA_UUID", "LOCAL_RANK", "LOCAL_SIZE", "LOCAL_WORLD_SIZE", "MASTER_ADDR", "MPI_LOCALNRANKS", "MPI_LOCALRANKID",
		"MV2_COMM_WORLD_LOCAL_RANK", "MV2_COMM_WORLD_LOCAL_SIZE", "OMPI_COMM_WORLD_LOCAL_RANK", "OMPI_COMM_WORLD_LOCAL_SIZE",
		"PALS_APID", "PALS_LOCAL_RANKID", "PALS_LOCAL_SIZE", "PMIX_NAMESPACE", "PMIX_RANK", "PMI_DEBUG", "PMI_RANK", "PMI_SIZE",
		"PRTE_LAUNCHED", "SLURM_LOCALID", "SLURM_NODEID", "SLURM_STEP_ID", "SLURM_STEP_NUM_TASKS", "SLURM_STEP_TASKS_PER_NODE",
		"SPLITPIN_LOCAL_RANK", "SPLITPIN_LOCAL_RANK", "SPLITPIN_LOCAL_SIZE", "TORCHELASTIC_RUN_ID", "RANK", "WORLD_SIZE",
	};
	static const char *const values[] = { "0", "1", "2", "3", "4", "1", "2", "2", "(x2)", ",", "x", " ", "on" };
	struct environment environment;
	struct sp_rank rank = { .from = NULL };

	for (int i = 0; i < 20; i++) {
		ENVIRONMENT(&environment, names, values, 2);
		int error = sp_launcher_rank(environment.entry, &rank);

		add((uint64_t)(int64_t)error);
		if (rank.bad_name)
			add_text(rank.bad_name);
		if (error)
			continue;
		add(rank.local_rank);
		add(rank.local_size);
		add_text(rank.from);
	}
}

/* The arguments of a launcher, each with its NUL. */
static size_t
draw_arguments(char text[512])
{
	static const char *const launchers[] = { "mpirun", "mpiexec", "mpiexec.hydra", "srun", "slurmstepd: [7.0]", "prterun", "hydra_pmi_proxy", "flux-shell" };
	static const char *const words[] = {
		"--bind-to", "-bind-to", "core", "none", "--map-by", "ppr:2:node:pe=2", "--cpu-bind", "--cpu-bind=cores", "cores,verbose", "-n", "4",
		"-np", "2", "--mca", "-genv", "hwloc_base_binding_policy", "rmaps_base_oversubscribe", "1", "I_MPI_PIN", "I_MPI_PIN=1", "--oversubscribe",
		":oversubscribe", "--report-bindings", "-l", "-lun4", "--", ":", "./a", "--am", "file", "--cpu-set", "0-3", "-binding", "domain=core",
		"--use-hwthread-cpus", "--bind-to=none", "--hint=nomultithread", "-m", "block", "--exclusive", "--mca=x", "-bind-to=core", "--unknown",
	};
	size_t length = (size_t)sprintf(text, "%s", DRAW(launchers)) + 1;

	for (uint32_t n = random_below(9); n; n--)
		length += (size_t)sprintf(text + length, "%s", DRAW(words)) + 1;
	return length;
}

static void
add_binding(void)
{
	static const char *const froms[] = { "openmpi", "hydra", "intel", "slurm", "pmix", "user", "flux", "pals", "mvapich2", "torchrun" };
	static const char *const names[] = {
		"HYDRA_BINDING", "HYDRA_USER_PROVIDED_BINDING", "I_MPI_PIN", "I_MPI_PIN_DOMAIN", "I_MPI_PIN_PROCESSOR_LIST", "MV2_CPU_BINDING_POLICY",
		"MV2_CPU_MAPPING", "OMPI_MCA_hwloc_base_binding_policy", "OMPI_MCA_rmaps_base_mapping_policy", "OMPI_MCA_orte_bound_at_launch",
		"OMPI_MCA_rmaps_base_oversubscribe", "PRTE_MCA_hwloc_default_binding_policy", "PRTE_LAUNCHED", "PMIX_RANK", "SLURM_CPU_BIND",
		"SLURM_CPU_BIND_LIST", "SLURM_CPU_BIND_TYPE", "SLURM_OVERCOMMIT", "SLURM_STEP_ID", "OMPI_COMM_WORLD_LOCAL_RANK", "SLURM_JOB_ID",
	};
	static const char *const values[] = { "core", "none", "1", "0", "mask_cpu:", "0x3", "ff", "cores", ":", "oversubscribe", "pe=2", ",", "quiet" };
	static struct environment own, its[3];
	static char arguments[3][512];
	struct sp_ancestor ancestor[3];
	struct sp_binding binding;
	struct sp_rank rank = { .local_size = 4 };

	for (int i = 0; i < 10; i++) {
		uint32_t n = random_below(4);

		rank.from = DRAW(froms);
		ENVIRONMENT(&own, names, values, 2);
		memset(ancestor, 0, sizeof(ancestor));
		for (uint32_t j = 0; j < n; j++) {
			ENVIRONMENT(&its[j], names, values, 2);
			ancestor[j].pid = 1000 + (pid_t)j;
			ancestor[j].arguments = arguments[j];
			ancestor[j].length = draw_arguments(arguments[j]);
			ancestor[j].environment = one_in(5) ? NULL : its[j].entry;
		}
		memset(&binding, 0, sizeof(binding));
		sp_binding_find(&rank, own.entry, ancestor, n, &binding);
		add(binding.asked);
		add(binding.is_below);
		add(sp_launcher_of_rank(&rank, own.entry));
		add(sp_overcommit_asked(&rank, own.entry, ancestor, n) != NULL);
	}
}

static void
complain(void *data, const char *sentence)
{
	(void)data;
	(void)sentence;
	add(1);
}

static void
add_entry(const char *entry)
{
	add_text(entry ? entry : "-");
}

static void
add_settings(void)
{
	static const char *const names[] = {
		"OMP_PROC_BIND", "OMP_PLACES", "OMP_NUM_THREADS", "GOMP_CPU_AFFINITY", "KMP_AFFINITY", "KMP_HW_SUBSET", "MKL_NUM_THREADS", "JULIA_NUM_THREADS",
	};
	static const char *const values[] = {
		"0", "1", "3", "4", "8", "-", ":", ",", "{", "}", "{0", "{2:2}", ":2", " ", "close", "false", "proclist=[", "]", "compact", "granularity=fine,", "none",
	};
	struct environment environment;
	struct sp_omp_env omp_env;

	for (int i = 0; i < 20; i++) {
		ENVIRONMENT(&environment, names, values, 6);
		sp_omp_env_read(&omp_env, environment.entry);
		add_entry(omp_env.libgomp);
		add_entry(omp_env.libomp);
		add_entry(omp_env.numbers_from);
		add_set(&omp_env.numbers);
		add(omp_env.team);
		add(omp_env.threads);
		add(omp_env.nested);
	}
}

static void
add_site(void)
{
	static const char *const pieces[] = {
		"smt", "cores", "memory", "local-rank", "reserve", "leave_alone", "record", "domain", "wait", "log", "splitpin", "colour",
		" = ", "=", " = ", "=", "\n", "\n", "\n", "1", "2", "all", "bind", "interleave", "0-3:4-7", "0,68", "0.25", "syslog", "/var/%h", "off", "on", "x",
		"[/opt/*]", "[solver]", "[", "]", "# ", " ", "*", "/opt/", "solver", "numa",
	};
	char text[512];
	struct sp_site site;
	struct sp_config config;
	size_t n = 0;

	for (uint32_t left = random_below(40); left && n < sizeof(text) - 16; left--)
		n += (size_t)sprintf(text + n, "%s", DRAW(pieces));
	sp_site_parse(&site, "F", text, n, &(struct sp_subject){ .program = "/opt/solver" });
	for (size_t i = 0; i < site.nsettings; i++) {
		add_text(site.setting[i].entry);
		add(site.setting[i].line);
	}
	add(site.nfaults);
	add_entry(site.record);
	sp_config_read_over(&config, site.entries, NULL, complain, NULL, NULL);
	add(config.policy.smt);
	add(config.policy.cores);
	add(config.policy.reserve);
	add_set(&config.policy.reserved);
	add(config.policy.domain);
	add(config.memory);
	add(config.wait_ms);
	sp_site_release(&site);
}

/* What a node's report finds. */
static void
add_verdict(void)
{
	struct sp_machine *machine = draw_machine();
	static struct sp_seat seats[RANKS_MAX];
	static struct sp_gpus gpus;
	uint32_t nranks = 1 + random_below(RANKS_MAX);
	struct sp_verdict verdict;
	struct sp_cpus allowed;

	sp_machine_cpus(machine, &allowed);
	draw_gpus(&gpus);
	if (one_in(3))
		machine->gpus = gpus;
	memset(seats, 0, sizeof(seats));
	for (uint32_t i = 0; i < nranks; i++) {
		struct sp_seat *seat = &seats[i];

		seat->state = one_in(8) ? random_below(SP_SEAT_READY + 1) : SP_SEAT_READY;
		seat->threads = random_below(9);
		seat->process.pid = 4000 + (pid_t)i;
		seat->share = draw_set(machine);
		seat->inherited = draw_set(machine);
		if (one_in(5))
			seat->listed = draw_set(machine);
		seat->ownership = one_in(9);
		seat->gpus.told = one_in(5) ? SP_GPUS_SOME : SP_GPUS_LISTED;
		seat->gpus.n = random_below(3);
		seat->gpus.gpu[0] = (uint8_t)random_below(4);
		seat->gpus.gpu[1] = (uint8_t)random_below(9);
	}
	sp_verdict(machine, &allowed, seats, nranks, &verdict);
	add(verdict.ranks);
	add(verdict.idle);
	add(verdict.overlapping);
	add(verdict.starving);
	add(verdict.foreign);
	add(verdict.listed);
	add(verdict.crowded);
	add(verdict.one);
	add(verdict.other);
	add(verdict.is_gain);
	add_set(&verdict.claimed);
	free(machine);
}

static const struct kind {
	const char *name;
	void (*add)(void);
} kinds[] = {
	{ "cuts", add_cut }, { "slots", add_slots }, { "divisions", add_division }, { "terms", add_terms }, { "gpus", add_gpus },
	{ "launchers", add_launcher }, { "bindings", add_binding }, { "settings", add_settings }, { "sites", add_site }, { "verdicts", add_verdict },
};

/* A line of data: the sum of its cases, and behind it the first of them in words; all: every case, and whole. */
static void
put_line(const struct kind *kind, int line, bool all, FILE *to)
{
	char *text = NULL, *shown = NULL;
	size_t size, shown_size;
	FILE *cases = open_memstream(&shown, &shown_size);

	sum = UINT64_C(0xcbf29ce484222325);
	for (int i = 0; i < CASES_A_LINE; i++) {
		random_start(20261122, line * CASES_A_LINE + i);
		case_words = open_memstream(&text, &size);
		kind->add();
		end_run();
		fclose(case_words);
		if (all)
			fprintf(cases, "%s %d.%d:%s\n", kind->name, line, i, text);
		else if (i < CASES_IN_WORDS)
			fprintf(cases, "%s %d.%d:%.*s%s\n", kind->name, line, i, WIDTH, text, size > WIDTH ? "..." : "");
		free(text);
	}
	fclose(cases);
	fprintf(to, "%s %d %016" PRIx64 "\n%s", kind->name, line, sum, shown);
	free(shown);
}

static void
record(const char *path, bool all)
{
	FILE *data = fopen(path, "we");

	ck_assert_msg(data != NULL, "%s", path);
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		for (int line = 0; line < LINES; line++)
			put_line(&kinds[i], line, all, data);
	fclose(data);
}

/* Compare with the next lines of the data; the first two that differ are added to `moved`. */
static void
compare_line(const struct kind *kind, int line, FILE *data, char moved[MOVED])
{
	char *now = NULL, *was = NULL, *rest = NULL;
	size_t size, was_size = 0, length = strlen(moved);
	FILE *to = open_memstream(&now, &size);
	uint32_t n = 0;

	put_line(kind, line, false, to);
	fclose(to);
	for (char *its = strtok_r(now, "\n", &rest); its; its = strtok_r(NULL, "\n", &rest)) {
		bool is_there = getline(&was, &was_size, data) > 0;

		if (is_there)
			was[strcspn(was, "\n")] = '\0';
		if (length < MOVED && n < 2 && !(is_there && strcmp(was, its) == 0)) {
			length += (size_t)snprintf(moved + length, MOVED - length, "\nwas: %s\nnow: %s", is_there ? was : "", its);
			n++;
		}
	}
	free(now);
	free(was);
}

START_TEST(placements_are_as_recorded)
{
	static char moved[MOVED];

	if (getenv("ALL"))
		record(getenv("ALL"), true);
	if (getenv("RENEW"))
		record(DATA, false);
	FILE *data = fopen(DATA, "re");
	ck_assert_msg(data != NULL, DATA);
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		for (int line = 0; line < LINES; line++)
			compare_line(&kinds[i], line, data, moved);
	fclose(data);
	ck_assert_msg(!*moved, "others than recorded:%s", moved);
}
END_TEST

Suite *
suite_placements(void)
{
	Suite *suite = suite_create("placements");
	TCase *facts = tcase_create("facts");

	tcase_add_test(facts, placements_are_as_recorded);
	suite_add_tcase(suite, facts);
	return suite;
}
