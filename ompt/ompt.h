/*
 * What tool.c uses of OpenMP's interface for tools (OMPT, OpenMP 5.0 to 6.0,
 * chapter 4), so that building needs no omp-tools.h, which every compiler keeps
 * in another place.  Names and numbers are the standard's, and the same in every
 * runtime that has the interface.
 */
#ifndef OMPT_OMPT_H
#define OMPT_OMPT_H

#include <stdint.h>

typedef union ompt_data_t {
	uint64_t value;
	void *ptr;
} ompt_data_t;

/* Never looked into. */
typedef struct ompt_frame_t ompt_frame_t;

typedef enum ompt_scope_endpoint_t {
	ompt_scope_begin = 1,
	ompt_scope_end = 2,
} ompt_scope_endpoint_t;

enum { ompt_task_initial = 1 };

typedef enum ompt_callbacks_t {
	ompt_callback_parallel_begin = 3,
	ompt_callback_implicit_task = 7,
	ompt_callback_control_tool = 11,
} ompt_callbacks_t;

typedef void (*ompt_callback_t)(void);
typedef void (*ompt_interface_fn_t)(void);
typedef ompt_interface_fn_t (*ompt_function_lookup_t)(const char *name);
typedef int (*ompt_set_callback_t)(ompt_callbacks_t event, ompt_callback_t callback);
typedef int (*ompt_initialize_t)(ompt_function_lookup_t lookup, int device, ompt_data_t *tool);
typedef void (*ompt_finalize_t)(ompt_data_t *tool);

typedef struct ompt_start_tool_result_t {
	ompt_initialize_t initialize;
	ompt_finalize_t finalize;
	ompt_data_t tool_data;
} ompt_start_tool_result_t;

/* Looked up by the runtime, with its version as YYYYMM. */
ompt_start_tool_result_t *ompt_start_tool(unsigned int version, const char *runtime);

#endif
