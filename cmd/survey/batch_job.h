/*
 * The batch system's number of a job, from the control group in which the kernel
 * has its processes: users can set variables, and ranks of two jobs on one node
 * may have the same ones.
 */
#ifndef SURVEY_BATCH_JOB_H
#define SURVEY_BATCH_JOB_H

#include <stdbool.h>
#include <sys/types.h>

#include "cpus.h"

#define BATCH_WORD 64

struct batch_job {
	char job[BATCH_WORD], step[BATCH_WORD];	/* "": there is none */
};

/* Parse /proc/PID/cgroup: groups of Slurm, PBS and LSF.  False, and all is "": of no batch system.  Pure. */
bool batch_job_parse(const char *text, struct batch_job *batch);

/* The path of a process's group in a hierarchy: controller "" is the unified one.  NULL: there is none; the caller's.  Pure. */
char *batch_job_group(const char *text, const char *controller);

/* Read both for a process: what the kernel allows it, which is `all` where no group says so. */
void batch_job_read(pid_t pid, const struct sp_cpus *all, struct batch_job *batch, struct sp_cpus *allocated);

#endif
