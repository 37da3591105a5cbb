#include "launcher/torchrun.h"

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/ascii.h"
#include "base/environment.h"
#include "launcher/table.h"

static bool
number_of(char *const environment[], const char *name, uint32_t *number)
{
	const char *text = sp_environment_value(environment, name);

	return text && sp_ascii_number(text, number);
}

/*
 * torchrun --virtual-local-rank has each worker believe that it is the first:
 * RANK tells, where each node has as many workers as this one.
 */
static uint32_t
true_rank(char *const environment[], uint32_t local_rank, uint32_t local_size)
{
	uint32_t rank, group, world, groups;

	if (local_rank == 0 && number_of(environment, "RANK", &rank) && number_of(environment, "GROUP_RANK", &group) &&
	    number_of(environment, "WORLD_SIZE", &world) && number_of(environment, "GROUP_WORLD_SIZE", &groups) &&
	    (uint64_t)groups * local_size == world && group == rank / local_size)
		return rank % local_size;
	return local_rank;
}

int
sp_torchrun_rank(char *const environment[], const char *local_rank, const char *local_size, const char *sign,
		 struct sp_rank *rank)
{
	uint32_t number, size;
	const char *value = local_rank && local_size ? sp_environment_value(environment, sign) : NULL;

	if (!value || *value == '\0')
		return -ENOENT;
	if (!sp_ascii_number(local_rank, &number) || !sp_ascii_number(local_size, &size) ||
	    size > SP_RANKS_MAX || number >= size)
		return -EBADMSG;
	rank->local_rank = true_rank(environment, number, size);
	rank->local_size = size;
	return 0;
}
