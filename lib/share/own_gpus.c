#include "share/own_gpus.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/environment.h"
#include "gpus/visible.h"
#include "node/beside_gpus.h"

static bool
is_device_of_gpu(const char *path)
{
	static const char *const devices[] = { "/dev/nvidia", "/dev/kfd", "/dev/dri/" };

	for (size_t i = 0; i < sizeof(devices) / sizeof(devices[0]); i++)
		if (strncmp(path, devices[i], strlen(devices[i])) == 0)
			return true;
	return false;
}

/* Whether a GPU runtime has started: it then has a device of its driver open. */
static bool
has_started(void)
{
	DIR *folder = opendir("/proc/self/fd");
	struct dirent *entry;
	char path[64];
	bool found = false;

	while (folder && !found && (entry = readdir(folder))) {
		ssize_t n = readlinkat(dirfd(folder), entry->d_name, path, sizeof(path) - 1);

		path[n > 0 ? n : 0] = '\0';
		found = is_device_of_gpu(path);
	}
	if (folder)
		closedir(folder);
	return found;
}

static void
put(const struct sp_situation *s, const char *text, char what[SP_VISIBLE_WHY])
{
	if (s->config->dry_run) {
		snprintf(what, SP_VISIBLE_WHY, "%.160s would be set (SPLITPIN_DEVICES=gpu:own)", text);
		return;
	}
	char *entry = strdup(text);
	if (entry && sp_environment_put(entry) == 0) {
		snprintf(what, SP_VISIBLE_WHY, "%.160s is set (SPLITPIN_DEVICES=gpu:own)", text);
		return;
	}
	snprintf(what, SP_VISIBLE_WHY, "SPLITPIN_DEVICES=gpu:own: out of memory");
	free(entry);
}

static void
choose(const struct sp_situation *s, const struct sp_gpu_list seen[], char what[SP_VISIBLE_WHY])
{
	static const char *const why[] = {
		[SP_VISIBLE_NO_GPU] = "this rank sees no GPU", [SP_VISIBLE_OWN] = "the GPUs that this rank sees are its own",
		[SP_VISIBLE_UNKNOWN] = "its list of GPUs has a form that cannot be narrowed",
	};
	char entry[SP_VISIBLE_TEXT];
	enum sp_visible_entry is = sp_visible_entry(s->environment, &s->machine->gpus, seen, s->rank->local_size,
						    s->rank->local_rank, entry);

	if (is == SP_VISIBLE_ENTRY)
		put(s, entry, what);
	else
		snprintf(what, SP_VISIBLE_WHY, "SPLITPIN_DEVICES=gpu:own changes nothing: %s", why[is]);
}

void
sp_visible_settle(const struct sp_situation *s, char what[SP_VISIBLE_WHY])
{
	bool gave_up, is_late = s->machine->gpus.n && has_started();
	struct sp_gpu_list *seen = s->machine->gpus.n && !is_late ? sp_gpus_lists(s, &gave_up) : NULL;

	if (seen)
		choose(s, seen, what);
	else
		snprintf(what, SP_VISIBLE_WHY, "SPLITPIN_DEVICES=gpu:own changes nothing: %s",
			 !s->machine->gpus.n ? "this node has no GPUs that count (SPLITPIN_DEVICES)" :
			 is_late ? "a GPU's runtime has started in this rank" :
			 "not all ranks of this node could be asked which GPUs they see");
	free(seen);
}
