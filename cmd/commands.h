/*
 * The commands: each takes its name and the words behind it, as main has them, and
 * returns the exit status.
 */
#ifndef CMD_COMMANDS_H
#define CMD_COMMANDS_H

#include "cmd/options.h"

int cmd_check(int argc, char *argv[]);
int cmd_compare(int argc, char *argv[]);
int cmd_config(int argc, char *argv[]);
int cmd_plan(int argc, char *argv[]);
int cmd_probe(int argc, char *argv[]);
int cmd_run(int argc, char *argv[]);
int cmd_show(int argc, char *argv[]);
int cmd_survey(int argc, char *argv[]);
extern const struct cmd_usage check_usage, compare_usage, config_usage, plan_usage, probe_usage, run_usage, show_usage, survey_usage;

#endif
