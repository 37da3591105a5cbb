/*
 * A plan: what a run would do on a machine, by the engine's own code.
 */
#ifndef PLAN_H
#define PLAN_H

#include <stdbool.h>
#include <stdint.h>

#include "base/text.h"
#include "settings/config.h"
#include "terms/terms.h"
#include "cpus.h"
#include "cut/cut.h"
#include "machine.h"
#include "topology.h"
#include "cmd/target/target.h"

/* Ranks with consecutive numbers that are alike: "-n 4 -t 2". */
struct plan_part {
	uint32_t ranks;
	uint32_t threads;	/* of each; 0: not said */
	char *const *command;	/* plan_for: as in struct plan */
};

struct plan_parts {
	struct plan_part *part;
	uint32_t n;
};

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
	uint32_t threads;	/* of each rank; 0: as many as the share has CPUs, or as need says */
	uint32_t *need;		/* threads of each rank; 0: as many as its share has CPUs; NULL: threads of each */
	struct plan_parts parts;	/* of which the ranks consist, where there are several */
	struct plan_beside *beside;	/* in the order in which they came */
	uint32_t nbeside;
	struct sp_terms terms;	/* how a job like this uses the node; shared: no CPU has an owner, and cut is all zero */
	uint32_t smt_there;	/* the settings ask for more hardware threads of a core than these, which the machine has; 0: they do not */
	const char *bound_by;	/* a setting of the OpenMP runtime that places threads, or NULL */
	bool has_places;	/* which does bind them */
	bool on_hardware_threads;	/* it places them as struct sp_omp_env says */
	bool is_narrowed;	/* ranks have only what threads need that it places */
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
	struct sp_gpu_list gpus;	/* that it uses; none where ranks are not placed by them */
	struct sp_cpus beside;	/* the CPUs beside these, where some are not */
	bool is_foreign;	/* some of the share is not beside them */
};

/*
 * Make the plan whose source, config, nranks and threads are given, on the
 * CPUs in allowed (NULL: all that the machine has).
 * Returns 0, or a negative errno of sp_topology_read, sp_topology_devices or
 * sp_cut, or -EDOM: gpus is no list for these ranks and GPUs; plan_release releases what there is in any case.
 */
int plan_make(struct plan *plan, const struct sp_cpus *allowed);

/* The CPUs of a rank: all, where the node is shared. */
void plan_share(const struct plan *plan, uint32_t rank, struct sp_cpus *share);

/* The threads that a rank announces; 0: it announces none. */
uint32_t plan_threads(const struct plan *plan, uint32_t rank);

/* The sentence on the cut, or on why there is none; text has room for SP_TEXT_MAX.  Returns text. */
char *plan_explain(const struct plan *plan, char *text);

/* Why no thread has a place by this plan, after their number; the caller's, to free().  NULL: each has one. */
char *plan_why_unplaced(const struct plan *plan);

/*
 * Jobs that are there already (beside.c): add one, as --beside names it.  Returns
 * 0, or CMD_USAGE after a message.
 */
int plan_add_beside(struct plan *plan, const char *text);

/* Find what they claim on this machine, one after the other; others: what that leaves to the next. */
void plan_find_others(struct plan *plan, struct sp_other_jobs *others);

/* What one of them claims, in words; the caller's, to free(). */
char *plan_beside_claim(const struct plan *plan, const struct plan_beside *job);

/*
 * Whether the memory policy asks for high-bandwidth memory; nodes: those beside
 * the shares, each rank's being among them, by OS number.
 */
bool plan_hbm(const struct plan *plan, struct sp_cpus *nodes);
void plan_release(struct plan *plan);

/*
 * Take ranks, threads and variables from a launcher's line, where the options
 * have not said them (line.c); what reads the environment later sees that of the
 * ranks.  target and job are filled in.  Returns 0, or CMD_USAGE after a message.
 */
int plan_read_line(struct plan *plan, char *const command[], struct target *target, struct target_job *job);

/*
 * Parts, separated by a word ':' (parts.c); of: what they are of, for messages,
 * such as "--beside \"-n 2\": ".  plan_parts_add adds one; plan_parts_end, when all
 * are there, counts the ranks, and gives a command of the last part alone to all.
 * Both return 0, or CMD_USAGE after a message.
 */
int plan_parts_add(struct plan_parts *parts, const struct plan_part *part, const char *of);
int plan_parts_end(struct plan_parts *parts, const char *of, uint32_t *nranks);

/* The threads of each rank; others: of those of which they are not said.  The caller's. */
uint32_t *plan_parts_need(const struct plan_parts *parts, uint32_t nranks, uint32_t others);

/* Complain of what a run would warn of, or what the plan had to leave out (warn.c). */
void plan_warn(const struct plan *plan);

/* Complain that there are more ranks than have room, and why (warn.c). */
void plan_tell_ranks(const struct plan *plan);

/*
 * What sp_topology_read takes for the machine that the user named (source.c): a
 * file here, and for the option's "-" a copy of standard input, which becomes
 * the plan's name.  The caller's, to free(); NULL after a message.
 */
char *plan_source(struct plan *plan, bool is_option);

/* Complain of a source for which sp_topology_read returned -EINVAL, -E2BIG or -ENXIO; from: what named it, for the message. */
void plan_tell_source(const struct plan *plan, const char *from, int error);

/* Fill in one rank; plan_rank_release releases it.  0 or -ENOMEM. */
int plan_rank(const struct plan *plan, uint32_t number, struct plan_rank *rank);
void plan_rank_release(struct plan_rank *rank);

/*
 * Find the GPUs that each rank sees (gpus.c), where they are asked for: by the
 * option, the settings, or, on this machine, what the job was given.
 */
int plan_find_gpus(struct plan *plan);
/* Fill in what a rank has of them. */
void plan_fill_gpus(const struct plan *plan, uint32_t number, struct plan_rank *rank);

/*
 * Packages, NUMA nodes, ... of the CPUs that have an owner (owner NULL: of
 * all): how often the field of struct sp_pu at this offset changes.
 */
uint32_t plan_count_groups(const struct sp_machine *machine, const uint32_t owner[], size_t field);

/* The formats, each to standard output. */
typedef void plan_printer(const struct plan *plan);
plan_printer plan_print_text, plan_print_json, plan_print_masks, plan_print_lists, plan_print_svg;

/*
 * The same placement without splitpin, as commands of a launcher: print becomes
 * what prints them, and plan->run is set where the launcher's command was named.
 * mpirun and mpiexec are asked whose they are; openmpi is the version installed.
 * Returns 0, or CMD_USAGE after a message.
 */
int plan_for(const char *launcher, struct plan *plan, plan_printer **print);

/* Whether its parts have different programs. */
bool plan_has_programs(const struct plan *plan);
#define PLAN_FOR "slurm, openmpi, openmpi4, openmpi5, mpich, intel, pals, torchrun, openmp, mpirun, mpiexec or srun"

/* Parts of the text: the threads of a rank; and, in few lines, ranks from this one on. */
void plan_print_threads(const struct plan *plan, const struct plan_rank *rank);
void plan_print_folded(const struct plan *plan, uint32_t rank);

/* The set as a number, "0x1f"; the caller's, to free(). */
char *plan_mask(const struct sp_cpus *cpus);

/* The masks of all ranks with commas between them, to standard output without a line feed. */
void plan_put_masks(const struct plan *plan);

/* splitpin plan; argv[0] is "plan".  Returns the exit status. */
int cmd_plan(int argc, char *argv[]);

#endif
