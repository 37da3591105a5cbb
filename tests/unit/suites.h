/* One suite a module. */
#ifndef SP_SUITES_H
#define SP_SUITES_H

#include <check.h>

Suite *suite_ascii(void);
Suite *suite_cpus(void);
Suite *suite_drift(void);
Suite *suite_devices(void);
Suite *suite_sysfs(void);
Suite *suite_gpu_machines(void);
Suite *suite_workers(void);
Suite *suite_guard(void);
Suite *suite_picture(void);
Suite *suite_cut(void);
Suite *suite_crowd(void);
Suite *suite_every_crowd(void);
Suite *suite_slots(void);
Suite *suite_omp_places(void);
Suite *suite_launcher(void);
Suite *suite_config(void);
Suite *suite_site(void);
Suite *suite_settings(void);
Suite *suite_omp_env(void);
Suite *suite_log(void);
Suite *suite_objects(void);
Suite *suite_runtimes(void);
Suite *suite_topology(void);
Suite *suite_membind(void);
Suite *suite_numa_maps(void);
Suite *suite_machines(void);
Suite *suite_explain_cut(void);
Suite *suite_explain_slot(void);
Suite *suite_text(void);
Suite *suite_board(void);
Suite *suite_asked(void);
Suite *suite_division(void);
Suite *suite_join(void);
Suite *suite_agree(void);
Suite *suite_share(void);
Suite *suite_claim(void);
Suite *suite_job(void);
Suite *suite_ancestors(void);
Suite *suite_binding(void);
Suite *suite_options(void);
Suite *suite_siblings(void);
Suite *suite_remedy(void);
Suite *suite_process(void);
Suite *suite_verdict(void);
Suite *suite_deadline(void);
Suite *suite_patience(void);
Suite *suite_machine(void);
Suite *suite_report(void);
Suite *suite_show(void);
Suite *suite_elf_file(void);

#endif
