/*
 * Replaces tool.c where omp-tools.h is missing: each runtime that asks for a
 * tool is bound natively, as it is where another tool came first.
 */
#ifdef SP_NO_OMPT
#include <stddef.h>

#include "elf/objects.h"
#include "shim/export.h"
#include "shim/native.h"
#include "shim/settle.h"

typedef void *start_tool_fn(unsigned int version, const char *name);

start_tool_fn ompt_start_tool;

SP_EXPORT void *
ompt_start_tool(unsigned int version, const char *name)
{
	const struct sp_engine *engine = sp_settle(SP_BY_OMPT);
	start_tool_fn *next = (start_tool_fn *)sp_objects_export_after((void *)ompt_start_tool, "ompt_start_tool");

	if (engine)
		sp_native_begin(engine, true);
	return next ? next(version, name) : NULL;
}
#endif
