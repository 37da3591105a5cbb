/*
 * A plan: what a run would do on a machine, by the engine's own code.
 */
#ifndef PLAN_PLANNED_H
#define PLAN_PLANNED_H

#include <stdbool.h>
#include <stdint.h>

#include "base/text.h"
#include "cmd/plan/make/parts.h"
#include "cmd/target/target.h"
#include "settings/config.h"
#include "cpus.h"
#include "cut/cut.h"
#include "decide/decide.h"
#include "machine.h"
#include "report/rank_gpus.h"
#include "topology.h"

/* A job that is on the node before the one that is planned: option --beside. */
struct plan_beside {
	const char *text;	/* as the user wrote it */
	struct plan_parts parts;
	uint32_t nranks;
	struct sp_terms terms;	/* filled in by plan_make */
};

struct plan {
	const char *source;	/* of the machine, as sp_topology_read takes it; NULL: this one */
	const char *name;	/* of the machine, as the user gave it, for output and messages */
	struct sp_config config;
	struct sp_machine *machine;
	const char *gpus;	/* option --gpus, or NULL */
	struct sp_gpu_list *seen;	/* of each rank; NULL: ranks are not placed by their GPUs */
	struct sp_device *devices;	/* network cards */
	int ndevices;
	const struct sp_device **device;	/* of each rank the nearest, or NULL where no devices were asked for */
	uint32_t nranks;
	uint32_t threads;	/* of each rank; 0: one for each CPU of the share, or by need */
	bool is_sum;		/* threads are those of nested teams together, or of a library's pool that is larger than the team */
	uint32_t *need;		/* threads of each rank; 0: as many as its share has CPUs; NULL: threads of each */
	struct plan_parts parts;	/* the parts of the job, if there are several */
	struct plan_beside *beside;	/* in the order in which they came */
	uint32_t nbeside;
	struct sp_terms terms;	/* how a job like this uses the node; shared: no CPU has an owner, and cut is all zero */
	uint32_t smt_there;	/* the settings ask for more hardware threads of a core than these, which the machine has; 0: they do not */
	const char *bound_by;	/* a setting of the OpenMP runtime that places threads, or NULL */
	enum sp_places places;	/* to which it binds them */
	bool on_hardware_threads;	/* it places them as in struct sp_omp_env */
	bool is_narrowed;	/* ranks have only what threads need that it places */
	bool is_for;		/* plan_for: commands bind all threads, and splitpin is not there to leave them to the kernel */
	const char *run;	/* plan_for: the launcher's command, or NULL: as it is called usually */
	struct target_job *job;	/* of a launcher's line, whose ranks are planned; NULL: there is none */
	char *const *command;	/* plan_for: the program and its arguments, NULL-terminated; NULL: COMMAND stands for them */
	uint32_t *owner;	/* see sp_cut */
	struct sp_cut cut;
	bool all;		/* every rank in full, as text */
};

struct plan_slot {
	struct sp_cpus cpus, cores, nodes;
	char why[SP_TEXT_MAX];
};

/* What one rank gets. */
struct plan_rank {
	struct sp_cpus share, cores, nodes;
	uint32_t ncores, ncpus;
	uint32_t threads;	/* that it needs, unless is_guess */
	bool is_guess;		/* nobody has said how many threads */
	struct plan_slot *slot;	/* one a thread */
	char why[SP_TEXT_MAX];
	const struct sp_device *device;	/* the nearest network card, or NULL: none was asked for, or there is none */
	struct sp_rank_gpus gpus;	/* that the rank uses; none if ranks are not placed by GPUs */
};

#endif
