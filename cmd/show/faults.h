#ifndef SHOW_FAULTS_H
#define SHOW_FAULTS_H

#include "cmd/show/running.h"

/* What is wrong with the jobs that are wanted: fills in verdicts, marks and faults.  Pure. */
void faults_find(struct show *show);

/* One sentence on the jobs that are wanted; the caller's, to free(). */
char *faults_summary(const struct show *show);

#endif
