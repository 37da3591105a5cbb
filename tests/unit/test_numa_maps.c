/* Facts about counting the memory of a process by NUMA node. */
#include <check.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <unistd.h>

#include "process/numa_maps.h"
#include "base/text.h"
#include "machines.h"
#include "ranks.h"
#include "suites.h"

/* Lines as Linux 6.1 writes them. */
START_TEST(pages_are_counted_by_node)
{
	struct sp_numa_maps pages = { { 0 } };
	struct sp_cpus nodes = cpus_of_list("0,4");
	char text[64], little[12];

	sp_numa_maps_add(&pages, "55d0c8a3f000 default heap anon=33 dirty=33 active=0 N0=30 N1=3 kernelpagesize_kB=4", 4);
	sp_numa_maps_add(&pages, "7f1c00000000 interleave:0-1 anon=512 dirty=512 N0=256 N1=256 kernelpagesize_kB=4", 4);
	sp_numa_maps_add(&pages, "7f1c40000000 prefer (many):4 anon=2 dirty=2 N4=2 kernelpagesize_kB=4", 4);
	sp_numa_maps_add(&pages, "7f2000000000 bind:0 file=/anon_hugepage\\040(deleted) huge anon=3 dirty=3 N0=3 kernelpagesize_kB=2048", 4);
	sp_numa_maps_add(&pages, "7f3000000000 default file=/usr/lib/libc.so.6 mapped=300 N0=100 N1=200 kernelpagesize_kB=4", 4);
	sp_numa_maps_add(&pages, "7f4000000000 default file=/dev/shm/N9=9\\040N8=8 N1=7 kernelpagesize_kB=4", 4);
	sp_numa_maps_add(&pages, "7f5000000000 default", 4);
	sp_numa_maps_add(&pages, "7f5000000000 default N5000=9 N1024=9 A1=9 N=3 N1", 4);
	sp_numa_maps_add(&pages, "", 4);
	sp_cpus_add(&nodes, SP_NODES_MAX);	/* there is none */
	ck_assert_uint_eq(sp_numa_maps_on(&pages, &nodes), 30 + 256 + 2 + 3 * 512);
	ck_assert_uint_eq(sp_numa_maps_elsewhere(&pages, &nodes), 3 + 256);
	ck_assert_str_eq(sp_numa_maps_format(&pages, text, sizeof(text)), "0:1822,1:259,4:2");
	ck_assert_str_eq(sp_numa_maps_format(&pages, little, sizeof(little)), "0:1822,...");
	/* Of all digits, and one byte short of room for the last node. */
	sp_numa_maps_add(&pages, "7f6000000000 default N9=5 N19=1 kernelpagesize_kB=4", 4);
	ck_assert_str_eq(sp_numa_maps_format(&pages, text, sizeof(text)), "0:1822,1:259,4:2,9:5,19:1");
	ck_assert_str_eq(sp_numa_maps_format(&pages, text, 25 + 4), "0:1822,1:259,4:2,9:5,...");
	ck_assert_str_eq(sp_numa_maps_format(&pages, text, 25 + 5), "0:1822,1:259,4:2,9:5,19:1");
	ck_assert_str_eq(sp_numa_maps_format(&(struct sp_numa_maps){ { 0 } }, text, sizeof(text)), "");
}
END_TEST

static uint64_t
all(const struct sp_numa_maps *pages)
{
	return sp_numa_maps_elsewhere(pages, &(struct sp_cpus){ 0 });
}

START_TEST(memory_that_is_touched_is_seen)
{
	static struct sp_numa_maps before, now;
	size_t size = 4 << 20;

	if (sp_numa_maps_read(&before) == -ENOENT)
		return;
	ck_assert_uint_gt(all(&before), 0);
	char *memory = malloc(size);
	memset(memory, 1, size);
	__asm__ volatile ("" : : "r" (memory) : "memory");	/* it is used */
	ck_assert_int_eq(sp_numa_maps_read(&now), 0);
	ck_assert_uint_ge(all(&now), all(&before) + size / 4096);
	free(memory);
}
END_TEST

/* Longer than what is read at once, so that lines are cut; what follows a line that is longer alone counts. */
START_TEST(a_process_of_many_mappings)
{
	static struct sp_numa_maps pages;
	static char text[100000], long_name[20000];
	struct sp_text maps = sp_text_begin(text, sizeof(text));

	for (int i = 0; i < 1000; i++)
		sp_text_add(&maps, "7f%010x default anon=%d dirty=%d N%d=%d kernelpagesize_kB=4\n", i << 12, i, i, i % 2, i);
	memset(long_name, 'x', sizeof(long_name));
	sp_text_add(&maps, "7f2000000000 default file=/%.*s mapped=1 N3=1\n", (int)sizeof(long_name), long_name);
	sp_text_add(&maps, "7f3000000000 default anon=7 dirty=7 N2=7 kernelpagesize_kB=4\n");
	sp_text_add(&maps, "7f4000000000 default anon=3 dirty=3 N4=3 kernelpagesize_kB=%ld\n", 8 * sysconf(_SC_PAGESIZE) / 1024);
	if (!shm_of_own(NULL) || !file_instead("/proc/self/numa_maps", text, maps.length))
		return;
	errno = EDOM;
	ck_assert_int_eq(sp_numa_maps_read(&pages), 0);
	ck_assert_uint_eq(pages.on[0], 249500);
	ck_assert_uint_eq(pages.on[1], 250000);
	ck_assert_uint_eq(pages.on[2], 7);
	ck_assert_uint_eq(pages.on[4], 24);
	umount("/proc/self/numa_maps");
}
END_TEST

/* The last byte, which ends a line, comes alone. */
START_TEST(a_line_that_ends_beyond_what_is_read_at_once)
{
	static struct sp_numa_maps pages;
	static const char last[] = "7f1000000000 default anon=5 dirty=5 N5=5 kernelpagesize_kB=4\n";
	static char text[16385];
	size_t first = sizeof(text) - (sizeof(last) - 1);

	memset(text, 'x', sizeof(text));
	memcpy(text, "7f0000000000 default file=/", 27);
	text[first - 1] = '\n';
	memcpy(text + first, last, sizeof(last) - 1);
	if (!shm_of_own(NULL) || !file_instead("/proc/self/numa_maps", text, sizeof(text)))
		return;
	ck_assert_int_eq(sp_numa_maps_read(&pages), 0);
	ck_assert_uint_eq(pages.on[5], 5);
	umount("/proc/self/numa_maps");
}
END_TEST

START_TEST(pages_that_cannot_be_read_are_an_error)
{
	static struct sp_numa_maps pages;
	struct rlimit limit, none;

	getrlimit(RLIMIT_NOFILE, &limit);
	none = limit;
	none.rlim_cur = 0;
	setrlimit(RLIMIT_NOFILE, &none);
	int error = sp_numa_maps_read(&pages);
	setrlimit(RLIMIT_NOFILE, &limit);
	ck_assert_int_eq(error, -EMFILE);
	/* Nothing is mapped at 0, where reading begins. */
	if (!shm_of_own(NULL) || mount("/proc/self/mem", "/proc/self/numa_maps", NULL, MS_BIND, NULL) != 0)
		return;
	ck_assert_int_eq(sp_numa_maps_read(&pages), -EIO);
	umount("/proc/self/numa_maps");
}
END_TEST

Suite *
suite_numa_maps(void)
{
	Suite *suite = suite_create("numa_maps");
	TCase *facts = tcase_create("facts");

	tcase_add_test(facts, pages_are_counted_by_node);
	tcase_add_test(facts, memory_that_is_touched_is_seen);
	tcase_add_test(facts, a_process_of_many_mappings);
	tcase_add_test(facts, a_line_that_ends_beyond_what_is_read_at_once);
	tcase_add_test(facts, pages_that_cannot_be_read_are_an_error);
	suite_add_tcase(suite, facts);
	return suite;
}
