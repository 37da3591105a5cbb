#!/bin/bash
# Jobs that are not one of equal ranks: a driver that sleeps beside a worker, a
# farm of launchers, and a farm without one.
#
#   bench/needs.sh [BUILD]
#
# Each as typed, with splitpin, and with the best masks made by hand.  The ways
# take turns; figures are the median of 7 rounds and the fastest, which other
# programs disturb least.
set -u
# shellcheck source=bench/ways.sh
. bench/ways.sh

run=$(mpi_tool mpich mpirun) || { echo "Driver and worker, farms: skipped, no MPICH"; exit; }
spin=$(program mpich gcc bench/spin.c) || { echo "Driver and worker, farms: skipped, no gcc with OpenMP"; exit; }
[ "$ncpus" -ge 2 ] || { echo "Driver and worker, farms: skipped, one CPU"; exit; }
unset SPLITPIN_NEIGHBOURS SPLITPIN_LOCAL_RANK
splitpin=$build/splitpin rounds=7 steps=300 limit=1.030
rm -rf "$work"
mkdir -p "$work"
# Two CPUs, of two cores where there are as many.
two=$(taskset -c "$cpus" lscpu -p=CPU,CORE | awk -F, -v n="$ncpus" '!/^#/ && (!seen[$2]++ || n == 2) { print $1 }' | head -n 2 | paste -s -d ,)
cpu=("${two%,*}" "${two#*,}")

# driver WAY LIBRARY: rank 1 has two threads for two CPUs.
driver() {
	LD_PRELOAD=$2 taskset -c "$two" "$run" -n 1 -env OMP_NUM_THREADS 1 "$spin" $steps driver : \
		-n 1 -env OMP_NUM_THREADS 2 "$spin" $steps driver < /dev/null > "$work/out" 2>> "$work/err"
	slowest "$1" "$work/out"
}

# farm WAY COMMAND...: two at once of one thread each; @ in a word is the CPU of each by hand.
farm() {
	local way=$1 i
	shift
	for i in 0 1; do
		OMP_NUM_THREADS=1 taskset -c "$two" "${@//@/${cpu[i]}}" "$spin" $steps < /dev/null > "$work/out.$i" 2>> "$work/err" &
	done
	wait
	slowest "$way" "$work"/out.[01]
}

for ((i = 0; i < rounds; i++)); do
	driver driver-typed ""
	driver driver-with "$preload"
	farm launchers-typed "$run" -n 1
	farm launchers-with env LD_PRELOAD="$preload" "$run" -n 1
	farm launchers-hand "$run" -n 1 taskset -c @
	farm farm-typed env OMP_PROC_BIND=true
	farm farm-with env OMP_PROC_BIND=true "$splitpin" run --
	farm farm-hand taskset -c @
done
cp "$work/driver-typed" "$work/driver-hand"

echo "A driver that sleeps, a worker of 2 threads, 2 CPUs: median and fastest of $rounds"
row driver-hand driver-hand "unbound, which is the best by hand"
row driver-with driver-hand "with splitpin" $limit
echo "Two launchers of one rank each: the slower one, median and fastest of $rounds"
row launchers-hand launchers-hand "each with a CPU by hand"
row launchers-typed launchers-hand "as typed"
row launchers-with launchers-hand "with splitpin" $limit
echo "Two programs without a launcher, OMP_PROC_BIND=true: the slower one, median and fastest of $rounds"
row farm-hand farm-hand "each with a CPU by hand"
row farm-typed farm-hand "as typed: both on one CPU"
row farm-with farm-hand "splitpin run" $limit
