/* Whose GPU: the variables of runtimes and launchers, and ranks that see the same GPUs. */
#include <check.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "gpus/whose.h"
#include "gpus/pbs.h"
#include "suites.h"

#define UUID "GPU-%u0000000-1111-2222-3333-444444444444"

/* n GPUs of a vendor, GPU i in NUMA node i / 2 of package i / 4, of two tiles each, which Level Zero alone numbers. */
static struct sp_gpus
gpus_of(uint32_t vendor, uint32_t n)
{
	struct sp_gpus gpus = { .n = n };

	for (uint32_t i = 0; i < n; i++) {
		struct sp_gpu *gpu = &gpus.gpu[i];

		snprintf(gpu->address, sizeof(gpu->address), "0000:%02x:00.0", 16 * i);
		snprintf(gpu->uuid, sizeof(gpu->uuid), UUID, i % 10);
		gpu->vendor = vendor;
		gpu->tiles = 2;
		gpu->near = (struct sp_near){ i / 4, i / 2, i };
	}
	return gpus;
}

static const char *
text_of(const struct sp_gpu_list *list)
{
	static char text[512];
	int n = snprintf(text, sizeof(text), "%s", list->told == SP_GPUS_SOME ? "one of " : "");

	for (uint32_t i = 0; i < list->n; i++)
		n += snprintf(text + n, sizeof(text) - (size_t)n, i ? ",%u" : "%u", list->gpu[i]);
	return text;
}

#define ENTRIES 4

static const struct {
	uint32_t vendor, n;
	char *environment[ENTRIES + 1];
	const char *seen;
} visible[] = {
	{ SP_NVIDIA, 4, { "HOME=/root" }, "0,1,2,3" },
	{ SP_NVIDIA, 4, { "CUDA_VISIBLE_DEVICES=2" }, "2" },
	{ SP_NVIDIA, 4, { "CUDA_VISIBLE_DEVICES= 3, 1" }, "3,1" },
	{ SP_NVIDIA, 4, { "CUDA_VISIBLE_DEVICES=0,9,1" }, "0" },
	{ SP_NVIDIA, 4, { "CUDA_VISIBLE_DEVICES=1,-1,2" }, "1" },
	{ SP_NVIDIA, 4, { "CUDA_VISIBLE_DEVICES=" }, "" },
	{ SP_NVIDIA, 4, { "CUDA_VISIBLE_DEVICES=NoDevFiles" }, "" },
	{ SP_NVIDIA, 4, { "CUDA_VISIBLE_DEVICES=99999999999" }, "" },
	{ SP_NVIDIA, 4, { "CUDA_VISIBLE_DEVICES=GPU-30000000-1111-2222-3333-444444444444,GPU-1" }, "3,1" },
	{ SP_NVIDIA, 4, { "CUDA_VISIBLE_DEVICES=GPU-" }, "" },
	{ SP_NVIDIA, 2, { "CUDA_VISIBLE_DEVICES=GPU-" }, "" },
	{ SP_NVIDIA, 4, { "CUDA_VISIBLE_DEVICES=MIG-GPU-20000000-1111-2222-3333-444444444444/1/0" }, "2" },
	{ SP_NVIDIA, 4, { "CUDA_VISIBLE_DEVICES=MIG-GPU-00000000-1111-2222-3333-444444444444/1/0" }, "0" },
	{ SP_NVIDIA, 4, { "CUDA_VISIBLE_DEVICES=MIG-c6d4f1ef-42e4-5de3-91c7-45d71c87eb3f" }, "one of 0,1,2,3" },
	{ SP_NVIDIA, 4, { "CUDA_VISIBLE_DEVICES=1", "CUDA_DEVICE_ORDER=PCI_BUS_ID" }, "1" },
	{ SP_NVIDIA, 4, { "ROCR_VISIBLE_DEVICES=1" }, "0,1,2,3" },
	/* srun without cgroups; with one for the step; with one for each task */
	{ SP_NVIDIA, 8, { "SLURM_STEP_GPUS=4,5", "CUDA_VISIBLE_DEVICES=5" }, "5" },
	{ SP_NVIDIA, 8, { "SLURM_STEP_GPUS=4,5", "CUDA_VISIBLE_DEVICES=0,1" }, "4,5" },
	{ SP_NVIDIA, 8, { "SLURM_STEP_GPUS=4,5", "CUDA_VISIBLE_DEVICES=0", "SLURM_GPUS_PER_TASK=1" }, "4,5" },
	{ SP_NVIDIA, 8, { "SLURM_STEP_GPUS=4,5", "CUDA_VISIBLE_DEVICES=0" }, "4" },
	{ SP_NVIDIA, 8, { "SLURM_JOB_GPUS=6,7" }, "6,7" },
	{ SP_NVIDIA, 8, { "SLURM_STEP_GPUS=4" }, "4" },
	{ SP_NVIDIA, 8, { "SLURM_STEP_GPUS=", "SLURM_JOB_GPUS=6" }, "6" },
	{ SP_NVIDIA, 8, { "SLURM_STEP_GPUS=4", "CUDA_VISIBLE_DEVICES=0", "SLURM_GPUS_PER_TASK=1" }, "4" },
	{ SP_NVIDIA, 8, { "SLURM_STEP_GPUS=4,5", "CUDA_VISIBLE_DEVICES=1", "SLURM_GPUS_PER_TASK=1" }, "5" },
	{ SP_NVIDIA, 4, { "CUDA_VISIBLE_DEVICES=2 ,1\t, 0 " }, "2,1,0" },
	{ SP_NVIDIA, 4, { "CUDA_VISIBLE_DEVICES=2,2,1" }, "2,1" },
	{ SP_NVIDIA, 4, { "CUDA_VISIBLE_DEVICES=4" }, "" },
	{ SP_NVIDIA, 8, { "PBS_GPUFILE=2,3" }, "2,3" },
	{ SP_NVIDIA, 8, { "PBS_GPUFILE=2,3", "CUDA_VISIBLE_DEVICES=3" }, "3" },
	{ SP_NVIDIA, 4, { "PBS_GPUFILE=/var/spool/torque/aux/1.gpu" }, "0,1,2,3" },
	{ SP_AMD, 8, { "ROCR_VISIBLE_DEVICES=4,5,6,7", "HIP_VISIBLE_DEVICES=2" }, "6" },
	{ SP_AMD, 8, { "HIP_VISIBLE_DEVICES=2" }, "2" },
	{ SP_AMD, 8, { "CUDA_VISIBLE_DEVICES=3" }, "3" },
	{ SP_AMD, 8, { "GPU_DEVICE_ORDINAL=7" }, "7" },
	/* both set by one launcher with the node's numbers */
	{ SP_AMD, 8, { "ROCR_VISIBLE_DEVICES=5", "GPU_DEVICE_ORDINAL=5" }, "5" },
	{ SP_AMD, 8, { "ROCR_VISIBLE_DEVICES=GPU-50000000-1111-2222-3333-444444444444" }, "5" },
	{ SP_INTEL, 6, { "ZE_AFFINITY_MASK=5.1" }, "5" },
	{ SP_INTEL, 6, { "ZE_AFFINITY_MASK=11" }, "5" },
	{ SP_INTEL, 6, { "ZE_AFFINITY_MASK=0.0,0.1,1" }, "0" },
	{ SP_INTEL, 6, { "ZE_AFFINITY_MASK=4", "ZE_FLAT_DEVICE_HIERARCHY=COMPOSITE" }, "4" },
	{ SP_INTEL, 6, { "ZE_AFFINITY_MASK=4", "ZE_FLAT_DEVICE_HIERARCHY=FLAT" }, "2" },
	{ SP_INTEL, 6, { "ZE_AFFINITY_MASK=" }, "0,1,2,3,4,5" },
	{ SP_NVIDIA, 0, { "CUDA_VISIBLE_DEVICES=0" }, "" },
};

START_TEST(variables_tell_which_gpus_are_seen)
{
	struct sp_gpus gpus = gpus_of(visible[_i].vendor, visible[_i].n);
	struct sp_gpu_list list;

	sp_gpus_visible(visible[_i].environment, &gpus, &list);
	ck_assert_msg(strcmp(text_of(&list), visible[_i].seen) == 0, "%s: \"%s\" instead of \"%s\"",
		      visible[_i].environment[0], text_of(&list), visible[_i].seen);
}
END_TEST

/* A desktop's own graphics beside two cards. */
START_TEST(gpus_of_one_vendor_are_numbered)
{
	struct sp_gpus gpus = gpus_of(SP_NVIDIA, 3);
	struct sp_gpu_list list;

	gpus.gpu[0].vendor = SP_INTEL;
	sp_gpus_visible((char *[]){ NULL }, &gpus, &list);
	ck_assert_str_eq(text_of(&list), "1,2");
	sp_gpus_visible((char *[]){ "CUDA_VISIBLE_DEVICES=1", NULL }, &gpus, &list);
	ck_assert_str_eq(text_of(&list), "2");
	sp_gpus_visible((char *[]){ "ZE_AFFINITY_MASK=0", NULL }, &gpus, &list);
	ck_assert_str_eq(text_of(&list), "0");
}
END_TEST

/* Of two vendors with as many GPUs the first counts, and one that a variable names before it. */
START_TEST(one_vendor_of_two)
{
	struct sp_gpus gpus = gpus_of(SP_NVIDIA, 4);
	struct sp_gpu_list list;

	gpus.gpu[1].vendor = gpus.gpu[2].vendor = SP_AMD;
	sp_gpus_visible((char *[]){ NULL }, &gpus, &list);
	ck_assert_str_eq(text_of(&list), "0,3");
	sp_gpus_visible((char *[]){ "HIP_VISIBLE_DEVICES=1", NULL }, &gpus, &list);
	ck_assert_str_eq(text_of(&list), "2");
	gpus.gpu[3].vendor = SP_AMD;
	sp_gpus_visible((char *[]){ NULL }, &gpus, &list);
	ck_assert_str_eq(text_of(&list), "1,2,3");
	sp_gpus_visible((char *[]){ "CUDA_VISIBLE_DEVICES=0", NULL }, &gpus, &list);
	ck_assert_str_eq(text_of(&list), "0");
}
END_TEST

START_TEST(lists_are_written)
{
	struct sp_gpus gpus = gpus_of(SP_NVIDIA, 3);
	struct sp_gpu_list list = { .told = SP_GPUS_LISTED, .n = 2, .gpu = { 2, 1 } };
	char text[64];

	ck_assert_str_eq(sp_gpus_format(&gpus, &list, text, sizeof(text)), "2,1 (20:00.0,10:00.0)");
	list.gpu[1] = 0;
	gpus.gpu[0].vendor = SP_AMD;
	strcpy(gpus.gpu[0].address, "0001:03:00.0");
	ck_assert_str_eq(sp_gpus_format(&gpus, &list, text, sizeof(text)), "1,0 (20:00.0,0001:03:00.0)");
	ck_assert_str_eq(sp_gpus_format(&gpus, &list, text, 27), "1,0 (20:00.0,0001:03:00.0)");
	ck_assert_str_eq(sp_gpus_format(&gpus, &list, text, 26), "1,0 (20:00.0,0001:03:0...");
	ck_assert_str_eq(sp_gpus_format(&gpus, &list, text, 4), "...");
	ck_assert_str_eq(sp_gpus_format(&gpus, &list, text, 3), "1,");
	list.n = 0;
	ck_assert_str_eq(sp_gpus_format(&gpus, &list, text, sizeof(text)), "-");
	list.told = SP_GPUS_SOME;
	ck_assert_str_eq(sp_gpus_format(&gpus, &list, text, sizeof(text)), "?");
	/* What is not there is left out. */
	list = (struct sp_gpu_list){ .told = SP_GPUS_LISTED, .n = 2, .gpu = { 1, 3 } };
	ck_assert_str_eq(sp_gpus_format(&gpus, &list, text, sizeof(text)), "0 (10:00.0)");
}
END_TEST

/* Without its UUIDs in /proc a GPU that is named by one may be any. */
START_TEST(uuids_that_are_not_known)
{
	struct sp_gpus gpus = gpus_of(SP_NVIDIA, 2);
	struct sp_gpu_list list;

	gpus.gpu[0].uuid[0] = gpus.gpu[1].uuid[0] = '\0';
	sp_gpus_visible((char *[]){ "CUDA_VISIBLE_DEVICES=GPU-1", NULL }, &gpus, &list);
	ck_assert_str_eq(text_of(&list), "one of 0,1");
	ck_assert_uint_eq(sp_gpus_near(&gpus, &list).numa, 0);
	ck_assert_uint_eq(sp_gpus_near(&gpus, &list).l3, SP_ANYWHERE);
	/* Where one has a UUID it is another. */
	strcpy(gpus.gpu[0].uuid, "GPU-2");
	sp_gpus_visible((char *[]){ "CUDA_VISIBLE_DEVICES=GPU-1", NULL }, &gpus, &list);
	ck_assert_str_eq(text_of(&list), "");
	/* Other vendors' do not count. */
	gpus.gpu[0].vendor = SP_INTEL;
	sp_gpus_visible((char *[]){ "CUDA_VISIBLE_DEVICES=GPU-1", NULL }, &gpus, &list);
	ck_assert_str_eq(text_of(&list), "one of 1");
}
END_TEST

static const struct {
	char *entry;
	enum sp_gpus_given given;
} given[] = {
	{ "HOME=/root", SP_GPUS_NO_WORD }, { "CUDA_VISIBLE_DEVICES=0,1", SP_GPUS_GIVEN },
	{ "CUDA_VISIBLE_DEVICES=", SP_GPUS_WITHHELD }, { "CUDA_VISIBLE_DEVICES=-1", SP_GPUS_WITHHELD },
	{ "CUDA_VISIBLE_DEVICES=4294967294", SP_GPUS_GIVEN }, { "CUDA_VISIBLE_DEVICES=4294967295", SP_GPUS_WITHHELD },
	{ "CUDA_VISIBLE_DEVICES=NoDevFiles", SP_GPUS_WITHHELD }, { "ZE_AFFINITY_MASK=0.1", SP_GPUS_GIVEN },
	{ "SLURM_JOB_GPUS=3", SP_GPUS_GIVEN }, { "ROCR_VISIBLE_DEVICES=GPU-12", SP_GPUS_GIVEN },
	{ "CUDA_DEVICE_ORDER=PCI_BUS_ID", SP_GPUS_NO_WORD },
	{ "PBS_GPUFILE=0", SP_GPUS_GIVEN }, { "PBS_GPUFILE=/var/spool/torque/aux/1.gpu", SP_GPUS_NO_WORD },
};

START_TEST(jobs_that_were_given_gpus)
{
	ck_assert_int_eq(sp_gpus_given((char *[]){ given[_i].entry, NULL }), given[_i].given);
}
END_TEST

static const struct {
	const char *text, *host, *list;
} files[] = {
	{ "n1-gpu0\nn1-gpu3\nn2-gpu1\n", "n1", "0,3" }, { "n1-gpu0\nn2-gpu1\nn2-gpu0", "n2.cluster", "1,0" },
	{ "n1.cluster-gpu2\n", "n1", "2" }, { "node-gpu-1-gpu5\n", "node-gpu-1", "5" }, { "n1-gpu0\n", "n", "" },
	{ "n1-gpu0\n", "n11", "" }, { "n1\nn1-gpu\n-gpu3\n\n", "n1", "" }, { "", "n1", "" },
};

START_TEST(the_file_of_pbs)
{
	char list[16] = "";

	ck_assert(sp_pbs_list(files[_i].text, files[_i].host, list, sizeof(list)) == (files[_i].list[0] != '\0'));
	ck_assert_str_eq(list, files[_i].list);
	ck_assert(!sp_pbs_list("n1-gpu10\nn1-gpu11\n", "n1", list, 5));
}
END_TEST

START_TEST(the_file_of_this_node)
{
	char path[] = "/tmp/splitpin-gpufile-XXXXXX", entry[64];
	struct utsname node;
	int fd = mkostemp(path, O_CLOEXEC);
	char *none[] = { "A=1", NULL }, *with[] = { "A=1", entry, NULL };

	ck_assert_int_eq(uname(&node), 0);
	ck_assert_int_gt(dprintf(fd, "other-gpu0\n%s-gpu2\n%s-gpu1\n", node.nodename, node.nodename), 0);
	close(fd);
	ck_assert_ptr_eq(sp_pbs_environment(none), none);
	snprintf(entry, sizeof(entry), "PBS_GPUFILE=%s", path);
	char *const *read = sp_pbs_environment(with);
	ck_assert_str_eq(read[0], "A=1");
	ck_assert_str_eq(read[1], "PBS_GPUFILE=2,1");
	ck_assert_ptr_null(read[2]);
	unlink(path);
	ck_assert_ptr_eq(sp_pbs_environment(with), with);
}
END_TEST

/* A relative path, and a FIFO, whose writer is not waited for. */
START_TEST(what_is_no_file_of_pbs)
{
	char folder[] = "/tmp/splitpin-gpufile-XXXXXX", fifo[64], entry[80];
	char *relative[] = { "PBS_GPUFILE=file", NULL }, *absolute[] = { entry, NULL };
	struct utsname node;

	ck_assert_ptr_nonnull(mkdtemp(folder));
	ck_assert_int_eq(chdir(folder), 0);
	FILE *file = fopen("file", "w");
	ck_assert_int_eq(uname(&node), 0);
	fprintf(file, "%s-gpu2\n", node.nodename);
	fclose(file);
	ck_assert_ptr_eq(sp_pbs_environment(relative), relative);
	snprintf(fifo, sizeof(fifo), "%s/fifo", folder);
	snprintf(entry, sizeof(entry), "PBS_GPUFILE=%s", fifo);
	ck_assert_int_eq(mkfifo(fifo, 0600), 0);
	ck_assert_ptr_eq(sp_pbs_environment(absolute), absolute);
	unlink("file");
	unlink("fifo");
	rmdir(folder);
}
END_TEST

/* Of a file that is longer than is read, the beginning. */
START_TEST(the_file_of_very_many_nodes)
{
	char path[] = "/tmp/splitpin-gpufile-XXXXXX", entry[64];
	struct utsname node;
	FILE *file = fdopen(mkstemp(path), "w");
	char *with[] = { entry, NULL };

	ck_assert_int_eq(uname(&node), 0);
	fprintf(file, "%s-gpu2\n", node.nodename);
	for (int i = 0; i < 10000; i++)
		fprintf(file, "other%d-gpu0\n", i);
	fprintf(file, "%s-gpu1\n", node.nodename);
	ck_assert_int_eq(fclose(file), 0);
	snprintf(entry, sizeof(entry), "PBS_GPUFILE=%s", path);
	ck_assert_str_eq(sp_pbs_environment(with)[0], "PBS_GPUFILE=2");
	unlink(path);
}
END_TEST

START_TEST(one_list_of_several_decides)
{
	ck_assert_int_eq(sp_gpus_given(NULL), SP_GPUS_NO_WORD);
	ck_assert(sp_gpus_is_runtime("libcudart.so.12"));
	ck_assert(sp_gpus_is_runtime("librccl.so.1"));
	ck_assert(!sp_gpus_is_runtime("libcudnn.so.9"));
	ck_assert(!sp_gpus_is_runtime("libnccl"));
	ck_assert_int_eq(sp_gpus_given((char *[]){ "CUDA_VISIBLE_DEVICES=", "SLURM_STEP_GPUS=1", NULL }), SP_GPUS_GIVEN);
}
END_TEST

/* The list of a rank itself may be where its part is put; one that claims too many is left as it is. */
START_TEST(a_part_takes_the_place_of_the_whole)
{
	struct sp_gpu_list seen[2] = { { .told = SP_GPUS_LISTED, .n = 4, .gpu = { 3, 2, 1, 0 } } };

	seen[1] = seen[0];
	sp_gpus_deal(seen, 2, 1, &seen[1]);
	ck_assert_str_eq(text_of(&seen[1]), "1,0");
	seen[0].n = seen[1].n = SP_GPUS_MAX + 1;
	sp_gpus_deal(seen, 2, 1, &seen[1]);
	ck_assert_uint_eq(seen[1].n, SP_GPUS_MAX + 1);
}
END_TEST

#define RANKS 12

/* What the ranks have, in order: "0 1 2,3". */
static const char *
dealt(const struct sp_gpu_list seen[], uint32_t nranks)
{
	static char text[512];
	int n = 0;

	for (uint32_t rank = 0; rank < nranks; rank++) {
		struct sp_gpu_list own;

		sp_gpus_deal(seen, nranks, rank, &own);
		n += snprintf(text + n, sizeof(text) - (size_t)n, rank ? " %s" : "%s", text_of(&own));
	}
	return text;
}

static const struct {
	uint32_t gpus, ranks;
	const char *dealt;
} equal[] = {
	{ 4, 4, "0 1 2 3" }, { 4, 8, "0 0 1 1 2 2 3 3" }, { 8, 2, "0,1,2,3 4,5,6,7" }, { 8, 3, "0,1 2,3,4 5,6,7" },
	{ 4, 5, "0 0 1 2 3" }, { 1, 3, "0 0 0" }, { 6, 12, "0 0 1 1 2 2 3 3 4 4 5 5" },
};

START_TEST(ranks_that_see_the_same_divide_it)
{
	struct sp_gpus gpus = gpus_of(SP_NVIDIA, equal[_i].gpus);
	struct sp_gpu_list seen[RANKS];

	for (uint32_t i = 0; i < equal[_i].ranks; i++)
		sp_gpus_visible(NULL, &gpus, &seen[i]);
	ck_assert_str_eq(dealt(seen, equal[_i].ranks), equal[_i].dealt);
}
END_TEST

START_TEST(ranks_that_see_others_have_their_own)
{
	struct sp_gpus gpus = gpus_of(SP_NVIDIA, 4);
	static char *const lists[] = { "CUDA_VISIBLE_DEVICES=3", "CUDA_VISIBLE_DEVICES=2,1", "CUDA_VISIBLE_DEVICES=2,1",
				       "CUDA_VISIBLE_DEVICES=0,1", "CUDA_VISIBLE_DEVICES=MIG-1", "CUDA_VISIBLE_DEVICES=" };
	struct sp_gpu_list seen[6];

	for (int i = 0; i < 6; i++)
		sp_gpus_visible((char *[]){ lists[i], NULL }, &gpus, &seen[i]);
	ck_assert_str_eq(dealt(seen, 6), "3 2 1 0,1 one of 0,1,2,3 ");
	/* Those that cannot tell which one they have are not told apart. */
	seen[5] = seen[4];
	ck_assert_str_eq(dealt(seen, 6), "3 2 1 0,1 one of 0,1,2,3 one of 0,1,2,3");
}
END_TEST

START_TEST(several_gpus_have_a_common_ancestor)
{
	struct sp_gpus gpus = gpus_of(SP_AMD, 8);
	struct sp_gpu_list list = { .told = SP_GPUS_LISTED, .n = 2, .gpu = { 2, 3 } };
	struct sp_near near = sp_gpus_near(&gpus, &list);

	ck_assert_uint_eq(near.package, 0);
	ck_assert_uint_eq(near.numa, 1);
	ck_assert_uint_eq(near.l3, SP_ANYWHERE);
	list.gpu[1] = 7;
	near = sp_gpus_near(&gpus, &list);
	ck_assert_uint_eq(near.package, SP_ANYWHERE);
	list.n = 0;
	ck_assert_uint_eq(sp_gpus_near(&gpus, &list).package, SP_ANYWHERE);
	/* What is not there is beside nothing. */
	list = (struct sp_gpu_list){ .told = SP_GPUS_LISTED, .n = 2, .gpu = { 1, 8 } };
	ck_assert_uint_eq(sp_gpus_near(&gpus, &list).l3, 1);
}
END_TEST

START_TEST(each_rank_is_beside_its_gpus)
{
	struct sp_gpus gpus = gpus_of(SP_AMD, 4);
	struct sp_gpu_list seen[2];
	struct sp_near near[2];

	sp_gpus_visible(NULL, &gpus, &seen[0]);
	sp_gpus_visible(NULL, &gpus, &seen[1]);
	sp_gpus_place(&gpus, seen, 2, near);
	ck_assert_uint_eq(near[0].numa, 0);
	ck_assert_uint_eq(near[1].numa, 1);
}
END_TEST

#define COUNT(array) ((int)(sizeof(array) / sizeof((array)[0])))

Suite *
suite_devices(void)
{
	Suite *suite = suite_create("devices");
	TCase *facts = tcase_create("facts");

	tcase_add_loop_test(facts, variables_tell_which_gpus_are_seen, 0, COUNT(visible));
	tcase_add_test(facts, gpus_of_one_vendor_are_numbered);
	tcase_add_test(facts, one_vendor_of_two);
	tcase_add_test(facts, lists_are_written);
	tcase_add_test(facts, uuids_that_are_not_known);
	tcase_add_loop_test(facts, jobs_that_were_given_gpus, 0, COUNT(given));
	tcase_add_loop_test(facts, the_file_of_pbs, 0, COUNT(files));
	tcase_add_test(facts, the_file_of_this_node);
	tcase_add_test(facts, what_is_no_file_of_pbs);
	tcase_add_test(facts, the_file_of_very_many_nodes);
	tcase_add_test(facts, one_list_of_several_decides);
	tcase_add_loop_test(facts, ranks_that_see_the_same_divide_it, 0, COUNT(equal));
	tcase_add_test(facts, ranks_that_see_others_have_their_own);
	tcase_add_test(facts, a_part_takes_the_place_of_the_whole);
	tcase_add_test(facts, several_gpus_have_a_common_ancestor);
	tcase_add_test(facts, each_rank_is_beside_its_gpus);
	suite_add_tcase(suite, facts);
	return suite;
}
