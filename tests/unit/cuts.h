/*
 * What tests of the cut share: random machines and policies, each of which can
 * be made again from its seed and number.  Machines are the caller's to free().
 */
#ifndef SP_TEST_CUTS_H
#define SP_TEST_CUTS_H

#include "cut/cut.h"

/* Cases of a random test: fewer under the compiler's checkers, which take five times as long. */
#ifdef __SANITIZE_ADDRESS__
#define CASES 20000
#else
#define CASES 100000
#endif

/* SPLITPIN_SEED, or always the same. */
uint64_t random_seed(void);

/* To be called before each case. */
void random_start(uint64_t seed, int nth);

/* From 0 to n - 1. */
uint32_t random_below(uint32_t n);

/* May have cores with CPUs missing, or no CPU at all. */
struct sp_machine *random_machine(void);
struct sp_policy random_policy(const struct sp_machine *machine);

/* The CPUs of a machine that may be dealt, found in another way than the cut's own. */
struct sp_machine *usable_part(const struct sp_machine *machine, const struct sp_policy *policy);

#endif
