/*
 * Why a thread is where it is: one sentence, naming the rule and the setting,
 * without quotation marks and without a full stop.
 *
 * Pure.  Text is cut where size does not suffice, and returned for use as an
 * argument; SP_TEXT_MAX is room for every sentence.
 */
#ifndef SP_SLOTS_EXPLAIN_H
#define SP_SLOTS_EXPLAIN_H

#include <stddef.h>

#include "base/text.h"
#include "slots/slots.h"

/* How many threads share the thread's core, and what it has of it. */
char *sp_explain_slot(const struct sp_slot_facts *facts, char *text, size_t size);

#endif
