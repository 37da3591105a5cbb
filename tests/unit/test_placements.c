/*
 * Placements stay as they are: a job that runs as last year is placed as last
 * year, whichever of several places as good were chosen then.  Cuts and slots of
 * invented machines are summed up in tests/data/placements, a line for some of
 * each kind.  A deliberate change is told in CHANGELOG.md, and recorded anew by
 *
 *   RENEW=1 CK_RUN_SUITE=placements CK_FORK=no build/unit-tests
 */
#include <check.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cut/cut.h"
#include "cut/explain.h"
#include "cuts.h"
#include "machines.h"
#include "slots/explain.h"
#include "slots/slots.h"
#include "suites.h"

#define DATA "tests/data/placements"
#define LINES 40
#define CASES_A_LINE 50

/* FNV-1a. */
static uint64_t sum;

static void
add(uint64_t number)
{
	for (int i = 0; i < 8; i++, number >>= 8)
		sum = (sum ^ (number & 0xff)) * UINT64_C(0x100000001b3);
}

static void
add_text(const char *text)
{
	for (; *text; text++)
		add((unsigned char)*text);
	add(0);
}

static void
add_set(const struct sp_cpus *set)
{
	for (uint32_t cpu = sp_cpus_next(set, 0); cpu != SP_NO_CPU; cpu = sp_cpus_next(set, cpu + 1))
		add(cpu);
	add(SP_NO_CPU);
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
	char text[SP_TEXT_MAX];
	struct sp_cut cut;

	for (uint32_t rank = 0; rank < nranks && has_near; rank++) {
		const struct sp_pu *pu = &machine->pu[random_below(machine->ncpus)];
		uint32_t level = random_below(4);

		near[rank] = (struct sp_near){ level > 2 ? SP_ANYWHERE : pu->package, level > 1 ? SP_ANYWHERE : pu->numa,
					       level > 0 ? SP_ANYWHERE : pu->l3 };
	}
	int error = sp_cut_near(machine, &policy, nranks, has_near ? near : NULL, owner, &cut);
	add((uint64_t)(int64_t)error);
	for (uint32_t i = 0; i < machine->ncpus && !error; i++)
		add(owner[i]);
	if (!error) {
		add_text(sp_explain_cut(machine, &policy, nranks, &cut, text, sizeof(text)));
		for (uint32_t rank = 0; rank < nranks && rank < 3; rank++)
			add_text(sp_explain_share(machine, owner, rank, text, sizeof(text)));
		add(cut.fair);
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
	char text[SP_TEXT_MAX];

	add((uint64_t)(int64_t)slot);
	if (slot < 0)
		return;
	add_set(cpus);
	if (sp_slots_facts(slots, slot, &facts) == 0) {
		add(facts.thread);
		add_text(sp_explain_slot(&facts, text, sizeof(text)));
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
			add(sp_slots_smaller_team(slots, request.pool, 1 + random_below(team)));
			for (int slot = 0; slot < 20; slot++)
				if (sp_slots_cpus(slots, slot, &cpus) == 0)
					add_set(&cpus);
		}
	}
	sp_slots_destroy(slots);
	free(machine);
}

static const struct kind {
	const char *name;
	void (*add)(void);
} kinds[] = { { "cuts", add_cut }, { "slots", add_slots } };

static uint64_t
sum_of(const struct kind *kind, int line)
{
	sum = UINT64_C(0xcbf29ce484222325);
	for (int i = 0; i < CASES_A_LINE; i++) {
		random_start(20261122, line * CASES_A_LINE + i);
		kind->add();
	}
	return sum;
}

static void
expect_recorded(const struct kind *kind, FILE *data)
{
	char name[16];
	uint64_t recorded;

	for (int line = 0, nth; line < LINES; line++) {
		ck_assert_int_eq(fscanf(data, "%15s %d %" SCNx64, name, &nth, &recorded), 3);
		ck_assert_str_eq(name, kind->name);
		ck_assert_int_eq(nth, line);
		ck_assert_msg(sum_of(kind, line) == recorded, "some of the %s of line %d are others than recorded", name, line);
	}
}

START_TEST(placements_are_as_recorded)
{
	FILE *data = fopen(DATA, getenv("RENEW") ? "we" : "re");

	ck_assert_msg(data != NULL, DATA);
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (getenv("RENEW"))
			for (int line = 0; line < LINES; line++)
				fprintf(data, "%s %d %016" PRIx64 "\n", kinds[i].name, line, sum_of(&kinds[i], line));
		else
			expect_recorded(&kinds[i], data);
	fclose(data);
}
END_TEST

Suite *
suite_placements(void)
{
	Suite *suite = suite_create("placements");
	TCase *facts = tcase_create("facts");

	tcase_set_timeout(facts, 60);
	tcase_add_test(facts, placements_are_as_recorded);
	suite_add_tcase(suite, facts);
	return suite;
}
