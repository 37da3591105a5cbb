#!/bin/bash
# What pinning costs a parallel region and a barrier of libomp and libiomp5, by
# the ways of SPLITPIN_PIN, beside a list of places that the user gives; and
# regions of libgomp whose team changes its size, for which it makes threads.
#
#   bench/regions.sh [BUILD]
#
# Ways take turns, each figure is the median of 9 rounds, each of which gives
# its quickest batch; ratios are to the user's places.
set -u
# shellcheck source=tests/lib.sh
. tests/lib.sh

rounds=9 limit=1.02 turns_limit=1.05
program=$work/regions tool=$work/tool.so

[ -e "$preload" ] || { echo "regions: no $preload: run make first" >&2; exit 1; }
rm -f "$work"/*.ns
if [ "$ncpus" -lt 2 ] || ! clang -O2 -fopenmp bench/regions.c -o "$program" 2>/dev/null ||
	! gcc -O2 -shared -fPIC -DTOOL -I. bench/regions.c -o "$tool"; then
	echo "e) skipped: one CPU, or no clang with OpenMP"
	exit 0
fi

places=$(taskset -c "$cpus" lscpu -p=CPU | awk -v cpus="$cpus" '
	BEGIN {
		n = split(cpus, part, ",")
		for (i = 1; i <= n; i++) {
			split(part[i], end, "-")
			for (c = end[1]; c <= (end[2] == "" ? end[1] : end[2]); c++)
				mine[c] = 1
		}
	}
	!/^#/ && mine[$1] { printf "%s{%s}", sep, $1; sep = "," }')
user=(OMP_PLACES="$places" OMP_PROC_BIND=close)
rank=(SPLITPIN_LOCAL_RANK=0 SPLITPIN_LOCAL_SIZE=1 LD_PRELOAD="$preload")

# way RUNTIME WAY: one run of it.
way() {
	local -A how=([none]="" [user]="${user[*]}" [tool]="${user[*]} LD_PRELOAD=$tool"
		[auto]="${rank[*]}" [ompt]="${rank[*]} SPLITPIN_PIN=ompt" [native]="${rank[*]} SPLITPIN_PIN=native")
	local path=
	[ "$1" = libomp ] || path=$build/tests/iomp-for-libomp
	# shellcheck disable=SC2086 # words
	env LD_LIBRARY_PATH="$path" OMP_NUM_THREADS=2 ${how[$2]} "$program" >> "$work/$1.$2.ns"
}

figure() { sed -n "s/^$3: //p" "$work/$1.$2.ns" | sort -n | awk '{ v[NR] = $1 } END { print v[int((NR + 1) / 2)] }'; }

runtimes=(libomp)
[ -z "$iomp" ] || runtimes+=(libiomp5)
ways=(user auto native ompt tool none)
for ((i = 0; i < rounds; i++)); do
	for runtime in "${runtimes[@]}"; do
		for way in "${ways[@]}"; do
			way "$runtime" "$way"
		done
	done
done

# by_turns WAY: teams of as many threads as CPUs and of twice as many, which do not spin.
by_turns() {
	local -A how=([user]="OMP_PLACES=cores OMP_PROC_BIND=true" [splitpin]="${rank[*]}" [none]="")
	# shellcheck disable=SC2086 # words
	env OMP_WAIT_POLICY=passive ${how[$1]} "$work/turns" "$ncpus" $((2 * ncpus)) 2>/dev/null >> "$work/libgomp.$1.ns"
}
gcc -O2 -fopenmp -DTURNS bench/regions.c -o "$work/turns" || exit 1
for ((i = 0; i < rounds; i++)); do
	for way in user splitpin none; do
		by_turns "$way"
	done
done

declare -A label=([user]="the user's OMP_PLACES" [auto]="splitpin" [native]="SPLITPIN_PIN=native" [ompt]="SPLITPIN_PIN=ompt"
	[tool]="OMP_PLACES, and a tool without events" [none]="unpinned, no splitpin")
echo "e) an empty parallel region and a barrier, 2 threads, by the way of pinning"
for runtime in "${runtimes[@]}"; do
	for way in "${ways[@]}"; do
		awk -v name="$runtime, ${label[$way]}" -v r="$(figure "$runtime" "$way" region_ns)" \
			-v b="$(figure "$runtime" "$way" barrier_ns)" -v r0="$(figure "$runtime" user region_ns)" \
			-v b0="$(figure "$runtime" user barrier_ns)" -v limit="$([ "$way" = auto ] && echo $limit)" 'BEGIN {
			printf "   %-48s%7.0f ns  ratio %.3f %7.0f ns  ratio %.3f", name, r, r / r0, b, b / b0
			if (limit != "")
				printf "  (limit %s: %s)", limit, r / r0 <= limit && b / b0 <= limit ? "kept" : "EXCEEDED"
			print "" }'
	done
done
declare -A turns=([user]="OMP_PLACES=cores OMP_PROC_BIND=true" [splitpin]="splitpin" [none]="unpinned, no splitpin")
echo "   a region of $ncpus and of $((2 * ncpus)) threads, alternately"
for way in user splitpin none; do
	awk -v name="libgomp, ${turns[$way]}" -v r="$(figure libgomp "$way" region_ns)" -v r0="$(figure libgomp user region_ns)" \
		-v limit="$([ "$way" = splitpin ] && echo $turns_limit)" 'BEGIN {
		printf "   %-48s%7.1f us  ratio %.3f%s\n", name, r / 1000, r / r0,
			limit == "" ? "" : sprintf("  (limit %s: %s)", limit, r / r0 <= limit ? "kept" : "EXCEEDED") }'
done
