/* What a launch line of several programs says that each rank needs. */
#include <check.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "launcher/known/known.h"
#include "launcher/launch_line.h"
#include "node/guess_needs.h"
#include "suites.h"

#define RANKS_MAX 8
#define OWN 5			/* threads of the rank that asks, and of all of which nothing else is known */

static const struct fact {
	const char *what, *from;
	const char *own, *launchers;	/* a variable of the rank, of the launcher; NULL: none */
	const char *line;
	uint32_t nranks, need[RANKS_MAX];
} facts[] = {
	{ "Open MPI's -x counts for its program", "openmpi", NULL, NULL, "mpirun -n 2 -x OMP_NUM_THREADS=2 ./a : -n 1 -x OMP_NUM_THREADS=8 ./b", 3, { 2, 2, 8 } },
	{ "but under PRRTE for others that have none", "openmpi", "PRTE_LAUNCHED=1", NULL, "mpirun -n 1 -x OMP_NUM_THREADS=2 ./a : -n 2 ./b", 3, { 2, 2, 2 } },
	{ "not so under Open MPI 4", "openmpi", NULL, NULL, "mpirun -n 1 -x OMP_NUM_THREADS=2 ./a : -n 2 ./b", 3, { 2, 0, 0 } },
	{ "a list of variables counts for all", "openmpi", NULL, NULL, "mpirun -n 1 --mca mca_base_env_list OMP_NUM_THREADS=3;A ./a : -n 1 ./b", 2, { 3, 3 } },
	{ "Open MPI's -c is a number of ranks", "openmpi", NULL, "OMP_NUM_THREADS=4", "mpirun -c 2 ./a : -c 1 -x OMP_NUM_THREADS=2 ./b", 3, { 4, 4, 2 } },
	{ "hydra's -genv counts for all", "hydra", NULL, NULL, "mpiexec -genv OMP_NUM_THREADS 4 -n 1 ./a : -n 2 ./b", 3, { 4, 4, 4 } },
	{ "wherever it stands", "intel", NULL, NULL, "mpiexec -n 1 ./a : -genv OMP_NUM_THREADS=4 -n 2 ./b", 3, { 4, 4, 4 } },
	{ "unless a program has its own", "hydra", NULL, NULL, "mpiexec -genv OMP_NUM_THREADS 4 -n 1 -env OMP_NUM_THREADS 2 ./a : -n 2 ./b", 3, { 2, 4, 4 } },
	{ "srun's -c is CPUs of a task", "slurm", NULL, NULL, "srun -c 4 -n 1 --export=ALL,OMP_NUM_THREADS=4 ./a : -c 2 -n2 --export=OMP_NUM_THREADS=2 ./b", 3, { 4, 2, 2 } },
	{ "a part that does not say has one rank", "openmpi", NULL, "OMP_NUM_THREADS=4", "mpirun ./a : -n 2 -x OMP_NUM_THREADS=2 ./b", 3, { 4, 2, 2 } },
	{ "a program's options are not the launcher's", "openmpi", NULL, "OMP_NUM_THREADS=4", "mpirun ./a -n 7 : -n 2 -x OMP_NUM_THREADS=2 ./b -n 9", 3, { 4, 2, 2 } },
	{ "env gives a program its variables", "hydra", NULL, NULL, "mpiexec -n 1 env OMP_NUM_THREADS=2 ./a : -n 1 time env A=B OMP_NUM_THREADS=3 ./b", 2, { 2, 3 } },
	{ "a launcher may be a script", "intel", NULL, "OMP_NUM_THREADS=4", "/bin/bash /opt/bin/mpirun -n 2 ./a : -n 1 -env OMP_NUM_THREADS 2 ./b", 3, { 4, 4, 2 } },
	{ "a name alone is handed on", "openmpi", NULL, "OMP_NUM_THREADS=4", "mpirun -n 1 -x OMP_NUM_THREADS ./a : -n 1 ./b", 2, { 4, 4 } },
	{ "one program: as the rank that asks", "openmpi", NULL, NULL, "mpirun -n 3 -x OMP_NUM_THREADS=2 ./a", 3, { OWN, OWN, OWN } },
	{ "ranks of other nodes", "openmpi", NULL, NULL, "mpirun -n 2 -x OMP_NUM_THREADS=2 ./a : -n 2 ./b", 3, { OWN, OWN, OWN } },
	{ "more than there can be", "openmpi", NULL, NULL, "mpirun -n 4294967295 -x OMP_NUM_THREADS=2 ./a : -n 4294967295 ./b", 2, { OWN, OWN } },
	{ "programs in a file", "slurm", NULL, NULL, "srun -n 2 --multi-prog file : -n 1 --export=OMP_NUM_THREADS=2 ./b", 3, { OWN, OWN, OWN } },
	{ "likewise", "hydra", NULL, NULL, "mpiexec -configfile file : -n 2 -env OMP_NUM_THREADS 2 ./b", 3, { OWN, OWN, OWN } },
	{ "of an mpirun that started torchrun", "torchrun", NULL, "OMP_NUM_THREADS=4", "mpirun --app file : -n 2 ./b", 3, { OWN, OWN, OWN } },
	{ "of hydra's mpiexec in a rank of Open MPI's", "user", "OMPI_COMM_WORLD_LOCAL_RANK=0", "OMP_NUM_THREADS=4", "mpiexec -configfile file : -n 2 ./b", 3, { OWN, OWN, OWN } },
	{ "two programs behind a daemon", "hydra", NULL, NULL, "hydra_pmi_proxy -n 1 -env OMP_NUM_THREADS 2 ./a : -n 1 ./b", 2, { OWN, OWN } },
};

/* Blanks part words. */
static size_t
words_of(const char *text, char line[256])
{
	size_t length = (size_t)snprintf(line, 256, "%s", text) + 1;

	for (size_t i = 0; i < length; i++)
		line[i] = line[i] == ' ' ? '\0' : line[i];
	return length;
}

START_TEST(each_part_of_a_line_has_its_threads)
{
	const struct fact *fact = &facts[_i];
	char line[256], *own[] = { (char *)fact->own, NULL }, *launchers[] = { (char *)fact->launchers, NULL };
	size_t length = words_of(fact->line, line);
	const struct sp_ancestor ancestor = { .pid = INT_MAX, .arguments = line, .length = length, .environment = launchers };
	uint32_t need[RANKS_MAX];

	for (uint32_t asking = 0; asking < fact->nranks; asking++) {
		const struct sp_rank rank = { .from = fact->from, .local_rank = asking, .local_size = fact->nranks };

		sp_needs_guess(&rank, own, OWN, &ancestor, 1, "none", need);
		/* What the rank announces that asks is known. */
		for (uint32_t i = 0; i < fact->nranks; i++)
			ck_assert_msg(need[i] == (i == asking ? OWN : fact->need[i]), "%s: rank %u needs %u", fact->what, i, need[i]);
	}
}
END_TEST

/* "splitpin check" looks for the program there. */
static const struct {
	const struct sp_syntax *syntax;
	const char *line, *folder;
} folders[] = {
	{ &sp_syntax_openmpi, "mpirun -wd /a -n 2 ./b", "/a" },
	{ &sp_syntax_openmpi, "mpirun --wdir /a ./b", "/a" },
	{ &sp_syntax_openmpi, "mpirun --wdir=/a ./b", "/a" },
	{ &sp_syntax_openmpi, "mpirun --wdir /a --wdir /c ./b", "/c" },
	{ &sp_syntax_openmpi, "mpirun -n 2 ./b -wd /a", NULL },
	{ &sp_syntax_hydra, "mpiexec -n 2 -wdir /a ./b", "/a" },
	{ &sp_syntax_srun, "srun -D /a ./b", "/a" },
	{ &sp_syntax_srun, "srun -D/a ./b", "/a" },
	{ &sp_syntax_srun, "srun --chdir=/a ./b", "/a" },
	{ &sp_syntax_srun, "srun --chdir /a ./b", "/a" },
};

START_TEST(a_line_names_the_folder_of_its_program)
{
	char line[256];
	size_t length = words_of(folders[_i].line, line);
	struct sp_launch launch = { .syntax = folders[_i].syntax, .arguments = line, .length = length };
	struct sp_part_of_launch part;

	ck_assert(sp_launch_next(&launch, &part, NULL, NULL));
	ck_assert_pstr_eq(part.folder, folders[_i].folder);
	ck_assert_str_eq(sp_words_next(&part.program), "./b");
}
END_TEST

Suite *
suite_launch_line(void)
{
	Suite *suite = suite_create("launch_line");
	TCase *lines = tcase_create("facts");

	tcase_add_loop_test(lines, each_part_of_a_line_has_its_threads, 0, sizeof(facts) / sizeof(facts[0]));
	tcase_add_loop_test(lines, a_line_names_the_folder_of_its_program, 0, sizeof(folders) / sizeof(folders[0]));
	suite_add_tcase(suite, lines);
	return suite;
}
