/*
 * What ompt/tool.c offers to the shim beside the function that it interposes.
 */
#ifndef SP_TOOL_H
#define SP_TOOL_H

#include <stdint.h>

/*
 * Give every runtime that has started this default size of a team: it counted
 * the CPUs before the process had its share.
 */
void sp_tool_set_team(uint32_t team);

#endif
