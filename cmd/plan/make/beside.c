#include "cmd/plan/make/beside.h"

#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "cmd/cmd.h"

static int
parse_count(const char *of, const char *option, const char *text, uint32_t most, uint32_t *count)
{
	char *name = cmd_format("%s%s", of, option);
	int status = cmd_parse_count(name, text, most, count);

	free(name);
	return status;
}

static int
complain(const char *of)
{
	cmd_complain("%suse -n RANKS and -t THREADS, and parts of these separated by ':'", of);
	return CMD_USAGE;
}

static int
parse_part(int argc, char *argv[], const char *of, struct plan_part *part)
{
	static const struct option options[] = {
		{ "ranks", required_argument, NULL, 'n' }, { "threads", required_argument, NULL, 't' }, { NULL, 0, NULL, 0 } };
	int option, status = 0;

	while (!status && (option = getopt_long(argc, argv, "+:n:t:", options, NULL)) != -1) {
		if (option == 'n' && strcmp(optarg, "p") == 0 && optind < argc)
			optarg = argv[optind++];
		if (option == 'n')
			status = parse_count(of, "-n", optarg, SP_CPUS_MAX, &part->ranks);
		else if (option == 't')
			status = parse_count(of, "-t", optarg, THREADS_MAX, &part->threads);
		else
			status = complain(of);
	}
	return status;
}

static int
parse_words(int argc, char *argv[], const char *of, struct plan_beside *job)
{
	bool goes_on;
	int status;

	optind = 0;
	do {
		struct plan_part part = { .ranks = 0 };

		status = parse_part(argc, argv, of, &part);
		goes_on = optind < argc && strcmp(argv[optind], ":") == 0;
		if (!status && optind < argc && !goes_on)
			status = complain(of);
		if (!status)
			status = plan_parts_add(&job->parts, &part, of);
		optind += goes_on;
	} while (!status && goes_on);
	return status ? status : plan_parts_end(&job->parts, of, &job->nranks);
}

int
plan_add_beside(struct plan *plan, const char *text)
{
	struct plan_beside *job;
	char *of = cmd_format("--beside \"%s\": ", text), *copy = cmd_format("%s", text), *rest = NULL;
	char **word = cmd_allocate(strlen(text) + 3, sizeof(*word));
	int n = 0;

	word[n++] = copy;
	for (char *next = strtok_r(copy, " \t\n", &rest); next; next = strtok_r(NULL, " \t\n", &rest))
		word[n++] = next;
	plan->beside = cmd_enlarge(plan->beside, plan->nbeside + 1, sizeof(*plan->beside));
	job = &plan->beside[plan->nbeside++];
	*job = (struct plan_beside){ .text = text };
	int status = parse_words(n, word, of, job);
	free(word);
	free(copy);
	free(of);
	return status;
}

/* Find the terms as the ranks of that job would; they have the same settings. */
static void
find_terms(const struct plan *plan, struct sp_other_jobs *others, struct plan_beside *job)
{
	uint32_t *need = plan_parts_need(&job->parts, job->nranks, 0);
	struct sp_cpus all;

	sp_machine_cpus(plan->machine, &all);
	struct sp_plan its = { .division = SP_DIVISION_UNBOUND, .need = need };
	sp_decide(&(struct sp_view){
		.machine = plan->machine, .policy = &plan->config.policy, .bind = plan->config.bind,
		.places = plan->places, .allowed = &all, .nranks = job->nranks }, NULL, others, &its);
	job->terms = its.terms;
	free(need);
}

void
plan_find_others(struct plan *plan, struct sp_other_jobs *others)
{
	static const struct sp_other_jobs none;

	*others = none;
	for (uint32_t i = 0; i < plan->nbeside; i++) {
		struct plan_beside *job = &plan->beside[i];

		find_terms(plan, others, job);
		if (plan->config.neighbours != SP_NEIGHBOURS_AVOID)
			continue;
		others->jobs++;
		sp_cpus_or(&others->taken, &job->terms.claim);
	}
}

char *
plan_beside_claim(const struct plan *plan, const struct plan_beside *job)
{
	const struct sp_cpus *claim = &job->terms.claim;
	uint32_t cores = sp_machine_cores(plan->machine, claim);

	if (job->terms.how == SP_TERMS_SHARED)
		return cmd_format("shares the node: its threads may be on any core");
	if (!cores)
		return cmd_format("claims no core: there are more ranks than CPUs");
	char *list = cmd_list(claim);
	char *words = cmd_format("claims %u core%s, CPU%s %s", cores, sp_plural(cores), sp_plural(sp_cpus_count(claim)), list);
	free(list);
	return words;
}
