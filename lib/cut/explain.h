/*
 * Why a share: one sentence each, naming the rule and the setting, without
 * quotation marks and without a full stop.
 *
 * Pure.  Text is cut where size does not suffice, and returned for use as an
 * argument; SP_TEXT_MAX is room for every sentence.
 */
#ifndef SP_CUT_EXPLAIN_H
#define SP_CUT_EXPLAIN_H

#include <stddef.h>

#include "base/text.h"
#include "cut/cut.h"

/* What is the same for all ranks: what each has, which rule decided that, which setting. */
char *sp_explain_cut(const struct sp_machine *machine, const struct sp_policy *policy, uint32_t nranks,
		     const struct sp_cut *cut, char *text, size_t size);

/*
 * What is this rank's own: where its share lies, which boundaries it crosses,
 * and whether others have the rest of its core.  owner is what sp_cut wrote.
 */
char *sp_explain_share(const struct sp_machine *machine, const uint32_t owner[], uint32_t rank,
		       char *text, size_t size);

#endif
