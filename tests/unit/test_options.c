/* Facts about the program behind a launcher's options. */
#include <check.h>
#include <stdio.h>
#include <string.h>

#include "launcher/known/known.h"
#include "launcher/options.h"
#include "suites.h"

#define WORDS 12

static const struct row {
	const struct sp_syntax *syntax;
	const char *words[WORDS];
	const char *program;	/* NULL: none */
} rows[] = {
	{ &sp_syntax_openmpi, { "mpirun", "-n", "2", "./a", "-n", "3" }, "./a" },
	{ &sp_syntax_openmpi, { "mpirun", "--mca", "btl", "self", "--bind-to", "none", "a", "b" }, "a" },
	{ &sp_syntax_openmpi, { "mpirun", "-n", "1", "a", ":", "-n", "2", "b" }, "a" },
	{ &sp_syntax_openmpi, { "mpirun", "-n", "1", ":", "-n", "2", "b" }, "b" },
	{ &sp_syntax_openmpi, { "mpirun", "-n", "1", "--", "a" }, "a" },
	{ &sp_syntax_openmpi, { "mpirun", "--version" }, NULL },
	{ &sp_syntax_openmpi, { "mpirun", "-n", "1", "--" }, NULL },
	{ &sp_syntax_openmpi, { "mpirun", "-n", "1", "-", "a" }, "-" },
	{ &sp_syntax_openmpi, { "mpirun", "-n", "1", "a-b", "c" }, "a-b" },
	{ &sp_syntax_openmpi, { "mpirun" }, NULL },
	{ &sp_syntax_hydra, { "mpiexec", "-genv", "A", "b", "-n", "2", "a" }, "a" },
	{ &sp_syntax_hydra, { "mpiexec", "-genv", "A=b", "-n", "2", "a" }, "a" },
	{ &sp_syntax_srun, { "srun", "-n2", "--cpu-bind=none", "-lc", "4", "a", "--cpu-bind=cores" }, "a" },
};

START_TEST(the_program_is_found)
{
	const struct row *row = &rows[_i];
	char arguments[256];
	size_t length = 0;
	struct sp_options options;
	struct sp_option option;

	memset(arguments, 'x', sizeof(arguments));
	for (int i = 0; i < WORDS && row->words[i]; i++) {
		size_t n = strlen(row->words[i]) + 1;

		memcpy(arguments + length, row->words[i], n);
		length += n;
	}
	sp_options_begin(&options, row->syntax, arguments, length);
	while (sp_options_next(&options, &option))
		;
	if (row->program)
		ck_assert_str_eq(options.program, row->program);
	else
		ck_assert_ptr_null(options.program);
}
END_TEST

static const struct line {
	const struct sp_syntax *syntax;
	const char *words[WORDS];
	const char *options;	/* each with its values */
	bool is_incomplete;
} lines[] = {
	{ &sp_syntax_openmpi, { "mpirun", "-n", "2", "-x", "A=1", "-gmca", "x", "y", "--report-bindings", "a" },
	  "n:2 x:A=1 gmca:x,y report-bindings ", false },
	{ &sp_syntax_openmpi, { "mpirun", "--bind-to=core", "--mca=btl", "self", "a" }, "bind-to:core mca:btl,self ", false },
	{ &sp_syntax_openmpi, { "mpirun", "-n", "1", "a", ":", "--bind-to", "none", "b" }, "n:1 bind-to:none ", false },
	{ &sp_syntax_openmpi, { "mpirun", "--unheard-of", "2", "-n", "1", "a" }, "unheard-of ", true },
	{ &sp_syntax_openmpi, { "mpirun", "--unheard-of", "-n", "1", "a" }, "unheard-of n:1 ", false },
	{ &sp_syntax_openmpi, { "mpirun", "--unheard-of" }, "unheard-of ", false },
	{ &sp_syntax_openmpi, { "mpirun", "--am", "f", "a" }, "am:f ", true },
	{ &sp_syntax_openmpi, { "mpiexec", "-configfile=f" }, "configfile:f ", true },
	{ &sp_syntax_openmpi, { "mpirun", "-n" }, "n ", false },
	{ &sp_syntax_openmpi, { "mpirun", "-H", "h", "--mca", "a=b", "c", "--xterm", "0", "a" }, "H:h mca:a=b,c xterm:0 ", false },
	{ &sp_syntax_hydra, { "mpiexec", "-aps", "-pmi_args", "1=2", "3", "4", "5", "-wdir", "/", "a" }, "aps pmi_args:1=2,3 wdir:/ ", false },
	{ &sp_syntax_hydra, { "mpiexec", "-unheard-of", "2", "-n", "1", "a" }, "unheard-of ", true },
	{ &sp_syntax_hydra, { "mpiexec", "-n", "2", "-env", "A", "1", "-bind-to", "core:2", "a", "-x" },
	  "n:2 env:A,1 bind-to:core:2 ", false },
	{ &sp_syntax_srun, { "srun", "-n4", "-c", "2", "-lun", "8", "-u", "--cpu-bind=none", "--exclusive", "a" },
	  "n:4 c:2 n:8 u cpu-bind:none exclusive ", false },
	{ &sp_syntax_srun, { "srun", "--async", "--x11", "-n2", "a" }, "async x11 n:2 ", false },
	{ &sp_syntax_srun, { "srun", "--mpi", "pmix", "-N1", "a", ":", "-n", "2", "b" }, "mpi:pmix N:1 n:2 ", false },
};

START_TEST(options_have_their_values)
{
	const struct line *line = &lines[_i];
	char arguments[256], found[128] = "";
	size_t length = 0;
	struct sp_options options;
	struct sp_option option;

	memset(arguments, 'x', sizeof(arguments));
	for (int i = 0; i < WORDS && line->words[i]; i++)
		length += (size_t)snprintf(arguments + length, sizeof(arguments) - length, "%s", line->words[i]) + 1;
	sp_options_begin(&options, line->syntax, arguments, length);
	while (sp_options_next(&options, &option)) {
		size_t n = strlen(found);

		snprintf(found + n, sizeof(found) - n, "%.*s%s%s%s%s ", (int)option.length, option.name,
			 option.value ? ":" : "", option.value ? option.value : "",
			 option.second ? "," : "", option.second ? option.second : "");
	}
	ck_assert_str_eq(found, line->options);
	ck_assert_int_eq(options.is_incomplete, line->is_incomplete);
}
END_TEST

/* As a process may have written over them. */
START_TEST(arguments_that_do_not_end)
{
	static const char text[] = "\0mpirun\0-n";
	struct sp_options options;
	struct sp_option option;

	sp_options_begin(&options, &sp_syntax_openmpi, text + 1, sizeof(text) - 2);
	ck_assert(options.is_incomplete);
	ck_assert(!sp_options_next(&options, &option));
	sp_options_begin(&options, &sp_syntax_openmpi, text + 1, 0);
	ck_assert(options.is_incomplete);
	/* One word, which is empty. */
	sp_options_begin(&options, &sp_syntax_openmpi, text, 1);
	ck_assert(!options.is_incomplete);
}
END_TEST

START_TEST(a_command_is_read_as_its_launcher)
{
	ck_assert_ptr_eq(sp_syntax_of("mpirun", SP_LAUNCHER_OPENMPI), &sp_syntax_openmpi);
	ck_assert_ptr_eq(sp_syntax_of("mpiexec", SP_LAUNCHER_HYDRA), &sp_syntax_hydra);
	ck_assert_ptr_eq(sp_syntax_of("prterun", SP_LAUNCHER_PMIX), &sp_syntax_openmpi);
	ck_assert_ptr_eq(sp_syntax_of("srun", SP_LAUNCHER_SLURM), &sp_syntax_srun);
	/* srun started mpirun's daemons; mpirun started srun. */
	ck_assert_ptr_eq(sp_syntax_of("srun", SP_LAUNCHER_OPENMPI), &sp_syntax_srun);
	ck_assert_ptr_eq(sp_syntax_of("mpirun", SP_LAUNCHER_SLURM), &sp_syntax_hydra);
	ck_assert_ptr_eq(sp_syntax_of("mpirun_rsh", SP_LAUNCHER_MVAPICH2), &sp_syntax_hydra);
	ck_assert_ptr_eq(sp_syntax_of("mpirun", SP_LAUNCHERS), &sp_syntax_hydra);
}
END_TEST

Suite *
suite_options(void)
{
	Suite *suite = suite_create("options");
	TCase *cases = tcase_create("program");

	tcase_add_loop_test(cases, the_program_is_found, 0, sizeof(rows) / sizeof(rows[0]));
	tcase_add_loop_test(cases, options_have_their_values, 0, sizeof(lines) / sizeof(lines[0]));
	tcase_add_test(cases, arguments_that_do_not_end);
	tcase_add_test(cases, a_command_is_read_as_its_launcher);
	suite_add_tcase(suite, cases);
	return suite;
}
