#include "launcher/known/torchrun.h"

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "base/ascii.h"
#include "base/environment.h"
#include "base/text.h"
#include "base/words.h"
#include "launcher/launchers.h"

static bool
number_of(char *const environment[], const char *name, uint32_t *number)
{
	const char *text = sp_environment_value(environment, name);

	return text && sp_ascii_number(text, number);
}

/*
 * torchrun --virtual-local-rank sets LOCAL_RANK=0 in each worker.  RANK then gives
 * the local rank, provided that all nodes have equally many workers.
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

static const char scripts[][12] = { "torchrun", "accelerate", "deepspeed" };

static const char modules[][28] = {
	"torch.distributed.run", "torch.distributed.launch", "accelerate.commands.launch",
	"deepspeed.launcher.launch", "deepspeed.launcher.runner",
};

static bool
is_script(const char *word)
{
	const char *name = sp_last_part(word);

	for (size_t i = 0; i < sizeof(scripts) / sizeof(scripts[0]); i++)
		if (strcmp(name, scripts[i]) == 0)
			return true;
	return false;
}

static bool
is_module(const char *word)
{
	for (size_t i = 0; word && i < sizeof(modules) / sizeof(modules[0]); i++)
		if (strcmp(word, modules[i]) == 0)
			return true;
	return false;
}

bool
sp_torchrun_is_started(const char *arguments, size_t length)
{
	struct sp_words words = { arguments, arguments + length };
	const char *word = length && arguments[length - 1] == '\0' ? sp_words_next(&words) : NULL;

	if (!word || is_script(word))
		return word;
	if (strncmp(sp_last_part(word), "python", 6) != 0)
		return false;
	while ((word = sp_words_next(&words)) && *word == '-') {
		if (strcmp(word, "-m") == 0)
			return is_module(sp_words_next(&words));
		if (strcmp(word, "-X") == 0 || strcmp(word, "-W") == 0)
			sp_words_next(&words);
	}
	return word && is_script(word);
}
