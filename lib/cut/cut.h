/*
 * The cut: a machine, a number of ranks and a policy become one share a rank.
 *
 * Pure: depends on its arguments alone, so that all ranks of a node agree
 * without talking.
 */
#ifndef SP_CUT_H
#define SP_CUT_H

#include "cpus.h"
#include "gpus.h"
#include "machine.h"
#include "topology.h"

enum sp_share {
	SP_SHARE_EQUAL,		/* every rank has the same number of cores; what is left over stays free */
	SP_SHARE_ALL,		/* cores left over are dealt out */
};

enum sp_distribution {
	SP_BLOCK,		/* ranks in order over the topology */
	SP_CYCLIC,		/* dealt round the NUMA nodes */
};

enum sp_kinds {			/* on machines with fast and slow cores */
	SP_KINDS_AUTO,		/* every rank has as many of each kind; where no kind has a core for each rank, all */
	SP_KINDS_PERFORMANCE,	/* the fastest kind alone */
	SP_KINDS_EFFICIENCY,	/* the slowest kind alone */
	SP_KINDS_ALL,		/* as if they were alike */
};

/* What each rank gets; see domains.h. */
enum sp_domain {
	SP_DOMAIN_AUTO,		/* a share of the cut */
	SP_DOMAIN_NODE,		/* all that there is to cut */
	SP_DOMAIN_PACKAGE,
	SP_DOMAIN_NUMA,
	SP_DOMAIN_L3,
	SP_DOMAIN_CORE,
	SP_DOMAIN_LISTS,	/* the CPUs of its list */
};

struct sp_policy {
	enum sp_domain domain;
	const char *lists;	/* for SP_DOMAIN_LISTS: a CPU list for each rank, "0-3:4-7"; not owned */
	enum sp_share share;
	enum sp_distribution distribution;
	enum sp_kinds kinds;
	enum sp_devices devices;	/* what pu.devices counts; ignored where all are 0 */
	uint32_t smt;		/* hardware threads of each core to use; 0 means all */
	uint32_t cores;		/* cores for each rank, spread over its part; 0 means all of it */
	uint32_t reserve;	/* cores of each NUMA node to keep for the system, its first ones */
	struct sp_cpus reserved;	/* CPUs to keep for the system, by number */
};

/*
 * The first setting that says which cores ranks get, such as "SPLITPIN_SMT";
 * NULL: none does.  SPLITPIN_DEVICES says which of them are preferred.
 */
const char *sp_policy_says(const struct sp_policy *policy);

/* Owner of a CPU that no rank has. */
#define SP_NOBODY UINT32_MAX

/* Ranks on cores, where there are more of them than cores. */
struct sp_crowd {
	uint32_t cores;		/* that may be dealt; each has a rank */
	uint32_t fewest, most;	/* ranks on a core */
	uint32_t threads;	/* hardware threads of a core that may be dealt; 0 where cores differ */
	uint32_t largest;	/* CPUs of the largest share */
};

/* Ranks on objects, with a domain that names some. */
struct sp_dealt {
	uint32_t objects;	/* that may be dealt */
	uint32_t fewest, most;	/* ranks on an object that has any */
	uint32_t largest;	/* units of the largest share */
};

/* What the ranks want of a cut.  Nothing is owned; all zero: of no rank is anything known. */
struct sp_demand {
	const uint32_t *need;	/* threads of each rank, each of which wants a core; 0: not known; NULL: of none known */
	const struct sp_near *near;	/* the part of the machine in which the share of each rank is to lie; NULL: of none */
	const struct sp_cpus *taken;	/* whole cores of other jobs, which are not dealt; NULL: none */
	bool compact;		/* others use the node, too: ranks have no more than they need, near each other */
};

/* What the cut came to, for messages. */
struct sp_cut {
	uint32_t units;		/* cores (CPUs where by_cpu or splits_cores) of the smallest share */
	uint32_t fair;		/* what it would be with no boundary respected: all units / ranks, rounded down */
	uint32_t idle;		/* units that no rank has, the reserved ones not counted */
	bool by_cpu;		/* fewer cores than ranks: a share is CPUs of one core */
	struct sp_crowd crowd;	/* where by_cpu, and policy.domain is SP_DOMAIN_AUTO; else 0 */
	struct sp_dealt dealt;	/* where policy.domain is not; else 0 */
	uint32_t beside, foreign;	/* sp_cut_near: ranks whose share lies beside their devices, and not */
	uint32_t crossing;	/* ranks whose share lies in more than one NUMA node or L3 group although it would fit in one */
	bool by_need;		/* ranks have as many cores as their threads need: different numbers, or fewer than there are */
	bool splits_cores;	/* a core is divided between ranks, whose threads outnumber the cores */
	uint32_t largest;	/* units of the largest share; 0 with a policy.domain */
};

/*
 * Cut the machine among nranks ranks.
 *
 * With a policy.domain other than SP_DOMAIN_AUTO see domains.h.
 *
 * A core has one rank as long as there are as many cores as ranks.  With more
 * ranks every core is used, no rank lies on two cores, and the ranks of two
 * cores differ by one at most, but for cores with too few CPUs.  Ranks have
 * the same number of CPUs (with SP_SHARE_ALL, all of their core) unless their
 * core has too few; policy.cores and policy.devices have no effect then.
 *
 *   owner  one entry for each of machine->pu: its rank, or SP_NOBODY;
 *          the caller's, of machine->ncpus entries; undefined on error
 *   cut    NULL, or where to put the figures; untouched on error
 *
 * Returns 0; -EINVAL (nranks is 0); -ENOSPC (fewer usable CPUs than ranks,
 * or no list for one: the caller keeps the masks as they are and says so);
 * -ENOMEM.
 */
int sp_cut(const struct sp_machine *machine, const struct sp_policy *policy,
	   uint32_t nranks, uint32_t owner[], struct sp_cut *cut);

/*
 * The same by what the ranks need.  Where needs are equal, or none is known,
 * all ranks have the same number of cores.  Where they differ each rank has one
 * core at least; then the next core goes to the ranks with the most threads a
 * core, until each thread has one; the rest is dealt in proportion, or, if there
 * are ranks of unknown need, is divided evenly among those.  Ranks of equal need
 * have equally many.  Rule 3's eighth (a boundary is crossed only if staying
 * inside would cost a rank more) holds as long as it takes no core from a thread;
 * and no rank crosses a boundary for cores that its threads do not need.  Where
 * whole cores leave threads without a CPU although there is one for each,
 * neighbouring ranks may divide a core.
 *
 * near: a part of which too little may be used (no core for each of its ranks,
 * or less than a quarter of an even cut) is widened to the next larger group,
 * for all ranks; all ranks have the same number of cores then, in the order of
 * their numbers where several have the same part.  Where nothing helps, or no
 * near leaves anything out, it has no effect.
 *
 * compact: a rank of known need has as many cores as that, the others an even
 * part of what is left.  Groups in which nothing is taken are preferred.
 *
 * policy.distribution has no effect on ranks of different needs, nor on ranks
 * that have a part; needs have none with a policy.domain.
 */
int sp_cut_by_need(const struct sp_machine *machine, const struct sp_policy *policy, uint32_t nranks,
		   const struct sp_demand *demand, uint32_t owner[], struct sp_cut *cut);

/* The same for ranks of which only the devices are known. */
int sp_cut_near(const struct sp_machine *machine, const struct sp_policy *policy, uint32_t nranks,
		const struct sp_near near[], uint32_t owner[], struct sp_cut *cut);

/* The share of one rank, from what sp_cut wrote. */
void sp_cut_share(const struct sp_machine *machine, const uint32_t owner[],
		  uint32_t rank, struct sp_cpus *share);

/* Add to cpus[rank] the CPUs of each rank, from what sp_cut wrote.  Returns how many they all have. */
uint32_t sp_cut_count_cpus(const struct sp_machine *machine, const uint32_t owner[], uint32_t cpus[]);

/*
 * Add cores of the open CPUs to a share until it has so many, or none is left:
 * the nearest first (L3 group, NUMA node, package).  Returns how many it has.
 */
uint32_t sp_cut_widen(const struct sp_machine *machine, const struct sp_cpus *open, uint32_t cores, struct sp_cpus *share);

#endif
