#!/bin/bash
# Two jobs at once as users type them, Open MPI's default binding on, against the
# same two with the binding switched off by hand and masks that do not overlap.
#
#   bench/jobs.sh [BUILD]
#
# Each of one rank that computes alone.  Open MPI binds both to the same core;
# splitpin gives the second another one.  The ways take turns; figures are the
# median of 7 rounds and the fastest, which other programs disturb least.
set -u
# shellcheck source=bench/ways.sh
. bench/ways.sh

run=$(mpi_tool openmpi mpirun) || { echo "Two jobs at once: skipped, no Open MPI"; exit; }
spin=$(program openmpi clang bench/spin.c) || { echo "Two jobs at once: skipped, no clang with OpenMP"; exit; }
[ "$ncpus" -ge 2 ] || { echo "Two jobs at once: skipped, one CPU"; exit; }
unset SPLITPIN_NEIGHBOURS OMPI_MCA_rmaps_base_oversubscribe PRTE_MCA_rmaps_default_mapping_policy PRTE_MCA_mapby
rounds=7 steps=200 limit=1.030
rm -rf "$work"
mkdir -p "$work"
export OMP_NUM_THREADS=1

job() { "$run" --mca orte_tmpdir_base "$work/$1" "${@:2}" "$spin" $steps < /dev/null 2>> "$work/err"; }

# two WAY [LIBRARY [OPTION...]]: the slower of two jobs.
two() {
	local way=$1 i
	mkdir -p "$work"/{0,1}
	for i in 0 1; do
		LD_PRELOAD=${2-} job $i "${@:3}" -n 1 > "$work/out.$i" &
	done
	wait
	slowest "$way" "$work"/out.[01]
}

for ((i = 0; i < rounds; i++)); do
	two bound
	two typed "$preload"
	two unbound-with "$preload" --bind-to none
	two unbound "" --bind-to none
done

echo "Two jobs at once, of one rank each, Open MPI: the slower one, median and fastest of $rounds"
row unbound unbound "--bind-to none"
row bound unbound "as typed: both on one core"
row typed unbound "as typed, with splitpin" $limit
row unbound-with unbound "--bind-to none, with splitpin"
