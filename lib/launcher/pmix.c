#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "elf/objects.h"
#include "launcher/pmix.h"
#include "launcher/launchers.h"

#ifdef SP_NO_PMIX

int
sp_pmix_rank(const void *process, const void *after, struct sp_rank *rank)
{
	(void)process;
	(void)after;
	(void)rank;
	return -ENOENT;
}

#else
#include <pmix.h>

typedef pmix_status_t get_fn(const pmix_proc_t *, const char[], const pmix_info_t[], size_t, pmix_value_t **);

/* Only values that this process already has, since a server might not answer. */
static pmix_info_t
only_local(void)
{
	pmix_info_t info;

	memset(&info, 0, sizeof(info));
	strcpy(info.key, PMIX_OPTIONAL);
	info.value.type = PMIX_BOOL;
	info.value.data.flag = true;
	return info;
}

/* Types differ between versions: 16 bits here, 32 there. */
static int
number_of(const pmix_value_t *value, uint32_t *number)
{
	switch (value->type) {
	case PMIX_UINT16:
		*number = value->data.uint16;
		return 0;
	case PMIX_UINT32:
		*number = value->data.uint32;
		return 0;
	case PMIX_PROC_RANK:
		*number = value->data.rank;
		return 0;
	default:
		return -ENOENT;
	}
}

static int
ask(get_fn *get, const pmix_proc_t *process, const char *key, uint32_t *number)
{
	pmix_info_t info = only_local();
	pmix_value_t *value = NULL;

	if (get(process, key, &info, 1, &value) != PMIX_SUCCESS || !value)
		return -ENOENT;
	int error = number_of(value, number);
	free(value);	/* a number has nothing else to release */
	return error;
}

int
sp_pmix_rank(const void *process, const void *after, struct sp_rank *rank)
{
	get_fn *get = (get_fn *)sp_objects_export_after(after, "PMIx_Get");
	pmix_proc_t own, all;
	struct sp_rank found = { .from = sp_launcher_row[SP_LAUNCHER_PMIX].name };

	if (!get || !process)
		return -ENOENT;
	memcpy(&own, process, sizeof(own));
	all = own;
	all.rank = PMIX_RANK_WILDCARD;
	if (ask(get, &own, PMIX_LOCAL_RANK, &found.local_rank) != 0 ||
	    ask(get, &all, PMIX_LOCAL_SIZE, &found.local_size) != 0 ||
	    found.local_rank >= found.local_size)
		return -ENOENT;
	if (ask(get, &all, PMIX_JOB_SIZE, &found.job_size) != 0)
		found.job_size = 0;
	*rank = found;
	return 0;
}
#endif
