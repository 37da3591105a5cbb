#include "settings/omp_env.h"

#include <stddef.h>
#include <string.h>

#include "base/ascii.h"
#include "base/environment.h"
#include "base/order.h"
#include "base/text.h"
#include "settings/omp_lists.h"

enum variable {
	OMP_PROC_BIND,
	OMP_PLACES,
	OMP_NUM_THREADS,
	OMP_THREAD_LIMIT,
	OMP_NESTED,
	OMP_MAX_ACTIVE_LEVELS,
	OMP_DYNAMIC,
	OMP_TOOL_LIBRARIES,
	GOMP_CPU_AFFINITY,
	KMP_AFFINITY,
	KMP_HW_SUBSET,
	KMP_PLACE_THREADS,
	KMP_ALL_THREADS,
	KMP_DEVICE_THREAD_LIMIT,
	KMP_NESTING_MODE,
	KMP_TOPOLOGY_METHOD,
	NVARIABLES
};

static const char *const names[NVARIABLES] = {
	[OMP_PROC_BIND] = "OMP_PROC_BIND=",
	[OMP_PLACES] = "OMP_PLACES=",
	[OMP_NUM_THREADS] = "OMP_NUM_THREADS=",
	[OMP_THREAD_LIMIT] = "OMP_THREAD_LIMIT=",
	[OMP_NESTED] = "OMP_NESTED=",
	[OMP_MAX_ACTIVE_LEVELS] = "OMP_MAX_ACTIVE_LEVELS=",
	[OMP_DYNAMIC] = "OMP_DYNAMIC=",
	[OMP_TOOL_LIBRARIES] = "OMP_TOOL_LIBRARIES=",
	[GOMP_CPU_AFFINITY] = "GOMP_CPU_AFFINITY=",
	[KMP_AFFINITY] = "KMP_AFFINITY=",
	[KMP_HW_SUBSET] = "KMP_HW_SUBSET=",
	[KMP_PLACE_THREADS] = "KMP_PLACE_THREADS=",
	[KMP_ALL_THREADS] = "KMP_ALL_THREADS=",
	[KMP_DEVICE_THREAD_LIMIT] = "KMP_DEVICE_THREAD_LIMIT=",
	[KMP_NESTING_MODE] = "KMP_NESTING_MODE=",
	[KMP_TOPOLOGY_METHOD] = "KMP_TOPOLOGY_METHOD=",
};

/* Which setting decides, in the runtime's order of precedence. */
static const enum variable libgomp[] = {
	OMP_PROC_BIND, OMP_PLACES, GOMP_CPU_AFFINITY, NVARIABLES
};

static const enum variable libomp[] = {
	KMP_AFFINITY, GOMP_CPU_AFFINITY, OMP_PROC_BIND, OMP_PLACES,
	KMP_HW_SUBSET, KMP_PLACE_THREADS, NVARIABLES
};

/* The words of KMP_AFFINITY that decide; all others are modifiers, or mistakes. */
static const char *const kmp_types[] = {
	"none", "disabled", "compact", "scatter", "balanced", "explicit",
	"physical", "logical", "proclist", NULL
};

/* Of capital letters each has a bit of its own. */
static uint32_t
letter(char c)
{
	return UINT32_C(1) << (c & 31);
}

/* The environment's "NAME=value", or NULL: an empty variable is not set. */
static void
collect(char *const environment[], const char *entry[])
{
	uint32_t letters = 0;	/* with which any of them begins */

	for (int i = 0; i < NVARIABLES; i++)
		letters |= letter(*names[i]);
	for (; environment && *environment; environment++) {
		for (int i = 0; letter(**environment) & letters && i < NVARIABLES; i++) {
			if (**environment == *names[i] && !entry[i] && strncmp(*environment, names[i], strlen(names[i])) == 0)
				entry[i] = *environment;
		}
	}
	for (int i = 0; i < NVARIABLES; i++) {
		if (!entry[i])
			continue;
		if (*sp_ascii_skip_blanks(entry[i] + strlen(names[i])) == '\0')
			entry[i] = NULL;
	}
}

static const char *
value_of(const char *const entry[], enum variable variable)
{
	return entry[variable] ? entry[variable] + strlen(names[variable]) : NULL;
}

static bool
is_kmp_type(const char *word, size_t length)
{
	const char *end;

	for (const char *const *type = kmp_types; *type; type++) {
		if (sp_ascii_begins(word, *type, &end) && end == word + length)
			return true;
	}
	return false;
}

/* Words are parted by ',', and a word ends at its '='. */
static bool
kmp_decides(const char *value)
{
	while (*value != '\0') {
		size_t length = strcspn(value, " \t,=[");

		if (length > 0 && is_kmp_type(value, length))
			return true;
		value += length;
		if (*value == '=')
			value += strcspn(value, value[1] == '[' ? "]" : ",");
		if (*value != '\0')
			value++;
	}
	return false;
}

static const char *
decider(const char *const entry[], const enum variable order[])
{
	for (; *order != NVARIABLES; order++) {
		if (!entry[*order])
			continue;
		if (*order != KMP_AFFINITY || kmp_decides(value_of(entry, KMP_AFFINITY)))
			return entry[*order];
	}
	return NULL;
}

/* Those that most runtimes obey come first. */
static const struct {
	enum variable variable;
	bool (*read)(const char *value, struct sp_cpus *set);
} lists[] = {
	{ GOMP_CPU_AFFINITY, sp_omp_list_of_gomp },
	{ OMP_PLACES, sp_omp_list_of_places },
	{ KMP_AFFINITY, sp_omp_list_of_kmp },
};

/* Of OMP_PROC_BIND. */
static bool
bind_begins(const char *const entry[], const char *word)
{
	const char *value = value_of(entry, OMP_PROC_BIND), *end;

	return value && sp_ascii_begins(sp_ascii_skip_blanks(value), word, &end);
}

static bool
has_word(const char *value, const char *word)
{
	const char *end;

	for (; value && *value; value += strcspn(value, ","), value += *value == ',')
		if (sp_ascii_begins(sp_ascii_skip_blanks(value), word, &end) && (*(end = sp_ascii_skip_blanks(end)) == ',' || *end == '\0'))
			return true;
	return false;
}

/* Whether the setting that decides (NULL: none) is one by which threads are not bound. */
static bool
is_off(const char *deciding, const char *const entry[])
{
	const char *kmp = value_of(entry, KMP_AFFINITY);

	if (kmp && deciding == entry[KMP_AFFINITY])
		return has_word(kmp, "none") || has_word(kmp, "disabled");
	return deciding && deciding == entry[OMP_PROC_BIND] && bind_begins(entry, "false");
}

/* A malformed list is ignored by the runtimes too. */
static void
read_numbers(struct sp_omp_env *omp_env, const char *const entry[])
{
	if (!sp_omp_env_has_places(omp_env))
		return;
	for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); i++) {
		struct sp_cpus set = { 0 };
		const char *value = value_of(entry, lists[i].variable);

		if (value && lists[i].read(value, &set) && !sp_cpus_empty(&set)) {
			omp_env->numbers = set;
			omp_env->numbers_from = entry[lists[i].variable];
			omp_env->numbers_sum = sp_text_sum(omp_env->numbers_from);
			return;
		}
	}
}

/* NULL: it is not set, or has anything but numbers ("4,x"), which libgomp ignores; LLVM's runtime warns, then often fails. */
static const char *
teams(const char *const entry[])
{
	const char *value = value_of(entry, OMP_NUM_THREADS);

	return value && sp_ascii_is_list(value) ? value : NULL;
}

/* "4,2": the sizes of nested teams follow the first. */
static uint32_t
team_of(const char *text)
{
	uint64_t n = 0;

	if (text)
		sp_ascii_digits(sp_ascii_skip_blanks(text), &n);
	return (uint32_t)sp_smaller(n, UINT32_MAX);
}

/* No process has more threads: the kernel's PID_MAX_LIMIT. */
#define THREADS_MAX (1u << 22)

/* All levels of "4,2" together: 8; 0: it is no number, or NULL. */
static uint32_t
threads_of(const char *text)
{
	uint64_t all = 0, n;

	for (const char *at = text; at && (at = sp_ascii_digits(sp_ascii_skip_blanks(at), &n)) && n > 0; at++) {
		n = sp_smaller(n, THREADS_MAX);
		all = all ? sp_smaller(all * n, THREADS_MAX) : n;
		at = sp_ascii_skip_blanks(at);
		if (*at != ',')
			break;
	}
	return (uint32_t)all;
}

/*
 * The largest pool of a library or a language that is not OpenMP's.  One thread
 * for a pool is set so that threads do not multiply, and announces nothing.
 */
static uint32_t
pool_threads(char *const environment[])
{
	static const char *const pools[] = {
		"BLIS_NUM_THREADS", "GOMAXPROCS", "GOTO_NUM_THREADS", "JULIA_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS",
		"NUMEXPR_NUM_THREADS", "OPENBLAS_NUM_THREADS", "POLARS_MAX_THREADS", "RAYON_NUM_THREADS",
	};
	uint32_t most = 1;

	for (size_t i = 0; i < sizeof(pools) / sizeof(pools[0]); i++)
		most = (uint32_t)sp_larger(most, threads_of(sp_environment_value(environment, pools[i])));
	return most > 1 ? most : 0;
}

/* OpenMP's own threads, at most OMP_THREAD_LIMIT. */
static uint32_t
openmp_threads(const char *const entry[])
{
	uint32_t threads = threads_of(teams(entry)), limit = team_of(value_of(entry, OMP_THREAD_LIMIT));

	return limit ? (uint32_t)sp_smaller(threads, limit) : threads;
}

/* Of "4,2,3": 6. */
static uint32_t
nested_of(const char *text)
{
	uint32_t team = team_of(text), all = threads_of(text);

	return team ? (uint32_t)sp_larger(all / team, 1) : 1;
}

static bool
has_uneven_teams(const struct sp_omp_env *omp_env, const char *const entry[])
{
	return omp_env->nested > 1 || entry[OMP_NESTED] || entry[OMP_MAX_ACTIVE_LEVELS] || entry[KMP_NESTING_MODE] ||
	       entry[OMP_DYNAMIC] || entry[OMP_THREAD_LIMIT] || entry[KMP_DEVICE_THREAD_LIMIT] || entry[KMP_ALL_THREADS];
}

/* libgomp where no places are given, and KMP_AFFINITY=compact. */
static bool
takes_hardware_threads(const char *const entry[])
{
	if (entry[OMP_PLACES] || entry[GOMP_CPU_AFFINITY] || entry[KMP_HW_SUBSET] || entry[KMP_PLACE_THREADS])
		return false;
	return (entry[OMP_PROC_BIND] && !bind_begins(entry, "false")) || has_word(value_of(entry, KMP_AFFINITY), "compact");
}

/* OMP_PLACES: a name alone, or with a number of places ("sockets(1)"). */
static enum sp_places
read_places(const char *const entry[])
{
	static const struct {
		const char *name;
		enum sp_places places;
	} names_of[] = { { "sockets", SP_PLACES_PACKAGE }, { "numa_domains", SP_PLACES_NUMA }, { "ll_caches", SP_PLACES_L3 } };
	const char *value = value_of(entry, OMP_PLACES), *end;

	if (!value || entry[GOMP_CPU_AFFINITY] || entry[KMP_AFFINITY] || entry[KMP_HW_SUBSET] || entry[KMP_PLACE_THREADS])
		return SP_PLACES_SMALL;
	for (size_t i = 0; i < sizeof(names_of) / sizeof(names_of[0]); i++)
		if (sp_ascii_begins(value, names_of[i].name, &end) && (*end == '\0' || *end == '('))
			return names_of[i].places;
	return SP_PLACES_SMALL;
}

/* The names of OMP_PLACES have none of these characters; its numbers, and the number of its places, "cores(1)", do. */
static bool
keeps_places(const char *const entry[])
{
	const char *bind = value_of(entry, OMP_PROC_BIND), *places = value_of(entry, OMP_PLACES);

	return entry[GOMP_CPU_AFFINITY] || entry[KMP_HW_SUBSET] || entry[KMP_PLACE_THREADS] ||
	       (entry[KMP_AFFINITY] && decider(entry, libomp) == entry[KMP_AFFINITY]) ||
	       has_word(bind, "master") || has_word(bind, "primary") || (places && strpbrk(places, "(!{0123456789"));
}

void
sp_omp_env_read(struct sp_omp_env *omp_env, char *const environment[])
{
	const char *entry[NVARIABLES] = { NULL };

	collect(environment, entry);
	*omp_env = (struct sp_omp_env){
		.libgomp = decider(entry, libgomp),
		.libomp = decider(entry, libomp),
		.on_hardware_threads = takes_hardware_threads(entry),
		.is_close = bind_begins(entry, "close"),
		.keeps_places = keeps_places(entry),
		.on_cores = has_word(value_of(entry, OMP_PLACES), "cores"),
		.named = read_places(entry),
		.team_announced = entry[OMP_NUM_THREADS],
		.team = team_of(teams(entry)),
		.threads = (uint32_t)sp_larger(openmp_threads(entry), pool_threads(environment)),
		.nested = nested_of(teams(entry)),
		.tool_announced = entry[OMP_TOOL_LIBRARIES],
	};
	omp_env->has_uneven_teams = has_uneven_teams(omp_env, entry);
	omp_env->may_use_hwloc = entry[KMP_TOPOLOGY_METHOD];
	omp_env->is_off[SP_LIBGOMP] = is_off(omp_env->libgomp, entry);
	omp_env->is_off[SP_LIBOMP] = is_off(omp_env->libomp, entry);
	read_numbers(omp_env, entry);
}

void
sp_omp_env_without(struct sp_omp_env *omp_env, enum sp_runtime runtime)
{
	const char *from = omp_env->numbers_from;

	omp_env->is_absent[runtime] = true;
	if (runtime != SP_LIBOMP || !from || strncmp(from, names[KMP_AFFINITY], strlen(names[KMP_AFFINITY])) != 0)
		return;
	omp_env->numbers = (struct sp_cpus){ 0 };
	omp_env->numbers_from = NULL;
	omp_env->numbers_sum = 0;
}
