/* Runs every suite; the status tells whether all tests passed. */
#include <check.h>
#include <stdlib.h>

#include "suites.h"

int
main(void)
{
	SRunner *runner = srunner_create(suite_cpus());

	srunner_add_suite(runner, suite_ascii());
	srunner_add_suite(runner, suite_drift());
	srunner_add_suite(runner, suite_devices());
	srunner_add_suite(runner, suite_sysfs());
	srunner_add_suite(runner, suite_gpu_machines());
	srunner_add_suite(runner, suite_workers());
	srunner_add_suite(runner, suite_guard());
	srunner_add_suite(runner, suite_picture());
	srunner_add_suite(runner, suite_cut());
	srunner_add_suite(runner, suite_crowd());
	srunner_add_suite(runner, suite_every_crowd());
	srunner_add_suite(runner, suite_slots());
	srunner_add_suite(runner, suite_omp_places());
	srunner_add_suite(runner, suite_launcher());
	srunner_add_suite(runner, suite_config());
	srunner_add_suite(runner, suite_site());
	srunner_add_suite(runner, suite_settings());
	srunner_add_suite(runner, suite_omp_env());
	srunner_add_suite(runner, suite_log());
	srunner_add_suite(runner, suite_objects());
	srunner_add_suite(runner, suite_runtimes());
	srunner_add_suite(runner, suite_topology());
	srunner_add_suite(runner, suite_membind());
	srunner_add_suite(runner, suite_numa_maps());
	srunner_add_suite(runner, suite_machines());
	srunner_add_suite(runner, suite_explain_cut());
	srunner_add_suite(runner, suite_explain_slot());
	srunner_add_suite(runner, suite_text());
	srunner_add_suite(runner, suite_terminal());
	srunner_add_suite(runner, suite_board());
	srunner_add_suite(runner, suite_asked());
	srunner_add_suite(runner, suite_division());
	srunner_add_suite(runner, suite_join());
	srunner_add_suite(runner, suite_agree());
	srunner_add_suite(runner, suite_share());
	srunner_add_suite(runner, suite_claim());
	srunner_add_suite(runner, suite_job());
	srunner_add_suite(runner, suite_ancestors());
	srunner_add_suite(runner, suite_binding());
	srunner_add_suite(runner, suite_options());
	srunner_add_suite(runner, suite_siblings());
	srunner_add_suite(runner, suite_remedy());
	srunner_add_suite(runner, suite_process());
	srunner_add_suite(runner, suite_verdict());
	srunner_add_suite(runner, suite_deadline());
	srunner_add_suite(runner, suite_patience());
	srunner_add_suite(runner, suite_machine());
	srunner_add_suite(runner, suite_report());
	srunner_add_suite(runner, suite_show());
	srunner_add_suite(runner, suite_elf_file());
	srunner_run_all(runner, CK_ENV);
	int failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
