/* Random machines and policies. */
#include "cuts.h"

#include <stdlib.h>

#include "machines.h"

static uint64_t random_state;

uint64_t
random_seed(void)
{
	const char *text = getenv("SPLITPIN_SEED");

	return text ? strtoull(text, NULL, 0) : 20240817;
}

void
random_start(uint64_t seed, int nth)
{
	random_state = ((seed + 1) * 0x9e3779b97f4a7c15u + (uint64_t)nth * 0xbf58476d1ce4e5b9u) | 1;
	for (int i = 0; i < 4; i++)
		random_below(2);
}

uint32_t
random_below(uint32_t n)
{
	random_state ^= random_state << 13;
	random_state ^= random_state >> 7;
	random_state ^= random_state << 17;
	return (uint32_t)(random_state >> 32) % n;
}

struct sp_machine *
random_machine(void)
{
	struct shape shape = {
		.packages = 1 + random_below(4) / 2, .numas = 1 + random_below(6) / 2, .l3s = 1 + random_below(4),
		.l2s = 1 + random_below(8), .cores = 1 + random_below(6) / 4, .threads = 1 + random_below(4),
		.numbering = random_below(2), .l3 = random_below(3),
	};
	struct sp_machine *whole = machine_of(shape), *part;
	struct sp_cpus kept = { 0 };
	uint32_t lost = random_below(2) ? 0 : 1 + random_below(60);	/* per cent of cores, CPUs */
	bool by_core = random_below(2), keep = true;

	for (uint32_t i = 0; i < whole->ncpus; i++) {
		if (!by_core || i == 0 || whole->pu[i].core != whole->pu[i - 1].core)
			keep = random_below(100) >= lost;
		if (keep)
			sp_cpus_add(&kept, whole->pu[i].cpu);
	}
	part = machine_within(whole, &kept);
	free(whole);
	return part;
}

struct sp_policy
random_policy(const struct sp_machine *machine)
{
	struct sp_policy policy = { .share = random_below(4) == 0, .distribution = random_below(2) };

	if (random_below(4) == 0)
		policy.smt = 1 + random_below(4);
	if (random_below(4) == 0)
		policy.cores = 1 + random_below(8);
	if (random_below(4) == 0)
		policy.reserve = random_below(3);
	if (random_below(4) == 0 && machine->ncpus)
		for (uint32_t n = random_below(5); n > 0; n--)
			sp_cpus_add(&policy.reserved, machine->pu[random_below(machine->ncpus)].cpu);
	return policy;
}

struct sp_machine *
usable_part(const struct sp_machine *machine, const struct sp_policy *policy)
{
	struct sp_cpus usable = { 0 };

	for (uint32_t i = 0; i < machine->ncpus; i++) {
		const struct sp_pu *pu = &machine->pu[i];
		uint32_t cores = 0, threads = 0, last = UINT32_MAX;

		for (uint32_t j = 0; j < i; j++) {
			const struct sp_pu *other = &machine->pu[j];

			if (other->numa == pu->numa && other->core != pu->core && other->core != last) {
				cores++;
				last = other->core;
			}
			threads += other->core == pu->core && !sp_cpus_has(&policy->reserved, other->cpu);
		}
		if (cores >= policy->reserve && !sp_cpus_has(&policy->reserved, pu->cpu) &&
		    (policy->smt == 0 || threads < policy->smt))
			sp_cpus_add(&usable, pu->cpu);
	}
	return machine_within(machine, &usable);
}
