/*
 * A tool of OMPT, as a library: counts the parallel regions of a program and
 * says so at the end, "tool: 3 regions".
 */
#include <stdatomic.h>
#include <stdio.h>

#include "ompt/ompt.h"

static atomic_int regions;

static void
parallel_begin(ompt_data_t *task, const ompt_frame_t *frame, ompt_data_t *parallel,
	       unsigned int requested, int flags, const void *code)
{
	(void)task;
	(void)frame;
	(void)parallel;
	(void)requested;
	(void)flags;
	(void)code;
	regions++;
}

static int
initialize(ompt_function_lookup_t lookup, int device, ompt_data_t *data)
{
	ompt_set_callback_t set = (ompt_set_callback_t)lookup("ompt_set_callback");

	(void)device;
	(void)data;
	set(ompt_callback_parallel_begin, (ompt_callback_t)parallel_begin);
	return 1;
}

static void
finalize(ompt_data_t *data)
{
	(void)data;
	printf("tool: %d regions\n", regions);
}

ompt_start_tool_result_t *
ompt_start_tool(unsigned int version, const char *runtime)
{
	static ompt_start_tool_result_t result = { .initialize = initialize, .finalize = finalize };

	(void)version;
	(void)runtime;
	return &result;
}
