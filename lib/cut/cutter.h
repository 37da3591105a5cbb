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
 * Where ranks outnumber cores nothing of this applies: the ranks go to the
 * cores first, and each core is divided by itself (crowd.c).
 *
 * cores.c chooses the kinds of cores and has cutter.c cut each of them, which
 * takes the steps in the order of this page.  For the files of this folder
 * alone: others include cut.h.
 *
 * Everything depends on its arguments alone, writes nothing but the cutter and
 * what is its caller's.  Functions that can fail say so.
 */
#ifndef SP_CUTTER_H
#define SP_CUTTER_H

#include <stdbool.h>
#include <stdint.h>

#include "cut/cut.h"

/* Levels of boundaries, the coarsest first; a finer one has those of all coarser ones. */
enum {
	OUTER, MIDDLE, INNER,	/* package, NUMA node and L3 group, in the machine's own order */
	TILE,			/* L2 group */
	CORE,			/* every unit, unless these are CPUs */
	UNIT,			/* every unit */
	LEVELS
};
#define RESPECTED TILE		/* levels before this one are crossed only for more than an eighth */

struct part {			/* a group as seen from the one around it */
	uint32_t from, to;
	uint32_t n;		/* ranks that it gets; units that are kept of it */
	uint64_t load;		/* units that these ranks want */
	uint32_t room, dealt;	/* ranks of one size: for which there is room, that it got */
	uint32_t bin, nbins;	/* its groups of the level that is respected */
};

struct territory {
	uint32_t from, to;
	uint32_t limit;		/* where it can start at the latest */
	bool fixed;
};

struct segment {
	uint32_t from, to;
	uint32_t first, ranks;	/* its territories */
};

struct tally {			/* of one rank */
	uint32_t units;
	uint32_t last;		/* its last unit so far */
	bool nodes, caches;	/* it has more than one NUMA node, L3 group */
};

/* What is asked, and how it is tried. */
struct cutting {
	const struct sp_machine *machine;
	const struct sp_policy *policy;
	const struct sp_demand *demand;	/* never NULL */
	uint32_t nranks;
	bool is_strict;		/* no rank goes without a unit that it needs for the sake of a boundary, or has one more for which it crosses one */
	bool all_kinds;		/* fast and slow cores are dealt as if they were alike */
	bool by_cpu;		/* neighbouring ranks may divide a core */
};

/* Threads of a rank; 0: not known. */
static inline uint32_t
need_of(const struct sp_demand *demand, uint32_t rank)
{
	return demand->need ? demand->need[rank] : 0;
}

/* One cut.  Where no file is named, cutter.c sets it before the first step. */
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
	int order[RESPECTED];	/* levels.c: the field that is the boundary of a level */

	/* Arrays, zero-initialised by cutter.c. */
	uint32_t *place;	/* units.c: of a unit: where its first CPU stands in the machine */
	uint32_t *rank;		/* shares.c, crowd.c: of a unit, or SP_NOBODY; cyclic.c numbers anew */
	uint32_t *want, *least;	/* needs.c: of a rank, in units, from 1; the sum of want is nunits at most */
	uint32_t *units;	/* apportion.c: of a rank: those that it has, as far as segments have been made */
	uint32_t *rank_at;	/* the rank of each territory: needs.c, apportion.c, near_devices.c */
	uint64_t *key;		/* needs.c: room for sorting ranks */
	uint32_t *heap, *bin;	/* apportion.c; bins.c */
	bool *fresh;		/* compact.c: of a unit: nothing of its L3 group is taken */
	uint32_t *next[LEVELS];	/* levels.c: the first boundary at or after a unit; nunits if none */
	struct part *part[RESPECTED];	/* room for the parts of one range a level, from its first unit: sp_cut_split */
	struct territory *territory;	/* territories.c: of a rank */
	struct segment *segment;	/* apportion.c */
	uint32_t *turn, *number;	/* cyclic.c: for ranks that are dealt round the nodes; near_devices.c uses turn */
	uint32_t *where;	/* of a rank: the part of a range in which it is placed */
	struct sp_near *spot;	/* near_devices.c: of a rank: where its units are to be */
};

/* Units (units.c). */

#define KINDS 32		/* of cores; more are not told apart */
#define SPEEDS 8		/* of the cores of one kind; more are not told apart */

struct usable {
	uint32_t cores, cpus;
	uint32_t of_kind[KINDS];	/* cores */
};

/* Sets of kinds have a bit for each. */
#define EVERY_KIND UINT32_MAX

/*
 * Mark the CPUs of some kinds that may be dealt: their owner is 0 for now,
 * that of others SP_NOBODY.  taken: those of other jobs, or NULL.  Returns how
 * many there are.
 */
struct usable sp_cut_mark_usable(const struct sp_machine *machine, const struct sp_policy *policy,
				 const struct sp_cpus *taken, uint32_t kinds, uint32_t owner[]);

/*
 * The kinds that the policy asks for, of those that are there (cores.c): the
 * fastest or the slowest alone; EVERY_KIND where it asks for neither, or none is.
 */
uint32_t sp_cut_asked_kinds(const struct sp_policy *policy, const struct usable *usable);

/*
 * Number the units: the owner of each CPU that was marked becomes its unit,
 * place[] the first CPU of each unit.
 */
void sp_cut_number_units(const struct sp_machine *machine, bool by_cpu, uint32_t owner[], uint32_t pu[]);

/* Levels (levels.c). */

/* What is compared for a boundary: the package, the NUMA node, the L3 group. */
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

/* End of the group that begins at from, or of the range around it. */
static inline uint32_t
group_end(const struct cutter *c, int level, uint32_t from, uint32_t to)
{
	uint32_t end = boundary_after(c, level, from + 1);

	return end < to ? end : to;
}

/*
 * The groups of a range, at a level before RESPECTED.  Returns how many;
 * *parts points into part[level], with n = 0, until the same units are split
 * at this level again.
 */
uint32_t sp_cut_split(struct cutter *c, int level, uint32_t from, uint32_t to, struct part **parts);

static inline uint32_t
part_size(const struct part *part)
{
	return part->to - part->from;
}

/* Needs (needs.c). */

/*
 * What each rank wants, by its need: fill want, least and rank_at, the ranks that
 * want most first.  To be called before all that follows.
 */
void sp_cut_weigh(struct cutter *c);

/* The same for ranks that want fair units each, whatever they need. */
void sp_cut_aim_at(struct cutter *c, uint32_t fair);

/* Whether two ranks are of one size: they want, and take, the same. */
static inline bool
are_alike(const struct cutter *c, uint32_t a, uint32_t b)
{
	return c->want[a] == c->want[b] && c->least[a] == c->least[b];
}

/* What the ranks of a segment go without: so many units of that many that the largest wants, and others in proportion. */
struct surrender {
	uint32_t units, of;
};

/* Units of a rank that goes without its part, unless that leaves it less than its least. */
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

/* Put ranks into the order of what they want, the largest first; or of their numbers. */
void sp_cut_sort_by_want(struct cutter *c, uint32_t rank[], uint32_t n);
void sp_cut_sort_by_number(struct cutter *c, uint32_t rank[], uint32_t n);

/* Whether cores that are left over are dealt, too. */
static inline bool
deals_all(const struct cutter *c)
{
	return c->policy->share == SP_SHARE_ALL && !c->demand->compact;
}

/* Bins: the groups of a level, into which ranks go with their least (bins.c). */

/* Fill bin[] with the sizes of the groups of each part, and say in the parts which these are. */
void sp_cut_open_bins(struct cutter *c, int level, struct part *part, uint32_t nparts);

/* Fill bins with ranks that take so many units each.  Returns how many ranks are left. */
uint32_t sp_cut_fill_bins(uint32_t bin[], uint32_t nbins, uint32_t ranks, uint32_t least);

/* Where the ranks of the next size begin. */
uint32_t sp_cut_size_end(const struct cutter *c, const uint32_t rank[], uint32_t from, uint32_t n);

/* Whether these ranks, the largest first, all fit with their least into the groups of a level in a range. */
bool sp_cut_has_room(struct cutter *c, int level, uint32_t from, uint32_t to, const uint32_t rank[], uint32_t n);

/* Ranks to groups (apportion.c), which makes the segments in the order of their units. */

/*
 * Divide a range, which begins and ends on boundaries of this level, among the
 * next so many ranks of c->rank_at, the largest of them first, each of which has
 * its least there.  They are put into the order of their units.
 */
void sp_cut_descend(struct cutter *c, int level, uint32_t from, uint32_t to, uint32_t ranks);

/* Make a range the segment of the next ranks, each of which goes without its part. */
void sp_cut_add_segment(struct cutter *c, uint32_t from, uint32_t to, uint32_t ranks, struct surrender surrender);

/* Once all segments are made: ranks of one size all have what the worst segment leaves to one of them. */
void sp_cut_level_units(struct cutter *c);

/* Whether territories of units[] can all start at boundaries of this level, in the order of these ranks. */
bool sp_cut_fits(const struct cutter *c, int level, uint32_t from, uint32_t to, const uint32_t rank[], uint32_t n);

/*
 * In place of dealing evenly: put these ranks into as few parts as hold them,
 * and near each other (compact.c).  Fills where[] and the ranks of each part.
 * False: they do not fit so; where[] is undefined then.
 */
bool sp_cut_gather(struct cutter *c, int level, struct part *part, uint32_t nparts, const uint32_t rank[], uint32_t n);

/*
 * Ranks to NUMA nodes by the devices near them (near_devices.c); from there on it
 * is sp_cut_descend.  False, and no segment made, where devices tell nothing
 * or have no room for all ranks: the caller descends from the whole machine.
 */
bool sp_cut_follow_devices(struct cutter *c);

/*
 * The same where demand->near has the part of the machine that is beside the
 * devices of each rank.  A part too small for its ranks grows to the next
 * larger group, with all others.  False, too, where no rank has a part.
 */
bool sp_cut_follow_near(struct cutter *c);

/*
 * Set all territories (territories.c), once all segments are made and levelled:
 * each has room for its units, and with SP_SHARE_ALL they leave no unit between
 * them.
 */
void sp_cut_lay_out(struct cutter *c);

/*
 * Take the units of each rank out of its territory (shares.c): as many as are
 * its own, or all with SP_SHARE_ALL; of these policy.cores, where that is given.
 * They come from as few groups as hold them.
 */
void sp_cut_take_shares(struct cutter *c);

/*
 * In place of all steps from the levels on, where there are more ranks than
 * cores: deal the ranks to the cores and divide each core among its ranks
 * (crowd.c).  Needs the boundaries of cores, and no more ranks than units,
 * which are CPUs.
 */
void sp_cut_share_cores(struct cutter *c);

/*
 * Number the ranks, so far in the order of their units, anew (cyclic.c): the
 * first of each NUMA node, then the second of each, ...
 */
void sp_cut_deal_round_nodes(struct cutter *c);

/* Fill the figures (figures.c).  tally has an entry for each rank, to be overwritten. */
void sp_cut_fill_figures(const struct cutter *c, struct tally *tally, struct sp_cut *cut);

/*
 * Add to cores[] the cores of which each rank has a CPU.  Returns how many are
 * in use: a core that several ranks divide counts for each of them, and once here.
 */
uint32_t sp_cut_count_cores(const struct sp_machine *machine, const uint32_t owner[], uint32_t cores[]);

/* Cut the cores of some kinds as if they were alike (cutter.c).  Returns as sp_cut_by_need; cut may not be NULL. */
int sp_cut_kinds(const struct cutting *cutting, const struct sp_policy *policy, uint32_t kinds, uint32_t owner[],
		 struct sp_cut *cut);

/* What a cut leaves to be desired (lacks.c); the less the better, by the first in which two differ. */
struct lacks {
	uint64_t threads;	/* that have no core of their own, or no CPU where there are not cores enough for all */
	uint32_t strays;	/* ranks that lie across a boundary inside of which their threads would fit, beside others there */
};

/* The threads of all ranks; one of unknown need counts as one of 1 thread. */
uint64_t sp_cut_all_threads(const struct cutting *cutting);

/* Returns 0 or -ENOMEM.  cores, cpus: that may be dealt. */
int sp_cut_count_lacks(const struct cutting *cutting, uint32_t cores, uint32_t cpus, const uint32_t owner[], struct lacks *lacks);

/*
 * All of the above, for ranks to which no domain is given (cores.c).  Arguments
 * and errors are those of sp_cut_by_need; the cutting is changed, and cut may
 * not be NULL.
 */
int sp_cut_cores(struct cutting *cutting, uint32_t owner[], struct sp_cut *cut);

/*
 * In place of all that: what policy.domain gives to each rank (domains.c).
 * Arguments and errors are those of sp_cut_by_need; cut may not be NULL, and is
 * undefined on error.
 */
int sp_cut_domains(const struct cutting *cutting, uint32_t owner[], struct sp_cut *cut);

#endif
