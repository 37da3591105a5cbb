/* Facts about what a launcher is to be asked for. */
#include <check.h>
#include <string.h>

#include "launcher/remedy.h"
#include "launcher/launchers.h"
#include "suites.h"

static const struct {
	const char *from, *text;
	const char *for_all;	/* where no number fits all ranks; NULL: the same */
} remedies[] = {
	{ "openmpi", "use mpirun --bind-to none instead, or --map-by slot:PE=8", "use mpirun --bind-to none instead" },
	{ "pmix", "use prterun --bind-to none instead, or --map-by slot:PE=8", "use prterun --bind-to none instead" },
	{ "hydra", "use mpiexec -bind-to none instead, or -bind-to core:8", "use mpiexec -bind-to none instead" },
	{ "intel", "set I_MPI_PIN_CELL=core and I_MPI_PIN_DOMAIN=8 instead, or I_MPI_PIN=0", "set I_MPI_PIN=0 instead" },
	{ "mvapich2", "set MV2_ENABLE_AFFINITY=0", NULL },
	{ "slurm", "use srun -c 8 --hint=nomultithread and no --cpu-bind", "use srun --cpu-bind=none" },
	{ "flux", "use flux run -c 8, or -o cpu-affinity=off", "use flux run -o cpu-affinity=off" },
	{ "pals", "use mpiexec --depth=8 --cpu-bind depth, or --cpu-bind none", "use mpiexec --cpu-bind none" },
	{ "torchrun", "start torchrun without --numa-binding", NULL },
	{ "deepspeed", "start deepspeed without --bind_cores_to_rank", NULL },
	/* What binds nobody has no words of its own. */
	{ "user", "set SPLITPIN_INHERITED=ignore", NULL },
	{ "alone", "set SPLITPIN_INHERITED=ignore", NULL },
	{ "gforker", "set SPLITPIN_INHERITED=ignore", NULL },
	{ "", "set SPLITPIN_INHERITED=ignore", NULL },
	{ "openmpi4", "set SPLITPIN_INHERITED=ignore", NULL },
	/* What the launcher has started bound it. */
	{ NULL, "start the program without that binding, or set SPLITPIN_INHERITED=ignore", NULL },
};
#define REMEDIES (sizeof(remedies) / sizeof(remedies[0]))

START_TEST(every_launcher_has_its_own_words)
{
	char text[160];

	ck_assert_ptr_eq(sp_launcher_remedy(remedies[_i].from, 8, text, sizeof(text)), text);
	ck_assert_str_eq(text, remedies[_i].text);
	sp_launcher_remedy(remedies[_i].from, 0, text, sizeof(text));
	ck_assert_str_eq(text, remedies[_i].for_all ? remedies[_i].for_all : remedies[_i].text);
}
END_TEST

/* A launcher that comes to the table is to get a remedy, or a line above. */
START_TEST(every_row_of_the_table_is_known_here)
{
	for (int i = 0; i < SP_LAUNCHERS; i++) {
		size_t k = 0;

		while (k < REMEDIES && (!remedies[k].from || strcmp(remedies[k].from, sp_launcher_row[i].name) != 0))
			k++;
		ck_assert_msg(k < REMEDIES, "%s", sp_launcher_row[i].name);
	}
}
END_TEST

START_TEST(a_small_buffer_is_not_overrun)
{
	char text[8] = "xxxxxxx";

	sp_launcher_remedy("slurm", 8, text, 4);
	ck_assert_str_eq(text, "use");
	ck_assert_int_eq(text[4], 'x');
}
END_TEST

Suite *
suite_remedy(void)
{
	Suite *suite = suite_create("remedy");
	TCase *facts = tcase_create("facts");

	tcase_add_loop_test(facts, every_launcher_has_its_own_words, 0, REMEDIES);
	tcase_add_test(facts, every_row_of_the_table_is_known_here);
	tcase_add_test(facts, a_small_buffer_is_not_overrun);
	suite_add_tcase(suite, facts);
	return suite;
}
