/*
 * Explains shares: each function writes one sentence that names the rule and
 * the setting, without quotation marks and without a full stop.
 *
 * Pure.  Text is cut where size does not suffice, and returned for use as an
 * argument; SP_TEXT_MAX is room for every sentence.
 */
#ifndef SP_CUT_EXPLAIN_H
#define SP_CUT_EXPLAIN_H

#include <stdbool.h>
#include <stddef.h>

#include "base/text.h"
#include "cut/cut.h"

/* What is the same for all ranks: what each rank has, and the rule and the setting that decided it. */
char *sp_explain_cut(const struct sp_machine *machine, const struct sp_policy *policy, uint32_t nranks,
		     const struct sp_cut *cut, char *text, size_t size);

/*
 * What differs by rank: where its share lies, which boundaries the share
 * crosses, and whether other ranks have the rest of its core.  owner is what
 * sp_cut wrote.
 */
char *sp_explain_share(const struct sp_machine *machine, const uint32_t owner[], uint32_t rank,
		       char *text, size_t size);

/* Write that none of the CPUs that the policy reserves is among the machine's.  False: one is, or none is reserved. */
bool sp_reserved_fault(const struct sp_machine *machine, const struct sp_policy *policy, char *sentence, size_t size);

#endif
