/* SPLITPIN_DEVICES=gpu:own: by which list a rank sees its own GPUs alone. */
#include <check.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/environment.h"
#include "gpus/whose.h"
#include "gpus/visible.h"
#include "suites.h"

#define RANKS 12

/* n GPUs of a vendor, of two tiles each, which Level Zero alone numbers. */
static struct sp_gpus
gpus_of(uint32_t vendor, uint32_t n, bool uuids)
{
	struct sp_gpus gpus = { .n = n };

	for (uint32_t i = 0; i < n; i++) {
		gpus.gpu[i] = (struct sp_gpu){ .vendor = vendor, .tiles = 2 };
		snprintf(gpus.gpu[i].address, sizeof(gpus.gpu[i].address), "0000:%02x:00.0", 16 + i);
		if (uuids)
			snprintf(gpus.gpu[i].uuid, sizeof(gpus.gpu[i].uuid), "GPU-%u", i);
	}
	return gpus;
}

static const struct {
	uint32_t vendor, gpus;
	bool uuids;
	char *environment[3];		/* of all ranks */
	uint32_t ranks, rank;
	enum sp_visible_entry is;
	const char *entry;
} entries[] = {
	{ SP_NVIDIA, 4, true, { NULL }, 4, 2, SP_VISIBLE_ENTRY, "CUDA_VISIBLE_DEVICES=GPU-2" },
	{ SP_NVIDIA, 4, false, { NULL }, 4, 2, SP_VISIBLE_ENTRY, "CUDA_VISIBLE_DEVICES=2" },
	{ SP_NVIDIA, 4, true, { NULL }, 2, 1, SP_VISIBLE_ENTRY, "CUDA_VISIBLE_DEVICES=GPU-2,GPU-3" },
	{ SP_NVIDIA, 4, true, { NULL }, 8, 7, SP_VISIBLE_ENTRY, "CUDA_VISIBLE_DEVICES=GPU-3" },
	{ SP_NVIDIA, 4, true, { "CUDA_VISIBLE_DEVICES=3,1" }, 2, 1, SP_VISIBLE_ENTRY, "CUDA_VISIBLE_DEVICES=1" },
	/* within a cgroup of the step the numbers are not those of the node */
	{ SP_NVIDIA, 8, false, { "SLURM_STEP_GPUS=4,5", "CUDA_VISIBLE_DEVICES=0,1" }, 2, 1, SP_VISIBLE_ENTRY, "CUDA_VISIBLE_DEVICES=1" },
	{ SP_NVIDIA, 8, true, { "SLURM_STEP_GPUS=4,5" }, 2, 1, SP_VISIBLE_ENTRY, "CUDA_VISIBLE_DEVICES=GPU-5" },
	{ SP_NVIDIA, 8, false, { "SLURM_STEP_GPUS=4,5" }, 2, 1, SP_VISIBLE_UNKNOWN, NULL },
	{ SP_NVIDIA, 4, true, { "CUDA_VISIBLE_DEVICES=0" }, 2, 1, SP_VISIBLE_OWN, NULL },
	{ SP_NVIDIA, 4, true, { "CUDA_VISIBLE_DEVICES=0,1,9" }, 2, 1, SP_VISIBLE_UNKNOWN, NULL },
	{ SP_NVIDIA, 4, true, { "CUDA_VISIBLE_DEVICES=MIG-1" }, 2, 1, SP_VISIBLE_UNKNOWN, NULL },
	{ SP_NVIDIA, 4, true, { "CUDA_VISIBLE_DEVICES=" }, 2, 1, SP_VISIBLE_NO_GPU, NULL },
	{ SP_NVIDIA, 4, true, { NULL }, 1, 0, SP_VISIBLE_OWN, NULL },
	{ SP_AMD, 8, true, { NULL }, 8, 5, SP_VISIBLE_ENTRY, "ROCR_VISIBLE_DEVICES=5" },
	{ SP_AMD, 8, true, { "ROCR_VISIBLE_DEVICES=4,5,6,7" }, 4, 1, SP_VISIBLE_ENTRY, "ROCR_VISIBLE_DEVICES=5" },
	{ SP_AMD, 8, true, { "HIP_VISIBLE_DEVICES=4,5,6,7" }, 4, 1, SP_VISIBLE_ENTRY, "HIP_VISIBLE_DEVICES=5" },
	{ SP_INTEL, 6, false, { NULL }, 12, 7, SP_VISIBLE_ENTRY, "ZE_AFFINITY_MASK=7" },
	{ SP_INTEL, 6, false, { NULL }, 6, 1, SP_VISIBLE_ENTRY, "ZE_AFFINITY_MASK=2,3" },
	{ SP_INTEL, 6, false, { "ZE_FLAT_DEVICE_HIERARCHY=COMPOSITE" }, 6, 1, SP_VISIBLE_ENTRY, "ZE_AFFINITY_MASK=1" },
	{ SP_INTEL, 6, false, { "ZE_AFFINITY_MASK=" }, 6, 1, SP_VISIBLE_ENTRY, "ZE_AFFINITY_MASK=2,3" },
	{ SP_INTEL, 6, false, { "ZE_AFFINITY_MASK=0,1,2,3" }, 4, 3, SP_VISIBLE_ENTRY, "ZE_AFFINITY_MASK=3" },
};

START_TEST(a_list_of_its_own)
{
	struct sp_gpus gpus = gpus_of(entries[_i].vendor, entries[_i].gpus, entries[_i].uuids);
	char *environment[] = { entries[_i].environment[0], entries[_i].environment[1], NULL };
	char entry[SP_VISIBLE_TEXT] = "";
	struct sp_gpu_list seen[RANKS];

	for (uint32_t i = 0; i < entries[_i].ranks; i++)
		sp_gpus_visible(environment, &gpus, &seen[i]);
	ck_assert_int_eq(sp_visible_entry(environment, &gpus, seen, entries[_i].ranks, entries[_i].rank, entry), entries[_i].is);
	if (entries[_i].entry)
		ck_assert_str_eq(entry, entries[_i].entry);
}
END_TEST

/* A desktop's own graphics beside two cards, one of which has no UUID. */
START_TEST(gpus_that_are_not_alike)
{
	struct sp_gpus gpus = gpus_of(SP_NVIDIA, 3, true);
	char *cuda[] = { "CUDA_VISIBLE_DEVICES=0,1", NULL }, *ze[] = { "ZE_AFFINITY_MASK=0,1", NULL };
	struct sp_gpu_list seen[2] = { { SP_GPUS_ALL, 2, { 1, 2 } }, { SP_GPUS_ALL, 2, { 1, 2 } } };
	char entry[SP_VISIBLE_TEXT];

	gpus.gpu[0] = (struct sp_gpu){ .vendor = SP_INTEL, .tiles = 2 };
	ck_assert_int_eq(sp_visible_entry(NULL, &gpus, seen, 2, 1, entry), SP_VISIBLE_ENTRY);
	ck_assert_str_eq(entry, "CUDA_VISIBLE_DEVICES=GPU-2");
	gpus.gpu[1].uuid[0] = '\0';
	ck_assert_int_eq(sp_visible_entry(NULL, &gpus, seen, 2, 1, entry), SP_VISIBLE_ENTRY);
	ck_assert_str_eq(entry, "CUDA_VISIBLE_DEVICES=1");
	ck_assert_int_eq(sp_visible_entry(cuda, &gpus, seen, 2, 1, entry), SP_VISIBLE_ENTRY);
	ck_assert_str_eq(entry, "CUDA_VISIBLE_DEVICES=1");
	/* The only one of its vendor. */
	gpus.gpu[0].vendor = SP_NVIDIA;
	gpus.gpu[1] = (struct sp_gpu){ .vendor = SP_INTEL, .tiles = 2 };
	seen[0] = seen[1] = (struct sp_gpu_list){ SP_GPUS_LISTED, 1, { 1 } };
	ck_assert_int_eq(sp_visible_entry(ze, &gpus, seen, 2, 1, entry), SP_VISIBLE_ENTRY);
	ck_assert_str_eq(entry, "ZE_AFFINITY_MASK=1");
}
END_TEST

/* What it gives is what the rank has been dealt: read again it is the same GPUs. */
START_TEST(a_narrowed_list_names_the_same_gpus)
{
	struct sp_gpus gpus = gpus_of(SP_NVIDIA, 8, true);
	char entry[SP_VISIBLE_TEXT];
	struct sp_gpu_list seen[RANKS], own, again;

	for (uint32_t ranks = 2; ranks <= RANKS; ranks++)
		for (uint32_t rank = 0; rank < ranks; rank++) {
			for (uint32_t i = 0; i < ranks; i++)
				sp_gpus_visible(NULL, &gpus, &seen[i]);
			ck_assert_int_eq(sp_visible_entry(NULL, &gpus, seen, ranks, rank, entry), SP_VISIBLE_ENTRY);
			sp_gpus_deal(seen, ranks, rank, &own);
			sp_gpus_visible((char *[]){ entry, NULL }, &gpus, &again);
			ck_assert_uint_eq(again.n, own.n);
			ck_assert_int_eq(memcmp(again.gpu, own.gpu, own.n), 0);
		}
}
END_TEST

/* Who reads the old array meanwhile finds it as it was. */
START_TEST(an_entry_takes_the_place_of_others)
{
	static char first[] = "SP_TEST=1", second[] = "SP_TEST=2";
	char **before = environ;

	ck_assert_int_eq(sp_environment_put(first), 0);
	ck_assert_str_eq(getenv("SP_TEST"), "1");
	ck_assert_ptr_null(sp_environment_value(before, "SP_TEST"));
	ck_assert_int_eq(sp_environment_put(second), 0);
	ck_assert_str_eq(getenv("SP_TEST"), "2");
	ck_assert_int_eq(setenv("SP_TEST", "3", 1), 0);
	ck_assert_str_eq(getenv("SP_TEST"), "3");
	ck_assert_int_eq(unsetenv("SP_TEST"), 0);
	ck_assert_ptr_null(getenv("SP_TEST"));
	ck_assert_ptr_nonnull(getenv("PATH"));
}
END_TEST

#define COUNT(array) ((int)(sizeof(array) / sizeof((array)[0])))

Suite *
suite_visible(void)
{
	Suite *suite = suite_create("visible");
	TCase *facts = tcase_create("facts");

	tcase_add_loop_test(facts, a_list_of_its_own, 0, COUNT(entries));
	tcase_add_test(facts, gpus_that_are_not_alike);
	tcase_add_test(facts, a_narrowed_list_names_the_same_gpus);
	tcase_add_test(facts, an_entry_takes_the_place_of_others);
	suite_add_tcase(suite, facts);
	return suite;
}
