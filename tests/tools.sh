#!/bin/bash
# Beside other tools of OMPT the threads of a rank are pinned as without them:
# masks are read from /proc, and the table of docs/tools.md is compared with
# what was found.  And what runtimes do that few programs ask for: shut down and
# start again, are linked statically, come twice.
#
#   tests/tools.sh [BUILD [PRELOAD]]
#
# What a run printed is kept in BUILD/tests/tools.
set -u
# shellcheck source=tests/own-shm.sh
. tests/own-shm.sh
# shellcheck source=tests/lib.sh
. tests/lib.sh

[ -e "$preload" ] || { echo "tools: no $preload: run make first" >&2; exit 1; }
if [ "$ncpus" -lt 2 ] || [ -n "$confined" ]; then
	give_up skip "everything" "one CPU, or these tests are confined"
fi

export OMP_NUM_THREADS=2 SPLITPIN_LOCAL_RANK=0 SPLITPIN_LOCAL_SIZE=1
source=$sources/tools.c
archer=$(find /usr/lib -name libarcher.so 2>/dev/null | head -n 1)
static=$(find "$build/deps/" -name libiomp5.a 2>/dev/null | head -n 1)

# compile NAME COMPILER FLAGS...: print the path of the program, or fail.
compile() {
	local to=$work/$1
	"${@:2}" -O1 -g -fopenmp -I. "$source" -o "$to" > "$to.log" 2>&1 && echo "$to"
}

# run NAME [VARIABLE=VALUE...] PROGRAM: in a rank of all CPUs; leaves its output.
run() {
	local to=$work/$1.out
	shift
	env SPLITPIN_DEBUG=1 LD_PRELOAD="$preload" "$@" > "$to" 2>&1 < /dev/null
	echo "status $?" >> "$to"
}

line() { sed -n "s/^$2 //p" "$work/$1.out"; }
how() {
	if grep -q 'bind their threads themselves' "$work/$1.out"; then
		echo native
	else
		sed -n 's/.* trigger=\(ompt\|pthread\) why="2 threads.*/\1/p' "$work/$1.out" | sort -u | paste -s -d +
	fi
}

tool=$work/tool.so
gcc -O1 -shared -fPIC -DLIBRARY -DSTARTER $source -o "$work/libstarter.so"
gcc -O1 -shared -fPIC -x c - -o "$work/wrapper.so" -ldl <<'END'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
int
pthread_create(pthread_t *thread, const pthread_attr_t *attr, void *(*start)(void *), void *data)
{
	int (*next)() = (int (*)())dlsym(RTLD_NEXT, "pthread_create");

	return next(thread, attr, start, data);
}
END
gcc -O1 -shared -fPIC -I. $sources/ompt-tool.c -o "$tool"
causes=(pthread_create dlsym g_thread_new _ZN5boost6thread20start_thread_noexceptEv _ZN7QThread5startENS_8PriorityE
	_ZN11QThreadPool5startEP9QRunnablei _ZNSt6thread15_M_start_threadESt10unique_ptrINS_6_StateESt14default_deleteIS1_EEPFvvE
	ompc_set_num_threads __kmpc_set_thread_limit kmp_set_thread_affinity_mask_initial)
# Of the C library and of the runtime; which runtime it is makes no difference, so one is tried.
known_causes=(dlopen dlmopen thrd_create omp_set_num_threads omp_set_dynamic omp_set_nested omp_set_max_active_levels omp_pause_resource
	kmp_set_defaults kmp_set_affinity __kmpc_push_num_threads __kmpc_fork_teams __kmpc_omp_target_task_alloc GOMP_parallel GOMP_teams_reg)
printf 'int %s(void) { return 0; }\n' "${causes[@]:2}" | gcc -shared -fPIC -x c - -o "$work/libcauses.so"
echo 'int MKL_Set_Threading_Layer(int layer) { return layer; }' | gcc -shared -fPIC -x c - -o "$work/libmkl_rt.so"
# By runtime; row has them by name.
declare -A plain tsan path
# shellcheck disable=SC2034
declare -A own declining sized
plain[libgomp]=$(compile libgomp gcc)
sized[libgomp]=$(compile libgomp-sized gcc -DCLAUSE)
own[libgomp]=$(compile libgomp-own gcc -rdynamic -DOWN_TOOL=1)
declining[libgomp]=$(compile libgomp-declining gcc -rdynamic -DOWN_TOOL=0)
if plain[libomp]=$(compile libomp clang); then
	sized[libomp]=$(compile libomp-sized clang -DCLAUSE)
	own[libomp]=$(compile libomp-own clang -DOWN_TOOL=1)
	declining[libomp]=$(compile libomp-declining clang -DOWN_TOOL=0)
fi
if [ -n "$iomp" ] && [ -n "${plain[libomp]}" ]; then
	plain[libiomp5]=${plain[libomp]} sized[libiomp5]=${sized[libomp]} own[libiomp5]=${own[libomp]} declining[libiomp5]=${declining[libomp]}
	path[libiomp5]=$build/tests/iomp-for-libomp
fi
for runtime in libgomp libomp libiomp5; do
	[ -n "${plain[$runtime]:-}" ] || skip "$runtime" "not installed"
done

# Object files by clang, which instruments what Archer explains, with gcc's run time where clang has none.
if [ -n "$archer" ] && clang -c -O1 -g -fopenmp -fsanitize=thread $source -o "$work/tsan.o" 2>/dev/null &&
	gcc -fsanitize=thread "$work/tsan.o" -L"${archer%/*}" -lomp -o "$work/tsan" 2>/dev/null; then
	tsan[libomp]=$work/tsan
fi

# The CPUs of the slots, found by the one way that needs no tool of any kind.
run slots "${plain[libgomp]}"
slots=$(line slots team)

# beside ROW RUNTIME TOOL_STARTS [VARIABLE=VALUE...] PROGRAM: a cell of the table.
beside() {
	local row=$1 runtime=$2 starts=$3 name cell
	shift 3
	name=$runtime-${row//[^[:alnum:]]/_}
	run "$name" LD_LIBRARY_PATH="${path[$runtime]:-}" "$@"
	cell=$(how "$name")
	verdict "$runtime, $row" "$(
		expect "exit status" "$(line "$name" status)" 0
		expect "CPUs of the threads" "$(line "$name" team)" "$slots"
		expect "CPUs counted" "$(line "$name" procs)" "$ncpus"
		expect "tools that say so" "$(grep -c '^tool' "$work/$name.out")" "$starts"
		expect "left in the environment" "$(line "$name" environment)" ""
		[ -n "$cell" ] || echo "nobody has pinned"
		grep 'ThreadSanitizer' "$work/$name.out"
	)"
	cells[$runtime]=$cell
}

table=$work/table.md
: > "$table"
add_row() {
	local row="| $1 |" runtime
	for runtime in libgomp libomp libiomp5; do
		row="$row ${cells[$runtime]:--} |"
	done
	echo "$row" >> "$table"
}

declare -A cells
# row NAME TOOL_STARTS PROGRAMS [VARIABLE=VALUE...]
row() {
	local name=$1 starts=$2 runtime started
	declare -n programs=$3
	shift 3
	cells=()
	for runtime in libgomp libomp libiomp5; do
		[ -n "${programs[$runtime]:-}" ] || continue
		started=$starts
		[ $runtime = libgomp ] && started=0	# has no tools
		beside "$name" $runtime "$started" "$@" "${programs[$runtime]}"
	done
	add_row "$name"
}

row "none" 0 plain
row "none, and the program sets the size of its teams" 0 sized
row "the executable's own" 1 own
row "the executable's own, which declines" 0 declining
row "preloaded before splitpin" 1 plain LD_PRELOAD="$tool:$preload"
row "preloaded after splitpin" 1 plain LD_PRELOAD="$preload:$tool"
row "by \`OMP_TOOL_LIBRARIES\`" 1 plain OMP_TOOL_LIBRARIES="$tool"
row "\`OMP_TOOL=disabled\`" 0 plain OMP_TOOL=disabled
row "none, \`SPLITPIN_PIN=native\`" 0 plain SPLITPIN_PIN=native
row "Archer, with ThreadSanitizer" 0 tsan LD_LIBRARY_PATH="${archer%/*}" TSAN_OPTIONS=ignore_noninstrumented_modules=1

if [ -n "${plain[libiomp5]:-}" ] && [ -n "${tsan[libomp]:-}" ]; then
	verdict "the table of docs/tools.md" "$(grep -vxF -f docs/tools.md "$table")"
else
	skip "the table of docs/tools.md" "not all runtimes are installed"
fi

for runtime in libomp libiomp5; do
	[ -n "${plain[$runtime]:-}" ] || continue
	export LD_LIBRARY_PATH=${path[$runtime]:-}
	program=${plain[$runtime]}

	# What pins, where teams may be others than those of one thread and of the default size.
	verdict "$runtime: OMPT where teams may be nested, smaller, or of several threads" "$(
		for variable in OMP_NUM_THREADS=2,2 OMP_MAX_ACTIVE_LEVELS=2 OMP_NESTED=true OMP_THREAD_LIMIT=4 KMP_DEVICE_THREAD_LIMIT=4; do
			run uneven $variable "$program"
			expect "with $variable" "$(how uneven)" ompt
		done
		[ "$runtime" = libomp ] || known_causes=()
		for name in "${causes[@]}" "${known_causes[@]}"; do
			run cause "$(compile cause clang -DREFERENCE="\"$name\"" -L"$work" -lcauses -Wl,-rpath,"$work")"
			expect "of a program that refers to $name" "$(how cause)" ompt
		done
		run mkl "$(compile mkl clang -L"$work" -Wl,--no-as-needed -lmkl_rt -Wl,-rpath,"$work")"
		expect "of a program of MKL" "$(how mkl)" ompt
		run wrapped LD_PRELOAD="$work/wrapper.so:$preload" "$program"
		expect "beside another pthread_create" "$(how wrapped)" ompt
	)"

	if second=$(compile second clang -DSECOND -L"$work" -lstarter -Wl,-rpath,"$work"); then
		run second "$second"
		verdict "$runtime: a second root thread, made by a library" "$(
			expect "ways" "$(how second)" pthread
			# On two CPUs there is no core for each of four threads.
			[ "$ncpus" -gt 2 ] && others=$slots || others="$cpus $cpus"
			expect "CPUs" "$(line second team | sed 's/^1 0$/0 1/')" "$slots"$'\n'"$others"
			expect "threads seen" "$(grep -c 'trigger=pthread' "$work/second.out")" 4
		)"
	fi

	# libiomp5 sets masks by hwloc then.
	run hwloc KMP_TOPOLOGY_METHOD=hwloc "$program"
	verdict "$runtime: pinned with KMP_TOPOLOGY_METHOD=hwloc" "$(expect "CPUs" "$(line hwloc team)" "$slots")"

	run control "$program"
	verdict "$runtime: omp_control_tool() as without a tool" "$(expect "it" "$(line control control)" -2)"

	run setting SPLITPIN_PIN=native OMP_PROC_BIND=false "$program"
	verdict "$runtime: the user's setting wins over native binding" "$(
		expect "ways" "$(how setting)" ""
		expect "environment" "$(line setting environment | sort -u | paste -s -d ' ')" \
			"child OMP_PROC_BIND=false end OMP_PROC_BIND=false main OMP_PROC_BIND=false"
	)"

	run refused SPLITPIN_PIN=ompt OMP_TOOL=disabled "$program"
	verdict "$runtime: SPLITPIN_PIN=ompt, and no tool" "$(
		expect "CPUs" "$(line refused team)" "$cpus $cpus"
		grep -q 'trigger=constructor' "$work/refused.out" || echo "the rank has not settled in the constructor"
	)"

	run one OMP_NUM_THREADS=1 OMP_TOOL=disabled "$program"
	verdict "$runtime: a team of one has the share" "$(
		expect "CPUs" "$(line one team)" "$cpus"
		expect "environment" "$(line one environment)" ""
	)"

	run half SPLITPIN_LOCAL_RANK=1 SPLITPIN_LOCAL_SIZE=2 OMP_TOOL=disabled "$program"
	verdict "$runtime: one rank of two, and no tool" "$(
		expect "CPUs counted" "$(line half procs)" $((ncpus / 2))
	)"

	if paused=$(compile pause clang -DPAUSE=20); then
		run pause "$paused"
		verdict "$runtime: on the share again after a hard pause" "$(
			expect "CPUs" "$(line pause team)" "$slots"$'\n'"$cpus $cpus"
			expect "CPUs counted" "$(line pause procs | sort -u)" "$ncpus"
		)"
	fi
	unset LD_LIBRARY_PATH
done

test="libiomp5: closed, and opened again"
if [ -n "${plain[libiomp5]:-}" ] && first=$(compile reload-1.so clang -shared -fPIC -DLIBRARY) &&
	second=$(compile reload-2.so clang -shared -fPIC -DLIBRARY) &&
	gcc -O1 -DLOADER -DRELOAD $source -o "$work/reload" -ldl; then
	run reload LD_LIBRARY_PATH="${path[libiomp5]}" "$work/reload" "$first" "$second" "$first"
	verdict "$test" "$(
		expect "exit status" "$(line reload status)" 0
		expect "CPUs of the threads" "$(line reload team | sort -u)" "$slots"
		expect "teams" "$(grep -c '^team' "$work/reload.out")" 3
	)"
else
	skip "$test" "no libiomp5"
fi

test="libiomp5, loaded by a program of another runtime"
if [ -n "${plain[libiomp5]:-}" ] && plugin=$(compile plugin.so clang -shared -fPIC -DLIBRARY) &&
	gcc -O1 -DLOADER -DBY_STARTER $source -o "$work/plugin" -Wl,--no-as-needed -lgomp -L"$work" -lstarter -Wl,-rpath,"$work"; then
	run plugin LD_LIBRARY_PATH="${path[libiomp5]}" "$work/plugin" "$plugin"
	verdict "$test" "$(
		expect "CPUs of the threads" "$(line plugin team)" "$slots"
		expect "ways" "$(how plugin)" ompt
	)"
else
	skip "$test" "no libiomp5"
fi

# The most that can be done: docs/tools.md, "Limits".
test="libomp, opened by a program with OMP_TOOL=disabled"
if [ -n "${plain[libomp]:-}" ] && late=$(compile late.so clang -shared -fPIC -DLIBRARY) &&
	gcc -O1 -DLOADER $source -o "$work/loader" -ldl; then
	run late SPLITPIN_RUN=none OMP_TOOL=disabled "$work/loader" "$late"
	run started OMP_TOOL=disabled "$work/loader" "$late"
	verdict "$test" "$(
		expect "CPUs in a rank from its start" "$(line started team)" "$slots"
		expect "what that says at its end" "$(grep 'not pinned' "$work/started.out")" ""
		expect "exit status" "$(line late status)" 0
		grep -q 'active=yes .* trigger=thread' "$work/late.out" || echo "the rank has not settled at its first thread"
	)"
else
	skip "$test" "no libomp"
fi

test="libomp: gcc's teams"
libomp=$(ldd "${plain[libomp]:-/bin/true}" | sed -n 's/.*libomp.* => \(.*\) (.*/\1/p')
if [ -n "$libomp" ] && teams=$(compile gcc-teams gcc -DTEAMS); then
	mkdir -p "$work/names"
	ln -sf "$libomp" "$work/names/libgomp.so.1"
	run teams LD_LIBRARY_PATH="$work/names" "$teams"
	verdict "$test" "$(grep -q 'trigger=ompt why="2 threads' "$work/teams.out" || echo "the threads are not pinned")"
else
	skip "$test" "no libomp"
fi

test="libiomp5 in the executable"
if [ -n "$static" ] && clang -c -O1 -fopenmp $source -o "$work/static.o" 2>/dev/null &&
	gcc "$work/static.o" "$static" -ldl -lm -lpthread -o "$work/static" 2>/dev/null; then
	run static "$work/static"
	verdict "$test" "$(expect "CPUs of the threads" "$(line static team)" "$slots")"
else
	skip "$test" "no libiomp5.a"
fi

# As with a Python wheel's: the same library by a name of its own.
test="two libgomps in one process"
libgomp=$(ldd "${plain[libgomp]}" | sed -n 's/.*libgomp.* => \(.*\) (.*/\1/p')
first=$(compile first.so gcc -shared -fPIC -DLIBRARY)
sed 's/libgomp\.so\.1/libgomq.so.1/g' "$libgomp" > "$work/libgomq.so.1"
if sed 's/libgomp\.so\.1/libgomq.so.1/g' "$first" > "$work/second.so" &&
	gcc -O1 -DLOADER $source -o "$work/loader" -ldl; then
	run two LD_LIBRARY_PATH="$work" "$work/loader" "$first" "$work/second.so"
	verdict "$test" "$(
		expect "libgomps" "$(grep -c ^team "$work/two.out")" 2
		expect "CPUs of the threads" "$(line two team)" "$slots"$'\n'"$slots"
	)"
else
	skip "$test" "cannot make one of another name"
fi

# watched NAME COMMAND...: threads are pinned under a tool as without it, and nothing is said of it.
watched() {
	local test="a rank under $1" name=${1// /-} why
	if ! command -v "$2" >/dev/null; then
		skip "$test" "not installed"
	elif ! "${@:2}" /bin/true > "$work/$name.able" 2>&1 < /dev/null; then
		why=$(grep -im 1 'fatal\|error\|denied\|permitted\|cannot' "$work/$name.able")
		skip "$test" "does not work here: ${why:-see $work/$name.able}"
	else
		run "$name" "${@:2}" "${plain[libgomp]}"
		verdict "$test" "$(
			expect "exit status" "$(line "$name" status)" 0
			expect "CPUs of the threads" "$(line "$name" team)" "$slots"
			expect "CPUs counted" "$(line "$name" procs)" "$ncpus"
			grep 'splitpin: warning' "$work/$name.out"
		)"
	fi
}
watched gdb gdb -q -batch -iex "set auto-load no" -iex "set debuginfod enabled off" -ex run --args
watched valgrind valgrind -q
watched strace strace -f -o "$work/strace"
watched "perf record" perf record -q -e cpu-clock -o "$work/perf"
watched "perf stat" perf stat -e task-clock
watched heaptrack heaptrack -o "$work/heaptrack"
rm -rf "$work/rr"
watched rr rr record -o "$work/rr"

closing
