#ifndef CMD_PROBE_H
#define CMD_PROBE_H

#include "cmd/options.h"

/* splitpin probe; argv[0] is "probe".  Returns the exit status. */
int cmd_probe(int argc, char *argv[]);
extern const struct cmd_usage probe_usage;

/* Begins the line that says what was found; KEY=VALUE and KEY="SENTENCE" follow, which probe_field reads. */
#define PROBE_MARK "splitpin: probe: "

/* Variables of OpenMP that are told by their own names. */
#define PROBE_OPENMP 3
extern const char *const probe_openmp[PROBE_OPENMP];

#endif
