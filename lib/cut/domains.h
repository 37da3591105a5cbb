/*
 * Domains: what a rank gets where the user says it.
 *
 * An object by its name (node, package, numa, l3, core): the objects of that
 * kind, in the order of the machine, or with SP_CYCLIC dealt round the NUMA
 * nodes, are given to the ranks in order, a whole one to each.  Where there are
 * more ranks than objects each object has as many ranks, or one more, and these
 * divide it by the usual cut: shares stay disjoint.  The settings that choose
 * what is dealt (reserve, smt, kinds, cores) hold; an object of which nothing
 * may be dealt is none.
 *
 * Lists: rank i has the CPUs of list i that the machine has, but for those that
 * an earlier list has.  No other setting of the policy counts.
 *
 * Where ranks are placed by a domain, devices do not decide.
 */
#ifndef SP_DOMAINS_H
#define SP_DOMAINS_H

#include <stdbool.h>
#include <stddef.h>

#include "cut/cut.h"

/*
 * Check whether a text is lists: at least one, none empty; a single number
 * alone is none.  Returns 0, -EINVAL, or -ERANGE (a number of SP_CPUS_MAX or more).
 */
int sp_domain_check_lists(const char *text);

/* The object of a domain in the singular, for sentences: "NUMA node". */
const char *sp_domain_object(enum sp_domain domain);

/*
 * What is wrong with lists for so many ranks on this machine, as a whole
 * sentence without a full stop; lists that name a CPU twice are told as such.
 * False: nothing, or the policy has no lists.
 */
bool sp_domain_fault(const struct sp_machine *machine, const struct sp_policy *policy, uint32_t nranks,
		     char *sentence, size_t size);

#endif
