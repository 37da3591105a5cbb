#ifndef SURVEY_H
#define SURVEY_H

#include "cmd/options.h"

/* splitpin survey run; as in cmd/commands.h. */
int survey_run(int argc, char *argv[]);
extern const struct cmd_usage survey_run_usage;

#endif
