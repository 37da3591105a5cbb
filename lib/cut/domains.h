/*
 * Domains: what each rank gets where the user has set it (SPLITPIN_DOMAIN).
 *
 * An object by its name (node, package, numa, l3, core): the objects of that
 * kind, in the order of the machine, or with SP_CYCLIC dealt round the NUMA
 * nodes, are given to the ranks in order, a whole one to each.  Where ranks
 * outnumber objects, the numbers of ranks of any two objects differ by one at
 * most, and the ranks of an object divide it by the usual cut: shares stay
 * disjoint.  The settings that choose what is dealt (reserve, smt, kinds,
 * cores) apply; an object without a CPU that may be dealt is not counted.
 *
 * Lists: rank i has those CPUs of list i that exist on the machine and are in
 * no earlier list.  No other setting of the policy applies.
 *
 * Where ranks are placed by a domain, devices are ignored.
 */
#ifndef SP_DOMAINS_H
#define SP_DOMAINS_H

#include <stdbool.h>
#include <stddef.h>

#include "cut/cut.h"

/*
 * Check that a text is a row of CPU lists: at least one list, none of them
 * empty; a single number alone is rejected.  Returns 0, -EINVAL, or -ERANGE (a
 * number of SP_CPUS_MAX or more).
 */
int sp_domain_check_lists(const char *text);

/* The name of a domain's object in the singular, for sentences: "NUMA node". */
const char *sp_domain_object(enum sp_domain domain);

/*
 * Write what is wrong with the policy's lists for nranks ranks on this machine,
 * as a whole sentence without a full stop; CPUs that are in two lists are
 * reported as well.  False: nothing is wrong, or the policy has no lists.
 */
bool sp_domain_fault(const struct sp_machine *machine, const struct sp_policy *policy, uint32_t nranks,
		     char *sentence, size_t size);

#endif
