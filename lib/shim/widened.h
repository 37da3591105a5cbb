/*
 * Interposed functions that only pass a call on, in a rank with the caller's
 * mask widened meanwhile.
 *
 * SP_WIDENED(type, name, version, number, when, parameters, arguments) defines
 * name@version (export.h), and name_widened for a call that is known to come
 * from a rank.  number: its next definition (next.h).  when: whether a call can
 * create a thread or a process.
 *
 * In a process that has not settled this is a tail call: a child that shares
 * its parent's memory may have a stack of one page, and tools report the
 * caller.
 */
#ifndef SP_WIDENED_H
#define SP_WIDENED_H

#include "shim/export.h"
#include "shim/next.h"
#include "shim/settle.h"
#include "shim/widen.h"

#define SP_WIDENED(type, name, version, number, when, parameters, arguments)			\
	SP_WIDENED_CALL(type, name, number, parameters, arguments)				\
	SP_EXPORT_AT(name, version) type							\
	sp_at_##name parameters									\
	{											\
		name##_fn *next = (name##_fn *)sp_next(number);					\
												\
		return sp_settled() && (when) ? name##_widened arguments : next arguments;	\
	}

#define SP_WIDENED_CALL(type, name, number, parameters, arguments)				\
	typedef type name##_fn parameters;							\
												\
	static __attribute__((noinline)) type							\
	name##_widened parameters								\
	{											\
		uint64_t before[sp_widen_words()];						\
		struct sp_widening widening;							\
												\
		sp_widen_begin(&widening, before, sizeof(before) / sizeof(before[0]));		\
		type result = ((name##_fn *)sp_next(number)) arguments;				\
		sp_widen_end(&widening);							\
		return result;									\
	}

#endif
