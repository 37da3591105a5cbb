/* Any machine cut among any ranks by any policy: what holds for every cut. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cut/cut.h"
#include "fuzz.h"

enum { RANKS_MAX = 128 };

static struct sp_policy
policy_of(struct fuzz_bytes *bytes, const struct sp_machine *machine)
{
	struct sp_policy policy = {
		.share = fuzz_below(bytes, 2), .distribution = fuzz_below(bytes, 2), .kinds = fuzz_below(bytes, 4),
		.smt = fuzz_below(bytes, 5), .cores = fuzz_below(bytes, 6), .reserve = fuzz_below(bytes, 3),
	};

	for (uint32_t n = fuzz_below(bytes, 4); n > 0 && machine->ncpus; n--)
		sp_cpus_add(&policy.reserved, machine->pu[fuzz_below(bytes, machine->ncpus)].cpu);
	return policy;
}

static void
place(struct fuzz_bytes *bytes, const struct sp_machine *machine, uint32_t nranks, struct sp_near near[])
{
	for (uint32_t i = 0; i < nranks; i++) {
		const struct sp_pu *pu = &machine->pu[machine->ncpus ? fuzz_below(bytes, machine->ncpus) : 0];

		near[i] = (struct sp_near){ SP_ANYWHERE, SP_ANYWHERE, SP_ANYWHERE };
		if (machine->ncpus && fuzz_below(bytes, 2))
			near[i] = (struct sp_near){ pu->package, pu->numa, SP_ANYWHERE };
	}
}

/* Cores that the ranks have: one of each has one rank alone, unless the cut is by CPUs. */
static void
check_cores(const struct sp_machine *machine, const uint32_t owner[])
{
	for (uint32_t i = 1; i < machine->ncpus; i++) {
		uint32_t last = i - 1;

		while (last > 0 && owner[last] == SP_NOBODY && machine->pu[last].core == machine->pu[i].core)
			last--;
		if (machine->pu[last].core == machine->pu[i].core && owner[last] != SP_NOBODY && owner[i] != SP_NOBODY)
			must(owner[last] == owner[i]);
	}
}

struct holding {
	uint32_t cpus, cores;
	uint32_t last;		/* the core of its last CPU */
};

/* What all ranks have, in one pass: an owner is one rank, so that shares are disjoint. */
static void
count_holdings(const struct sp_machine *machine, const struct sp_policy *policy, const uint32_t owner[], struct holding holding[])
{
	struct sp_cpus all = { 0 };

	for (uint32_t i = 0; i < machine->ncpus; i++) {
		const struct sp_pu *pu = &machine->pu[i];

		if (owner[i] == SP_NOBODY)
			continue;
		struct holding *h = &holding[owner[i]];

		must(!sp_cpus_has(&all, pu->cpu));
		must(!sp_cpus_has(&policy->reserved, pu->cpu));
		sp_cpus_add(&all, pu->cpu);
		h->cores += !h->cpus++ || pu->core != h->last;
		h->last = pu->core;
	}
}

/* What the code outside makes of the owners is what they have. */
static void
check_share(const struct sp_machine *machine, const uint32_t owner[], uint32_t rank, const struct holding *holding)
{
	struct sp_cpus share;

	sp_cut_share(machine, owner, rank, &share);
	for (uint32_t i = 0; i < machine->ncpus; i++)
		must(sp_cpus_has(&share, machine->pu[i].cpu) == (owner[i] == rank));
	must(sp_cpus_count(&share) == holding->cpus);
	must(sp_machine_cores(machine, &share) == holding->cores);
}

static void
check_shares(const struct sp_machine *machine, const struct sp_policy *policy, uint32_t nranks,
	     const uint32_t owner[], const struct sp_cut *cut)
{
	struct holding holding[RANKS_MAX] = { 0 };
	uint32_t fewest = UINT32_MAX, most = 0;

	count_holdings(machine, policy, owner, holding);
	for (uint32_t rank = 0; rank < nranks; rank++) {
		uint32_t cores = holding[rank].cores;

		must(cores > 0);
		fewest = cores < fewest ? cores : fewest;
		most = cores > most ? cores : most;
		must(!policy->cores || cut->by_cpu || cores <= policy->cores);
		must(!policy->smt || holding[rank].cpus <= policy->smt * cores);
	}
	/* Some of many: each walks through the whole machine. */
	for (uint32_t rank = 0; rank < nranks; rank += 1 + nranks / 8)
		check_share(machine, owner, rank, &holding[rank]);
	check_share(machine, owner, nranks - 1, &holding[nranks - 1]);
	must(!cut->by_cpu || most == 1);
	must(policy->share != SP_SHARE_EQUAL || fewest == most);
	must(cut->by_cpu || cut->units == fewest);
	if (!cut->by_cpu)
		check_cores(machine, owner);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct fuzz_bytes bytes = { data, size };
	uint32_t nranks = fuzz_below(&bytes, RANKS_MAX);
	bool is_near = fuzz_below(&bytes, 2);
	struct sp_machine *machine = fuzz_machine(&bytes);
	struct sp_policy policy = policy_of(&bytes, machine);
	uint32_t *owner = calloc(machine->ncpus + 1, sizeof(*owner)), *again = calloc(machine->ncpus + 1, sizeof(*again));
	struct sp_near near[RANKS_MAX];
	struct sp_cut cut;
	int error;

	if (!owner || !again)
		abort();
	if (is_near) {
		policy.devices = SP_DEVICES_GPU;
		place(&bytes, machine, nranks, near);
		error = sp_cut_near(machine, &policy, nranks, near, owner, &cut);
		must(sp_cut_near(machine, &policy, nranks, near, again, NULL) == error);
	} else {
		error = sp_cut(machine, &policy, nranks, owner, &cut);
		must(sp_cut(machine, &policy, nranks, again, NULL) == error);
	}
	must(error == 0 || error == (nranks ? -ENOSPC : -EINVAL));
	if (error == 0 && !sp_machine_fault(machine)) {
		must(memcmp(owner, again, machine->ncpus * sizeof(*owner)) == 0);
		for (uint32_t i = 0; i < machine->ncpus; i++)
			must(owner[i] < nranks || owner[i] == SP_NOBODY);
		check_shares(machine, &policy, nranks, owner, &cut);
	}
	free(again);
	free(owner);
	free(machine);
	return 0;
}
