#include "gpus/visible.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/environment.h"
#include "base/text.h"
#include "gpus/whose.h"

/* A rank's own devices [from, to) of all that it sees. */
struct slice {
	uint32_t devices, from, to;
};

static uint32_t
count_devices(const struct sp_gpus *gpus, const struct sp_gpu_list *list, bool flat)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < list->n; i++)
		n += flat ? gpus->gpu[list->gpu[i]].tiles : 1;
	return n;
}

/* The variable to set: of AMD's, the set one that is applied last, or, if none is set, the one that is applied first. */
static const char *
variable_of(char *const environment[], uint32_t vendor)
{
	static const char *const amd[] = { "HIP_VISIBLE_DEVICES", "CUDA_VISIBLE_DEVICES", "GPU_DEVICE_ORDINAL", "ROCR_VISIBLE_DEVICES" };
	size_t last = sizeof(amd) / sizeof(amd[0]) - 1, i = 0;

	if (vendor != SP_AMD)
		return vendor == SP_NVIDIA ? "CUDA_VISIBLE_DEVICES" : "ZE_AFFINITY_MASK";
	while (i < last && !sp_environment_value(environment, amd[i]))
		i++;
	return amd[i];
}

static uint32_t
count_entries(const char *list)
{
	uint32_t n = *list != '\0';

	for (; *list; list++)
		n += *list == ',';
	return n;
}

static void
add_entries(struct sp_text *text, const char *list, const struct slice *slice)
{
	for (uint32_t i = 0; i < slice->to; i++) {
		size_t length = strcspn(list, ",");

		if (i >= slice->from)
			sp_text_add(text, "%s%.*s", i > slice->from ? "," : "", (int)length, list);
		list += length + (list[length] == ',');
	}
}

static bool
have_uuids(const struct sp_gpus *gpus, const struct sp_gpu_list *list)
{
	for (uint32_t i = 0; i < list->n; i++)
		if (gpus->gpu[list->gpu[i]].vendor != SP_NVIDIA || gpus->gpu[list->gpu[i]].uuid[0] == '\0')
			return false;
	return true;
}

/* Add UUIDs or numbers.  A device's index is its number only if all GPUs of the vendor are seen. */
static bool
add_names(struct sp_text *text, const struct sp_gpus *gpus, const struct sp_gpu_list *seen, const struct slice *slice)
{
	bool by_uuid = have_uuids(gpus, seen);

	if (!by_uuid && seen->told != SP_GPUS_ALL)
		return false;
	for (uint32_t i = slice->from; i < slice->to; i++)
		if (by_uuid)
			sp_text_add(text, "%s%s", i > slice->from ? "," : "", gpus->gpu[seen->gpu[i]].uuid);
		else
			sp_text_add(text, "%s%u", i > slice->from ? "," : "", i);
	return true;
}

enum sp_visible_entry
sp_visible_entry(char *const environment[], const struct sp_gpus *gpus, const struct sp_gpu_list seen[],
		 uint32_t nranks, uint32_t rank, char entry[SP_VISIBLE_TEXT])
{
	const struct sp_gpu_list *mine = &seen[rank];
	struct sp_text text = sp_text_begin(entry, SP_VISIBLE_TEXT);

	if (mine->n == 0)
		return SP_VISIBLE_NO_GPU;
	uint32_t vendor = gpus->gpu[mine->gpu[0]].vendor;
	const char *variable = variable_of(environment, vendor), *list = sp_environment_value(environment, variable);
	struct slice slice = { .devices = count_devices(gpus, mine, vendor == SP_INTEL && sp_gpus_are_flat(environment)) };

	sp_gpus_slice(seen, nranks, rank, slice.devices, &slice.from, &slice.to);
	if (mine->told == SP_GPUS_SOME)
		return SP_VISIBLE_UNKNOWN;
	if (slice.to - slice.from == slice.devices)
		return SP_VISIBLE_OWN;
	sp_text_add(&text, "%s=", variable);
	if (list && *list && count_entries(list) != slice.devices)
		return SP_VISIBLE_UNKNOWN;
	if (list && *list)
		add_entries(&text, list, &slice);
	else if (!add_names(&text, gpus, mine, &slice))
		return SP_VISIBLE_UNKNOWN;
	return SP_VISIBLE_ENTRY;
}
