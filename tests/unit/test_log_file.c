/* Facts about the files of what outlasts a job: their names, their lines, and what is wrong with them. */
#include <check.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "base/log_file.h"
#include "base/pattern.h"
#include "base/shared_folder.h"
#include "base/who.h"
#include "message.h"
#include "ranks.h"
#include "report/record.h"
#include "suites.h"

static const struct sp_pattern_values values = {
	.host = "n1", .job = "slurm 12.0/x", .local_rank = 3, .user = 1000, .pid = 77 };
static char folder[64], path[128];

/* In a folder of its own, which is the working directory too. */
static void
setup(void)
{
	strcpy(folder, "/tmp/splitpin-unit-XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(folder));
	ck_assert_int_eq(chdir(folder), 0);
	snprintf(path, sizeof(path), "%s/log", folder);
	umask(022);
}

static void
teardown(void)
{
	unlink("log");
	unlink("log.jsonl");
	unlink("other");
	ck_assert_int_eq(chdir("/"), 0);
	ck_assert_int_eq(rmdir(folder), 0);
}

static const char *
content(const char *name)
{
	static char text[8192];
	FILE *file = fopen(name, "re");

	ck_assert_ptr_nonnull(file);
	text[fread(text, 1, sizeof(text) - 1, file)] = '\0';
	fclose(file);
	return text;
}

static const struct {
	const char *pattern, *name;	/* NULL: the pattern is wrong */
} patterns[] = {
	{ "log", "log" }, { "/a b/%h.%r", "/a b/n1.3" }, { "%j", "slurm-12.0-x" }, { "%p-%u", "77-1000" },
	{ "100%%", "100%" }, { "%%h", "%h" }, { "a%", NULL }, { "%x", NULL }, { "%%%", NULL }, { "", NULL }, { "  ", NULL },
};

START_TEST(names_have_parts)
{
	char name[64];

	ck_assert_int_eq(sp_pattern_is_valid(patterns[_i].pattern), patterns[_i].name != NULL);
	if (!patterns[_i].name)
		return;
	ck_assert_int_eq(sp_pattern_fill(patterns[_i].pattern, &values, name, sizeof(name)), 0);
	ck_assert_str_eq(name, patterns[_i].name);
	ck_assert_int_eq(sp_pattern_fill(patterns[_i].pattern, &values, name, strlen(patterns[_i].name)), -ENAMETOOLONG);
}
END_TEST

/* Of the values; what the pattern itself has stays. */
START_TEST(names_have_no_odd_characters)
{
	const struct sp_pattern_values odd = { .host = "azAZ09._@+-", .job = "`{@[/:\x7f\xc3 ,*?%" };
	char name[64];

	ck_assert_int_eq(sp_pattern_fill("/*%h/%j", &odd, name, sizeof(name)), 0);
	ck_assert_str_eq(name, "/*azAZ09._@+-/--@----------");
	/* What is no part of a name stands for nothing. */
	ck_assert_int_eq(sp_pattern_fill("a%xb%", &odd, name, sizeof(name)), 0);
	ck_assert_str_eq(name, "ab");
}
END_TEST

/* However little room there is, and whichever part it ends in. */
START_TEST(no_name_leaves_its_room)
{
	const char pattern[] = "a%h/%j.%r%%";
	char whole[64];

	ck_assert_int_eq(sp_pattern_fill(pattern, &values, whole, sizeof(whole)), 0);
	for (size_t size = 1; size <= strlen(whole) + 1; size++) {
		char *name = malloc(size);

		ck_assert_int_eq(sp_pattern_fill(pattern, &values, name, size), size > strlen(whole) ? 0 : -ENAMETOOLONG);
		free(name);
	}
}
END_TEST

START_TEST(endings_of_names)
{
	static const struct { const char *name; bool is_json; } cases[] = {
		{ "/a.json", true }, { "/a.jsonl", true }, { "/a/.json", true }, { "/json", false }, { "/a.json.gz", false },
		{ "/a.jso", false }, { "/a.json/b", false }, { "/ajson", false },
	};
	static struct sp_log_file file;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		ck_assert_int_eq(sp_log_file_init(&file, cases[i].name, &values), 0);
		ck_assert_int_eq(file.as_json, cases[i].is_json);
	}
}
END_TEST

/* With the working folder in front, and the end of the text. */
START_TEST(a_name_may_be_as_long_as_paths_are)
{
	static struct sp_log_file file;
	char name[PATH_MAX] = { 0 };
	size_t room = PATH_MAX - strlen(folder) - 1;

	memset(name, 'x', room - 1);
	ck_assert_int_eq(sp_log_file_init(&file, name, &values), 0);
	ck_assert_uint_eq(strlen(file.path), PATH_MAX - 1);
	ck_assert_int_eq(strncmp(file.path, folder, strlen(folder)), 0);
	ck_assert_str_eq(file.path + strlen(folder) + 1, name);
	name[room - 1] = 'x';
	ck_assert_int_eq(sp_log_file_init(&file, name, &values), -ENAMETOOLONG);
	ck_assert_str_eq(file.path, "");
	memset(name, '/', PATH_MAX - 1);
	ck_assert_int_eq(sp_log_file_init(&file, name, &values), 0);
	ck_assert_str_eq(file.path, name);
}
END_TEST

START_TEST(the_name_counts_from_the_root)
{
	static struct sp_log_file file, whole;

	memset(file.path, 'x', sizeof(file.path));
	ck_assert_int_eq(sp_log_file_init(&file, "log.%r.jsonl", &values), 0);
	snprintf(path, sizeof(path), "%s/log.3.jsonl", folder);
	ck_assert_str_eq(file.path, path);
	ck_assert(file.as_json);
	ck_assert_int_eq(sp_log_file_init(&whole, "/x/y.json.txt", &values), 0);
	ck_assert_str_eq(whole.path, "/x/y.json.txt");
	ck_assert(!whole.as_json);
}
END_TEST

START_TEST(lines_are_appended)
{
	errno = EDOM;
	ck_assert_int_eq(sp_log_file_append(path, "one\n", 4), 0);
	ck_assert_int_eq(sp_log_file_append(path, "two\n", 4), 0);
	ck_assert_int_eq(errno, EDOM);
	ck_assert_str_eq(content("log"), "one\ntwo\n");
	ck_assert_int_eq(rename("log", "other"), 0);
	ck_assert_int_eq(sp_log_file_append(path, "three\n", 6), 0);
	ck_assert_str_eq(content("log"), "three\n");
}
END_TEST

START_TEST(only_regular_files_are_written_to)
{
	ck_assert_int_eq(sp_log_file_append("/no/where", "x\n", 2), -ENOENT);
	ck_assert_int_eq(sp_log_file_append("/dev/null", "x\n", 2), -ENXIO);
	ck_assert_int_eq(mkfifo("log", 0600), 0);
	ck_assert_int_eq(sp_log_file_append(path, "x\n", 2), -ENXIO);
	int reader = open("log", O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	ck_assert_int_eq(sp_log_file_append(path, "x\n", 2), -ENXIO);
	close(reader);
	unlink("log");
	ck_assert_int_eq(symlink("other", "log"), 0);
	ck_assert_int_eq(sp_log_file_append(path, "x\n", 2), -ELOOP);
	ck_assert_int_eq(access("other", F_OK), -1);
}
END_TEST

/* Without the care taken in log.c this test is killed by SIGXFSZ. */
START_TEST(a_file_may_not_grow)
{
	static struct sp_log_file file;
	struct rlimit limit;
	int reader = message_listen();

	ck_assert_int_eq(sp_log_file_init(&file, "log", &values), 0);
	signal(SIGXFSZ, SIG_DFL);
	getrlimit(RLIMIT_FSIZE, &limit);
	rlim_t before = limit.rlim_cur;
	limit.rlim_cur = 6;
	setrlimit(RLIMIT_FSIZE, &limit);
	sp_log_file_write(&file, "one\n", 4);
	sp_log_file_write(&file, "three\n", 6);
	char heard[256];
	snprintf(heard, sizeof(heard), "%s", message_next(reader));
	sp_log_file_write(&file, "four\n", 5);
	limit.rlim_cur = before;	/* the results of the tests are in a file, too */
	setrlimit(RLIMIT_FSIZE, &limit);
	ck_assert_ptr_nonnull(strstr(heard, "cannot write to SPLITPIN_LOG="));
	ck_assert_ptr_nonnull(strstr(heard, strerror(ENOSPC)));
	ck_assert_str_eq(message_next(reader), "");
	ck_assert_str_eq(content("log"), "one\nth");
}
END_TEST

START_TEST(faults_are_named)
{
	ck_assert_str_eq(sp_log_file_problem(-ELOOP), "it is a symbolic link");
	ck_assert_str_eq(sp_log_file_problem(-ENXIO), "it is not a regular file");
	ck_assert_str_eq(sp_log_file_problem(-EACCES), strerror(EACCES));
}
END_TEST

START_TEST(a_fault_is_reported_once)
{
	static struct sp_log_file file, quiet;
	int reader = message_listen();

	ck_assert_int_eq(sp_log_file_init(&file, "/no/%h", &values), 0);
	sp_log_file_write(&file, "x\n", 2);
	ck_assert_str_eq(message_next(reader),
		"splitpin: warning: host=n1 cannot write to SPLITPIN_LOG=/no/n1: No such file or directory; further lines are lost, the program continues\n");
	sp_log_file_write(&file, "x\n", 2);
	ck_assert_str_eq(message_next(reader), "");
	ck_assert_int_eq(sp_log_file_init(&quiet, "/no/%h", &values), 0);
	quiet.is_quiet = true;
	sp_log_file_write(&quiet, "x\n", 2);
	ck_assert_str_eq(message_next(reader), "");
}
END_TEST

static unsigned kind_of_root;	/* of its file system; 0: as it is */

/* In place of libc's, for the library too. */
int
statfs(const char *where, struct statfs *system)
{
	int error = (int)syscall(SYS_statfs, where, system);

	if (!error && kind_of_root && strcmp(where, "/") == 0)
		system->f_type = kind_of_root;
	return error;
}

/* The nearest folder that is there counts. */
START_TEST(a_fault_of_another_node_too)
{
	static const struct { unsigned kind; const char *pattern; bool is_alike, is_told; } cases[] = {
		{ 0x6969, "/no/such/%h", true, false },
		{ 0x6969, "/no/such/%h", false, true },
		{ 0, "/no/such/%h", true, true },
		{ 0x6969, "/proc/%h", true, true },
		/* not the folder's */
		{ 0x6969, "/tmp", true, true },
	};
	static struct sp_log_file file;
	int reader = message_listen();

	ck_assert_int_eq(sp_log_file_init(&file, cases[_i].pattern, &values), 0);
	file.is_alike = cases[_i].is_alike;
	kind_of_root = cases[_i].kind;
	errno = 77;
	sp_log_file_write(&file, "x\n", 2);
	ck_assert_int_eq(errno, 77);
	ck_assert_int_eq(*message_next(reader) != '\0', cases[_i].is_told);
}
END_TEST

START_TEST(faults_of_a_folder)
{
	ck_assert(sp_folder_is_at_fault(-ENOENT) && sp_folder_is_at_fault(-ENOTDIR));
	ck_assert(sp_folder_is_at_fault(-EROFS) && sp_folder_is_at_fault(-ENOSPC) && sp_folder_is_at_fault(-EDQUOT));
	ck_assert(!sp_folder_is_at_fault(-ELOOP) && !sp_folder_is_at_fault(-EACCES) && !sp_folder_is_at_fault(-EIO));
	ck_assert(!sp_folder_is_shared(""));
}
END_TEST

static const struct sp_field fields[] = {
	{ .key = "cpus", .text = "0-3" }, { .key = "n", .number = 4 },
	{ .key = "why", .text = "a \"b\" \x80 \033", .is_sentence = true },
};
static const struct sp_field flags[] = { { .key = "is", .number = 1, .is_flag = true }, { .key = "not", .is_flag = true } };

START_TEST(warnings_go_to_both)
{
	static struct sp_log_file file;
	struct sp_who who = { .host = "n1", .local_rank = 1, .local_size = 4, .log = &file };
	int reader = message_listen();

	ck_assert_int_eq(sp_log_file_init(&file, "log", &values), 0);
	sp_log_rank(&who, "x=%d", 1);
	sp_log_rank_event(&who, "pin", fields, 2);
	sp_log_rank_event(&who, "share", flags, 2);
	sp_log_node_event(&who, "row", fields, 2, "a %s", "row");
	ck_assert_str_eq(message_next(reader), "");
	sp_warn_node(&who, "it is %s", "wrong");
	ck_assert_str_eq(message_next(reader), "splitpin: warning: host=n1 it is wrong\n");
	ck_assert_str_eq(content("log"),
		"splitpin: host=n1 rank=1/4 x=1\n"
		"splitpin: host=n1 rank=1/4 cpus=0-3 n=4\n"
		"splitpin: host=n1 rank=1/4 is=yes not=no\n"
		"splitpin: host=n1 a row\n"
		"splitpin: warning: host=n1 it is wrong\n");
}
END_TEST

/* The next line behind its time, which differs. */
static const char *
behind_time(const char **lines)
{
	static char line[4096];
	size_t length = strcspn(*lines, "\n");

	snprintf(line, sizeof(line), "%.*s", (int)length, *lines);
	*lines += length + 1;
	ck_assert_int_eq(strncmp(line, "{\"time\": ", 9), 0);
	return strchr(line, ',') + 2;
}

#define BEGIN "\"host\": \"n1\", \"job\": \"slurm 12.0/x\", "

START_TEST(lines_of_json)
{
	static struct sp_log_file file;
	struct sp_who who = { .host = "n1", .local_rank = 1, .local_size = 4, .log = &file };

	message_listen();
	ck_assert_int_eq(sp_log_file_init(&file, "log.jsonl", &values), 0);
	sp_log_rank_event(&who, "pin", fields, 3);
	sp_log_node_event(&who, "row", fields, 2, "a row");
	sp_log_rank_event(&who, "share", flags, 2);
	sp_log_node_event(&who, "result", NULL, 0, "all is %s", "well");
	who.dry_run = true;
	sp_warn_rank(&who, "x");
	const char *lines = content("log.jsonl");
	ck_assert_str_eq(behind_time(&lines), BEGIN "\"rank\": 1, \"rank_count\": 4, \"event\": \"pin\", \"cpus\": \"0-3\", \"n\": 4, \"why\": \"a \\\"b\\\" \\ufffd \\u001b\"}");
	ck_assert_str_eq(behind_time(&lines), BEGIN "\"event\": \"row\", \"cpus\": \"0-3\", \"n\": 4}");
	ck_assert_str_eq(behind_time(&lines), BEGIN "\"rank\": 1, \"rank_count\": 4, \"event\": \"share\", \"is\": true, \"not\": false}");
	ck_assert_str_eq(behind_time(&lines), BEGIN "\"event\": \"result\", \"result\": \"all is well\"}");
	ck_assert_str_eq(behind_time(&lines), BEGIN "\"rank\": 1, \"rank_count\": 4, \"dry_run\": true, \"event\": \"warning\", \"warning\": \"x\"}");
}
END_TEST

START_TEST(a_record_is_a_line)
{
	static struct sp_record record;
	const struct sp_who who = { .host = "n1", .local_size = 4 };
	const struct sp_verdict verdict = { .all_came = true, .starving = 2, .idle = 3 };

	ck_assert_int_eq(sp_record_init(&record, "syslog", &values), 0);
	ck_assert_int_eq(record.to, SP_RECORD_SYSLOG);
	ck_assert_int_eq(sp_record_init(&record, path, &values), 0);
	ck_assert_int_eq(record.to, SP_RECORD_FILE);
	strcpy(record.program, "/opt/solver");
	ck_assert_int_eq(sp_record_write(&record, &who, &(struct sp_record_line){
		.event = SP_RECORD_JOB, .from = "slurm", .verdict = &verdict, .threads = 8, .crowded = 1 }), 0);
	char expected[512];
	snprintf(expected, sizeof(expected), "\"splitpin\": \"%s\", \"event\": \"job\", \"observed\": false, \"host\": \"n1\", \"uid\": %u, "
		 "\"job\": \"slurm 12.0/x\", \"launcher\": \"Slurm\", \"rank_count\": 4, \"thread_count\": 8, \"result\": \"disjoint\", \"starved\": 2, "
		 "\"idle_cores\": 3, \"ranks_not_beside\": 0, \"shares_node\": false, \"crowded\": 1, \"warnings\": 0, \"program\": \"/opt/solver\"}",
		 SP_VERSION, (unsigned)getuid());
	const char *lines = content("log");
	ck_assert_str_eq(behind_time(&lines), expected);
	ck_assert_str_eq(lines, "");
}
END_TEST

/* Of two nodes with as many ranks the first says it for both, unless the other has something else to say. */
static const struct {
	struct sp_record record;
	struct sp_record_line line;
	struct sp_verdict verdict;
	bool is_needed;
} needed[] = {
	{ { .is_first_alike = false }, { .threads = 4 }, { .all_came = true }, true },
	{ { .is_first_alike = true }, { .threads = 4 }, { .all_came = true }, false },
	{ { .is_first_alike = true }, { .threads = 4 }, { .all_came = false }, true },
	{ { .is_first_alike = true }, { .shares_node = true }, { .all_came = true }, true },
	{ { .is_first_alike = true }, { .crowded = 1 }, { .all_came = true }, true },
	{ { .is_first_alike = true }, { .threads = 4 }, { .all_came = true, .overlapping = 2 }, true },
	{ { .is_first_alike = true }, { .threads = 4 }, { .all_came = true, .starving = 2 }, true },
	{ { .is_first_alike = true, .has_first_as_many_cpus = true }, { .threads = 4 }, { .all_came = true, .starving = 2 }, false },
	{ { .is_first_alike = true, .has_first_as_many_cpus = true }, { .threads = 4 }, { .all_came = true, .sharing = 2 }, false },
	{ { .is_first_alike = true, .has_first_as_many_cpus = true }, { .threads = 4 }, { .all_came = true, .refused = 2 }, false },
};

START_TEST(one_node_records_a_job)
{
	struct sp_record_line line = needed[_i].line;

	line.event = SP_RECORD_JOB;
	line.verdict = &needed[_i].verdict;
	ck_assert_int_eq(sp_record_is_needed(&needed[_i].record, &line), needed[_i].is_needed);
	line.verdict = NULL;
	ck_assert(sp_record_is_needed(&needed[_i].record, &line));
	line.event = SP_RECORD_END;
	ck_assert_int_eq(sp_record_is_needed(&needed[_i].record, &line), !needed[_i].record.is_first_alike);
}
END_TEST

START_TEST(a_record_has_what_was_done_and_what_came_of_it)
{
	static struct sp_record record;
	const struct sp_who who = { .host = "n1", .local_size = 2 };
	const struct sp_outcome outcome = { .before_crowded = 2, .before_idle = 3, .action = "divided", .why = "x" };

	ck_assert_int_eq(sp_record_init(&record, path, &values), 0);
	ck_assert_int_eq(sp_record_write(&record, &who, &(struct sp_record_line){
		.event = SP_RECORD_JOB, .from = "slurm", .outcome = &outcome, .is_observed = true }), 0);
	ck_assert_int_eq(sp_record_write(&record, &who, &(struct sp_record_line){
		.event = SP_RECORD_END, .from = "slurm", .duration_s = 61, .waited = 48, .warnings = 1 }), 0);
	const char *text = content("log");
	ck_assert_ptr_nonnull(strstr(text, "\"observed\": true, "));
	ck_assert_ptr_nonnull(strstr(text, "\"before_crowded\": 2, \"before_idle_cores\": 3, \"action\": \"divided\", \"why\": \"x\", \"after_crowded\": 0, "));
	ck_assert_ptr_nonnull(strstr(text, "\"duration_s\": 61, \"waited_percent\": 48, \"crowded\": 0, \"warnings\": 1, "));
}
END_TEST

START_TEST(warnings_are_counted_and_may_be_silent)
{
	_Atomic uint32_t warnings = 0;
	struct sp_who who = { .host = "n1", .local_size = 2, .warnings = &warnings, .is_silent = true };
	int saved = dup(STDERR_FILENO), file = open("other", O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

	dup2(file, STDERR_FILENO);
	sp_warn_node(&who, "x");
	sp_warn_rank(&who, "x");
	off_t silent = lseek(file, 0, SEEK_END);
	who.is_silent = false;
	sp_warn_node(&who, "x");
	off_t said = lseek(file, 0, SEEK_END);
	dup2(saved, STDERR_FILENO);
	close(saved);
	close(file);
	ck_assert_uint_eq(warnings, 3);
	ck_assert_int_eq(silent, 0);
	ck_assert_int_gt(said, 0);
}
END_TEST

START_TEST(a_record_has_no_lines_of_the_users)
{
	static struct sp_record record;
	const struct sp_who who = { .host = "n1", .local_size = 1 };

	ck_assert_int_eq(sp_record_init(&record, path, &(struct sp_pattern_values){ .host = "n1", .job = "a\"}\n{" }), 0);
	strcpy(record.program, "/tmp/\"\\\n\xff");
	ck_assert_int_eq(sp_record_write(&record, &who, &(struct sp_record_line){ .event = SP_RECORD_JOB, .from = "slurm" }), 0);
	const char *text = content("log");
	ck_assert_ptr_nonnull(strstr(text, "\"job\": \"a\\\"}\\u000a{\""));
	ck_assert_ptr_nonnull(strstr(text, "\"program\": \"/tmp/\\\"\\\\\\u000a\\ufffd\"}"));
	ck_assert_ptr_eq(strchr(text, '\n'), text + strlen(text) - 1);
}
END_TEST

static mode_t
mode_of(const char *name)
{
	struct stat file;

	ck_assert_int_eq(stat(name, &file), 0);
	return file.st_mode & 07777;
}

START_TEST(a_file_of_the_users_own)
{
	umask(0);
	ck_assert_int_eq(sp_log_file_append_own(path, "x\n", 2), 0);
	ck_assert_uint_eq(mode_of(path), 0600);
	ck_assert_int_eq(sp_log_file_append_own(path, "y\n", 2), 0);
	ck_assert_str_eq(content("log"), "x\ny\n");
	/* With rights for others. */
	for (mode_t bit = S_IXOTH; bit <= S_IRGRP; bit <<= 1) {
		ck_assert_int_eq(chmod(path, 0600 | bit), 0);
		ck_assert_int_eq(sp_log_file_append_own(path, "z\n", 2), -ENOTUNIQ);
	}
	ck_assert_int_eq(chmod(path, 0600), 0);
	/* By a second name, or a link. */
	ck_assert_int_eq(link("log", "second"), 0);
	ck_assert_int_eq(sp_log_file_append_own("second", "z\n", 2), -ENOTUNIQ);
	ck_assert_int_eq(unlink("second"), 0);
	ck_assert_int_eq(symlink("log", "second"), 0);
	ck_assert_int_eq(sp_log_file_append_own("second", "z\n", 2), -ELOOP);
	/* A FIFO that is read. */
	ck_assert_int_eq(mkfifo("fifo", 0600), 0);
	int reader = open("fifo", O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	ck_assert_int_eq(sp_log_file_append_own("fifo", "z\n", 2), -ENXIO);
	close(reader);
	ck_assert_int_eq(unlink("second") | unlink("fifo"), 0);
	ck_assert_str_eq(content("log"), "x\ny\n");
}
END_TEST

/* The daemon's socket, in a /dev of the test's own. */
START_TEST(a_record_may_go_to_the_system)
{
	static struct sp_record record;
	const struct sp_who who = { .host = "n1", .local_size = 4 };
	const struct sp_verdict verdict = { .all_came = true };
	const struct sockaddr_un address = { .sun_family = AF_UNIX, .sun_path = "/dev/log" };
	char heard[4096], begin[64];

	if (!shm_of_own(NULL))
		return;
	ck_assert_int_eq(mount("tmpfs", "/dev", "tmpfs", 0, NULL), 0);
	ck_assert_int_eq(sp_record_init(&record, "syslog", &values), 0);
	ck_assert_int_eq(sp_record_write(&record, &who, &(struct sp_record_line){ .event = SP_RECORD_JOB, .from = "slurm", .verdict = &verdict }), -ENOENT);
	int daemon = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0), lowest = dup(daemon);
	close(lowest);
	ck_assert_int_eq(bind(daemon, (const struct sockaddr *)&address, sizeof(address)), 0);
	struct rlimit before, none;
	ck_assert_int_eq(getrlimit(RLIMIT_NOFILE, &before), 0);
	none = (struct rlimit){ 0, before.rlim_max };
	/* The library of the tests writes a file at each assertion. */
	int limit_set = setrlimit(RLIMIT_NOFILE, &none);
	int error = sp_record_write(&record, &who, &(struct sp_record_line){ .event = SP_RECORD_JOB, .from = "slurm", .verdict = &verdict });
	setrlimit(RLIMIT_NOFILE, &before);
	ck_assert_int_eq(limit_set, 0);
	ck_assert_int_eq(error, -EMFILE);
	errno = EDOM;
	ck_assert_int_eq(sp_record_write(&record, &who, &(struct sp_record_line){ .event = SP_RECORD_JOB, .from = "slurm", .verdict = &verdict }), 0);
	ck_assert_int_eq(errno, EDOM);
	ssize_t n = recv(daemon, heard, sizeof(heard) - 1, MSG_DONTWAIT);
	ck_assert_int_gt(n, 0);
	heard[n] = '\0';
	snprintf(begin, sizeof(begin), "<14>splitpin[%d]: {\"time\": ", (int)getpid());
	ck_assert_msg(strncmp(heard, begin, strlen(begin)) == 0, "%s", heard);
	ck_assert_ptr_nonnull(strstr(heard, "\"result\": \"disjoint\""));
	ck_assert_int_eq(heard[n - 1], '}');
	/* The longest paths there are do not fit, which is no fault. */
	memset(record.program, 'p', sizeof(record.program) - 1);
	ck_assert_int_eq(sp_record_write(&record, &who, &(struct sp_record_line){ .event = SP_RECORD_JOB, .from = "slurm", .verdict = &verdict }), 0);
	ck_assert_int_gt(recv(daemon, heard, sizeof(heard), MSG_DONTWAIT), 4000);
	/* Nor is a daemon waited for. */
	do
		error = sp_record_write(&record, &who, &(struct sp_record_line){ .event = SP_RECORD_JOB, .from = "slurm", .verdict = &verdict });
	while (!error);
	ck_assert_int_eq(error, -EAGAIN);
	/* Neither has kept a descriptor. */
	int next = dup(daemon);
	ck_assert_int_eq(next, lowest);
	close(next);
	close(daemon);
	ck_assert_int_eq(umount2("/dev", MNT_DETACH), 0);
}
END_TEST

START_TEST(verdicts_have_a_word)
{
	ck_assert_str_eq(sp_record_verdict(&(struct sp_verdict){ .all_came = true }), "disjoint");
	ck_assert_str_eq(sp_record_verdict(&(struct sp_verdict){ .all_came = true, .overlapping = 2 }), "overlap");
	ck_assert_str_eq(sp_record_verdict(&(struct sp_verdict){ .all_came = true, .refused = 2 }), "refused");
	ck_assert_str_eq(sp_record_verdict(&(struct sp_verdict){ .all_came = true, .sharing = 2 }), "shared");
	ck_assert_str_eq(sp_record_verdict(&(struct sp_verdict){ .ranks = 1 }), "incomplete");
}
END_TEST

Suite *
suite_log_file(void)
{
	Suite *suite = suite_create("log_file");
	TCase *tcase = tcase_create("facts");

	tcase_add_checked_fixture(tcase, setup, teardown);
	tcase_add_loop_test(tcase, names_have_parts, 0, sizeof(patterns) / sizeof(patterns[0]));
	tcase_add_test(tcase, the_name_counts_from_the_root);
	tcase_add_test(tcase, names_have_no_odd_characters);
	tcase_add_test(tcase, no_name_leaves_its_room);
	tcase_add_test(tcase, endings_of_names);
	tcase_add_test(tcase, a_name_may_be_as_long_as_paths_are);
	tcase_add_test(tcase, lines_are_appended);
	tcase_add_test(tcase, only_regular_files_are_written_to);
	tcase_add_test(tcase, a_file_may_not_grow);
	tcase_add_test(tcase, faults_are_named);
	tcase_add_test(tcase, a_fault_is_reported_once);
	tcase_add_loop_test(tcase, a_fault_of_another_node_too, 0, 5);
	tcase_add_test(tcase, faults_of_a_folder);
	tcase_add_test(tcase, warnings_go_to_both);
	tcase_add_test(tcase, lines_of_json);
	tcase_add_test(tcase, a_record_is_a_line);
	tcase_add_loop_test(tcase, one_node_records_a_job, 0, sizeof(needed) / sizeof(needed[0]));
	tcase_add_test(tcase, a_record_has_what_was_done_and_what_came_of_it);
	tcase_add_test(tcase, warnings_are_counted_and_may_be_silent);
	tcase_add_test(tcase, a_record_has_no_lines_of_the_users);
	tcase_add_test(tcase, a_file_of_the_users_own);
	tcase_add_test(tcase, a_record_may_go_to_the_system);
	tcase_add_test(tcase, verdicts_have_a_word);
	suite_add_tcase(suite, tcase);
	return suite;
}
