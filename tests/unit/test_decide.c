/*
 * Facts about which cores each rank has, as tables: what is known of a node of 16
 * cores with one CPU each, and what follows.
 *
 *   facts   for each rank MASK, MASK/THREADS or MASK/THREADS/LIST ("?": its mask is not known, "-": it has ended);
 *           "unbound": nobody bound them, "asked": somebody did, "told": a setting says which cores they get,
 *           "on=CPUS": all that the job may use, "domain=CPUS": may be divided anew, "taken=CPUS", "starting=CPUS": by others
 *   plan    the row of decide.h, the terms, the claim; then for each rank its row of row.h, and its share,
 *           which is "shared" where threads are left to the kernel
 */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "decide/decide.h"
#include "decide/portion.h"
#include "decide/row.h"
#include "machines.h"
#include "suites.h"

#define RANKS_MAX 8
#define CORES 16

struct facts {
	struct sp_cpus allowed, domain;
	struct sp_policy policy;
	struct sp_other_jobs others;
	bool is_unbound, is_asked;
	uint32_t nranks, need[RANKS_MAX];
	struct sp_rank_facts rank[RANKS_MAX];
};

/* MASK/THREADS/LIST. */
static void
read_rank(char *word, struct facts *facts)
{
	char *rest, *mask = strtok_r(word, "/", &rest), *threads = strtok_r(NULL, "/", &rest), *list = strtok_r(NULL, "/", &rest);
	struct sp_rank_facts *rank = &facts->rank[facts->nranks];

	*rank = (struct sp_rank_facts){ .known = *mask != '?', .threads = threads ? (uint32_t)atoi(threads) : 0 };
	if (*mask != '?' && *mask != '-')
		rank->mask = cpus_of_list(mask);
	if (list) {
		rank->listed = cpus_of_list(list);
		rank->list = sp_text_sum(list);
	}
	facts->need[facts->nranks++] = rank->threads;
}

static void
read_word(char *word, struct facts *facts)
{
	char *value = strchr(word, '=');

	if (strcmp(word, "unbound") == 0)
		facts->is_unbound = true;
	else if (strcmp(word, "asked") == 0)
		facts->is_asked = true;
	else if (strcmp(word, "told") == 0)
		facts->policy.smt = 1;
	else if (!value)
		read_rank(word, facts);
	else if (strncmp(word, "on", 2) == 0)
		facts->allowed = facts->domain = cpus_of_list(value + 1);
	else if (strncmp(word, "domain", 6) == 0)
		facts->domain = cpus_of_list(value + 1);
	else if (strncmp(word, "starting", 8) == 0)
		facts->others.starting = cpus_of_list(value + 1);
	else
		facts->others = (struct sp_other_jobs){ .taken = cpus_of_list(value + 1), .jobs = 1 };
}

static void
read_facts(const char *text, struct facts *facts)
{
	char words[256], *rest = words, *word;

	*facts = (struct facts){ .allowed = cpus_of_list("0-15"), .domain = cpus_of_list("0-15") };
	snprintf(words, sizeof(words), "%s", text);
	while ((word = strtok_r(rest, " ", &rest)))
		read_word(word, facts);
}

static const char *const divisions[] = {
	[SP_DIVISION_OPEN] = "open", [SP_DIVISION_ALIKE] = "alike", [SP_DIVISION_KEPT] = "kept", [SP_DIVISION_ASKED] = "asked",
	[SP_DIVISION_STARVED] = "starved", [SP_DIVISION_COLLIDED] = "collided", [SP_DIVISION_TOLD] = "told",
	[SP_DIVISION_UNBOUND] = "unbound",
};

static const char *const rows[] = {
	[SP_ROW_LIST] = "list", [SP_ROW_ALL] = "all", [SP_ROW_ALL_OR_MASK] = "all-or-mask", [SP_ROW_UNSEEN] = "unseen",
	[SP_ROW_UNCOMPARED] = "uncompared", [SP_ROW_OWN] = "own", [SP_ROW_PART] = "part",
};

static const char *const hows[] = { [SP_TERMS_ALONE] = "alone", [SP_TERMS_BESIDE] = "beside", [SP_TERMS_SHARED] = "shared" };

/* The share of a rank: its part, or what it has by the cut of that on the part's terms. */
static struct sp_cpus
share_of(const struct sp_view *view, const struct sp_plan *plan, uint32_t number, enum sp_row row)
{
	const struct sp_part whole = { .cpus = *view->allowed, .count = view->nranks, .index = number };
	const struct sp_part *part = plan->part ? &plan->part[number] : &whole;
	uint32_t need[RANKS_MAX], n = 0;
	struct sp_terms terms;
	struct sp_cpus share = part->cpus;
	struct sp_cut cut;

	for (uint32_t rank = 0; rank < view->nranks; rank++)
		if (part->count == view->nranks || plan->part[rank].group == part->group)
			need[n++] = plan->need[rank];
	sp_terms_on(&plan->terms, &part->cpus, &terms);
	if (sp_division_is_anew(plan->division))
		terms = plan->terms;
	if (terms.how == SP_TERMS_SHARED || row == SP_ROW_LIST || (row == SP_ROW_OWN && terms.how == SP_TERMS_ALONE))
		return share;
	ck_assert_int_eq(sp_terms_share(view, &(struct sp_group){ .cpus = &part->cpus, .nranks = part->count, .need = need },
					&terms, part->index, &share, &cut), 0);
	/* That is what the plan has for all. */
	if (!plan->error) {
		struct sp_cpus owned;

		sp_cut_share(view->machine, plan->owner, part->index, &owned);
		ck_assert(sp_cpus_equal(&owned, &share));
		ck_assert_uint_eq(plan->cut.units, cut.units);
	}
	return share;
}

static void
put_rank(const struct facts *facts, const struct sp_view *view, const struct sp_plan *plan, uint32_t number, struct sp_text *text)
{
	const enum sp_row row = sp_row_of(&(struct sp_row_facts){
		.is_unbound = facts->is_unbound, .is_decided = plan->part, .division = plan->division,
		.part = plan->part ? &plan->part[number] : NULL, .has_list = plan->part && plan->part[number].is_listed });
	const struct sp_cpus share = row == SP_ROW_UNCOMPARED ? facts->rank[number].mask : share_of(view, plan, number, row);

	const struct sp_cpus *cpus = plan->part ? &plan->part[number].cpus : view->allowed;

	sp_text_add(text, "%s %s %s%s", number ? "," : ":", rows[row], sp_cpus_empty(&share) ? "-" : list_of_cpus(&share),
		    !sp_cpus_empty(cpus) && sp_terms_how_on(&plan->terms, cpus) == SP_TERMS_SHARED ? " shared" : "");
}

static void
put_plan(const char *given, struct sp_text *text)
{
	struct sp_machine *machine = machine_uniform(CORES, 1);
	uint32_t owner[CORES];
	struct sp_part part[RANKS_MAX];
	struct facts facts;

	read_facts(given, &facts);
	const struct sp_view view = {
		.machine = machine, .policy = &facts.policy, .nranks = facts.nranks, .allowed = &facts.allowed,
		.domain = &facts.domain, .is_asked = facts.is_asked };
	struct sp_plan plan = { .division = facts.is_unbound ? SP_DIVISION_UNBOUND : SP_DIVISION_OPEN, .need = facts.need,
				.part = facts.is_unbound ? NULL : part, .owner = owner };
	const enum sp_division division = sp_decide(&view, facts.rank, &facts.others, &plan);

	ck_assert_int_eq(division, plan.division);
	sp_text_add(text, "%s", divisions[division]);
	if (division != SP_DIVISION_OPEN)
		sp_text_add(text, " %s %s", hows[plan.terms.how], *list_of_cpus(&plan.terms.claim) ? list_of_cpus(&plan.terms.claim) : "-");
	for (uint32_t rank = 0; rank < facts.nranks && division != SP_DIVISION_OPEN; rank++)
		put_rank(&facts, &view, &plan, rank, text);
	free(machine);
}

static const struct {
	const char *facts, *plan;
} cases[] = {
	/* Nobody bound the ranks. */
	{ "unbound 0-15 0-15",
	  "unbound alone 0-15: all 0-7, all 8-15" },
	{ "unbound 0-15/8 0-15/2 0-15/2",
	  "unbound alone 0-3,5-8,10-13: all 0-9, all 10-11, all 12-13" },
	{ "unbound taken=8-15 0-15/4 0-15/4",
	  "unbound beside 0-7: all 0-3, all 4-7" },
	{ "unbound taken=8-15 0-15 0-15",
	  "unbound beside 0-7: all 0-3, all 4-7" },
	{ "unbound taken=4-15 0-15/4 0-15/4",
	  "unbound shared -: all 0-15 shared, all 0-15 shared" },
	{ "unbound starting=0-3 0-15/2 0-15/2",
	  "unbound shared -: all 0-15 shared, all 0-15 shared" },
	{ "unbound starting=12-15 on=0-7 0-7/2 0-7/2",
	  "unbound alone 0,2,4,6: all 0-3, all 4-7" },
	/* Masks. */
	{ "0-7 ?",
	  "open" },
	{ "0-3 0-3",
	  "alike alone 0-3: part 0-1, part 2-3" },
	{ "on=0-3 0-3/4 0-3/4",
	  "alike alone 0-3: part 0-1, part 2-3" },
	{ "domain=0-3 0-3/4 0-3/4",
	  "alike alone 0-3: part 0-1, part 2-3" },
	{ "0-3/4 0-3/4",
	  "starved alone 0,2,4,6,8,10,12,14: part 0-7, part 8-15" },
	{ "asked 0-3/4 0-3/4",
	  "asked alone 0-3: part 0-1, part 2-3" },
	{ "0 1",
	  "kept alone 0-1: own 0, own 1" },
	{ "0 1/4",
	  "starved alone 0-15: part 0-11, part 12-15" },
	{ "domain= 0/4 1/4",
	  "kept alone 0-1: own 0, own 1" },
	{ "domain=0-3 0/4 8/4",
	  "kept alone 0,8: own 0, own 8" },
	{ "asked 0/4 1/4",
	  "asked alone 0-1: own 0, own 1" },
	{ "0-3 0-3 8-11 8-11",
	  "kept alone 0-3,8-11: part 0-1, part 2-3, part 8-9, part 10-11" },
	{ "0-3 2-5",
	  "kept alone 0-5: own 0-3, own 2-5" },
	{ "- 0-3",
	  "alike alone 0-3: uncompared -, own 0-3" },
	/* Settings. */
	{ "told 0-7 8-15",
	  "told alone 0-15: part 0-7, part 8-15" },
	{ "told 0-7 0-7",
	  "alike alone 0-7: part 0-3, part 4-7" },
	{ "told 0",
	  "told alone 0-15: part 0-15" },
	{ "asked told 0-7 8-15",
	  "asked alone 0-15: own 0-7, own 8-15" },
	/* Other jobs. */
	{ "taken=0-3 0-3 4-7",
	  "collided beside 4-11: part 4-7, part 8-11" },
	{ "taken=0-3 0-3/2 4-7/2",
	  "collided beside 4-7: part 4-5, part 6-7" },
	{ "taken=4-7 0-3 8-11",
	  "kept alone 0-3,8-11: own 0-3, own 8-11" },
	{ "taken=0-3 asked 0-3 4-7",
	  "asked alone 4-7: own 0-3 shared, own 4-7" },
	{ "taken=0-1 asked 0-3/2 0-3/2",
	  "asked shared 0-3: part 0-3 shared, part 0-3 shared" },
	{ "taken=0-2 asked 0-3/2 0-3/2",
	  "asked shared 0-3: part 0-3 shared, part 0-3 shared" },
	{ "taken=0-1 asked 0-3/2 4-7/4",
	  "asked beside 2-7: own 2-3, own 4-7" },
	{ "taken=0-14 0-3 4-7",
	  "kept shared 0-7: own 0-3 shared, own 4-7 shared" },
	{ "taken=0-14 0-3/2 4-7/2",
	  "collided shared -: part 0-15 shared, part 0-15 shared" },
	{ "taken=0-9 0-3 4-7",
	  "kept shared 0-7: own 0-3 shared, own 4-7 shared" },
	{ "taken=0-9 0/4 1/4",
	  "starved shared -: part 0-15 shared, part 0-15 shared" },
	{ "taken=0-11 0/4 1",
	  "kept shared 0-1: own 0 shared, own 1 shared" },
	{ "taken=0-11 0/4 -",
	  "starved shared -: part 0-15 shared, part 0-15 shared" },
	{ "taken=0-12 0/4 1/0/2-3",
	  "starved shared 2-3: part 0-15 shared, list 2-3 shared" },
	{ "taken=0-7 0-15/2 0-15/2",
	  "alike beside 8-11: part 8-9, part 10-11" },
	/* Lists. */
	{ "0-15/2/0-1 0-15/2/4-5",
	  "asked alone 0-1,4-5: list 0-1, list 4-5" },
	{ "0-15/2/0-1 0-15/2/0-1",
	  "alike alone 0,4,8,12: part 0-7, part 8-15" },
	{ "0-15/2/0-1 0-15/2 0-15/2",
	  "alike alone 0-2,5,9,12: list 0-1, part 2-8, part 9-15" },
	{ "told 0-15/2/0-1 0-15/2/4-5",
	  "alike alone 0,4,8,12: part 0-7, part 8-15" },
	{ "asked 0-3/2/0-5 8-11",
	  "asked alone 0-3,8-11: list 0-3, own 8-11" },
};

START_TEST(each_rank_has_the_cores_of_the_first_row_that_fits)
{
	char line[1024];
	struct sp_text text = sp_text_begin(line, sizeof(line));

	put_plan(cases[_i].facts, &text);
	ck_assert_msg(strcmp(line, cases[_i].plan) == 0, "%s\nis  %s\nnot %s", cases[_i].facts, line, cases[_i].plan);
}
END_TEST

/* Ranks of which the decision says too little. */
START_TEST(a_rank_that_cannot_be_compared_keeps_its_mask)
{
	struct sp_part part = { .count = 2 };
	struct sp_row_facts facts = { .is_decided = true, .division = SP_DIVISION_ALIKE, .part = &part };

	ck_assert_int_eq(sp_row_of(&facts), SP_ROW_PART);
	facts.is_changed = true;
	ck_assert_int_eq(sp_row_of(&facts), SP_ROW_UNCOMPARED);
	facts.is_changed = false;
	part.is_listed = 1;	/* the list is the rank's no more */
	ck_assert_int_eq(sp_row_of(&facts), SP_ROW_UNCOMPARED);
	facts.has_list = true;
	ck_assert_int_eq(sp_row_of(&facts), SP_ROW_LIST);
	facts = (struct sp_row_facts){ .is_decided = true, .division = SP_DIVISION_GIVEN_UP, .part = &(struct sp_part){ .count = 0 } };
	ck_assert_int_eq(sp_row_of(&facts), SP_ROW_UNCOMPARED);
	facts.is_whole = true;
	ck_assert_int_eq(sp_row_of(&facts), SP_ROW_ALL_OR_MASK);
	facts = (struct sp_row_facts){ .is_decided = false };
	ck_assert_int_eq(sp_row_of(&facts), SP_ROW_UNSEEN);
	facts.is_whole = true;
	ck_assert_int_eq(sp_row_of(&facts), SP_ROW_ALL_OR_MASK);
	facts.is_unbound = true;
	ck_assert_int_eq(sp_row_of(&facts), SP_ROW_ALL);
}
END_TEST

/* A job that is starting on the cores of one that has settled: what is left to it stays so. */
START_TEST(what_is_left_to_a_job_is_left_for_good)
{
	struct sp_machine *machine = machine_uniform(CORES, 1);
	const struct sp_cpus allowed = cpus_of_list("0-15"), left = cpus_of_list("0-7");
	const struct sp_policy policy = { 0 };
	struct sp_other_jobs others = { .starter = 4711 };
	struct sp_view view = { .machine = machine, .policy = &policy, .nranks = 2, .allowed = &allowed, .left = &allowed };
	struct sp_plan plan = { .terms = { .generation = 3, .threads = 8, .claim = allowed } };

	ck_assert_int_eq(sp_decide(&view, NULL, &others, &plan), SP_DIVISION_LEFT);
	ck_assert(plan.terms.how == SP_TERMS_SHARED && plan.terms.is_last && plan.terms.generation == 3 && plan.terms.threads == 8);
	ck_assert_int_eq(plan.terms.starter, 4711);
	ck_assert(sp_cpus_empty(&plan.terms.claim));
	/* Other jobs of the user may have CPUs beside those. */
	view.left = &left;
	sp_decide(&view, NULL, &others, &plan);
	ck_assert(sp_cpus_equal(&plan.terms.claim, &left));
	free(machine);
}
END_TEST

/* 4 threads on 2 cores, where 1 was announced: later jobs leave both to a rank that cannot use others. */
START_TEST(a_team_too_large_for_its_mask_claims_all_of_it)
{
	struct sp_machine *machine = machine_uniform(CORES, 1);
	const struct sp_cpus mask = cpus_of_list("0-1"), claim = cpus_of_list("0,5");
	struct sp_cpus share = mask;
	struct sp_other_jobs others = { .jobs = 0 };
	struct sp_larger_team team = { .open = &mask, .claims = 1, .threads = 4, .share = &share };
	const struct sp_view view = { .machine = machine, .nranks = 1, .grown = &team };
	struct sp_plan plan = { .terms.claim = claim };

	ck_assert_int_eq(sp_decide(&view, NULL, &others, &plan), SP_DIVISION_OPEN);
	ck_assert(sp_cpus_equal(&plan.terms.claim, &claim));
	team.bounds = &mask;
	ck_assert_int_eq(sp_decide(&view, NULL, &others, &plan), SP_DIVISION_OPEN);
	ck_assert_str_eq(list_of_cpus(&plan.terms.claim), "0-1,5");
	ck_assert(sp_cpus_equal(&share, &mask));
	free(machine);
}
END_TEST

/* Several threads on each core: for each rank whether these would be fuller than the cores that the ranks divide. */
START_TEST(a_team_has_no_more_threads_on_a_core_than_there_are_on_average)
{
	static const struct {
		uint32_t cores, taken, nranks, need[5];
		enum sp_terms_how how;
		bool is_told;
		const char *uneven;	/* '+': it is */
	} nodes[] = {
		/* The same number on each core. */
		{ 4, 0, 2, { 4, 4 }, SP_TERMS_ALONE, false, "--" }, { 12, 0, 5, { 4, 4, 4, 4, 8 }, SP_TERMS_ALONE, false, "-----" },
		/* A core is left over. */
		{ 5, 0, 2, { 4, 4 }, SP_TERMS_ALONE, false, "++" }, { 13, 0, 3, { 8, 8, 8 }, SP_TERMS_ALONE, false, "+++" },
		{ 5, 1, 2, { 4, 4 }, SP_TERMS_BESIDE, false, "--" },
		/* One has a core for each thread, the others half as many. */
		{ 16, 0, 5, { 4, 4, 4, 4, 8 }, SP_TERMS_ALONE, false, "++++-" },
		/* So few cores are left over that pins are worth more: 2 of 128, 1 of 33; not 1 of 31. */
		{ 128, 0, 3, { 84, 84, 84 }, SP_TERMS_ALONE, false, "---" }, { 33, 0, 2, { 32, 32 }, SP_TERMS_ALONE, false, "--" },
		{ 31, 0, 2, { 30, 30 }, SP_TERMS_ALONE, false, "++" },
		/* A setting says so. */
		{ 5, 0, 2, { 4, 4 }, SP_TERMS_ALONE, true, "--" },
		/* Threads that are not announced; beside other jobs others may need what is left over. */
		{ 5, 0, 2, { 0, 0 }, SP_TERMS_ALONE, false, "--" }, { 5, 0, 2, { 0, 0 }, SP_TERMS_BESIDE, false, "++" },
		{ 4, 0, 2, { 0, 0 }, SP_TERMS_BESIDE, false, "--" }, { 8, 0, 2, { 4, 0 }, SP_TERMS_ALONE, false, "--" },
	};

	for (size_t i = 0; i < sizeof(nodes) / sizeof(nodes[0]); i++) {
		struct sp_machine *machine = machine_uniform(nodes[i].cores, 2);
		const struct sp_policy policy = { .smt = nodes[i].is_told ? 2 : 0 };
		struct sp_terms terms = { .how = nodes[i].how };
		struct sp_cpus all;

		sp_machine_cpus(machine, &all);
		if (nodes[i].taken) {
			sp_cpus_add(&terms.taken, 0);
			sp_machine_fill_cores(machine, &terms.taken);
		}
		for (uint32_t rank = 0; rank < nodes[i].nranks; rank++) {
			const struct sp_view view = { .machine = machine, .policy = &policy, .nranks = nodes[i].nranks, .allowed = &all };
			const struct sp_portion portion = { .cpus = &all, .rank = rank, .size = nodes[i].nranks, .need = nodes[i].need, .terms = &terms };
			struct sp_rank_share share = { .is_kept = false };

			ck_assert_int_eq(sp_portion_cut(&view, &portion, "", &share), 0);
			ck_assert_msg(share.is_uneven == (nodes[i].uneven[rank] == '+'), "node %zu, rank %u: %s", i, rank, share.why);
		}
		free(machine);
	}
}
END_TEST

Suite *
suite_decide(void)
{
	Suite *suite = suite_create("decide");
	TCase *facts = tcase_create("facts");

	tcase_add_loop_test(facts, each_rank_has_the_cores_of_the_first_row_that_fits, 0, sizeof(cases) / sizeof(cases[0]));
	tcase_add_test(facts, a_rank_that_cannot_be_compared_keeps_its_mask);
	tcase_add_test(facts, what_is_left_to_a_job_is_left_for_good);
	tcase_add_test(facts, a_team_too_large_for_its_mask_claims_all_of_it);
	tcase_add_test(facts, a_team_has_no_more_threads_on_a_core_than_there_are_on_average);
	suite_add_tcase(suite, facts);
	return suite;
}
