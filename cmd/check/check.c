/* splitpin check: looks at one thing after the other and prints what is wrong. */
#include "cmd/check/check.h"

#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/pin.h"
#include "cmd/cmd.h"

#define NESTED 5		/* scripts that the kernel runs by each other */

enum { OPTION_FORMAT = 256 };

static const struct option options[] = {
	{ "format", required_argument, NULL, OPTION_FORMAT },
	{ "help", no_argument, NULL, 'h' },
	{ NULL, 0, NULL, 0 }
};

struct request {
	const char *program;
	void (*print)(const struct check *check);
};

static const struct check_row *const tables[] = {
	check_rank_rows, check_library_rows, check_node_rows, check_openmp_rows, check_shm_rows,
};

#define NTABLES (sizeof(tables) / sizeof(tables[0]))

static void
print_rows(const struct check_row *row)
{
	for (; row->id; row++)
		printf("  %-20s %s\n", row->id, row->what);
}

static int
print_help(void)
{
	fputs("usage: splitpin check [PROGRAM] [--format text|json]\n"
	      "\n"
	      "Report what is wrong on this node and in this environment, and what to do about it.\n"
	      "With PROGRAM also what would go wrong in that; it is not run.\n"
	      "\n"
	      "      --format FORMAT  text or json (default: text)\n"
	      "  -h, --help           this text\n"
	      "\n"
	      "The exit status is 1 if something is wrong.  The checks are:\n", stdout);
	for (size_t i = 0; i < NTABLES; i++)
		print_rows(tables[i]);
	fputs("and in a program:\n", stdout);
	print_rows(check_program_rows);
	return cmd_close_output();
}

static int
parse_format(const char *text, struct request *request)
{
	bool as_json;
	int status = cmd_text_or_json(text, &as_json);

	request->print = as_json ? check_print_json : check_print_text;
	return status;
}

/* Returns 0, a status, or -1: help was asked for. */
static int
parse_options(int argc, char *argv[], struct request *request)
{
	int option, status = 0;

	opterr = 0;
	optind = 1;
	while (!status && (option = getopt_long(argc, argv, ":h", options, NULL)) != -1) {
		if (option == 'h')
			return -1;
		if (option == '?' || option == ':')
			return cmd_wrong_option(argv, option, "check");
		status = parse_format(optarg, request);
	}
	if (!status && argc - optind > 1) {
		cmd_complain("%s: splitpin check takes one program, without its arguments", argv[optind + 1]);
		return CMD_USAGE;
	}
	request->program = argv[optind];
	return status;
}

/* As a shell finds it; the caller's, to free(). */
static char *
find_program(const char *name)
{
	return strchr(name, '/') ? cmd_format("%s", name) : cmd_look_up(name);
}

/* The first line of a script without its line feed; the caller's, or NULL: not a script. */
static char *
script_line(const char *path)
{
	char start[4096];
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	ssize_t n = fd >= 0 ? read(fd, start, sizeof(start) - 1) : -1;

	if (fd >= 0)
		close(fd);
	if (n < 2 || memcmp(start, "#!", 2) != 0)
		return NULL;
	start[n] = '\0';
	return cmd_format("%.*s", (int)strcspn(start, "\n"), start);
}

/* The program after "env": skips -S and NAME=VALUE. */
static char *
word_behind_env(char **rest)
{
	char *word;

	do
		word = strtok_r(NULL, " \t", rest);
	while (word && (strcmp(word, "-S") == 0 || strchr(word, '=')));
	return word;
}

/* "#!/usr/bin/env python3": the program that a script names; the caller's, or NULL: not a script. */
static char *
interpreter_of(const char *path)
{
	char *line = script_line(path), *rest;
	char *word = line ? strtok_r(line + 2, " \t", &rest) : NULL, *program = NULL;

	if (word) {
		const char *slash = strrchr(word, '/');
		char *second = slash && strcmp(slash, "/env") == 0 ? word_behind_env(&rest) : NULL;

		program = second ? find_program(second) : NULL;
		if (!program)
			program = cmd_format("%s", second ? second : word);
	}
	free(line);
	return program;
}

/* The executable that the kernel runs in the end, as a script's interpreter may be a script.  Takes over path; the result is the caller's. */
static char *
program_of(char *path)
{
	char *interpreter;

	for (int i = 0; i < NESTED && (interpreter = interpreter_of(path)); i++) {
		free(path);
		path = interpreter;
	}
	return path;
}

/* Returns 0, or CMD_USAGE after a message. */
static int
open_program(struct check *check, const char *name)
{
	char *found = find_program(name), *path = found ? program_of(cmd_format("%s", found)) : NULL;
	int error = path ? elf_file_open(path, &check->elf) : -ENOENT;
	bool is_script = path && strcmp(found, path) != 0;

	free(found);
	if (error) {
		cmd_complain("%s%s%s: %s", name, is_script ? ", a script for " : "", is_script ? path : "",
			     error == -ENOENT ? "there is no such program" :
			     error == -ENOEXEC ? "it is neither a program nor a script" : strerror(-error));
		free(path);
		return CMD_USAGE;
	}
	check->program = path;
	if (check->elf.is_native && check->elf.interpreter)
		check->nobjects = loader_objects(path, NULL, &check->object);
	return 0;
}

static void
look(struct check *check, const struct check_row *rows)
{
	for (check->row = rows; check->row->id; check->row++) {
		check->row->look(check);
		check->looked++;
	}
}

static void
find_out(struct check *check)
{
	if (sp_pin_get(0, &check->mask) != 0 || sp_pin_allowed(&check->allowed) != 0)
		check->allowed = check->mask;
	check->is_rank = sp_launcher_rank(environ, &check->rank) == 0;
	sp_omp_env_read(&check->omp_env, environ);
	check->library = check_find_library();
	sp_settings_read(&check->settings, environ, check->program, NULL, NULL);
}

static void
release(struct check *check)
{
	check_release_findings(check);
	free(check->library);
	free((char *)check->program);
	loader_release(check->object, check->nobjects);
	elf_file_release(&check->elf);
	sp_settings_release(&check->settings);
}

static int
run(const struct request *request)
{
	struct check check = { .looked = 0 };
	int status = request->program ? open_program(&check, request->program) : 0;

	if (!status) {
		find_out(&check);
		for (size_t i = 0; i < NTABLES; i++)
			look(&check, tables[i]);
		if (check.program)
			look(&check, check_program_rows);
		request->print(&check);
		status = cmd_close_output() || check.nfindings ? EXIT_FAILURE : EXIT_SUCCESS;
	}
	release(&check);
	return status;
}

int
cmd_check(int argc, char *argv[])
{
	struct request request = { .print = check_print_text };
	int status = parse_options(argc, argv, &request);

	return status < 0 ? print_help() : status ? status : run(&request);
}
