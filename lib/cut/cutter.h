/*
 * Inside the cut: one share of the machine for each rank.
 *
 *   unit       what is dealt: a core; or a CPU, where ranks outnumber cores or
 *              divide them; numbered in the order of the machine
 *   group      units side by side that share a package, a NUMA node, ...
 *   level      groups of one size, the coarsest first
 *   boundary   the first unit of a group
 *   range      units [from, to)
 *   segment    units that some ranks divide without regard to groups larger
 *              than a tile
 *   territory  the units from which one rank takes its share
 *
 * needs.c says how many units each rank wants, and the least that it takes to
 * respect a boundary.  The cut descends from large groups to small ones and gives
 * each its ranks; where that would cost a rank too much, a segment goes across
 * the boundary.  The worst segment decides what every rank goes without.
 *
 * Where ranks outnumber cores, none of these steps is taken: the ranks are
 * dealt to the cores, and each core is divided by itself (crowd.c).
 *
 * cores.c chooses the kinds of cores and has cutter.c cut each kind; cutter.c
 * takes the steps in the order of this page.  This header is for the files of
 * this folder only: others include cut.h.
 *
 * All functions depend on their arguments alone, and write only the cutter and
 * memory of their caller.  Functions that can fail say so.
 */
#ifndef SP_CUTTER_H
#define SP_CUTTER_H

#include <stdbool.h>
#include <stdint.h>

#include "cut/cut.h"

/* Levels of boundaries, the coarsest first; a finer level includes the boundaries of all coarser levels. */
enum {
	OUTER, MIDDLE, INNER,	/* package, NUMA node and L3 group, in the machine's own order */
	TILE,			/* L2 group */
	CORE,			/* every core; every unit, unless units are CPUs */
	UNIT,			/* every unit */
	LEVELS
};
#define RESPECTED TILE		/* levels before this one are crossed only for more than an eighth */

struct part {			/* a group as seen from the one around it */
	uint32_t from, to;
	uint32_t n;		/* ranks dealt to it; in shares.c: units of it that are kept */
	uint64_t load;		/* units that these ranks want */
	uint32_t room, dealt;	/* ranks of the size that is being dealt: for how many there is room, how many it got */
	uint32_t bin, nbins;	/* its first bin, and how many: its groups of the level that is respected */
};

struct territory {
	uint32_t from, to;
	uint32_t limit;		/* the last unit at which it can start */
	bool fixed;
};

struct segment {
	uint32_t from, to;
	uint32_t first, ranks;	/* its territories */
};

struct tally {			/* of one rank */
	uint32_t units;
	uint32_t last;		/* its last unit so far */
	bool nodes, caches;	/* its units lie in more than one NUMA node, in more than one L3 group */
};

/* What is to be cut, and by which variant of the rules. */
struct cutting {
	const struct sp_machine *machine;
	const struct sp_policy *policy;
	const struct sp_demand *demand;	/* never NULL */
	uint32_t nranks;
	bool is_strict;		/* no rank gives up a needed unit for a boundary, or crosses one for a unit that it does not need */
	bool all_kinds;		/* fast and slow cores are dealt as if they were alike */
	bool by_cpu;		/* neighbouring ranks may divide a core */
};

/* Threads of a rank; 0: not known. */
static inline uint32_t
need_of(const struct sp_demand *demand, uint32_t rank)
{
	return demand->need ? demand->need[rank] : 0;
}

/* One cut.  A field is set by the file named beside it; otherwise by cutter.c, before the first step. */
struct cutter {
	const struct sp_machine *machine;
	const struct sp_policy *policy;
	const struct sp_demand *demand;
	uint32_t nunits, nranks;
	bool by_cpu;		/* units are CPUs */
	bool is_strict;		/* as in struct cutting */
	bool is_unequal;	/* needs.c: the ranks want different numbers of units */
	bool is_near;		/* near_devices.c: territories lie beside the devices of their ranks */
	uint32_t nsegments, placed;	/* apportion.c: segments so far, and their ranks */
	int order[RESPECTED];	/* levels.c: the field of struct sp_pu that is compared at a level */

	/* Arrays, zero-initialised by cutter.c. */
	uint32_t *place;	/* units.c: of a unit: the index of its first CPU in the machine */
	uint32_t *rank;		/* shares.c, crowd.c: the rank of a unit, or SP_NOBODY; renumbered by cyclic.c */
	uint32_t *want, *least;	/* needs.c: of a rank, in units, at least 1; the sum of want is nunits at most */
	uint32_t *units;	/* apportion.c: of a rank: its number of units, once its segment has been made */
	uint32_t *rank_at;	/* the rank of each territory: needs.c, apportion.c, near_devices.c */
	uint64_t *key;		/* needs.c: working space for sorting ranks */
	uint32_t *heap, *bin;	/* apportion.c; bins.c */
	bool *fresh;		/* compact.c: of a unit: nothing of its L3 group is taken */
	uint32_t *next[LEVELS];	/* levels.c: the first boundary of a level at or after a unit; nunits if there is none */
	struct part *part[RESPECTED];	/* of a level: room for the parts of one range, from the index of its first unit (sp_cut_split) */
	struct territory *territory;	/* territories.c: of a rank */
	struct segment *segment;	/* apportion.c */
	uint32_t *turn, *number;	/* cyclic.c: for dealing ranks round the nodes; near_devices.c also uses turn */
	uint32_t *where;	/* of a rank: the part of a range in which it is placed */
	struct sp_near *near;	/* near_devices.c: of a rank: the part of the machine in which its units are to lie */
};

/* Units (units.c). */

#define KINDS 32		/* kinds of cores; more are not told apart */
#define SPEEDS 8		/* speeds of the cores of one kind; more are not told apart */

struct usable {
	uint32_t cores, cpus;
	uint32_t of_kind[KINDS];	/* cores */
};

/* A set of kinds has one bit for each kind. */
#define EVERY_KIND UINT32_MAX

/*
 * Mark the CPUs of these kinds that may be dealt: the owner of a marked CPU
 * becomes 0 for now, that of every other CPU SP_NOBODY.  taken: the CPUs of
 * other jobs, or NULL.  Returns the number of marked cores and CPUs.
 */
struct usable sp_cut_mark_usable(const struct sp_machine *machine, const struct sp_policy *policy,
				 const struct sp_cpus *taken, uint32_t kinds, uint32_t owner[]);

/*
 * The kinds that the policy selects among the usable kinds (cores.c): the
 * fastest alone, or the slowest alone; EVERY_KIND where the policy selects
 * neither, or no core is usable.
 */
uint32_t sp_cut_asked_kinds(const struct sp_policy *policy, const struct usable *usable);

/*
 * Number the units: the owner of each marked CPU becomes the number of its
 * unit, pu[] of a unit the index of its first CPU.
 */
void sp_cut_number_units(const struct sp_machine *machine, bool by_cpu, uint32_t owner[], uint32_t pu[]);

/* Levels (levels.c). */

/* The field that is compared for a boundary: 0 for the package, 1 for the NUMA node, 2 for the L3 group. */
static inline uint32_t
field(const struct sp_pu *pu, int which)
{
	return which == 0 ? pu->package : which == 1 ? pu->numa : pu->l3;
}

/* Fill order and next. */
void sp_cut_find_boundaries(struct cutter *c);

/* The last boundary at or before a unit. */
static inline uint32_t
boundary_before(const struct cutter *c, int level, uint32_t at)
{
	while (at > 0 && c->next[level][at] != at)
		at--;
	return at;
}

/* The first boundary at or after a unit. */
static inline uint32_t
boundary_after(const struct cutter *c, int level, uint32_t at)
{
	return at < c->nunits ? c->next[level][at] : c->nunits;
}

/* The end of the group that begins at from, or the end of the range (to), whichever comes first. */
static inline uint32_t
group_end(const struct cutter *c, int level, uint32_t from, uint32_t to)
{
	uint32_t end = boundary_after(c, level, from + 1);

	return end < to ? end : to;
}

/*
 * Split a range into its groups of a level before RESPECTED.  Returns their
 * number; *parts points into part[level], with n = 0, until the same units are
 * split at this level again.
 */
uint32_t sp_cut_split(struct cutter *c, int level, uint32_t from, uint32_t to, struct part **parts);

static inline uint32_t
part_size(const struct part *part)
{
	return part->to - part->from;
}

/* Needs (needs.c). */

/*
 * Find how many units each rank wants, from its need: fill want, least and
 * rank_at, with the ranks that want most first.  To be called before all
 * functions below.
 */
void sp_cut_weigh(struct cutter *c);

/* The same where each rank wants `fair` units, whatever it needs. */
void sp_cut_aim_at(struct cutter *c, uint32_t fair);

/* Whether two ranks are of one size: they want, and take, the same. */
static inline bool
are_alike(const struct cutter *c, uint32_t a, uint32_t b)
{
	return c->want[a] == c->want[b] && c->least[a] == c->least[b];
}

/* What the ranks of a segment give up: the largest rank this many of the units that it wants, other ranks in proportion. */
struct surrender {
	uint32_t units, of;
};

/* Units that a rank keeps when it gives up its part; at least its least. */
static inline uint32_t
units_without(const struct cutter *c, uint32_t rank, struct surrender surrender)
{
	uint32_t most = c->want[rank] - c->least[rank];
	uint64_t lost = surrender.of ? (uint64_t)c->want[rank] * surrender.units / surrender.of : 0;

	return c->want[rank] - (uint32_t)(lost < most ? lost : most);
}

/* Units of the rank of a territory. */
static inline uint32_t
units_of(const struct cutter *c, uint32_t territory)
{
	return c->units[c->rank_at[territory]];
}

/* Sort ranks by the units that they want, the largest first; equal ones by their numbers. */
void sp_cut_sort_by_want(struct cutter *c, uint32_t rank[], uint32_t n);
void sp_cut_sort_by_number(struct cutter *c, uint32_t rank[], uint32_t n);

/* Whether cores left over are dealt, too. */
static inline bool
deals_all(const struct cutter *c)
{
	return c->policy->share == SP_SHARE_ALL && !c->demand->compact;
}

/* Bins: the groups of a level, which are filled with ranks, each with its least (bins.c). */

/* Fill bin[] with the sizes of the groups of each part, and note in each part which bins are its own. */
void sp_cut_open_bins(struct cutter *c, int level, struct part *part, uint32_t nparts);

/* Fill bins with ranks that take `least` units each.  Returns how many ranks found no room. */
uint32_t sp_cut_fill_bins(uint32_t bin[], uint32_t nbins, uint32_t ranks, uint32_t least);

/* The index at which the ranks of the next size begin. */
uint32_t sp_cut_size_end(const struct cutter *c, const uint32_t rank[], uint32_t from, uint32_t n);

/* Whether these ranks, the largest first, all fit with their least into the groups of a level in a range. */
bool sp_cut_has_room(struct cutter *c, int level, uint32_t from, uint32_t to, const uint32_t rank[], uint32_t n);

/* Dealing ranks to groups (apportion.c): segments are made in the order of their units. */

/*
 * Divide a range, which begins and ends on boundaries of this level, among the
 * next `ranks` ranks of c->rank_at, which are sorted with the largest first and
 * for each of which the range has its least.  They are reordered by their
 * units.
 */
void sp_cut_descend(struct cutter *c, int level, uint32_t from, uint32_t to, uint32_t ranks);

/* Make a range the segment of the next ranks, each of which gives up its part. */
void sp_cut_add_segment(struct cutter *c, uint32_t from, uint32_t to, uint32_t ranks, struct surrender surrender);

/* Once all segments are made: give all ranks of one size as many units as the worst segment leaves to one of them. */
void sp_cut_level_units(struct cutter *c);

/* Whether territories of units[] units can all start at boundaries of this level, in the order of these ranks. */
bool sp_cut_fits(const struct cutter *c, int level, uint32_t from, uint32_t to, const uint32_t rank[], uint32_t n);

/*
 * Replaces dealing evenly: put these ranks into as few parts as hold them, near
 * each other (compact.c).  Fills where[] and the number of ranks of each part.
 * False: the ranks do not fit that way; where[] is then undefined.
 */
bool sp_cut_gather(struct cutter *c, int level, struct part *part, uint32_t nparts, const uint32_t rank[], uint32_t n);

/*
 * Deal ranks to NUMA nodes by the devices near these (near_devices.c), and
 * descend from each node by sp_cut_descend.  False, with no segment made, where
 * devices make no difference or the nodes with devices have no room for all
 * ranks: the caller then descends from the whole machine.
 */
bool sp_cut_follow_devices(struct cutter *c);

/*
 * The same where demand->near gives, for each rank, the part of the machine
 * beside its devices.  If a part is too small for its ranks, all parts grow to
 * the next larger group.  False, too, where no rank has a part.
 */
bool sp_cut_follow_near(struct cutter *c);

/*
 * Set all territories (territories.c), once all segments are made and
 * sp_cut_level_units was called: each territory has room for its units, and
 * with SP_SHARE_ALL no unit is left between territories.
 */
void sp_cut_lay_out(struct cutter *c);

/*
 * Take the units of each rank out of its territory (shares.c): as many as
 * units[] says, or all with SP_SHARE_ALL; of these only policy.cores, where
 * that is set.  The units are taken from as few groups as hold them.
 */
void sp_cut_take_shares(struct cutter *c);

/*
 * Replaces all steps after the levels where ranks outnumber cores: deal the
 * ranks to the cores and divide each core among its ranks (crowd.c).  Requires
 * the boundaries of cores, units that are CPUs, and no more ranks than units.
 */
void sp_cut_share_cores(struct cutter *c);

/*
 * Renumber the ranks, so far in the order of their units, round the NUMA nodes
 * (cyclic.c): the first rank of each node, then the second of each, ...
 */
void sp_cut_deal_round_nodes(struct cutter *c);

/* Fill the figures (figures.c).  tally has an entry for each rank, to be overwritten. */
void sp_cut_fill_figures(const struct cutter *c, struct tally *tally, struct sp_cut *cut);

/*
 * Add to cores[] the number of cores of which each rank has a CPU.  Returns the
 * number of cores in use.  A core that several ranks divide counts for each of
 * them in cores[], and once in the result.
 */
uint32_t sp_cut_count_cores(const struct sp_machine *machine, const uint32_t owner[], uint32_t cores[]);

/* Cut the cores of some kinds as if they were alike (cutter.c).  Returns as sp_cut_by_need; cut may not be NULL. */
int sp_cut_kinds(const struct cutting *cutting, const struct sp_policy *policy, uint32_t kinds, uint32_t owner[],
		 struct sp_cut *cut);

/*
 * What a cut leaves to be desired (lacks.c).  Of two cuts the better has the
 * lower value in the first field in which they differ.
 */
struct lacks {
	uint64_t threads;	/* threads without a core of their own; without a CPU, where there are too few cores for all threads */
	uint32_t crossing;	/* ranks across a boundary inside which their threads would fit, in a group with another rank */
};

/* The threads of all ranks; a rank of unknown need counts as 1 thread. */
uint64_t sp_cut_all_threads(const struct cutting *cutting);

/* Fill in the lacks of a cut.  cores, cpus: how many may be dealt.  Returns 0 or -ENOMEM. */
int sp_cut_count_lacks(const struct cutting *cutting, uint32_t cores, uint32_t cpus, const uint32_t owner[], struct lacks *lacks);

/*
 * Take all of the steps above, for ranks without a domain (cores.c).  Arguments
 * and errors are those of sp_cut_by_need; the cutting is changed, and cut may
 * not be NULL.
 */
int sp_cut_cores(struct cutting *cutting, uint32_t owner[], struct sp_cut *cut);

/*
 * Replaces sp_cut_cores where policy.domain decides what each rank gets
 * (domains.c).  Arguments and errors are those of sp_cut_by_need; cut may not
 * be NULL, and is undefined on error.
 */
int sp_cut_domains(const struct cutting *cutting, uint32_t owner[], struct sp_cut *cut);

#endif
