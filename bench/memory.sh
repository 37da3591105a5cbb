#!/bin/bash
# What each memory policy gives: STREAM's triad on this machine.
#
#   bench/memory.sh [BUILD]
#
# Each figure is the best of 5 runs, which take turns.  Policies that this
# machine cannot serve are left out; what it has is said first.
set -u
# shellcheck source=tests/lib.sh
. tests/lib.sh

[ -e "$preload" ] || { echo "memory: no $preload: run make first" >&2; exit 1; }
for mpi in mpich openmpi ''; do
	[ -n "$mpi" ] && mpi_tool "$mpi" mpirun >/dev/null && break
done
[ -n "$mpi" ] || { echo "memory: neither Open MPI nor MPICH found: run make deps bench" >&2; exit 1; }
triad=$(program "$mpi" gcc triad.c) || { echo "memory: triad.c does not compile: $build/tests/bin/$mpi-gcc/triad_c.log" >&2; exit 1; }
rm -rf "$work"
mkdir -p "$work"

nodes=$(find /sys/devices/system/node -maxdepth 1 -name 'node[0-9]*' 2>/dev/null | wc -l)
bare=$(grep -L '[0-9]' /sys/devices/system/node/node[0-9]*/cpulist 2>/dev/null | wc -l)
policies="default local interleave interleave:all bind preferred hbm hbm:bind"

# Ranks x threads: one over all, and one a NUMA node, or two where there is one node.
ranks=$((nodes - bare))
[ "$ranks" -ge 2 ] || ranks=2
[ "$ranks" -le "$ncpus" ] || ranks=1
ways="1x$ncpus"
[ "$ranks" = 1 ] || ways="$ways ${ranks}x$((ncpus / ranks))"

# An array is to be larger than all caches together, and all of them an eighth of what is free.
cache=$(lscpu -B -C=NAME,ALL-SIZE 2>/dev/null | awk '$2 > most { most = $2 } END { print int(most / 1048576) }')
free=$(awk '/^MemAvailable/ { print int($2 / 1024) }' /proc/meminfo)
mib=$((${cache:-32} * 4))
[ "$mib" -ge 64 ] || mib=64
[ $((mib * 3)) -le $((free / 8)) ] || mib=$((free / 24))

# once WAY POLICY: one run; its figure joins the others.
once() {
	local n=${1%x*}
	OMP_NUM_THREADS=${1#*x} SPLITPIN_MEMORY=$2 LD_PRELOAD=$preload \
		launch "$mpi" "$n" "$triad" $((mib / n)) 10 > "$work/out" 2> "$work/err"
	if grep -q 'cannot be had' "$work/err"; then
		: > "$work/$1.$2.none"
	else
		sed -n 's/^triad: \([0-9.]*\) GB.*/\1/p' "$work/out" >> "$work/$1.$2"
	fi
}

# best WAY POLICY
best() { sort -n "$work/$1.$2" 2>/dev/null | tail -n 1; }

echo "e) STREAM triad, arrays of $mib MiB, GB/s and their ratio to default"
if [ "$nodes" -le 1 ]; then
	echo "   this machine has one NUMA node: all memory is as near, so the ratios tell noise"
else
	echo "   this machine has $nodes NUMA nodes, $bare of them without CPUs"
fi
for _ in 1 2 3 4 5; do
	for way in $ways; do
		for policy in $policies; do
			[ -e "$work/$way.$policy.none" ] || once "$way" "$policy"
		done
	done
done

printf '   %-16s' SPLITPIN_MEMORY
for way in $ways; do printf '%24s' "${way%x*} rank$([ "${way%x*}" = 1 ] || echo s) x ${way#*x}"; done
echo
for policy in $policies; do
	printf '   %-16s' "$policy"
	for way in $ways; do
		if [ -e "$work/$way.$policy.none" ]; then
			printf '%24s' "cannot be had"
		else
			awk -v a="$(best "$way" "$policy")" -v b="$(best "$way" default)" \
				'BEGIN { if (a > 0 && b > 0) printf "%16.2f %7.3f", a, a / b; else printf "%24s", "failed" }'
		fi
	done
	echo
done
