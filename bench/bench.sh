#!/bin/bash
# What splitpin gains and what it costs.
#
#   bench/bench.sh [BUILD]
#
# Ways to compare take turns, each figure is the median of 7 rounds.  Ratios
# compare machines; times do not.
set -u
# shellcheck source=tests/lib.sh
. tests/lib.sh

[ -e "$preload" ] || { echo "bench: no $preload: run make first" >&2; exit 1; }
rounds=7

median() { sort -n | awk '{ v[NR] = $1 } END { print v[int((NR + 1) / 2)] }'; }

# value NAME: the figures called NAME ("NAME: figure" lines), from standard input.
value() { sed -n "s/^$1: //p"; }

ratio() { awk -v a="$1" -v b="$2" 'BEGIN { printf "%.3f", a / b }'; }

for mpi in mpich openmpi ''; do
	[ -n "$mpi" ] && mpi_tool "$mpi" mpirun >/dev/null && break
done
[ -n "$mpi" ] || { echo "bench: neither Open MPI nor MPICH found: run make deps bench" >&2; exit 1; }
rm -rf "$work"
mkdir -p "$work"

# One CPU of each of two cores.
mapfile -t apart < <(taskset -c "$cpus" lscpu -p=CPU,CORE | awk -F, -v cpus="$cpus" '
	BEGIN {
		n = split(cpus, part, ",")
		for (i = 1; i <= n; i++) {
			split(part[i], end, "-")
			for (c = end[1]; c <= (end[2] == "" ? end[1] : end[2]); c++)
				mine[c] = 1
		}
	}
	!/^#/ && mine[$1] && !seen[$2]++ { print $1 }' | head -n 2)

gain() {
	local run spin setting=KMP_AFFINITY=scatter,granularity=fine way
	spin=$(program "$mpi" clang bench/spin.c) || { echo "a) skipped: no clang with OpenMP"; return; }
	[ "${#apart[@]}" = 2 ] || { echo "a) skipped: fewer than two cores"; return; }
	run=$(mpi_tool "$mpi" mpirun)
	local none=()
	[ "$mpi" = openmpi ] && none=(--bind-to none)
	(
		[ -z "$iomp" ] || export LD_LIBRARY_PATH=$build/tests/iomp-for-libomp
		export OMP_NUM_THREADS=1 "${setting?}"
		for ((i = 0; i < rounds; i++)); do
			"$run" "${none[@]}" -n 2 "$spin" 300 >> "$work/gain.without"
			LD_PRELOAD=$preload "$run" "${none[@]}" -n 2 "$spin" 300 >> "$work/gain.with"
			"$run" "${none[@]}" -n 1 taskset -c "${apart[0]}" "$spin" 300 : \
				"${none[@]}" -n 1 taskset -c "${apart[1]}" "$spin" 300 >> "$work/gain.taskset"
		done < /dev/null
	)
	local -A t
	for way in without with taskset; do
		t[$way]=$(value slowest < "$work/gain.$way" | median)
	done
	echo "a) 2 ranks x 1 thread, compute-bound, $([ -n "$iomp" ] && echo libiomp5 || echo libomp), $setting"
	echo "   without splitpin    ${t[without]} s"
	echo "   with splitpin       ${t[with]} s    speed-up $(ratio "${t[without]}" "${t[with]}")"
	echo "   masks by taskset    ${t[taskset]} s    splitpin takes $(ratio "${t[with]}" "${t[taskset]}") of it"
}

# instructions LIBRARY [VARIABLE=VALUE...]: with no other variables.
instructions() {
	local library=$1
	shift
	env -i PATH="$PATH" "$@" LD_PRELOAD="$library" valgrind --tool=callgrind --callgrind-out-file=/dev/null /bin/true 2>&1 |
		sed -n 's/.*Collected : //p'
}

loading() {
	local empty real kind i limit=4145 many=()
	local rank=(OMPI_COMM_WORLD_LOCAL_RANK=0 OMPI_COMM_WORLD_LOCAL_SIZE=2 OMPI_COMM_WORLD_RANK=0 OMPI_COMM_WORLD_SIZE=2)
	valgrind --version >/dev/null 2>&1 || { echo "b) skipped: no valgrind"; return; }
	# Names of one length: the loader's work depends on it.
	mkdir "$work/0" "$work/1"
	: > "$work/empty.c"
	gcc -shared -fPIC -o "$work/0/libsplitpin.so" "$work/empty.c"
	cp "$(dirname "$preload")"/libsplitpin*.so "$work/1"
	# First and second letters as they come, those of launchers among them.
	local letters=ABCDEFGHIJKLMNOPQRSTUVWXYZ_
	for ((i = 0; i < 100; i++)); do
		many+=("${letters:i % 26:1}${letters:i * 7 % 27:1}_VARIABLE_$i=value")
	done
	echo "b) instructions of /bin/true, over those with an empty library"
	for kind in "no rank" "no rank, 100 variables" "with variables of a rank"; do
		local environment=(NOTHING=0)
		case $kind in
		*100*) environment=("${many[@]}") ;;
		with*) environment=("${rank[@]}") ;;
		esac
		empty=$(instructions "$work/0/libsplitpin.so" "${environment[@]}")
		real=$(instructions "$work/1/libsplitpin.so" "${environment[@]}")
		printf '   %-26s%s - %s = %s' "$kind" "$real" "$empty" $((real - empty))
		if [[ $kind = "no rank"* ]]; then
			[ $((real - empty)) -le $limit ] && echo "    (limit $limit: kept)" || echo "    (limit $limit: EXCEEDED)"
		else
			echo
		fi
	done
}

# cost FAMILY THREADS FIGURE LABEL: its medians without and with, and their ratio.
cost() {
	local way
	local -A t
	for way in without with; do
		t[$way]=$(value "$3" < "$work/cost.$1.$2.$way" | median)
	done
	printf '   %-42s%9s ns %9s ns   ratio %s\n' "$4" "${t[without]}" "${t[with]}" "$(ratio "${t[with]}" "${t[without]}")"
}

running() {
	local program threads family i
	for family in clang gcc; do
		program "$mpi" $family bench/cost.c >/dev/null || { echo "c) skipped: no $family with OpenMP"; return; }
	done
	for ((i = 0; i < rounds; i++)); do
		for family in clang gcc; do
			program=$(program "$mpi" $family bench/cost.c)
			for threads in 1 "$ncpus"; do
				OMP_NUM_THREADS=$threads launch "$mpi" 1 "$program" >> "$work/cost.$family.$threads.without"
				LD_PRELOAD=$preload OMP_NUM_THREADS=$threads launch "$mpi" 1 "$program" >> "$work/cost.$family.$threads.with"
			done
		done
	done
	printf '%-45s%12s %12s\n' "c) threads in a rank" without with
	cost clang "$ncpus" thread_ns "pthread_create + join"
	cost clang "$ncpus" thread_later_ns "the same from a pinned thread"
	echo "d) parallel regions, empty"
	cost clang 1 region_ns "libomp, 1 thread"
	[ "$ncpus" = 1 ] || cost clang "$ncpus" region_ns "libomp, $ncpus threads"
	cost gcc 1 region_ns "libgomp, 1 thread"
	[ "$ncpus" = 1 ] || cost gcc "$ncpus" region_ns "libgomp, $ncpus threads"
	[ "$ncpus" = 1 ] || cost clang "$ncpus" first_region_ns "libomp, the first one, $ncpus threads"
	[ "$ncpus" = 1 ] || cost gcc "$ncpus" first_region_ns "libgomp, the first one, $ncpus threads"
}

gain
loading
running
