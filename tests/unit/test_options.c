/* Facts about the program behind a launcher's options. */
#include <check.h>
#include <string.h>

#include "launcher/options.h"
#include "suites.h"

#define WORDS 12

static const struct row {
	enum sp_syntax syntax;
	const char *words[WORDS];
	const char *program;	/* NULL: none */
} rows[] = {
	{ SP_SYNTAX_OPENMPI, { "mpirun", "-n", "2", "./a", "-n", "3" }, "./a" },
	{ SP_SYNTAX_OPENMPI, { "mpirun", "--mca", "btl", "self", "--bind-to", "none", "a", "b" }, "a" },
	{ SP_SYNTAX_OPENMPI, { "mpirun", "-n", "1", "a", ":", "-n", "2", "b" }, "a" },
	{ SP_SYNTAX_OPENMPI, { "mpirun", "-n", "1", "--", "a" }, "a" },
	{ SP_SYNTAX_OPENMPI, { "mpirun", "--version" }, NULL },
	{ SP_SYNTAX_OPENMPI, { "mpirun", "-n", "1", "--" }, NULL },
	{ SP_SYNTAX_OPENMPI, { "mpirun" }, NULL },
	{ SP_SYNTAX_HYDRA, { "mpiexec", "-genv", "A", "b", "-n", "2", "a" }, "a" },
	{ SP_SYNTAX_HYDRA, { "mpiexec", "-genv", "A=b", "-n", "2", "a" }, "a" },
	{ SP_SYNTAX_SRUN, { "srun", "-n2", "--cpu-bind=none", "-lc", "4", "a", "--cpu-bind=cores" }, "a" },
};

START_TEST(the_program_is_found)
{
	const struct row *row = &rows[_i];
	char arguments[256];
	size_t length = 0;
	struct sp_options options;
	struct sp_option option;

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

Suite *
suite_options(void)
{
	Suite *suite = suite_create("options");
	TCase *cases = tcase_create("program");

	tcase_add_loop_test(cases, the_program_is_found, 0, sizeof(rows) / sizeof(rows[0]));
	suite_add_tcase(suite, cases);
	return suite;
}
