#include "gpus/whose.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/ascii.h"
#include "base/environment.h"
#include "base/order.h"
#include "base/text.h"

/* Lists of GPUs, and the runtime that reads each. */
enum variable { CUDA, ROCR, HIP, ORDINAL, ZE, STEP, JOB, PBS, VARIABLES };

static const struct {
	const char *name;
	uint32_t vendor;	/* 0: any */
} variables[VARIABLES] = {
	[CUDA] = { "CUDA_VISIBLE_DEVICES", SP_NVIDIA },
	[ROCR] = { "ROCR_VISIBLE_DEVICES", SP_AMD },
	[HIP] = { "HIP_VISIBLE_DEVICES", SP_AMD },
	[ORDINAL] = { "GPU_DEVICE_ORDINAL", SP_AMD },
	[ZE] = { "ZE_AFFINITY_MASK", SP_INTEL },
	[STEP] = { "SLURM_STEP_GPUS", 0 },
	[JOB] = { "SLURM_JOB_GPUS", 0 },
	[PBS] = { "PBS_GPUFILE", 0 },	/* its list (pbs.h), or a path */
};

/* One entry of a list. */
struct entry {
	const char *text;
	size_t length;
};

static bool
next_entry(const char **list, struct entry *entry)
{
	const char *text = sp_ascii_skip_blanks(*list);
	size_t length = strcspn(text, ",");

	if (*text == '\0')
		return false;
	*list = text + length + (text[length] == ',');
	while (length && (text[length - 1] == ' ' || text[length - 1] == '\t'))
		length--;
	*entry = (struct entry){ text, length };
	return true;
}

/* "3", or Level Zero's "3.1": tile 1 of GPU 3. */
static bool
number_of(const struct entry *entry, uint32_t *number, bool *has_tile)
{
	uint64_t n, tile;
	const char *end = sp_ascii_digits(entry->text, &n), *last = entry->text + entry->length;

	if (!end || end > last || n >= UINT32_MAX)
		return false;
	*has_tile = end < last && *end == '.';
	if (*has_tile)
		end = sp_ascii_digits(end + 1, &tile);
	*number = (uint32_t)n;
	return end == last;
}

static bool
begins(const struct entry *entry, const char *start)
{
	size_t length = strlen(start);

	return entry->length >= length && strncmp(entry->text, start, length) == 0;
}

/* Whether an entry names a GPU, by number or UUID; words for none ("-1", "none", "NoDevFiles") do not. */
static bool
names_gpu(const struct entry *entry)
{
	uint32_t number;
	bool has_tile;

	return number_of(entry, &number, &has_tile) || begins(entry, "GPU-") || begins(entry, "MIG-");
}

enum sp_gpus_given
sp_gpus_given(char *const environment[])
{
	enum sp_gpus_given given = SP_GPUS_NO_WORD;

	for (int i = 0; i < VARIABLES; i++) {
		const char *list = sp_environment_value(environment, variables[i].name);
		struct entry entry;

		if (!list || *list == '/')
			continue;
		if (next_entry(&list, &entry) && names_gpu(&entry))
			return SP_GPUS_GIVEN;
		given = SP_GPUS_WITHHELD;
	}
	return given;
}

bool
sp_gpus_is_runtime(const char *name)
{
	static const char *const names[] = {
		"libcudart.so", "libcuda.so", "libamdhip64.so", "libhsa-runtime64.so", "libze_loader.so", "libnccl.so", "librccl.so",
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (strncmp(name, names[i], strlen(names[i])) == 0)
			return true;
	return false;
}

/* Lists. */

/* Add a GPU, unless it is in the list.  Bounded, since a wrong number could exceed the room of the list. */
static void
add(struct sp_gpu_list *list, uint8_t gpu)
{
	for (uint32_t i = 0; i < list->n; i++)
		if (list->gpu[i] == gpu)
			return;
	if (list->n < SP_GPUS_MAX)
		list->gpu[list->n++] = gpu;
}

static void
list_vendor(const struct sp_gpus *gpus, uint32_t vendor, struct sp_gpu_list *list)
{
	*list = (struct sp_gpu_list){ .told = SP_GPUS_ALL };
	for (uint32_t i = 0; i < gpus->n && i < SP_GPUS_MAX; i++)
		if (gpus->gpu[i].vendor == vendor)
			add(list, (uint8_t)i);
}

/*
 * Find the only GPU in `from` whose UUID begins with that of an entry; -1: none,
 * or several.  MIG-GPU-UUID/1/0 contains the UUID of its GPU.
 */
static int
find_uuid(const struct sp_gpus *gpus, const struct sp_gpu_list *from, const struct entry *entry)
{
	const char *uuid = entry->text + (begins(entry, "MIG-") ? 4 : 0);
	size_t length = strcspn(uuid, ",/ \t");
	int found = -1;

	for (uint32_t i = 0; i < from->n; i++) {
		if (strncmp(gpus->gpu[from->gpu[i]].uuid, uuid, length) != 0)
			continue;
		if (found >= 0)
			return -1;
		found = from->gpu[i];
	}
	return found;
}

/* Find the GPU in `from` that has this number; -1: none.  flat: each tile of a GPU has a number. */
static int
find_number(const struct sp_gpus *gpus, const struct sp_gpu_list *from, uint32_t number, bool flat)
{
	for (uint32_t i = 0; i < from->n; i++) {
		uint32_t devices = flat ? gpus->gpu[from->gpu[i]].tiles : 1;

		if (number < devices)
			return from->gpu[i];
		number -= devices;
	}
	return -1;
}

/* Whether no GPU of a list has a UUID that is known. */
static bool
lacks_uuids(const struct sp_gpus *gpus, const struct sp_gpu_list *list)
{
	for (uint32_t i = 0; i < list->n; i++)
		if (gpus->gpu[list->gpu[i]].uuid[0] != '\0')
			return false;
	return true;
}

/* Apply a runtime's list to the GPUs in `from`.  An MIG instance, or any UUID where none is known: some of them (SP_GPUS_SOME). */
static void
choose(const struct sp_gpus *gpus, const struct sp_gpu_list *from, const char *text, bool flat,
       struct sp_gpu_list *chosen)
{
	struct sp_gpu_list made = { .told = SP_GPUS_LISTED };
	struct entry entry;

	while (next_entry(&text, &entry)) {
		uint32_t number;
		bool has_tile, is_number = number_of(&entry, &number, &has_tile);
		int gpu = is_number ? find_number(gpus, from, number, flat && !has_tile) :
			  names_gpu(&entry) ? find_uuid(gpus, from, &entry) : -1;

		if (gpu < 0 && !is_number && (begins(&entry, "MIG-") || (names_gpu(&entry) && lacks_uuids(gpus, from)))) {
			made = *from;
			made.told = SP_GPUS_SOME;
			break;
		}
		if (gpu < 0)
			break;
		add(&made, (uint8_t)gpu);
	}
	*chosen = made;
}

/* Apply the list of Slurm or PBS, whose numbers are those of the node.  False: there is none, or it names no GPU. */
static bool
choose_by_manager(char *const environment[], const struct sp_gpus *gpus, const struct sp_gpu_list *all,
		  struct sp_gpu_list *step)
{
	const char *text = NULL;

	for (int i = STEP; i <= PBS && (!text || !*text); i++)
		text = sp_environment_value(environment, variables[i].name);
	if (!text || !*text)
		return false;
	choose(gpus, all, text, false, step);
	return step->n > 0;
}

static bool
is_within(const struct sp_gpu_list *list, const struct sp_gpu_list *other)
{
	struct sp_gpu_list joint = *other;

	for (uint32_t i = 0; i < list->n; i++)
		add(&joint, list->gpu[i]);
	return joint.n == other->n;
}

static bool
asks_for_task_gpus(char *const environment[])
{
	static const char *const names[] = { "SLURM_GPUS_PER_TASK", "SLURM_TRES_PER_TASK", "SLURM_GPU_BIND" };

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (sp_environment_value(environment, names[i]))
			return true;
	return false;
}

/*
 * Apply the list that a runtime reads first (text, or NULL).  Where Slurm hides
 * devices by a cgroup, runtimes number the step's devices from 0: so a list with
 * numbers outside the step is taken to count within it.  Where each task sees
 * only its own device, all lists are "0", and which device of the step that is
 * follows only from the order of the ranks.
 */
static void
choose_first(char *const environment[], const struct sp_gpus *gpus, const struct sp_gpu_list *all,
	     const char *text, bool flat, struct sp_gpu_list *chosen)
{
	struct sp_gpu_list step;
	bool by_manager = choose_by_manager(environment, gpus, all, &step);

	if (!text && !by_manager)
		*chosen = *all;
	else if (!text)
		*chosen = step;
	else
		choose(gpus, all, text, flat, chosen);
	if (!text || !by_manager)
		return;
	if (strcmp(text, "0") == 0 && asks_for_task_gpus(environment))
		*chosen = step;
	else if (!is_within(chosen, &step))
		choose(gpus, &step, text, flat, chosen);
}

/* The runtimes. */

static const char *
value(char *const environment[], enum variable variable)
{
	return sp_environment_value(environment, variables[variable].name);
}

/* HIP's list, for which CUDA's variable may stand, counts within what ROCr's list leaves, and is ignored if it names none of that. */
static void
choose_amd(char *const environment[], const struct sp_gpus *gpus, const struct sp_gpu_list *all,
	   struct sp_gpu_list *chosen)
{
	const char *hip = value(environment, HIP), *rocr = value(environment, ROCR);
	struct sp_gpu_list second;

	if (!hip)
		hip = value(environment, CUDA);
	if (!hip)
		hip = value(environment, ORDINAL);
	choose_first(environment, gpus, all, rocr ? rocr : hip, false, chosen);
	if (!rocr || !hip)
		return;
	choose(gpus, chosen, hip, false, &second);
	if (second.n)
		*chosen = second;
}

bool
sp_gpus_are_flat(char *const environment[])
{
	const char *hierarchy = sp_environment_value(environment, "ZE_FLAT_DEVICE_HIERARCHY");

	return !hierarchy || strcmp(hierarchy, "COMPOSITE") != 0;
}

static void
choose_intel(char *const environment[], const struct sp_gpus *gpus, const struct sp_gpu_list *all,
	     struct sp_gpu_list *chosen)
{
	const char *text = value(environment, ZE);

	choose_first(environment, gpus, all, text && *text ? text : NULL, sp_gpus_are_flat(environment), chosen);
}

static bool
has_variable(char *const environment[], uint32_t vendor)
{
	for (int i = 0; i < VARIABLES; i++)
		if (variables[i].vendor == vendor && value(environment, i))
			return true;
	return false;
}

static uint32_t
count_vendor(const struct sp_gpus *gpus, uint32_t vendor)
{
	struct sp_gpu_list list;

	list_vendor(gpus, vendor, &list);
	return list.n;
}

/* The vendor, if possible one whose variables are set, with the most GPUs; of equals the first. */
static uint32_t
choose_vendor(char *const environment[], const struct sp_gpus *gpus)
{
	uint32_t best = 0, most = 0;

	for (int told = 1; told >= 0 && !most; told--)
		for (uint32_t i = 0; i < gpus->n; i++) {
			uint32_t vendor = gpus->gpu[i].vendor, n = count_vendor(gpus, vendor);

			if (n <= most || (told && !has_variable(environment, vendor)))
				continue;
			best = vendor;
			most = n;
		}
	return best;
}

void
sp_gpus_visible(char *const environment[], const struct sp_gpus *gpus, struct sp_gpu_list *list)
{
	uint32_t vendor = choose_vendor(environment, gpus);
	struct sp_gpu_list all;

	list_vendor(gpus, vendor, &all);
	switch (vendor) {
	case SP_NVIDIA:
		choose_first(environment, gpus, &all, value(environment, CUDA), false, list);
		break;
	case SP_AMD:
		choose_amd(environment, gpus, &all, list);
		break;
	case SP_INTEL:
		choose_intel(environment, gpus, &all, list);
		break;
	default:
		*list = all;
	}
}

/* Ranks. */

static bool
is_same(const struct sp_gpu_list *a, const struct sp_gpu_list *b)
{
	return a->n == b->n && memcmp(a->gpu, b->gpu, a->n) == 0 &&
	       (a->told == SP_GPUS_SOME) == (b->told == SP_GPUS_SOME);
}

/* How many ranks, this one included, see the same as this one; *index: its number among them, from 0. */
static uint32_t
count_alike(const struct sp_gpu_list seen[], uint32_t nranks, uint32_t rank, uint32_t *index)
{
	uint32_t ranks = 0;

	*index = 0;
	for (uint32_t i = 0; i < nranks; i++) {
		bool same = is_same(&seen[i], &seen[rank]);

		ranks += same;
		*index += same && i < rank;
	}
	return ranks;
}

void
sp_gpus_slice(const struct sp_gpu_list seen[], uint32_t nranks, uint32_t rank, uint32_t n, uint32_t *from, uint32_t *to)
{
	uint32_t index, ranks = count_alike(seen, nranks, rank, &index);

	*from = (uint32_t)((uint64_t)index * n / ranks);
	*to = (uint32_t)((uint64_t)(index + 1) * n / ranks);
	if (*to == *from)
		++*to;
}

void
sp_gpus_deal(const struct sp_gpu_list seen[], uint32_t nranks, uint32_t rank, struct sp_gpu_list *own)
{
	const struct sp_gpu_list *mine = &seen[rank];
	uint32_t from, to;

	*own = *mine;
	if (mine->told == SP_GPUS_SOME || mine->n == 0 || mine->n > SP_GPUS_MAX)
		return;
	sp_gpus_slice(seen, nranks, rank, mine->n, &from, &to);
	/* own may be the same list as mine. */
	own->n = (uint32_t)sp_excess(sp_smaller(to, mine->n), from);
	memmove(own->gpu, mine->gpu + from, own->n);
	memset(own->gpu + own->n, 0, sizeof(own->gpu) - own->n);
}

static void
join(uint32_t *field, uint32_t other)
{
	if (*field != other)
		*field = SP_ANYWHERE;
}

struct sp_near
sp_gpus_near(const struct sp_gpus *gpus, const struct sp_gpu_list *list)
{
	struct sp_near near = { SP_ANYWHERE, SP_ANYWHERE, SP_ANYWHERE };

	for (uint32_t i = 0; i < list->n && list->gpu[i] < gpus->n; i++) {
		const struct sp_near *its = &gpus->gpu[list->gpu[i]].near;

		if (i == 0)
			near = *its;
		join(&near.package, its->package);
		join(&near.numa, its->numa);
		join(&near.l3, its->l3);
	}
	return near;
}

void
sp_gpus_place(const struct sp_gpus *gpus, const struct sp_gpu_list seen[], uint32_t nranks, struct sp_near near[])
{
	for (uint32_t rank = 0; rank < nranks; rank++) {
		struct sp_gpu_list own;

		sp_gpus_deal(seen, nranks, rank, &own);
		near[rank] = sp_gpus_near(gpus, &own);
	}
}

/* The number of a GPU in the vendor's runtime if that sees all GPUs. */
static uint32_t
number_on_node(const struct sp_gpus *gpus, uint32_t gpu)
{
	uint32_t number = 0;

	for (uint32_t i = 0; i < gpu; i++)
		number += gpus->gpu[i].vendor == gpus->gpu[gpu].vendor;
	return number;
}

/* Leave out the PCI domain if it is 0, the only one on most machines. */
static const char *
short_address(const char *address)
{
	return strncmp(address, "0000:", 5) == 0 ? address + 5 : address;
}

char *
sp_gpus_format(const struct sp_gpus *gpus, const struct sp_gpu_list *list, char *text, size_t size)
{
	char number[256], place[1024];
	struct sp_text numbers = sp_text_begin(number, sizeof(number)), places = sp_text_begin(place, sizeof(place));

	for (uint32_t i = 0; i < list->n && list->gpu[i] < gpus->n; i++) {
		const struct sp_gpu *gpu = &gpus->gpu[list->gpu[i]];

		sp_text_add(&numbers, "%s%u", i ? "," : "", number_on_node(gpus, list->gpu[i]));
		sp_text_add(&places, "%s%.15s", i ? "," : "", short_address(gpu->address));
	}
	int length = list->told == SP_GPUS_SOME ? snprintf(text, size, "?") :
		     numbers.length == 0 ? snprintf(text, size, "-") : snprintf(text, size, "%s (%s)", number, place);

	if ((size_t)length >= size && size > 3)
		strcpy(text + size - 4, "...");
	return text;
}
