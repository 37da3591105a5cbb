/* Facts about who asked for more ranks than CPUs. */
#include <check.h>
#include <string.h>

#include "launcher/overcommit.h"
#include "suites.h"

/* One or two variables of the rank, and a launcher's command line, words parted by blanks, or variable ("NAME=VALUE"). */
static const struct fact {
	const char *from, *variable, *launcher, *asked;
} facts[] = {
	/* Open MPI 4 hands its options on as variables */
	{ "openmpi", "OMPI_MCA_rmaps_base_oversubscribe=1", "", "rmaps_base_oversubscribe" },
	{ "openmpi", "OMPI_MCA_rmaps_base_oversubscribe=true", "orted", "rmaps_base_oversubscribe" },
	{ "openmpi", "OMPI_MCA_rmaps_base_oversubscribe=0", "", NULL },
	{ "openmpi", "OMPI_MCA_rmaps_base_oversubscribe=", "", NULL },
	{ "openmpi", "OMPI_MCA_rmaps_base_oversubscribe=False", "", NULL },
	{ "openmpi", "OMPI_MCA_rmaps_base_oversubscribed=1", "", NULL },
	{ "openmpi", "OMPI_MCA_rmaps_base_no_oversubscribe=1", "", NULL },
	{ "openmpi", "OMPI_MCA_rmaps_base_mapping_policy=core:OVERSUBSCRIBE", "", "rmaps_base_mapping_policy" },
	{ "openmpi", "OMPI_MCA_rmaps_base_mapping_policy=slot:PE=2,oversub", "", "rmaps_base_mapping_policy" },
	{ "openmpi", "OMPI_MCA_rmaps_base_mapping_policy=core:NOOVERSUBSCRIBE", "", NULL },
	{ "openmpi", "OMPI_MCA_rmaps_base_mapping_policy=oversubscribe", "", NULL },
	{ "openmpi", "OMPI_MCA_rmaps_base_mapping_policy=core:oversubscribed", "", NULL },
	{ "openmpi", "OMPI_MCA_rmaps_base_mapping_policy=core:over", "", "rmaps_base_mapping_policy" },
	{ "openmpi", "OMPI_MCA_rmaps_base_mapping_policy=core:ove", "", NULL },
	{ "openmpi", "OMPI_MCA_rmaps_base_mapping_policy=core:xversubscribe", "", NULL },
	{ "openmpi", "OMPI_MCA_rmaps_base_mapping_policy=core:o", "", NULL },
	{ "openmpi", "OMPI_MCA_rmaps_base_mapping_policy=core:", "", NULL },
	/* with Open MPI 5 and PRRTE they stay with the launcher */
	{ "openmpi", "A=B", "mpirun --oversubscribe -n 4 a", "--oversubscribe" },
	{ "openmpi", "A=B", "mpirun -oversubscribe -n 4 a", "--oversubscribe" },
	{ "openmpi", "A=B", "mpirun -n 4 a --oversubscribe", NULL },
	{ "openmpi", "A=B", "mpirun --nooversubscribe -n 4 a", NULL },
	{ "openmpi", "A=B", "mpirun --map-by :OVERSUBSCRIBE a", "--map-by with OVERSUBSCRIBE" },
	{ "openmpi", "A=B", "mpirun --map-by=ppr:8:node:oversubscribe a", "--map-by with OVERSUBSCRIBE" },
	{ "openmpi", "A=B", "prted --map-by \":oversubscribe\"", "--map-by with OVERSUBSCRIBE" },
	{ "openmpi", "A=B", "mpirun --map-by", NULL },
	{ "openmpi", "A=B", "mpirun --rank-by :oversubscribe a", NULL },
	{ "openmpi", "A=B", "mpirun --prtemca rmaps_default_mapping_policy :oversubscribe a", "rmaps_default_mapping_policy" },
	{ "openmpi", "A=B", "mpirun --mca rmaps_base_oversubscribe 1 a", "rmaps_base_oversubscribe" },
	{ "openmpi", "A=B", "mpirun --mca rmaps_base_oversubscribe 0 a", NULL },
	{ "openmpi", "A=B", "mpirun --mca rmaps_base_oversubscribe", NULL },
	{ "openmpi", "PRTE_LAUNCHED=1", "PRTE_MCA_rmaps_default_mapping_policy=:oversubscribe", "rmaps_default_mapping_policy" },
	{ "openmpi", "A=B", "PRTE_MCA_rmaps_default_mapping_policy=:oversubscribe", NULL },
	{ "openmpi", "A=B", "mpirun --prtemca mapby :oversubscribe a", "mapby" },
	{ "openmpi", "PRTE_LAUNCHED=1", "PRTE_MCA_mapby=:oversubscribe", "mapby" },
	{ "openmpi", "A=B", "PRTE_MCA_mapby=:oversubscribe", NULL },
	{ "openmpi", "PRTE_LAUNCHED=1", "ELSE_MCA_mapby=:oversubscribe", NULL },
	{ "pmix", "PRTE_MCA_rmaps_default_mapping_policy=:oversubscribe", "prted", "rmaps_default_mapping_policy" },
	{ "openmpi", "A=B", "mpirun --host a:8 -n 8 a", NULL },
	{ "pmix", "A=B", "prterun --map-by :oversubscribe a", "--map-by with OVERSUBSCRIBE" },
	/* on several nodes the options are visible on one */
	{ "openmpi", "PRTE_LAUNCHED=1 OMPI_COMM_WORLD_SIZE=8", "prted", "mpirun's slots" },
	{ "openmpi", "PRTE_LAUNCHED=1 OMPI_COMM_WORLD_SIZE=8", "prterun --oversubscribe a", "mpirun's slots" },
	{ "openmpi", "PRTE_LAUNCHED=1 OMPI_COMM_WORLD_SIZE=1", "prterun a", NULL },
	{ "openmpi", "OMPI_COMM_WORLD_SIZE=8", "orted", NULL },
	/* srun's word of that name is about other jobs */
	{ "openmpi", "A=B", "srun --oversubscribe a", NULL },
	{ "openmpi", "SLURM_OVERCOMMIT=1", "", NULL },
	/* Slurm */
	{ "slurm", "SLURM_OVERCOMMIT=1", "", "SLURM_OVERCOMMIT" },
	{ "slurm", "SLURM_OVERCOMMIT=0", "", NULL },
	{ "slurm", "OMPI_MCA_rmaps_base_oversubscribe=1", "srun -n 4 a", NULL },
	/* a rank named by hand, in a shell below a launcher and below none */
	{ "user", "OMPI_MCA_rmaps_base_oversubscribe=1", "", NULL },
	{ "user", "OMPI_COMM_WORLD_LOCAL_RANK=0", "mpirun --oversubscribe a", "--oversubscribe" },
	{ "alone", "SLURM_OVERCOMMIT=1", "", NULL },
	/* those that have no such option */
	{ "hydra", "OMPI_MCA_rmaps_base_oversubscribe=1", "mpiexec --oversubscribe -n 4 a", NULL },
	{ "intel", "A=B", "mpirun -n 4 a", NULL },
	{ "flux", "SLURM_OVERCOMMIT=1", "flux-shell", NULL },
};

START_TEST(requests)
{
	const struct fact *fact = &facts[_i];
	struct sp_rank rank = { .from = fact->from, .local_size = 4 };
	char arguments[200], variable[100], launchers[100], *environment[] = { variable, NULL, NULL }, *its[] = { launchers, NULL };
	bool is_variable = strchr(fact->launcher, '=') && !strchr(fact->launcher, ' ');

	strcpy(variable, fact->variable);
	environment[1] = strchr(variable, ' ');
	if (environment[1])
		*environment[1]++ = '\0';
	strcpy(launchers, is_variable ? fact->launcher : "A=B");
	strcpy(arguments, is_variable ? "mpirun" : fact->launcher);
	size_t length = strlen(arguments) + 1;
	for (char *c = arguments; (c = strchr(c, ' ')); )
		*c++ = '\0';
	struct sp_ancestor ancestor = { .arguments = arguments, .length = length, .environment = its };
	ck_assert_pstr_eq(sp_overcommit_asked(&rank, environment, &ancestor, *fact->launcher != '\0'), fact->asked);
	if (!sp_overcommit_needs_ancestors(&rank, environment))
		ck_assert_pstr_eq(sp_overcommit_asked(&rank, environment, NULL, 0), fact->asked);
}
END_TEST

/* Another user's launcher, and one whose arguments do not end. */
START_TEST(what_cannot_be_read)
{
	struct sp_rank rank = { .from = "openmpi" };
	struct sp_ancestor ancestor[] = {
		{ .arguments = "mpirun\0--oversubscribe", .length = sizeof("mpirun --oversubscribe") - 1 },
		{ .arguments = "mpirun", .length = sizeof("mpirun") },
	};

	ck_assert_ptr_null(sp_overcommit_asked(&rank, NULL, ancestor, 2));
	ck_assert_ptr_null(sp_overcommit_asked(&rank, NULL, NULL, 0));
	ancestor[0].length++;
	ck_assert_str_eq(sp_overcommit_asked(&rank, NULL, ancestor, 2), "--oversubscribe");
}
END_TEST

Suite *
suite_overcommit(void)
{
	Suite *suite = suite_create("overcommit");
	TCase *tcase = tcase_create("facts");

	tcase_add_loop_test(tcase, requests, 0, sizeof(facts) / sizeof(facts[0]));
	tcase_add_test(tcase, what_cannot_be_read);
	suite_add_tcase(suite, tcase);
	return suite;
}
