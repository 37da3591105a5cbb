#ifndef SURVEY_H
#define SURVEY_H

#include "cmd/options.h"

extern const struct cmd_usage survey_usage, survey_run_usage;

/* splitpin survey.  Arguments as of main; returns the exit status. */
int cmd_survey(int argc, char *argv[]);

/* splitpin survey run. */
int survey_run(int argc, char *argv[]);

#endif
