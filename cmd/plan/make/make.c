#include "cmd/plan/make/make.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/cmd.h"
#include "cmd/plan/make/beside.h"
#include "cmd/plan/make/gpus.h"
#include "cut/explain.h"
#include "decide/portion.h"
#include "gpus/whose.h"
#include "slots/explain.h"
#include "slots/slots.h"

static int
find_devices(struct plan *plan)
{
	enum sp_devices what = plan->config.policy.devices;

	if (what != SP_DEVICES_NIC && what != SP_DEVICES_GPU_NIC)
		return 0;
	plan->ndevices = sp_topology_devices(plan->source, SP_DEVICES_NIC, plan->machine, &plan->devices);
	return plan->ndevices < 0 ? plan->ndevices : 0;
}

bool
plan_hbm(const struct plan *plan, struct sp_cpus *nodes)
{
	*nodes = (struct sp_cpus){ 0 };
	for (uint32_t i = 0; i < plan->machine->ncpus; i++)
		if ((plan->owner[i] != SP_NOBODY || plan->terms.how == SP_TERMS_SHARED) && plan->machine->pu[i].hbm != plan->machine->pu[i].numa)
			sp_cpus_add(nodes, plan->machine->pu[i].hbm);
	return plan->config.memory == SP_MEMORY_HBM || plan->config.memory == SP_MEMORY_HBM_BIND;
}

void
plan_release(struct plan *plan)
{
	free(plan->machine);
	free(plan->need);
	free(plan->parts.part);
	for (uint32_t i = 0; i < plan->nbeside; i++)
		free(plan->beside[i].parts.part);
	free(plan->beside);
	free(plan->seen);
	free(plan->owner);
	free(plan->devices);
	free(plan->device);
}

uint32_t
plan_threads(const struct plan *plan, uint32_t rank)
{
	return plan->need ? plan->need[rank] : plan->threads;
}

/* What the ranks need, as sp_decide takes it; NULL if memory is short. */
static uint32_t *
list_needs(const struct plan *plan)
{
	uint32_t *need = calloc(plan->nranks, sizeof(*need));

	for (uint32_t rank = 0; need && rank < plan->nranks; rank++)
		need[rank] = plan_threads(plan, rank);
	return need;
}

/* As in a run, the size of a team that may have several threads on each core. */
static int
find_full(const struct plan *plan, uint32_t number, const struct plan_rank *rank, uint32_t *full)
{
	const struct sp_view view = { .machine = plan->machine, .policy = &plan->config.policy };
	uint32_t *need = list_needs(plan);
	struct sp_cpus all;

	if (!need)
		return -ENOMEM;
	sp_machine_cpus(plan->machine, &all);
	const struct sp_portion portion = { .cpus = &all, .rank = number, .size = plan->nranks, .need = need, .terms = &plan->terms };
	*full = sp_portion_is_uneven(&view, &portion, &plan->cut, &rank->share) ? SP_UNEVEN : rank->is_guess ? 0 : rank->threads;
	free(need);
	return 0;
}

/*
 * A team without a size from the user has the runtime's default, one thread for
 * each CPU, and smaller teams may follow.  As in a run, threads for which there
 * are too few cores may use the whole node.
 */
static int
fill_slots(const struct plan *plan, uint32_t number, struct plan_rank *rank)
{
	struct sp_cpus all;
	uint32_t full = 0;
	bool is_shared = plan->terms.how == SP_TERMS_SHARED;
	struct sp_slots *slots = sp_slots_create(plan->machine, &rank->share, is_shared ? SP_NO_BIND : plan->config.bind);
	struct sp_slot_facts facts;

	rank->slot = calloc(rank->threads, sizeof(*rank->slot));
	if (!slots || !rank->slot || find_full(plan, number, rank, &full) < 0) {
		sp_slots_destroy(slots);
		return -ENOMEM;
	}
	sp_slots_granularity(slots, plan->config.granularity);
	sp_machine_cpus(plan->machine, &all);
	if (!is_shared && !plan->is_for)
		sp_slots_release(slots, full, &all);
	for (uint32_t i = 0; i < rank->threads; i++) {
		struct plan_slot *slot = &rank->slot[i];
		struct sp_request request = { .thread = (int)i, .team = rank->threads,
					      .guess = rank->is_guess, .near = -1 };
		int taken = sp_slots_take(slots, &request, &slot->cpus);

		if (taken < 0)
			break;
		sp_machine_extent(plan->machine, &slot->cpus, &slot->cores, &slot->nodes);
		sp_slots_facts(slots, taken, &facts);
		sp_explain_slot(&facts, slot->why, sizeof(slot->why));
	}
	sp_slots_destroy(slots);
	return 0;
}

/* The devices near to a NUMA node that a rank has are given to its ranks in turn. */
static const struct sp_device *
device_in_turn(const struct plan *plan, const struct sp_cpus *share, uint32_t turn)
{
	uint32_t near = 0;

	for (int i = 0; i < plan->ndevices; i++)
		near += sp_cpus_intersect(&plan->devices[i].near, share);
	if (!near)
		return NULL;
	turn %= near;
	for (int i = 0; i < plan->ndevices; i++)
		if (sp_cpus_intersect(&plan->devices[i].near, share) && turn-- == 0)
			return &plan->devices[i];
	return NULL;
}

static int
deal_devices(struct plan *plan)
{
	uint32_t *turn = calloc(SP_CPUS_MAX, sizeof(*turn));	/* of a NUMA node: ranks so far */

	plan->device = calloc(plan->nranks, sizeof(*plan->device));
	if (!turn || !plan->device) {
		free(turn);
		return -ENOMEM;
	}
	for (uint32_t rank = 0; rank < plan->nranks; rank++) {
		struct sp_cpus share, cores, nodes;

		plan_share(plan, rank, &share);
		sp_machine_extent(plan->machine, &share, &cores, &nodes);

		uint32_t node = sp_cpus_next(&nodes, 0);

		plan->device[rank] = device_in_turn(plan, &share, turn[node == SP_NO_CPU ? SP_NO_NODE : node]++);
	}
	free(turn);
	return 0;
}

/* Cut on the terms that a run would find. */
static int
divide(struct plan *plan, uint32_t need[], const struct sp_near near[])
{
	struct sp_cpus all;
	struct sp_plan its = { .division = SP_DIVISION_UNBOUND, .need = need, .owner = plan->owner };
	struct sp_other_jobs others;

	sp_machine_cpus(plan->machine, &all);
	plan_find_others(plan, &others);
	sp_decide(&(struct sp_view){
		.machine = plan->machine, .policy = &plan->config.policy, .bind = plan->config.bind, .places = plan->places,
		.near = near, .allowed = &all, .nranks = plan->nranks }, NULL, &others, &its);
	plan->terms = its.terms;
	plan->cut = its.cut;
	return its.error;
}

static int
cut(struct plan *plan)
{
	struct sp_near *near = plan->seen ? calloc(plan->nranks, sizeof(*near)) : NULL;
	uint32_t *need = list_needs(plan);
	int error = need && (near || !plan->seen) ? 0 : -ENOMEM;

	if (!error && near)
		sp_gpus_place(&plan->machine->gpus, plan->seen, plan->nranks, near);
	if (!error)
		error = divide(plan, need, near);
	free(need);
	free(near);
	return error;
}

/* Where the OpenMP runtime binds the threads, a run narrows the rank to what they need. */
static void
narrow_to_need(struct plan *plan)
{
	const struct sp_policy *policy = &plan->config.policy;
	bool one_a_core = plan->on_hardware_threads && !policy->smt && !plan->smt_there;

	if (!plan->bound_by || policy->domain != SP_DOMAIN_AUTO || plan->terms.how == SP_TERMS_SHARED)
		return;
	for (uint32_t rank = 0; rank < plan->nranks; rank++) {
		struct sp_cpus share;

		plan_share(plan, rank, &share);
		sp_terms_narrow(plan->machine, plan_threads(plan, rank), plan->config.bind, one_a_core, &share);
		for (uint32_t i = 0; i < plan->machine->ncpus; i++) {
			if (plan->owner[i] != rank || sp_cpus_has(&share, plan->machine->pu[i].cpu))
				continue;
			plan->owner[i] = SP_NOBODY;
			plan->is_narrowed = true;
		}
	}
}

/* Of more hardware threads than cores have, all are used. */
static void
limit_smt(struct plan *plan)
{
	uint32_t *smt = &plan->config.policy.smt, most = sp_machine_threads_of_core(plan->machine);

	if (*smt <= most)
		return;
	plan->smt_there = most;
	*smt = 0;
}

int
plan_make(struct plan *plan, const struct sp_cpus *allowed)
{
	int error = sp_topology_read(plan->source, allowed, &plan->machine);

	if (!error)
		error = plan_find_gpus(plan);
	if (!error)
		error = find_devices(plan);
	if (error)
		return error;
	limit_smt(plan);
	plan->owner = malloc(plan->machine->ncpus * sizeof(*plan->owner));
	if (!plan->owner)
		return -ENOMEM;
	error = cut(plan);
	if (!error)
		narrow_to_need(plan);
	return error || plan->ndevices == 0 ? error : deal_devices(plan);
}

void
plan_share(const struct plan *plan, uint32_t rank, struct sp_cpus *share)
{
	if (plan->terms.how == SP_TERMS_SHARED)
		sp_machine_cpus(plan->machine, share);
	else
		sp_cut_share(plan->machine, plan->owner, rank, share);
}

char *
plan_explain(const struct plan *plan, char *text)
{
	if (plan->terms.how != SP_TERMS_SHARED)
		return sp_explain_cut(plan->machine, &plan->config.policy, plan->nranks, &plan->cut, text, SP_TEXT_MAX);
	snprintf(text, SP_TEXT_MAX, "too few cores are free for all threads: the node is shared, and threads are not pinned");
	return text;
}

char *
plan_why_unplaced(const struct plan *plan)
{
	if (plan->terms.how == SP_TERMS_SHARED)
		return cmd_format("not pinned: the kernel puts each where the fewest are");
	if (plan->bound_by)
		return cmd_format("placed inside the share by the OpenMP runtime (%s)", plan->bound_by);
	return NULL;
}

int
plan_rank(const struct plan *plan, uint32_t number, struct plan_rank *rank)
{
	*rank = (struct plan_rank){ 0 };
	plan_share(plan, number, &rank->share);
	rank->ncores = sp_machine_extent(plan->machine, &rank->share, &rank->cores, &rank->nodes);
	rank->ncpus = sp_cpus_count(&rank->share);
	rank->is_guess = plan_threads(plan, number) == 0;
	rank->threads = rank->is_guess ? rank->ncpus : plan_threads(plan, number);
	if (plan->terms.how == SP_TERMS_SHARED)
		snprintf(rank->why, sizeof(rank->why), "the whole node, shared");
	else
		sp_explain_share(plan->machine, plan->owner, number, rank->why, sizeof(rank->why));
	rank->device = plan->device ? plan->device[number] : NULL;
	plan_fill_gpus(plan, number, rank);
	return fill_slots(plan, number, rank);
}

void
plan_rank_release(struct plan_rank *rank)
{
	free(rank->slot);
}

uint32_t
plan_count_groups(const struct sp_machine *machine, const uint32_t owner[], size_t field)
{
	struct sp_cpus seen = { 0 };	/* CPUs of a group need not stand side by side: nodes may cut across packages */

	for (uint32_t i = 0; i < machine->ncpus; i++) {
		uint32_t number;

		memcpy(&number, (const char *)&machine->pu[i] + field, sizeof(number));
		if (!owner || owner[i] != SP_NOBODY)
			sp_cpus_add(&seen, number);
	}
	return sp_cpus_count(&seen);
}
