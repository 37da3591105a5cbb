/*
 * Why a share, and why a slot: one sentence each, naming the rule and the
 * setting, without quotation marks and without a full stop.
 *
 * Pure.  Text is cut where size does not suffice, and returned for use as an
 * argument.
 */
#ifndef SP_EXPLAIN_H
#define SP_EXPLAIN_H

#include <stddef.h>

#include "cut/cut.h"
#include "slots/slots.h"

/* Room for every sentence. */
#define SP_EXPLAIN_MAX 1024

/* What is the same for all ranks: how many cores each has, which rule decided that, which setting. */
char *sp_explain_cut(const struct sp_machine *machine, const struct sp_policy *policy, uint32_t nranks,
		     const struct sp_cut *cut, char *text, size_t size);

/* What is this rank's own: where its share lies, and which boundaries it crosses. */
char *sp_explain_share(const struct sp_machine *machine, const struct sp_cpus *share,
		       char *text, size_t size);

/* Why a thread is where it is: how many share its core, and what it has of it. */
char *sp_explain_slot(const struct sp_slot_facts *facts, char *text, size_t size);

#endif
