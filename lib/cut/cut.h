/*
 * The cut: divides a machine among ranks by a policy, one share for each rank.
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
	SP_SHARE_EQUAL,		/* every rank has the same number of cores; cores left over stay free */
	SP_SHARE_ALL,		/* cores left over are dealt out */
};

enum sp_distribution {
	SP_BLOCK,		/* ranks in order over the topology */
	SP_CYCLIC,		/* dealt round the NUMA nodes */
};

enum sp_kinds {			/* on machines with fast and slow cores */
	/*
	 * The same number of each kind for every rank.  Where the fastest kind
	 * has no core for each: as SP_KINDS_ALL, but the cores that no rank needs
	 * are slow ones.
	 */
	SP_KINDS_AUTO,
	SP_KINDS_PERFORMANCE,	/* the fastest kind alone */
	SP_KINDS_EFFICIENCY,	/* the slowest kind alone */
	SP_KINDS_ALL,		/* all cores, as if they were alike */
};

/* The object that each rank gets; see domains.h. */
enum sp_domain {
	SP_DOMAIN_AUTO,		/* a share of the cut */
	SP_DOMAIN_NODE,		/* all cores that may be dealt */
	SP_DOMAIN_PACKAGE,
	SP_DOMAIN_NUMA,
	SP_DOMAIN_L3,
	SP_DOMAIN_CORE,
	SP_DOMAIN_LISTS,	/* the CPUs of the rank's list */
};

struct sp_policy {
	enum sp_domain domain;
	const char *lists;	/* for SP_DOMAIN_LISTS: a CPU list for each rank, "0-3:4-7"; not owned */
	enum sp_share share;
	enum sp_distribution distribution;
	enum sp_kinds kinds;
	enum sp_devices devices;	/* the kind of device that pu.devices counts; ignored where all counts are 0 */
	uint32_t smt;		/* hardware threads of each core to use; 0 means all */
	uint32_t cores;		/* cores for each rank, spread over its part of the machine; 0 means all cores of that part */
	uint32_t reserve;	/* how many cores of each NUMA node, its first ones, to keep for the system */
	struct sp_cpus reserved;	/* CPUs to keep for the system, by number */
};

/*
 * The first setting of the policy that decides which cores ranks get, such as
 * "SPLITPIN_SMT"; NULL: there is none.  SPLITPIN_DEVICES is not one: it only
 * says which cores are preferred.
 */
const char *sp_policy_says(const struct sp_policy *policy);

/* Owner of a CPU that no rank has. */
#define SP_NOBODY UINT32_MAX

/* How the ranks are spread over the cores where ranks outnumber cores. */
struct sp_crowd {
	uint32_t cores;		/* cores that may be dealt; each has a rank */
	uint32_t fewest, most;	/* the fewest and the most ranks on a core */
	uint32_t threads;	/* hardware threads of a core that may be dealt; 0 where cores differ */
	uint32_t largest;	/* CPUs of the largest share */
};

/* How the ranks are spread over the objects of a domain that names objects. */
struct sp_dealt {
	uint32_t objects;	/* objects that may be dealt */
	uint32_t fewest, most;	/* the fewest and the most ranks on an object that has any */
	uint32_t largest;	/* units of the largest share */
};

/* What the ranks want of a cut.  Nothing is owned.  All zero: nothing is known of any rank. */
struct sp_demand {
	const uint32_t *need;	/* threads of each rank, each of which wants a core; 0: not known; NULL: not known of any rank */
	const struct sp_near *near;	/* the part of the machine in which the share of each rank is to lie; NULL: no rank has one */
	const struct sp_cpus *taken;	/* whole cores of other jobs, which are not dealt; NULL: none */
	bool compact;		/* others use the node, too: ranks have no more cores than they need, near each other */
};

/* Figures of a finished cut, for messages. */
struct sp_cut {
	uint32_t units;		/* cores (CPUs where by_cpu or splits_cores) of the smallest share */
	uint32_t fair;		/* the value of units if no boundary were respected: all units / ranks, rounded down */
	uint32_t idle;		/* units without a rank, reserved units not counted */
	bool by_cpu;		/* fewer cores than ranks: a share is CPUs of one core */
	struct sp_crowd crowd;	/* filled in where by_cpu is set and policy.domain is SP_DOMAIN_AUTO; else 0 */
	struct sp_dealt dealt;	/* filled in where policy.domain is not SP_DOMAIN_AUTO; else 0 */
	uint32_t beside, foreign;	/* sp_cut_near: ranks whose share lies beside their devices, and ranks whose share does not */
	uint32_t crossing;	/* ranks whose share lies in more than one NUMA node or L3 group although it would fit in one */
	bool by_need;		/* ranks have as many cores as their threads need: either different numbers, or not all cores */
	bool splits_cores;	/* a core is divided between ranks, whose threads outnumber the cores */
	bool all_kinds;		/* with SP_KINDS_AUTO: fast and slow cores were dealt as if they were alike */
	uint32_t largest;	/* units of the largest share; 0 with a policy.domain */
};

/*
 * Cut the machine among nranks ranks.
 *
 * For a policy.domain other than SP_DOMAIN_AUTO see domains.h.
 *
 * No core is divided as long as there are as many cores as ranks.  With more
 * ranks than cores every core is used, no rank lies on two cores, and the
 * numbers of ranks on any two cores differ by one at most, except for cores
 * with too few CPUs.  All ranks then have the same number of CPUs (with
 * SP_SHARE_ALL, all CPUs of their core are dealt), unless their core has too
 * few, and policy.cores and policy.devices have no effect.
 *
 *   owner  one entry for each of machine->pu: its rank, or SP_NOBODY;
 *          the caller's, of machine->ncpus entries; undefined on error
 *   cut    NULL, or filled in with the figures; untouched on error
 *
 * Returns 0; -EINVAL (nranks is 0); -ENOSPC (fewer usable CPUs than ranks, or a
 * rank without a list: the caller keeps the masks as they are and says so);
 * -ENOMEM.
 */
int sp_cut(const struct sp_machine *machine, const struct sp_policy *policy,
	   uint32_t nranks, uint32_t owner[], struct sp_cut *cut);

/*
 * Like sp_cut, by the needs of the ranks.  Where needs are equal, or none is
 * known, all ranks have the same number of cores.  Where needs differ, each
 * rank has at least one core; then the next core goes to the ranks with the
 * most threads per core, until each thread has a core; the remaining cores are
 * dealt in proportion to the needs, or, if some ranks have unknown needs,
 * evenly among these ranks.  Ranks of equal need have the same number of
 * cores.  Rule 3's eighth (a boundary is crossed only if staying inside would
 * cost a rank more than an eighth) holds as long as it takes no core from a
 * thread; and no rank crosses a boundary for cores that its threads do not
 * need.  Where whole cores would leave threads without a CPU although there is
 * one for each thread, neighbouring ranks may divide a core.
 *
 * demand->near: where a part has too few usable cores (fewer than one for each
 * of its ranks, or less than a quarter of an even cut), the parts of all ranks
 * are widened to the next larger group.  All ranks then have the same number of
 * cores, and ranks of the same part are placed in the order of their numbers.
 * near has no effect where no widening helps, or where every part is the whole
 * machine.
 *
 * demand->compact: a rank of known need has as many cores as it needs, the
 * other ranks have even parts of the rest.  Groups without a taken core are
 * preferred.
 *
 * policy.distribution has no effect where needs differ, nor where near has one;
 * needs have no effect where policy.domain is not SP_DOMAIN_AUTO.
 */
int sp_cut_by_need(const struct sp_machine *machine, const struct sp_policy *policy, uint32_t nranks,
		   const struct sp_demand *demand, uint32_t owner[], struct sp_cut *cut);

/* Like sp_cut_by_need, for ranks of which only the parts beside their devices are known. */
int sp_cut_near(const struct sp_machine *machine, const struct sp_policy *policy, uint32_t nranks,
		const struct sp_near near[], uint32_t owner[], struct sp_cut *cut);

/* The share of one rank, from what sp_cut wrote. */
void sp_cut_share(const struct sp_machine *machine, const uint32_t owner[],
		  uint32_t rank, struct sp_cpus *share);

/* Add to cpus[rank] the number of CPUs of each rank, from what sp_cut wrote.  Returns the sum over all ranks. */
uint32_t sp_cut_count_cpus(const struct sp_machine *machine, const uint32_t owner[], uint32_t cpus[]);

/*
 * Add cores of the open CPUs to a share until it has this many cores, or no
 * core is left; the nearest cores first (L3 group, NUMA node, package).
 * Returns the number of cores of the share.
 */
uint32_t sp_cut_widen(const struct sp_machine *machine, const struct sp_cpus *open, uint32_t cores, struct sp_cpus *share);

#endif
