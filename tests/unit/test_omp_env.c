/* Facts about what OpenMP users ask of their runtime. */
#include <check.h>
#include <string.h>

#include "suites.h"
#include "settings/omp_env.h"

static const struct {
	const char *variable[4];
	const char *libgomp, *libomp;
} deciders[] = {
	{ { NULL }, NULL, NULL },
	{ { "OMP_NUM_THREADS=4", "OMP_PROC_BINDX=true", "OMP_PLACE=cores" }, NULL, NULL },
	{ { "OMP_PROC_BIND=close" }, "OMP_PROC_BIND=close", "OMP_PROC_BIND=close" },
	{ { "OMP_PROC_BIND=false" }, "OMP_PROC_BIND=false", "OMP_PROC_BIND=false" },
	{ { "OMP_PROC_BIND=", "OMP_PLACES= ", "KMP_AFFINITY=", "GOMP_CPU_AFFINITY=" }, NULL, NULL },
	{ { "OMP_PLACES=cores" }, "OMP_PLACES=cores", "OMP_PLACES=cores" },
	{ { "OMP_PLACES=cores", "OMP_PROC_BIND=spread" }, "OMP_PROC_BIND=spread", "OMP_PROC_BIND=spread" },
	{ { "OMP_PLACES=cores", "OMP_PLACES=threads" }, "OMP_PLACES=cores", "OMP_PLACES=cores" },
	{ { "OMP_PLACES=", "OMP_PLACES=threads" }, NULL, NULL },
	{ { "GOMP_CPU_AFFINITY=0 1" }, "GOMP_CPU_AFFINITY=0 1", "GOMP_CPU_AFFINITY=0 1" },
	{ { "GOMP_CPU_AFFINITY=0 1", "OMP_PLACES=cores" }, "OMP_PLACES=cores", "GOMP_CPU_AFFINITY=0 1" },
	{ { "KMP_AFFINITY=scatter" }, NULL, "KMP_AFFINITY=scatter" },
	{ { "KMP_AFFINITY=scatter", "OMP_PROC_BIND=true" }, "OMP_PROC_BIND=true", "KMP_AFFINITY=scatter" },
	{ { "KMP_AFFINITY=none" }, NULL, "KMP_AFFINITY=none" },
	{ { "KMP_AFFINITY=Disabled" }, NULL, "KMP_AFFINITY=Disabled" },
	{ { "KMP_AFFINITY=verbose,granularity=fine,balanced" }, NULL, "KMP_AFFINITY=verbose,granularity=fine,balanced" },
	{ { "KMP_AFFINITY=granularity=fine, compact,1,0" }, NULL, "KMP_AFFINITY=granularity=fine, compact,1,0" },
	{ { "KMP_AFFINITY=proclist=[0,1]" }, NULL, "KMP_AFFINITY=proclist=[0,1]" },
	{ { "KMP_AFFINITY=logical,3" }, NULL, "KMP_AFFINITY=logical,3" },
	{ { "KMP_AFFINITY=verbose" }, NULL, NULL },
	{ { "KMP_AFFINITY=noverbose,warnings,nowarnings,respect,norespect,reset,noreset,dups,nodups" }, NULL, NULL },
	{ { "KMP_AFFINITY=granularity=fine,verbose" }, NULL, NULL },
	{ { "KMP_AFFINITY=granularity=none" }, NULL, NULL },
	{ { "KMP_AFFINITY=scater" }, NULL, NULL },
	{ { "KMP_AFFINITY=scatter2" }, NULL, NULL },
	{ { "KMP_AFFINITY==" }, NULL, NULL },
	{ { "KMP_AFFINITY=granularity=[x,none],verbose" }, NULL, NULL },
	{ { "KMP_AFFINITY=granularity=[x,none,y],verbose" }, NULL, NULL },
	{ { "KMP_AFFINITY=granularity=x,none" }, NULL, "KMP_AFFINITY=granularity=x,none" },
	{ { "KMP_AFFINITY=[none" }, NULL, "KMP_AFFINITY=[none" },
	{ { "KMP_AFFINITY=verbose", "OMP_PLACES=threads" }, "OMP_PLACES=threads", "OMP_PLACES=threads" },
	{ { "KMP_HW_SUBSET=8c,1t" }, NULL, "KMP_HW_SUBSET=8c,1t" },
	{ { "KMP_PLACE_THREADS=8c,1t" }, NULL, "KMP_PLACE_THREADS=8c,1t" },
	{ { "KMP_HW_SUBSET=8c,1t", "KMP_AFFINITY=compact" }, NULL, "KMP_AFFINITY=compact" },
};

static void
check_text(const char *text, const char *expected)
{
	ck_assert_msg((text == NULL) == (expected == NULL), "%s, not %s",
		      text ? text : "nothing", expected ? expected : "nothing");
	if (text)
		ck_assert_str_eq(text, expected);
}

START_TEST(one_setting_decides)
{
	char *environment[5] = { NULL };
	struct sp_omp_env omp_env;

	memcpy(environment, deciders[_i].variable, sizeof(deciders[_i].variable));
	sp_omp_env_read(&omp_env, environment);
	check_text(omp_env.libgomp, deciders[_i].libgomp);
	check_text(omp_env.libomp, deciders[_i].libomp);
}
END_TEST

static const struct {
	const char *variable;
	const char *cpus;	/* NULL: none written out */
} lists[] = {
	{ "GOMP_CPU_AFFINITY=0-3:2 5,7", "0,2,5,7" },
	{ "GOMP_CPU_AFFINITY=0", "0" },
	{ "GOMP_CPU_AFFINITY= 4-6 ", "4-6" },
	{ "GOMP_CPU_AFFINITY=3,1 , 2", "1-3" },
	{ "GOMP_CPU_AFFINITY=0-15:4", "0,4,8,12" },
	{ "GOMP_CPU_AFFINITY=3-3", "3" },
	{ "GOMP_CPU_AFFINITY=3-4:1", "3-4" },
	{ "GOMP_CPU_AFFINITY=3-1", NULL },
	{ "GOMP_CPU_AFFINITY=0-3:0", NULL },
	{ "GOMP_CPU_AFFINITY=0-3:-1", NULL },
	{ "GOMP_CPU_AFFINITY=-1", NULL },
	{ "GOMP_CPU_AFFINITY=zero", NULL },
	{ "GOMP_CPU_AFFINITY=8192-9000", NULL },
	{ "OMP_PLACES={9000:2}", NULL },
	{ "GOMP_CPU_AFFINITY=0-", NULL },
	{ "GOMP_CPU_AFFINITY=8190-99999999999999999999999", "8190-8191" },
	{ "GOMP_CPU_AFFINITY=0-99999999999999999999999:99999999999999999", "0" },
	{ "GOMP_CPU_AFFINITY=0]", NULL },
	{ "OMP_PLACES={0:4},{4}", "0-4" },
	{ "OMP_PLACES={0,1}:2:2", "0-3" },
	{ "OMP_PLACES={0}:4:8", "0,8,16,24" },
	{ "OMP_PLACES={7}:4:-2", "1,3,5,7" },
	{ "OMP_PLACES={0:2:68}:2", "0-1,68-69" },
	{ "OMP_PLACES= { 0 : 2 } , { 8 } ", "0-1,8" },
	{ "OMP_PLACES=0,1,5", "0-1,5" },
	{ "OMP_PLACES=0,1:2:4", "0-1,5" },
	{ "OMP_PLACES={0}:4:-1", "0" },
	{ "OMP_PLACES={0:8192}:8", "0-8191" },
	{ "OMP_PLACES={0:8192}:9", NULL },
	{ "OMP_PLACES={8190:4}", "8190-8191" },
	{ "OMP_PLACES={3}:2:0", "3" },
	{ "OMP_PLACES={3::2}:2", NULL },
	{ "OMP_PLACES={0:99999999999999999999}:99999999999999999999:99999999999999999999", NULL },
	{ "OMP_PLACES={0},!{1}", NULL },
	{ "OMP_PLACES={0", NULL },
	{ "OMP_PLACES={}", NULL },
	{ "OMP_PLACES={0:0}", NULL },
	{ "OMP_PLACES={0},", NULL },
	{ "OMP_PLACES={0},{-1}", NULL },
	{ "OMP_PLACES={0},{x}", NULL },
	{ "OMP_PLACES={0:x},{3}", NULL },
	{ "OMP_PLACES={0:0},{3}", NULL },
	{ "OMP_PLACES={0:2:x},{3}", NULL },
	{ "OMP_PLACES={5:1}", "5" },
	{ "OMP_PLACES={1:3:2}", "1,3,5" },
	{ "OMP_PLACES=cores", NULL },
	{ "OMP_PLACES=threads(8)", NULL },
	{ "KMP_AFFINITY=explicit,proclist=[0,2-4,{6,7}],verbose", "0,2-4,6-7" },
	{ "KMP_AFFINITY=granularity=fine,PROCLIST=[3,1],explicit", "1,3" },
	{ "KMP_AFFINITY=proclist=[0-8:4]", "0,4,8" },
	{ "KMP_AFFINITY=proclist=[0", NULL },
	{ "KMP_AFFINITY=compact,0,1", NULL },
};

START_TEST(numbers_are_read)
{
	char *environment[] = { (char *)lists[_i].variable, NULL };
	struct sp_omp_env omp_env;
	char text[SP_CPUS_TEXT];

	sp_omp_env_read(&omp_env, environment);
	check_text(omp_env.numbers_from, lists[_i].cpus ? lists[_i].variable : NULL);
	ck_assert_str_eq(sp_cpus_format(&omp_env.numbers, text, sizeof(text)),
			 lists[_i].cpus ? lists[_i].cpus : "");
}
END_TEST

START_TEST(numbers_of_a_setting_that_is_off)
{
	char *off[] = { "OMP_PLACES={5}", "OMP_PROC_BIND= FALSE", NULL };
	char *on[] = { "OMP_PLACES={5}", "OMP_PROC_BIND=true", NULL };
	char *overruled[] = { "KMP_AFFINITY=explicit,proclist=[5]", "OMP_PROC_BIND=false", NULL };
	struct sp_omp_env omp_env;

	sp_omp_env_read(&omp_env, off);
	ck_assert_ptr_null(omp_env.numbers_from);
	ck_assert(sp_cpus_empty(&omp_env.numbers));
	sp_omp_env_read(&omp_env, on);
	ck_assert_ptr_eq(omp_env.numbers_from, on[0]);
	sp_omp_env_read(&omp_env, overruled);
	ck_assert_ptr_eq(omp_env.numbers_from, overruled[0]);
}
END_TEST

START_TEST(announcements)
{
	char *some[] = { "OMP_NUM_THREADS=4,2", "OMP_TOOL_LIBRARIES=/a.so", NULL };
	char *empty[] = { "OMP_NUM_THREADS=", "OMP_TOOL_LIBRARIES=", NULL };
	struct sp_omp_env omp_env;

	sp_omp_env_read(&omp_env, some);
	ck_assert(omp_env.team_announced);
	ck_assert_uint_eq(omp_env.team, 4);
	ck_assert_uint_eq(omp_env.nested, 2);
	ck_assert(omp_env.tool_announced);
	sp_omp_env_read(&omp_env, empty);
	ck_assert(!omp_env.team_announced);
	ck_assert_uint_eq(omp_env.nested, 1);
	ck_assert(!omp_env.tool_announced);
}
END_TEST

static const struct {
	const char *variable[2];
	bool has_places;
} bindings[] = {
	{ { NULL }, false }, { { "OMP_PROC_BIND=close" }, true }, { { "OMP_PLACES=cores" }, true }, { { "GOMP_CPU_AFFINITY=0-3" }, true },
	{ { "KMP_AFFINITY=scatter" }, true }, { { "KMP_AFFINITY=none" }, false }, { { "KMP_AFFINITY=verbose,disabled" }, false },
	{ { "KMP_AFFINITY=none", "OMP_PROC_BIND=close" }, true }, { { "KMP_AFFINITY=none", "GOMP_CPU_AFFINITY=0-3" }, true },
	{ { "OMP_PROC_BIND=false" }, false }, { { "OMP_PROC_BIND=FALSE", "OMP_PLACES=cores" }, false },
};

START_TEST(a_binding_that_is_off_has_no_places)
{
	char *environment[] = { (char *)bindings[_i].variable[0], (char *)bindings[_i].variable[1], NULL };
	struct sp_omp_env omp_env;

	sp_omp_env_read(&omp_env, environment);
	ck_assert_int_eq(sp_omp_env_has_places(&omp_env), bindings[_i].has_places);
}
END_TEST

static const struct {
	const char *variable[2];
	bool keeps_places, on_cores;
} kept[] = {
	{ { NULL }, false, false }, { { "OMP_PROC_BIND=close" }, false, false }, { { "OMP_PROC_BIND=spread,close", "OMP_PLACES=threads" }, false, false },
	{ { "OMP_PLACES=Cores" }, false, true }, { { "OMP_PLACES=ll_caches" }, false, false }, { { "OMP_PROC_BIND=false" }, false, false },
	{ { "OMP_PROC_BIND=master" }, true, false }, { { "OMP_PROC_BIND= Primary " }, true, false }, { { "OMP_PROC_BIND=spread, primary" }, true, false },
	{ { "OMP_PLACES=cores(1)" }, true, false }, { { "OMP_PLACES={0:2}" }, true, false }, { { "OMP_PLACES=cores,!{3}" }, true, true },
	{ { "GOMP_CPU_AFFINITY=0-3" }, true, false }, { { "KMP_HW_SUBSET=2c", "OMP_PROC_BIND=close" }, true, false }, { { "KMP_PLACE_THREADS=2c" }, true, false },
	{ { "KMP_AFFINITY=compact" }, true, false }, { { "KMP_AFFINITY=verbose", "OMP_PROC_BIND=close" }, false, false },
};

START_TEST(places_that_the_user_has_chosen_are_kept)
{
	char *environment[] = { (char *)kept[_i].variable[0], (char *)kept[_i].variable[1], NULL };
	struct sp_omp_env omp_env;

	sp_omp_env_read(&omp_env, environment);
	ck_assert_int_eq(omp_env.keeps_places, kept[_i].keeps_places);
	ck_assert_int_eq(omp_env.on_cores, kept[_i].on_cores);
}
END_TEST

static const struct {
	const char *variable[2];
	enum sp_places places, for_libgomp;	/* the second where the process has no libomp */
} kinds[] = {
	{ { NULL }, SP_PLACES_NONE, SP_PLACES_NONE },
	{ { "OMP_PLACES=sockets" }, SP_PLACES_PACKAGE, SP_PLACES_PACKAGE }, { { "OMP_PLACES=SOCKETS(1)" }, SP_PLACES_PACKAGE, SP_PLACES_PACKAGE },
	{ { "OMP_PLACES=sockets", "OMP_PROC_BIND=spread" }, SP_PLACES_PACKAGE, SP_PLACES_PACKAGE },
	{ { "OMP_PLACES=sockets", "OMP_PROC_BIND=false" }, SP_PLACES_NONE, SP_PLACES_NONE },
	{ { "OMP_PLACES=socketss" }, SP_PLACES_SMALL, SP_PLACES_SMALL }, { { "OMP_PLACES=cores" }, SP_PLACES_SMALL, SP_PLACES_SMALL },
	{ { "OMP_PROC_BIND=close" }, SP_PLACES_SMALL, SP_PLACES_SMALL }, { { "OMP_PLACES={0:2}" }, SP_PLACES_SMALL, SP_PLACES_SMALL },
	{ { "OMP_PLACES=numa_domains" }, SP_PLACES_SMALL, SP_PLACES_NUMA }, { { "OMP_PLACES=ll_caches" }, SP_PLACES_SMALL, SP_PLACES_L3 },
	{ { "OMP_PLACES=sockets", "KMP_AFFINITY=scatter" }, SP_PLACES_SMALL, SP_PLACES_SMALL },
	{ { "OMP_PLACES=sockets", "GOMP_CPU_AFFINITY=0-3" }, SP_PLACES_SMALL, SP_PLACES_SMALL },
};

START_TEST(whole_objects_are_told_from_other_places)
{
	char *environment[] = { (char *)kinds[_i].variable[0], (char *)kinds[_i].variable[1], NULL };
	struct sp_omp_env omp_env;

	sp_omp_env_read(&omp_env, environment);
	ck_assert_int_eq(sp_omp_env_places(&omp_env), kinds[_i].places);
	sp_omp_env_without(&omp_env, SP_LIBOMP);
	ck_assert_int_eq(sp_omp_env_places(&omp_env), kinds[_i].for_libgomp);
}
END_TEST

static const struct {
	const char *variable[2];
	enum sp_runtime absent;
	bool binds, has_places;
	const char *numbers;
} of_others[] = {
	{ { "KMP_AFFINITY=scatter" }, SP_LIBOMP, false, false, "" }, { { "KMP_AFFINITY=scatter" }, SP_LIBGOMP, true, true, "" },
	{ { "KMP_HW_SUBSET=2c" }, SP_LIBOMP, false, false, "" },
	{ { "KMP_AFFINITY=explicit,proclist=[5]" }, SP_LIBOMP, false, false, "" },
	{ { "KMP_AFFINITY=explicit,proclist=[5]" }, SP_LIBGOMP, true, true, "5" },
	{ { "KMP_AFFINITY=none", "OMP_PROC_BIND=close" }, SP_LIBGOMP, true, false, "" },
	{ { "KMP_AFFINITY=none", "OMP_PROC_BIND=close" }, SP_LIBOMP, true, true, "" },
	{ { "KMP_AFFINITY=scatter", "OMP_PROC_BIND=false" }, SP_LIBOMP, true, false, "" },
	/* What both read. */
	{ { "GOMP_CPU_AFFINITY=3" }, SP_LIBOMP, true, true, "3" }, { { "GOMP_CPU_AFFINITY=3" }, SP_LIBGOMP, true, true, "3" },
	{ { "OMP_PROC_BIND=close" }, SP_LIBGOMP, true, true, "" },
};

START_TEST(a_setting_of_a_runtime_that_is_absent_decides_nothing)
{
	char *environment[] = { (char *)of_others[_i].variable[0], (char *)of_others[_i].variable[1], NULL };
	struct sp_omp_env omp_env;
	char text[SP_CPUS_TEXT];

	sp_omp_env_read(&omp_env, environment);
	const char *libgomp = omp_env.libgomp, *libomp = omp_env.libomp;
	sp_omp_env_without(&omp_env, of_others[_i].absent);
	ck_assert_int_eq(sp_omp_env_binds(&omp_env), of_others[_i].binds);
	ck_assert_int_eq(sp_omp_env_has_places(&omp_env), of_others[_i].has_places);
	ck_assert_str_eq(sp_cpus_format(&omp_env.numbers, text, sizeof(text)), of_others[_i].numbers);
	/* For one that is loaded later. */
	ck_assert_ptr_eq(omp_env.libgomp, libgomp);
	ck_assert_ptr_eq(omp_env.libomp, libomp);
}
END_TEST

static const struct {
	const char *variable[4];
	uint32_t threads;
} pools[] = {
	{ { NULL }, 0 },
	{ { "OMP_NUM_THREADS=1" }, 1 },
	{ { "OMP_NUM_THREADS=4" }, 4 },
	{ { "OMP_NUM_THREADS=4,1,2" }, 8 },
	{ { "OMP_NUM_THREADS=4,2" }, 8 },
	{ { "OMP_NUM_THREADS= 4 , 2 , 3 " }, 24 },
	{ { "OMP_NUM_THREADS=2", "MKL_NUM_THREADS=6" }, 6 },
	{ { "OMP_NUM_THREADS=8", "MKL_NUM_THREADS=6" }, 8 },
	{ { "OMP_NUM_THREADS=4,2", "OPENBLAS_NUM_THREADS=7" }, 8 },
	{ { "MKL_NUM_THREADS=3" }, 3 },
	{ { "OPENBLAS_NUM_THREADS=3" }, 3 },
	/* One for a library says nothing of other threads. */
	{ { "OPENBLAS_NUM_THREADS=1" }, 0 },
	{ { "OPENBLAS_NUM_THREADS=1", "MKL_NUM_THREADS=1" }, 0 },
	{ { "OPENBLAS_NUM_THREADS=1", "MKL_NUM_THREADS=2" }, 2 },
	{ { "OMP_NUM_THREADS=1", "OPENBLAS_NUM_THREADS=1" }, 1 },
	{ { "GOTO_NUM_THREADS=3" }, 3 },
	{ { "BLIS_NUM_THREADS=3" }, 3 },
	{ { "NUMEXPR_NUM_THREADS=3" }, 3 },
	{ { "JULIA_NUM_THREADS=3" }, 3 },
	{ { "NUMBA_NUM_THREADS=2" }, 2 },
	{ { "RAYON_NUM_THREADS= 5 " }, 5 },
	{ { "POLARS_MAX_THREADS=6", "OMP_NUM_THREADS=1" }, 6 },
	{ { "GOMAXPROCS=3", "RAYON_NUM_THREADS=1" }, 3 },
	{ { "GOMAXPROCS=1" }, 0 },
	{ { "RAYON_NUM_THREADS=99999999999999999999" }, 1u << 22 },
	{ { "JULIA_NUM_THREADS=auto" }, 0 },
	{ { "OMP_NUM_THREADS=" }, 0 },
	{ { "OMP_NUM_THREADS=nonsense" }, 0 },
	{ { "OMP_NUM_THREADS=-4" }, 0 },
	{ { "OMP_NUM_THREADS=0" }, 0 },
	{ { "OMP_NUM_THREADS=," }, 0 },
	{ { "OMP_NUM_THREADS=4,nonsense" }, 0 },
	{ { "OMP_NUM_THREADS=4,2x" }, 0 },
	{ { "OMP_NUM_THREADS=4x" }, 0 },
	{ { "OMP_NUM_THREADS=4 2" }, 0 },
	{ { "OMP_NUM_THREADS=4,-2" }, 0 },
	{ { "OMP_NUM_THREADS=4," }, 4 },
	{ { "OMP_NUM_THREADS=4,,2" }, 4 },
	{ { "OMP_NUM_THREADS=4,0" }, 4 },
	{ { "XOMP_NUM_THREADS=4" }, 0 },
	{ { "OMP_NUM_THREADS=8", "OMP_THREAD_LIMIT=2" }, 2 },
	{ { "OMP_NUM_THREADS=2", "OMP_THREAD_LIMIT=8" }, 2 },
	{ { "OMP_NUM_THREADS=8", "OMP_THREAD_LIMIT=none" }, 8 },
	{ { "OMP_NUM_THREADS=8", "OMP_THREAD_LIMIT=2", "OPENBLAS_NUM_THREADS=4" }, 4 },
	{ { "OMP_THREAD_LIMIT=2" }, 0 },
	/* No process has more than this. */
	{ { "OMP_NUM_THREADS=99999999999999999999999" }, 1u << 22 },
	{ { "OMP_NUM_THREADS=4000000,4000000,4000000,4000000" }, 1u << 22 },
};

START_TEST(the_largest_pool_that_is_announced)
{
	char *environment[5] = { NULL };
	struct sp_omp_env omp_env;

	memcpy(environment, pools[_i].variable, sizeof(pools[_i].variable));
	sp_omp_env_read(&omp_env, environment);
	ck_assert_uint_eq(omp_env.threads, pools[_i].threads);
	if (!pools[_i].threads)
		ck_assert_uint_eq(omp_env.team, 0);
}
END_TEST

START_TEST(sizes_of_nested_teams)
{
	static const struct {
		char *text;
		uint32_t nested;
	} sizes[] = {
		{ "OMP_NUM_THREADS=4", 1 }, { "OMP_NUM_THREADS=4, 2 ,3", 6 }, { "OMP_NUM_THREADS=4,,2,0", 1 }, { "OMP_NUM_THREADS=4,2,x", 1 },
		{ "OMP_NUM_THREADS=4,99999999", 1u << 20 }, { "OMP_NUM_THREADS=99999999", 1 },
	};
	char *environment[] = { sizes[_i].text, NULL };
	struct sp_omp_env omp_env;

	sp_omp_env_read(&omp_env, environment);
	ck_assert_uint_eq(omp_env.nested, sizes[_i].nested);
}
END_TEST

static const struct {
	const char *one;
	bool expected;
} uneven[] = {
	{ "OMP_NUM_THREADS=4", false }, { "OMP_NUM_THREADS=4,1", false }, { "OMP_NUM_THREADS=4,2", true }, { "OMP_NESTED=true", true },
	{ "OMP_NESTED=", false }, { "OMP_MAX_ACTIVE_LEVELS=2", true }, { "OMP_DYNAMIC=true", true }, { "OMP_THREAD_LIMIT=3", true },
	{ "KMP_BLOCKTIME=0", false }, { "KMP_DEVICE_THREAD_LIMIT=3", true }, { "KMP_ALL_THREADS=3", true }, { "KMP_NESTING_MODE=1", true },
	{ "KMP_TOPOLOGY_METHOD=hwloc", false },
};

START_TEST(teams_that_may_be_nested_or_smaller)
{
	struct sp_omp_env omp_env;
	char *environment[] = { (char *)uneven[_i].one, NULL };

	sp_omp_env_read(&omp_env, environment);
	ck_assert_int_eq(omp_env.has_uneven_teams, uneven[_i].expected);
}
END_TEST

/* Two threads of a core for two threads of a team. */
static const struct {
	const char *one, *two;
	bool expected;
} packed[] = {
	{ "OMP_PROC_BIND=true", NULL, true }, { "OMP_PROC_BIND= close", NULL, true }, { "OMP_PROC_BIND=spread,close", NULL, true },
	{ "OMP_PROC_BIND=false", NULL, false }, { "OMP_PROC_BIND=FALSE", NULL, false }, { "OMP_PROC_BIND=", NULL, false },
	{ "OMP_PROC_BIND=true", "OMP_PLACES=cores", false }, { "OMP_PROC_BIND=true", "OMP_PLACES=", true },
	{ "OMP_PROC_BIND=true", "GOMP_CPU_AFFINITY=0-3", false }, { "OMP_PLACES=threads", NULL, false },
	{ "KMP_AFFINITY=compact", NULL, true }, { "KMP_AFFINITY=verbose,Compact", NULL, true },
	{ "KMP_AFFINITY=granularity=fine,compact,1,0", NULL, true }, { "KMP_AFFINITY=scatter", NULL, false },
	{ "KMP_AFFINITY=compactly", NULL, false }, { "KMP_AFFINITY=compact", "KMP_HW_SUBSET=1t", false },
	{ "OMP_NUM_THREADS=4", NULL, false },
};

START_TEST(threads_on_one_hardware_thread_after_the_other)
{
	struct sp_omp_env omp_env;
	char *environment[] = { (char *)packed[_i].one, (char *)packed[_i].two, NULL };

	sp_omp_env_read(&omp_env, environment);
	ck_assert_int_eq(omp_env.on_hardware_threads, packed[_i].expected);
}
END_TEST

static const struct {
	const char *one;
	bool expected;
} sides[] = {
	{ "OMP_PROC_BIND=close", true }, { "OMP_PROC_BIND= Close,spread", true }, { "OMP_PROC_BIND=spread,close", false },
	{ "OMP_PROC_BIND=true", false }, { "OMP_PLACES=cores", false },
};

START_TEST(threads_side_by_side)
{
	struct sp_omp_env omp_env;
	char *environment[] = { (char *)sides[_i].one, NULL };

	sp_omp_env_read(&omp_env, environment);
	ck_assert_int_eq(omp_env.is_close, sides[_i].expected);
}
END_TEST

START_TEST(no_environment)
{
	struct sp_omp_env omp_env;

	memset(&omp_env, 0xa5, sizeof(omp_env));
	sp_omp_env_read(&omp_env, NULL);
	ck_assert_ptr_null(omp_env.libgomp);
	ck_assert_ptr_null(omp_env.libomp);
	ck_assert_ptr_null(omp_env.numbers_from);
	ck_assert(!omp_env.team_announced);
	ck_assert_uint_eq(omp_env.threads, 0);
	ck_assert_uint_eq(omp_env.team, 0);
	ck_assert_uint_eq(omp_env.nested, 1);
	ck_assert(sp_cpus_empty(&omp_env.numbers));
}
END_TEST

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

Suite *
suite_omp_env(void)
{
	Suite *suite = suite_create("omp_env");
	TCase *tcase = tcase_create("facts");

	tcase_add_loop_test(tcase, one_setting_decides, 0, COUNT(deciders));
	tcase_add_loop_test(tcase, numbers_are_read, 0, COUNT(lists));
	tcase_add_test(tcase, numbers_of_a_setting_that_is_off);
	tcase_add_test(tcase, announcements);
	tcase_add_loop_test(tcase, a_setting_of_a_runtime_that_is_absent_decides_nothing, 0, sizeof(of_others) / sizeof(of_others[0]));
	tcase_add_loop_test(tcase, whole_objects_are_told_from_other_places, 0, sizeof(kinds) / sizeof(kinds[0]));
	tcase_add_loop_test(tcase, places_that_the_user_has_chosen_are_kept, 0, COUNT(kept));
	tcase_add_loop_test(tcase, a_binding_that_is_off_has_no_places, 0, sizeof(bindings) / sizeof(bindings[0]));
	tcase_add_loop_test(tcase, the_largest_pool_that_is_announced, 0, COUNT(pools));
	tcase_add_loop_test(tcase, sizes_of_nested_teams, 0, 6);
	tcase_add_loop_test(tcase, teams_that_may_be_nested_or_smaller, 0, COUNT(uneven));
	tcase_add_loop_test(tcase, threads_on_one_hardware_thread_after_the_other, 0, sizeof(packed) / sizeof(packed[0]));
	tcase_add_loop_test(tcase, threads_side_by_side, 0, sizeof(sides) / sizeof(sides[0]));
	tcase_add_test(tcase, no_environment);
	suite_add_tcase(suite, tcase);
	return suite;
}
