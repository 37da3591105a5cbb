/*
 * Runs every suite; the status tells whether all tests passed.  Below prove the
 * output is TAP.
 */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "emulated.h"
#include "ranks.h"
#include "suites.h"

/* How to see each failure again: a suite is named as its file is, test_NAME.c. */
static void
tell_again(SRunner *runner, const char *program)
{
	TestResult **failures = srunner_failures(runner);

	for (int i = 0; failures && i < srunner_ntests_failed(runner); i++) {
		const char *file = tr_lfile(failures[i]), *name = file ? strstr(file, "test_") : NULL;

		if (name)
			fprintf(stderr, "# to see %s:%d again: CK_RUN_SUITE=%.*s %s\n", file, tr_lno(failures[i]),
				(int)strcspn(name + 5, "."), name + 5, program);
	}
	free(failures);
}

int
main(int argc, char **argv)
{
	if (!may_have_shm())
		printf("# not tested, since no /dev/shm can be mounted (a user without name spaces, or a chroot): boards and what ranks write there\n");
	else if (geteuid() != 0)
		printf("# not tested, since this user is not root: boards of other users\n");
	if (is_emulated())
		printf("# not tested, since this is an emulator: what executes this program, or reads where its arguments lie\n");
	fflush(stdout);

	/* Against what hangs, and not against a machine with fifty processes a CPU. */
	setenv("CK_DEFAULT_TIMEOUT", "60", 0);
	setenv("CK_TIMEOUT_MULTIPLIER", "10", 0);
	SRunner *runner = srunner_create(suite_cpus());


	srunner_add_suite(runner, suite_ascii());
	srunner_add_suite(runner, suite_drift());
	srunner_add_suite(runner, suite_devices());
	srunner_add_suite(runner, suite_sysfs());
	srunner_add_suite(runner, suite_described());
	srunner_add_suite(runner, suite_kinds());
	srunner_add_suite(runner, suite_tool_text());
	srunner_add_suite(runner, suite_weights());
	srunner_add_suite(runner, suite_visible());
	srunner_add_suite(runner, suite_gpu_machines());
	srunner_add_suite(runner, suite_workers());
	srunner_add_suite(runner, suite_guard());
	srunner_add_suite(runner, suite_mask_picture());
	srunner_add_suite(runner, suite_cut());
	srunner_add_suite(runner, suite_crowd());
	srunner_add_suite(runner, suite_needs());
	srunner_add_suite(runner, suite_domains());
	srunner_add_suite(runner, suite_every_crowd());
	srunner_add_suite(runner, suite_slots());
	srunner_add_suite(runner, suite_placements());
	srunner_add_suite(runner, suite_table());
	srunner_add_suite(runner, suite_omp_places());
	srunner_add_suite(runner, suite_launcher());
	srunner_add_suite(runner, suite_config());
	srunner_add_suite(runner, suite_site());
	srunner_add_suite(runner, suite_subject());
	srunner_add_suite(runner, suite_trusted_path());
	srunner_add_suite(runner, suite_settings());
	srunner_add_suite(runner, suite_omp_env());
	srunner_add_suite(runner, suite_crowding());
	srunner_add_suite(runner, suite_survey());
	srunner_add_suite(runner, suite_log());
	srunner_add_suite(runner, suite_log_file());
	srunner_add_suite(runner, suite_objects());
	srunner_add_suite(runner, suite_runtimes());
	srunner_add_suite(runner, suite_topology());
	srunner_add_suite(runner, suite_membind());
	srunner_add_suite(runner, suite_node_report());
	srunner_add_suite(runner, suite_numa_maps());
	srunner_add_suite(runner, suite_machines());
	srunner_add_suite(runner, suite_explain_cut());
	srunner_add_suite(runner, suite_explain_slot());
	srunner_add_suite(runner, suite_short_memory());
	srunner_add_suite(runner, suite_failing_calls());
	srunner_add_suite(runner, suite_text());
	srunner_add_suite(runner, suite_json_line());
	srunner_add_suite(runner, suite_environment());
	srunner_add_suite(runner, suite_pin());
	srunner_add_suite(runner, suite_pinned());
	srunner_add_suite(runner, suite_terminal());
	srunner_add_suite(runner, suite_board());
	srunner_add_suite(runner, suite_asked());
	srunner_add_suite(runner, suite_launch_line());
	srunner_add_suite(runner, suite_division());
	srunner_add_suite(runner, suite_decide());
	srunner_add_suite(runner, suite_join());
	srunner_add_suite(runner, suite_asking());
	srunner_add_suite(runner, suite_agree());
	srunner_add_suite(runner, suite_share());
	srunner_add_suite(runner, suite_terms());
	srunner_add_suite(runner, suite_histories());
	srunner_add_suite(runner, suite_job());
	srunner_add_suite(runner, suite_ancestors());
	srunner_add_suite(runner, suite_binding());
	srunner_add_suite(runner, suite_overcommit());
	srunner_add_suite(runner, suite_options());
	srunner_add_suite(runner, suite_siblings());
	srunner_add_suite(runner, suite_placed());
	srunner_add_suite(runner, suite_release());
	srunner_add_suite(runner, suite_remedy());
	srunner_add_suite(runner, suite_process());
	srunner_add_suite(runner, suite_verdict());
	srunner_add_suite(runner, suite_mask());
	srunner_add_suite(runner, suite_deadline());
	srunner_add_suite(runner, suite_descriptor());
	srunner_add_suite(runner, suite_patience());
	srunner_add_suite(runner, suite_work());
	srunner_add_suite(runner, suite_machine());
	srunner_add_suite(runner, suite_report());
	srunner_add_suite(runner, suite_plan());
	srunner_add_suite(runner, suite_show());
	srunner_add_suite(runner, suite_elf_file());
	srunner_add_suite(runner, suite_compare());
	if (getenv("HARNESS_ACTIVE"))
		srunner_set_tap(runner, "-");
	srunner_run_all(runner, getenv("HARNESS_ACTIVE") ? CK_SILENT : CK_ENV);
	int failed = srunner_ntests_failed(runner);
	tell_again(runner, argc > 0 ? argv[0] : "unit-tests");
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
