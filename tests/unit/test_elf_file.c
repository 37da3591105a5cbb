/* Facts about files that "splitpin check" reads: programs, and the loader's list. */
#include <check.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd/target/elf_file.h"
#include "cmd/target/loader.h"
#include "emulated.h"
#include "suites.h"

START_TEST(this_program_is_read)
{
	struct elf_file file;

	ck_assert_int_eq(elf_file_open("/proc/self/exe", &file), 0);
	ck_assert(file.is_native);
	ck_assert_uint_eq(file.bits, 8 * sizeof(void *));
	ck_assert_ptr_nonnull(file.interpreter);
	/* An emulator has it in a folder of its own. */
	ck_assert(is_emulated() || access(file.interpreter, X_OK) == 0);
	ck_assert(elf_file_has_name(&file, "dl_iterate_phdr"));
	ck_assert(!elf_file_has_name(&file, "dl_iterate_phd"));
	ck_assert(!elf_file_has_name(&file, "no_such_name"));
	elf_file_release(&file);
}
END_TEST

START_TEST(what_stands_behind_a_mark_is_found)
{
	static const char volatile marked[] = "mark in this " "file: 1.2.3";
	struct elf_file file;

	ck_assert_int_eq(elf_file_open("/proc/self/exe", &file), 0);
	char *mark = strndup((const char *)marked, strlen("mark in this file: ")), *text = elf_file_after(&file, mark);
	ck_assert_str_eq(text, "1.2.3");
	free(text);
	free(mark);
	elf_file_release(&file);
}
END_TEST

/* The first n bytes of this program, from which one has been changed. */
static int
open_damaged(size_t n, long at, int byte, struct elf_file *file)
{
	char path[] = "/tmp/splitpin-elf-XXXXXX";
	FILE *from = fopen("/proc/self/exe", "r"), *to = fdopen(mkstemp(path), "w");

	for (size_t i = 0; i < n; i++)
		putc(getc(from), to);
	if (at >= 0 && fseek(to, at, SEEK_SET) == 0)
		putc(byte, to);
	fclose(from);
	fclose(to);
	int error = elf_file_open(path, file);
	unlink(path);
	return error;
}

/* Whatever a file says of itself, nothing outside of it is read. */
START_TEST(damaged_files_are_no_harm)
{
	struct elf_file file;

	if (open_damaged(4096, _i, 0xff, &file) == 0) {
		elf_file_has_name(&file, "dl_iterate_phdr");
		elf_file_release(&file);
	}
	if (open_damaged((size_t)_i + 1, -1, 0, &file) == 0)
		elf_file_release(&file);
}
END_TEST

START_TEST(other_kinds_are_told_apart)
{
	struct elf_file file;

	ck_assert_int_eq(open_damaged(4096, 4, 1, &file), 0);
	ck_assert(!file.is_native);
	ck_assert_uint_eq(file.bits, 32);
	elf_file_release(&file);
	ck_assert_int_eq(open_damaged(4096, 18, 0xf7, &file), 0);
	ck_assert(!file.is_native);
	elf_file_release(&file);
	ck_assert_int_eq(open_damaged(4096, 0, 'x', &file), -ENOEXEC);
	ck_assert_int_eq(elf_file_open("/proc/self/status", &file), -ENOEXEC);
	ck_assert_int_eq(elf_file_open("/", &file), -ENOEXEC);
	ck_assert_int_eq(elf_file_open("/no/such/file", &file), -ENOENT);
}
END_TEST

static void
object_is(const char *line, const char *name, const char *path)
{
	struct loader_object object;

	ck_assert(loader_parse(line, &object));
	ck_assert_str_eq(object.name, name);
	if (path)
		ck_assert_str_eq(object.path, path);
	else
		ck_assert_ptr_null(object.path);
	free(object.name);
	free(object.path);
}

START_TEST(lines_of_the_loader_are_read)
{
	object_is("\tlibm.so.6 => /lib/libm.so.6 (0x00007f00)\n", "libm.so.6", "/lib/libm.so.6");
	object_is("\tlibx.so.1 => not found\n", "libx.so.1", NULL);
	object_is("\t/lib64/ld-linux-x86-64.so.2 (0x00007f00)\n", "ld-linux-x86-64.so.2", "/lib64/ld-linux-x86-64.so.2");
	object_is("\tlibq.so => /opt/a b (c)/libq.so (0x1)\n", "libq.so", "/opt/a b (c)/libq.so");
}
END_TEST

START_TEST(other_lines_are_none)
{
	static const char *const lines[] = {
		"", "\n", "\tlinux-vdso.so.1 (0x00007fff)\n", "\tstatically linked\n", "\tlibm.so.6 => \n", "/(", "a => (",
	};
	struct loader_object object;

	ck_assert(!loader_parse(lines[_i], &object));
}
END_TEST

START_TEST(the_loader_lists_what_this_program_needs)
{
	struct loader_object *object;
	char path[4096];
	bool found = false;
	ssize_t length = readlink("/proc/self/exe", path, sizeof(path) - 1);

	ck_assert_int_gt(length, 0);
	path[length] = '\0';
	size_t n = loader_objects(path, &object);
	for (size_t i = 0; i < n; i++)
		found |= strncmp(object[i].name, "libc.so", 7) == 0 && object[i].path;
	ck_assert(found);
	loader_release(object, n);
}
END_TEST

Suite *
suite_elf_file(void)
{
	Suite *suite = suite_create("elf_file");
	TCase *all = tcase_create("all");

	tcase_add_test(all, this_program_is_read);
	tcase_add_test(all, what_stands_behind_a_mark_is_found);
	tcase_add_loop_test(all, damaged_files_are_no_harm, 0, 160);
	tcase_add_test(all, other_kinds_are_told_apart);
	tcase_add_test(all, lines_of_the_loader_are_read);
	tcase_add_loop_test(all, other_lines_are_none, 0, 7);
	/* This machine's loader reads no program of another processor. */
	if (!is_emulated())
		tcase_add_test(all, the_loader_lists_what_this_program_needs);
	suite_add_tcase(suite, all);
	return suite;
}
